"""Redirects lead to our own pages only, and nothing repeats the host that a request claims."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from flask import Response
from werkzeug.test import TestResponse

from tests.fixtures.arena_site import ArenaSite, vote_form
from tests.web.security.routes import SAFE, ManyAddresses, routes, settled

ELSEWHERE = ("https://evil.invalid/", "//evil.invalid", "/\\evil.invalid", "\\\\evil.invalid")
FIELDS = ("next", "url", "return", "return_to", "redirect", "redirect_uri", "continue", "mode", "r")
PATHS = (
    "//evil.invalid", "//evil.invalid/..", "///evil.invalid", "/\\evil.invalid", "/%5cevil.invalid",
    "/%2f%2fevil.invalid", "//evil.invalid/leaderboard", "/static//evil.invalid", "/about//",
    "/ballots//evil.invalid", "/receipts//evil.invalid", "/models//evil.invalid",
    "/.//evil.invalid",
    "/leaderboard/", "/me/", "/https://evil.invalid", "/@evil.invalid", "/%0d%0aLocation:%20evil",
)  # fmt: skip


def leads_away(response: TestResponse) -> list[str]:
    """Return where a response sends the browser, if that is not an address on this very site."""
    targets = [
        value
        for name in ("Location", "HX-Push-Url", "HX-Redirect", "HX-Location", "Refresh")
        for value in response.headers.getlist(name)
    ]
    return [each for each in targets if not _is_path(each)]


def _is_path(address: str) -> bool:
    parts = urlsplit(address)
    return (
        not parts.scheme
        and not parts.netloc
        and address.startswith("/")
        and not address.startswith(("//", "/\\"))
    )


def asked(arena: ArenaSite) -> Iterator[TestResponse]:
    """Yield the answers to every address that hopes to be sent elsewhere."""
    voter, own, token = settled(arena)
    browser = ManyAddresses(voter)
    for place in ELSEWHERE:
        fields = dict.fromkeys(FIELDS, place)
        headers = {"Referer": place, "HX-Current-URL": place, "X-Forwarded-Prefix": place}
        for route in routes(arena):
            for path in (route.path(route=own), route.path_of_all(place)):
                for method in sorted(route.methods - {"OPTIONS"}):
                    if method in SAFE:
                        options = {"query_string": fields, "headers": headers}
                    else:
                        options = {"data": fields, "headers": headers}
                    yield browser.next()._open(method, path, options)
    for path in PATHS:
        for method in ("GET", "POST"):
            # The client would read two slashes as the beginning of a host.
            yield browser.next().client.open(
                path="/", method=method, environ_overrides={"PATH_INFO": path, "REQUEST_URI": path}
            )
    browser.next()
    yield voter.post("/skip?next=//evil.invalid", {"ballot": token, "next": ELSEWHERE[0]})
    yield voter.vote(voter.ballot("expert").token, next=ELSEWHERE[0])
    yield voter.post(f"/ballots/{own}/reasons", {"reason": "clear", "next": ELSEWHERE[0]})
    report = {"ballot": voter.ballot().token, "slot": "A", "reason": "broken"}
    yield voter.post("/report", {**report, "next": ELSEWHERE[0]})
    yield voter.post("/consent", {"fingerprint": "no", "next": ELSEWHERE[0]})
    arena.clock.advance(30)
    yield voter.post("/vote", vote_form(voter.ballot().token), htmx=True)


def test_no_redirect_leads_to_another_site(arena: ArenaSite) -> None:
    """Whatever names another site, each redirect stays a path on this one."""
    away: dict[str, list[str]] = {}
    led = 0
    for response in asked(arena):
        led += response.status_code in (301, 302, 303, 307, 308)
        if found := leads_away(response):
            away[response.request.path] = found

    assert away == {}
    assert led >= 5


@pytest.mark.parametrize(
    "place", ["https://evil.invalid/", "//evil.invalid", "http://localhost/", "evil.invalid"]
)
def test_a_redirect_away_is_found(arena: ArenaSite, place: str) -> None:
    """The check can fail: a route that trusts its query is reported."""

    def go() -> Response:
        response = Response(status=303)
        response.autocorrect_location_header = False
        response.headers["Location"] = place
        return response

    arena.app.add_url_rule("/go", "go", go)

    assert leads_away(arena.voter().get("/go")) == [place]


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.invalid"},
        {"Host": "localhost", "X-Forwarded-Host": "evil.invalid"},
        {"Host": "localhost", "X-Host": "evil.invalid", "X-Forwarded-Server": "evil.invalid"},
        {"Host": "localhost", "Forwarded": "host=evil.invalid;proto=https"},
        {"Host": "evil.invalid:443", "X-Forwarded-Proto": "https", "X-Forwarded-Port": "443"},
        {"Host": "localhost", "X-Original-URL": "/evil.invalid", "X-Rewrite-URL": "/evil.invalid"},
    ],
    ids=str,
)
def test_a_claimed_host_stands_nowhere(arena: ArenaSite, headers: dict[str, str]) -> None:
    """No page, file, feed, redirect or error repeats the Host header; they name the set address."""
    voter, own, _ = settled(arena)
    browser = ManyAddresses(voter)
    answers = [
        browser.next()._open(method, route.path(route=own), {"headers": headers})
        for route in routes(arena)
        for method in ("GET", "POST")
    ]
    answers += [browser.next().get(path, headers=headers) for path in ("/about//", "/nowhere")]

    told = [
        each.request.path
        for each in answers
        if "evil.invalid" in each.text or "evil.invalid" in str(each.headers)
    ]
    assert told == []
    assert {each.status_code for each in answers} >= {200, 404}


def test_an_address_with_too_many_slashes_is_not_there(arena: ArenaSite) -> None:
    """It is 404: werkzeug's own redirect would name the host that the request claims."""
    client = arena.app.test_client()
    for path in ("/static//css/base.css", "/leaderboard//compare", "/models///"):
        response = client.open(
            path="/", environ_overrides={"PATH_INFO": path, "HTTP_HOST": "evil.invalid"}
        )
        assert (response.status_code, response.headers.get("Location")) == (404, None), path
