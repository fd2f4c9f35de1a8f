"""No other site can write here: each route that takes a write is tried, also one made tomorrow."""

from __future__ import annotations

import pytest
from werkzeug.test import TestResponse

from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.web.security.routes import ManyAddresses, settled, writes

FOREIGN: dict[str, dict[str, str]] = {
    "cross-site": {"Sec-Fetch-Site": "cross-site"},
    "same-site": {"Sec-Fetch-Site": "same-site"},
    "unknown site": {"Sec-Fetch-Site": "elsewhere"},
    "site says ours, origin does not": {
        "Sec-Fetch-Site": "same-origin",
        "Origin": "https://evil.invalid",
    },
    "foreign origin": {"Origin": "https://evil.invalid"},
    "origin that begins with ours": {"Origin": "http://localhost.evil.invalid"},
    "origin that ends with ours": {"Origin": "http://evil-localhost"},
    "ours as the user part": {"Origin": "http://localhost@evil.invalid"},
    "another port": {"Origin": "http://localhost:8081"},
    "another scheme": {"Origin": "https://localhost"},
    "opaque origin": {"Origin": "null"},
    "no web address": {"Origin": "file://"},
    "two origins": {"Origin": "http://localhost http://evil.invalid"},
}
OURS: dict[str, dict[str, str]] = {
    "our page": {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
    "no browser": {},
}


def accepted(arena: ArenaSite, headers: dict[str, str]) -> list[str]:
    """Return the routes that a write with these headers gets through to."""
    voter, own, token = settled(arena)
    browser = ManyAddresses(voter)
    through: list[str] = []
    for method, route in writes(arena):
        response: TestResponse = browser.next()._open(
            method, route.path(route=own), {"headers": headers, "data": {"ballot": token}}
        )
        if (response.status_code, reason_of(response)) != (403, "bad_origin"):
            through.append(f"{method} {route.rule}")
    return through


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN.keys())
def test_no_route_takes_a_write_from_elsewhere(arena: ArenaSite, headers: dict[str, str]) -> None:
    """Every method but the reading ones, on every route of the map, is 403 `bad_origin`."""
    assert accepted(arena, headers) == []


@pytest.mark.parametrize("headers", OURS.values(), ids=OURS.keys())
def test_our_own_pages_get_through(arena: ArenaSite, headers: dict[str, str]) -> None:
    """The check above can fail: with our own headers each of the routes lets the write in."""
    found = [f"{method} {route.rule}" for method, route in writes(arena)]

    assert len(found) >= 5
    assert accepted(arena, headers) == found


def test_a_new_route_is_covered(arena: ArenaSite) -> None:
    """A route that someone adds tomorrow is in the list and protected without a word about it."""
    arena.app.add_url_rule("/new", "new", lambda: "done", methods=["POST", "DELETE"])

    assert {"POST /new", "DELETE /new"} <= set(accepted(arena, OURS["our page"]))
    assert accepted(arena, FOREIGN["cross-site"]) == []


def test_an_unprotected_application_is_found(arena: ArenaSite) -> None:
    """The check can fail: with the origin check taken out, every route is reported."""
    checks = arena.app.before_request_funcs[None]
    checks[:] = [check for check in checks if check.__name__ != "_check_origin"]

    assert len(accepted(arena, FOREIGN["cross-site"])) == len(list(writes(arena)))


def test_reading_changes_nothing(arena: ArenaSite) -> None:
    """No vote, skip, report or consent is stored by GET or HEAD, whatever they carry."""
    voter, own, token = settled(arena)
    browser = ManyAddresses(voter)
    before = [arena.count(name) for name in ("vote", "vote_reason", "report", "ballot")]
    fields = {"ballot": token, "verdict": "same", "slot": "A", "reason": "broken"}
    for _, route in writes(arena):
        for method in ("GET", "HEAD"):
            browser.next()._open(method, route.path(route=own), {"query_string": fields})

    assert [arena.count(name) for name in ("vote", "vote_reason", "report", "ballot")] == before
    assert arena.events("ballot.skipped", "consent.given") == []


@pytest.mark.parametrize(
    "header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"]
)
def test_no_header_turns_reading_into_writing(arena: ArenaSite, header: str) -> None:
    """The method is the request line's; no header and no field puts another in its place."""
    voter, _, token = settled(arena)
    before = arena.count("vote")
    query = {"ballot": token, "verdict": "same", "_method": "POST"}

    read = voter.get("/vote", headers={header: "POST"}, query_string=query)
    written = voter.post("/vote?_method=DELETE", {"ballot": "x"}, headers={header: "GET"})

    assert read.status_code == 405
    assert (written.status_code, reason_of(written)) == (400, "bad_token")
    assert arena.count("vote") == before


def test_behind_https_only_the_public_address_and_the_one_called_are_ours(
    open_arena: OpenArena,
) -> None:
    """The public origin is accepted whatever Host the proxy sends; any other is not."""
    arena = open_arena(public_url="https://arena.example")
    for origin, status in (
        ("https://arena.example", 400),
        ("http://arena.example", 403),
        ("https://arena.example.evil.invalid", 403),
    ):
        voter = arena.voter()
        voter.get("/", base_url="https://internal.invalid")
        response = voter.post(
            "/vote", {}, headers={"Origin": origin}, base_url="https://internal.invalid"
        )
        assert response.status_code == status, origin
