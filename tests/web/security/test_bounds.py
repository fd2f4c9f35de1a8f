"""Bounds of a request: how much is read at all, and which files an address can reach."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from flask import Response, send_file

from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.web.security.routes import ManyAddresses, routes, settled, writes

MOST = 64 * 1024
FORM = "application/x-www-form-urlencoded"


class Watched(io.BytesIO):
    """A body that knows how much of it was read."""

    def __init__(self, size: int) -> None:
        super().__init__(b"ballot=" + b"x" * (size - 7))


def test_every_write_is_bounded(arena: ArenaSite) -> None:
    """More than 64 KB is 413 in plain words on each route that takes a form, and is not read."""
    voter, own, _ = settled(arena)
    browser = ManyAddresses(voter)
    for method, route in writes(arena):
        body = Watched(10 * MOST)
        response = browser.next()._open(
            method,
            route.path(route=own),
            {
                "input_stream": body,
                "content_type": FORM,
                "environ_base": {"CONTENT_LENGTH": str(10 * MOST)},
            },
        )
        assert (response.status_code, reason_of(response)) == (413, "too_large"), route
        assert "larger than" in response.text
        assert body.tell() <= MOST + 1, route


def test_a_body_of_unsaid_length_is_bounded(arena: ArenaSite) -> None:
    """A chunked body, whose length nobody says, is read to the bound and then refused."""
    voter, own, _ = settled(arena)
    browser = ManyAddresses(voter)
    for method, route in writes(arena):
        body = Watched(10 * MOST)
        chunked = {
            "wsgi.input": body,
            "wsgi.input_terminated": True,
            "HTTP_TRANSFER_ENCODING": "chunked",
        }
        response = browser.next().client.open(
            route.path(route=own), method=method, content_type=FORM, environ_overrides=chunked
        )
        # A route that asks for no form does not read one.
        assert response.status_code == 413 or body.tell() == 0, route
        assert body.tell() <= 2 * MOST, route


def test_just_within_the_bound_is_read(arena: ArenaSite) -> None:
    """The bound is 64 KB: a form of that size is judged by what it says."""
    voter, _, _ = settled(arena)
    for size, status in ((MOST, 400), (MOST + 1, 413)):
        response = voter.client.post("/vote", data=b"ballot=".ljust(size, b"x"), content_type=FORM)
        assert response.status_code == status


def test_files_sent_are_not_kept(arena: ArenaSite) -> None:
    """No route takes a file: one that is sent is neither stored nor believed."""
    voter, own, token = settled(arena)
    browser = ManyAddresses(voter)
    for method, route in writes(arena):
        upload = {"ballot": token, "file": (io.BytesIO(b"#!/bin/sh"), "../../x.sh")}
        response = browser.next()._open(
            method,
            route.path(route=own),
            {"data": upload, "content_type": "multipart/form-data"},
        )
        assert response.status_code in (200, 303, 400, 403, 404, 410, 422), route
    assert not list(Path(arena.services.settings.data_dir).rglob("*x.sh"))


CLIMBS = (
    "../{}", "../../{}", "../../../../../../../../{}", "%2e%2e/{}", "..%2f{}", "..%5c{}",
    "....//{}",
    "%252e%252e%252f{}", "..%c0%af{}", ".%00./{}", "/{}", "//{}", "file:///{}", "..;/{}",
    "css/../../{}", "css/..%2f..%2f{}", "%c0%ae%c0%ae/{}", "~/{}", "{}%00.css", "{}?.css", "\\\\{}",
)  # fmt: skip
TARGETS = ("pyproject.toml", "templates/base.html", "etc/passwd", "log-key")
OURS = re.compile(
    rb"\[project\]|class Settings|\{%- from|root:x:0|PRIVATE\+KEY|SQLite format 3|repositoryformat"
)


def climbs(arena: ArenaSite, prefixes: Iterable[str]) -> Iterator[str]:
    """Yield addresses that begin so and try to reach a file elsewhere."""
    folder = str(arena.services.settings.data_dir).lstrip("/")
    targets = (*TARGETS, f"{folder}/log-key")
    for prefix in prefixes:
        for climb in CLIMBS:
            for target in targets:
                yield prefix + climb.format(target)


def reached(arena: ArenaSite, *prefixes: str) -> list[str]:
    """Return the addresses that give out a file that is nobody's."""
    browser = ManyAddresses(arena.voter())
    found: list[str] = []
    for path in climbs(arena, prefixes):
        # As a server hands it over; the client would tidy the address up first.
        environ = {"PATH_INFO": unquote_to_bytes(path).decode("latin-1")}
        sent = browser.next().client.get("/", environ_overrides=environ, buffered=True)
        if sent.status_code >= 500 or (sent.status_code == 200 and OURS.search(sent.data)):
            found.append(path)
    return found


def test_no_address_reaches_a_file_of_the_machine(arena: ArenaSite) -> None:
    """Keys, database, source and system files are not reached through any place of any route."""
    before_places = {each.rule.partition("<")[0] for each in routes(arena) if each.has_places}

    assert reached(arena, *sorted(before_places), "/", "/log/", "/log/tile/0/") == []


def test_a_file_given_out_is_found(open_arena: OpenArena, project_root: Path) -> None:
    """The check can fail: a route that joins its place to a folder is reported."""
    arena = open_arena()

    def give(name: str) -> Response:
        return send_file(project_root / "static" / name)

    arena.app.add_url_rule("/give/<path:name>", "give", give)

    assert "/give/../pyproject.toml" in reached(arena, "/give/")


@pytest.mark.parametrize("size", [8_000, 200_000])
def test_long_addresses_and_headers_are_no_fault(arena: ArenaSite, size: int) -> None:
    """Very long paths, queries, cookies and headers get an answer below 500."""
    reader = arena.voter()
    long = "x" * size
    answers = [
        reader.get(f"/{long}"),
        reader.get(f"/models/{long}"),
        reader.get(f"/?{long}"),
        reader.get("/", query_string={"mode": long}),
        reader.get("/", headers={"Cookie": f"voter={long}"}),
        reader.get("/", headers={"X-Forwarded-For": ",".join([long, "192.0.2.1"] * 20)}),
        reader.get("/", headers={"Accept": long, "Accept-Language": long, "User-Agent": long}),
        reader.post("/vote", {}, headers={"Origin": f"https://{long}"}),
    ]
    assert [each.status_code for each in answers if each.status_code >= 500] == []
