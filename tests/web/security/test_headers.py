"""Security headers stand on whatever leaves the application, errors and files included (X-009)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flask import Response
from werkzeug.test import TestResponse
from werkzeug.wrappers import Response as AnyResponse

from arena import ballots
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite
from tests.web.security.routes import ManyAddresses, routes, settled

DIRECTIVES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "font-src": "'self'",
    "manifest-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
STATUSES = {200, 303, 304, 400, 403, 404, 405, 410, 413, 416, 422, 429, 500}


def faults(response: AnyResponse) -> list[str]:
    """Return what a response lacks of the headers that all must bear."""
    policy = dict(
        part.strip().split(" ", 1)
        for part in response.headers.get("Content-Security-Policy", "").split(";")
        if part.strip()
    )
    missing = [] if policy == DIRECTIVES else [f"policy is {policy}"]
    missing += [
        f"{name} is {response.headers.get(name)}"
        for name, value in HEADERS.items()
        if response.headers.get(name) != value
    ]
    if "Permissions-Policy" not in response.headers:
        missing.append("no Permissions-Policy")
    if response.mimetype == "text/html" and response.headers.get("Cache-Control") != "no-store":
        missing.append("a page that may be kept")
    return missing


def all_kinds(arena: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestResponse]:
    """Yield a response of every status, and one of every route and method."""
    voter, own, token = settled(arena)
    arena.sequence()
    browser = ManyAddresses(arena.voter())
    for route in routes(arena):
        path = route.path(route=own, filename="css/base.css", slug=next(iter(arena.models())))
        for method in ("GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "TRACE"):
            yield browser.next()._open(method, path, {})
    etag = voter.get("/static/css/base.css").headers["ETag"]
    yield voter.get("/static/css/base.css", headers={"If-None-Match": etag})
    yield voter.get("/static/css/base.css", headers={"Range": "bytes=99999999-"})
    yield voter.get("/static/none.css")
    yield voter.get("/log/tile/0/000.p/1")
    yield voter.get("/nowhere", headers={"Accept": "application/json"})
    yield voter.post("/vote", {"ballot": token, "verdict": "none"})
    yield voter.post("/vote", {"ballot": "x" * 70_000})
    yield voter.post("/vote", {"ballot": token}, headers={"Origin": "https://evil.invalid"})
    arena.clock.advance(24 * 3600)
    yield voter.post("/vote", {"ballot": token, "verdict": "same"})
    for _ in range(400):
        last = arena.voter("192.0.2.1").get("/about")
        if last.status_code == 429:
            yield last
            break

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(ballots, "open_ballot", broken)
        yield arena.voter().get("/")
        yield arena.voter().get("/", headers={"Accept": "application/json"})


def test_every_response_bears_the_headers(
    arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All routes and methods, files, log, and every kind of error have policy and headers."""
    seen: set[int] = set()
    bad: dict[str, list[str]] = {}
    for response in all_kinds(arena, monkeypatch):
        seen.add(response.status_code)
        if found := faults(response):
            bad[f"{response.request.method} {response.request.path} {response.status}"] = found

    assert bad == {}
    assert seen >= STATUSES


@pytest.mark.parametrize("name", ["Content-Security-Policy", *HEADERS, "Permissions-Policy"])
def test_a_missing_header_is_found(arena: ArenaSite, name: str) -> None:
    """The check can fail: without one of the headers it names the fault."""

    def strip(response: Response) -> Response:
        del response.headers[name]
        return response

    # Flask runs these in reverse, so the first comes last.
    arena.app.after_request_funcs[None].insert(0, strip)

    assert len(faults(arena.voter().get("/about"))) == 1


@pytest.mark.parametrize("weak", ["'unsafe-inline'", "https:", "*", "data:"])
def test_a_weak_policy_is_found(arena: ArenaSite, weak: str) -> None:
    """The check can fail: a policy that allows more than our own files is a fault."""

    def weaken(response: Response) -> Response:
        policy = response.headers["Content-Security-Policy"]
        response.headers["Content-Security-Policy"] = policy.replace(
            "script-src 'self'", f"script-src 'self' {weak}"
        )
        return response

    arena.app.after_request_funcs[None].insert(0, weaken)

    assert faults(arena.voter().get("/about"))


def test_no_page_holds_inline_script_or_style(arena: ArenaSite) -> None:
    """What the policy refuses no page asks for: inline code, handlers, styles, outside files."""
    voter, own, _ = settled(arena)
    browser = ManyAddresses(voter)
    for route in routes(arena):
        if "GET" not in route.methods:
            continue
        slug = next(iter(arena.models()))
        response = browser.next().get(route.path(route=own, slug=slug))
        if response.mimetype != "text/html":
            continue
        html = response.text
        assert re.findall(r"<script(?![^>]* src=\"/)[^>]*>", html) == [], route
        assert re.findall(r"<style|\sstyle=|\son[a-z]+=\"|javascript:", html) == [], route
        assert re.findall(r'(?:src|srcset|poster)="(?!/)[^"]*"', html) == [], route
        links = re.findall(r'<link[^>]* href="([^"]*)"', html)
        assert [each for each in links if not each.startswith("/")] == [], route


def test_over_https_browsers_are_told_to_stay_there(open_arena: OpenArena) -> None:
    """Every response of an HTTPS installation bears HSTS, errors too; without HTTPS none does."""
    secure = open_arena(public_url="https://arena.example", log_origin="arena.example/log")
    plain = open_arena(log_origin="arena.example/log")
    for path in ("/", "/nowhere", "/static/css/base.css", "/log/key", "/healthz"):
        assert "max-age=31536000" in secure.voter().get(path).headers["Strict-Transport-Security"]
        assert "Strict-Transport-Security" not in plain.voter().get(path).headers


def test_every_cookie_is_bound_to_the_host(open_arena: OpenArena) -> None:
    """Over HTTPS each cookie set anywhere is `__Host-`, Secure, HttpOnly, SameSite, path `/`."""
    arena = open_arena(public_url="https://arena.example")
    set_by: list[str] = []
    for route in routes(arena):
        if "GET" in route.methods:
            set_by += arena.voter().get(route.path()).headers.getlist("Set-Cookie")

    assert set_by
    for cookie in set_by:
        name, *rest = cookie.split("; ")
        assert name.startswith("__Host-")
        assert {"Secure", "HttpOnly", "Path=/"} <= set(rest)
        assert {"SameSite=Lax", "SameSite=Strict"} & set(rest)
        assert not any(part.startswith("Domain") for part in rest)
