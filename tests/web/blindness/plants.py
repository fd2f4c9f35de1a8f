"""Leaks to put into a site, each at its point of the list: the checks must go red for every one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest
from flask import Response, request
from jinja2 import ChoiceLoader, DictLoader
from sqlalchemy import text

from arena import ballot_store, ballots, catalogue, exposure, votes
from arena.ballot_store import Revealed
from arena.refits import refit_now
from arena.rendering import Cleaned, Rendered
from tests.fixtures.arena_site import ArenaSite
from tests.web.blindness.arena_checks import MONTH

Put = Callable[[ArenaSite, pytest.MonkeyPatch], object]
BALLOT, BASE = "vote/ballot.html", "base.html"
SLOT = 'data-slot="{{ slot.slot_id }}"'


@dataclass(frozen=True, slots=True)
class Plant:
    """A leak: at which point, what it is, and how it gets in."""

    point: str
    name: str
    put: Put


def in_template(name: str, old: str, new: str) -> Put:
    """Return a leak in a template, which may ask who wrote what stands in a slot."""

    def put(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
        jinja = arena.app.jinja_env
        assert jinja.loader is not None
        source = jinja.loader.get_source(jinja, name)[0]
        assert old in source, f"{name} does not hold {old!r} any more"
        jinja.loader = ChoiceLoader([DictLoader({name: source.replace(old, new)}), jinja.loader])
        jinja.cache.clear() if jinja.cache is not None else None
        jinja.globals["behind"] = lambda slot: _behind(arena, slot.slot_id)

    return put


def _behind(arena: ArenaSite, slot: str) -> dict[str, str]:
    query = (
        "SELECT s.answer_id, m.slug, m.name, m.maker, m.licence, m.link FROM ballot_slot s"
        " JOIN model m ON m.slug = s.model WHERE s.slot_id = :slot"
    )
    with arena.database.read() as conn:
        row = conn.execute(text(query), {"slot": slot}).mappings().one()
    digest = hashlib.sha256(row["slug"].encode()).hexdigest()
    number = sorted(arena.models()).index(row["slug"])
    return {**row, "digest": digest, "number": str(number)}


def in_slot(markup: str) -> Put:
    """Return a leak in the opening of each answer."""
    return in_template(BALLOT, SLOT, f"{SLOT} {markup}")


def in_response(path: str, change: Callable[[Response], object]) -> Put:
    """Return a leak in whatever leaves the application at addresses that begin so."""

    def put(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
        def leak(response: Response) -> Response:
            if request.path.startswith(path):
                change(response)
            return response

        # What was added first comes last, so that nothing else mends it.
        arena.app.after_request_funcs[None].insert(0, leak)

    return put


def said(words: str) -> Callable[[Response], object]:
    """Return a change that puts words at the end of a body."""

    def change(response: Response) -> None:
        response.direct_passthrough = False
        response.set_data(response.get_data() + words.encode())

    return change


def said_count() -> Callable[[Response], object]:
    """Return a change that counts on with each response."""
    numbers = count()

    def change(response: Response) -> None:
        said(str(next(numbers)))(response)

    return change


def header(name: str, value: str) -> Callable[[Response], object]:
    """Return a change that sets a header."""
    return lambda response: response.headers.__setitem__(name, value)


def in_database(statement: str) -> Put:
    """Return a leak in what is stored."""
    return lambda arena, _: arena.execute(statement)


def patched(owner: object, name: str, new: object) -> Put:
    """Return a leak in one function."""
    return lambda _, patch: patch.setattr(owner, name, new)


def route(rule: str, body: str) -> Put:
    """Return a leak that is a route of its own."""

    def view(**_: str) -> str:
        return body

    return lambda arena, _: arena.app.add_url_rule(rule, f"leak {rule}", view)


def drawn_as(order: Callable[[Sequence[str]], Sequence[str]]) -> Put:
    """Return a leak in the order of the models drawn."""
    draw = exposure.draw

    def leaky(*given: Any) -> object:  # noqa: ANN401 - as the function takes them
        found = draw(*given)
        return replace(found, models=tuple(order(found.models)))

    return patched(exposure, "draw", leaky)


def always(model: str) -> Put:
    """Return a leak that puts one model on each ballot."""
    draw = exposure.draw

    def leaky(pool: Any, *given: Any) -> object:  # noqa: ANN401 - as the function takes them
        found = draw(pool, *given)
        models = found.models if model in found.models else (*found.models[:3], model)
        return replace(found, models=models)

    return patched(exposure, "draw", leaky)


def rendered(html: str) -> Put:
    """Return a leak in the HTML made of an answer."""
    return patched(catalogue, "render", lambda _: Rendered(html, ()))


def more_work(arena: ArenaSite, patch: pytest.MonkeyPatch) -> None:
    """Let one model's answers take one more query than those of others."""
    load = ballot_store.load_open

    def leaky(conn: Any, *given: Any) -> object:  # noqa: ANN401 - as the function takes them
        found = load(conn, *given)
        if found and any("View 1 " in slot.raw for slot in found.slots):
            conn.execute(text("SELECT 1"))
        return found

    patch.setattr(ballots, "load_open", leaky)


def streamed(response: Response) -> None:
    """Let a response go out in parts, with no length said."""
    parts = response.get_data()
    response.response = iter([parts[:1000], parts[1000:]])
    response.headers.pop("Content-Length", None)


def reopened(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
    """Forget each vote as soon as it is cast."""

    def leak(response: Response) -> Response:
        if request.path == "/vote":
            arena.execute("UPDATE ballot SET state = 'open'")
        return response

    arena.app.after_request_funcs[None].insert(0, leak)


def kept_form(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
    """Show the ballot's form once more below the reveal."""
    forms: list[str] = []

    def leak(response: Response) -> Response:
        if request.path == "/":
            forms.extend(
                re.findall(r'name="ballot" value="[^"]+"', response.get_data(as_text=True))
            )
        elif request.path.startswith("/ballots/"):
            said(forms[0])(response)
        return response

    arena.app.after_request_funcs[None].insert(0, leak)


def fitted_at_once(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
    """Fit the board at each vote."""

    def leak(response: Response) -> Response:
        if request.path == "/vote":
            arena.sequence(after_s=61)
            refit_now(arena.services.ports, "speed", MONTH, arena.clock())
        return response

    arena.app.after_request_funcs[None].insert(0, leak)


def exact_time(moment_us: int) -> str:
    """Write a moment to the second where the hour belongs."""
    return f"2026-11-30T12:00:{moment_us // 1_000_000 % 60:02}Z"


def answer_digest(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
    """Put the plain digest of an answer's text on its model's page."""
    with arena.database.read() as conn:
        answer = conn.exec_driver_sql("SELECT text FROM answer").scalars().first() or ""
    digest = hashlib.sha1(answer.encode(), usedforsecurity=False).hexdigest()
    in_response("/models/", said(digest))(arena, _)


def answer_id(path: str) -> Put:
    """Return a leak of an answer's id at some address."""

    def put(arena: ArenaSite, patch: pytest.MonkeyPatch) -> None:
        with arena.database.read() as conn:
            found = conn.exec_driver_sql("SELECT id FROM answer").scalars().first()
        in_response(path, said(str(found)))(arena, patch)

    return put


_FAILED_COMES_BACK = (
    "CREATE TRIGGER leak AFTER UPDATE OF state ON answer WHEN NEW.state = 'failed'"
    " BEGIN UPDATE answer SET state = 'showable' WHERE id = NEW.id; END"
)

PLANTS: tuple[Plant, ...] = (
    Plant("1 phrases", "a name", in_database("UPDATE answer SET text = 'I am Zanthor Nine.'")),
    Plant("1 phrases", "a maker", in_database(
        "UPDATE answer SET text = 'As an AI by **Sarnfield**, no.' WHERE text LIKE 'View 4%'")),
    Plant("2 names", "an attribute", in_slot('data-model="{{ behind(slot).slug }}"')),
    Plant("2 names", "a class", in_slot('class="by-{{ behind(slot).maker }}"')),
    Plant("2 names", "an id", in_slot('id="{{ behind(slot).name }}"')),
    Plant("2 names", "a comment", in_slot("><!-- {{ behind(slot).licence }} --><i")),
    Plant("2 names", "a link", in_slot('cite="{{ behind(slot).link }}"')),
    Plant("2 names", "a picture's text", in_slot('><img alt="{{ behind(slot).name }}"')),
    Plant("2 names", "a digest", in_slot('data-key="{{ behind(slot).digest[:16] }}"')),
    Plant("2 names", "entities", in_response("/", said("&#90;anthor&#32;Nine"))),
    Plant("2 names", "percent signs", in_response("/", said("%7Aanthor-9b"))),
    Plant("2 names", "base 64", in_response("/", said('"emFudGhvci05Yg=="'))),
    Plant("2 names", "a cookie", in_response("/", lambda r: r.set_cookie("m", "brimwick-x"))),
    Plant("2 names", "an error", in_response("/", lambda response: said(
        "Fenwhistle failed")(response) if response.status_code == 404 else None)),
    Plant("2 names", "a report's answer", in_response("/report", said("Thanks: Corvath Mini"))),
    Plant("2 names", "a skip's answer", in_response("/skip", said("That was Eskerine Two"))),
    Plant("2 names", "a redirect", in_response("/ballots/", header("Location", "/fenwhistle"))),
    Plant("2 names", "the voter's page", in_response("/me", said("drumlow-70"))),
    Plant("2 names", "readiness", in_response("/readyz", said("Pellham Lab"))),
    Plant("2 names", "metrics", in_response("/metrics", said('x{model="zanthor-9b"} 1'))),
    Plant("2 names", "a new route", route("/new/<slot>", "Oddfell Group")),
    Plant("3 ids", "an answer's id", in_template(
        BALLOT, SLOT, 'data-slot="{{ behind(slot).answer_id }}"')),
    Plant("3 ids", "a number", in_template(BALLOT, SLOT, 'data-slot="{{ behind(slot).number }}"')),
    Plant("3 ids", "a fixed digest", in_template(
        BALLOT, SLOT, 'data-slot="{{ behind(slot).digest }}"')),
    Plant("3 ids", "beside the slot's", in_slot('data-answer="{{ behind(slot).answer_id }}"')),
    Plant("4 headers", "a name for it", in_response("/", header("X-Model", "9"))),
    Plant("4 headers", "a duration", in_response("/", header("Server-Timing", "a;dur=3"))),
    Plant("4 headers", "on errors alone", in_response("/vote", header("X-Upstream", "1"))),
    Plant("4 headers", "an event", in_response("/", header("HX-Trigger", "shown"))),
    Plant("5 caches", "a validator", in_response("/", Response.add_etag)),
    Plant("5 caches", "a date", in_response("/", header("Last-Modified", "x"))),
    Plant("5 caches", "kept", in_response("/", header("Cache-Control", "public"))),
    Plant("5 caches", "kept errors", in_response("/vote", header("Cache-Control", "max-age=9"))),
    Plant("6 places", "by name", drawn_as(sorted)),
    Plant("6 places", "one in front", drawn_as(
        lambda models: sorted(models, key=lambda model: model != "zanthor-9b"))),
    Plant("6 places", "letters", in_template(
        BALLOT, "{% for slot in ballot.slots %}", "{% for slot in ballot.slots | reverse %}")),
    Plant("7 time", "streaming", in_response("/", streamed)),
    Plant("7 time", "more work for one", more_work),
    Plant("7 time", "one comes later", in_template(
        BALLOT, "{% for slot in ballot.slots %}", "{% for slot in ballot.slots[:3] %}")),
    Plant("8 requests", "a fragment", in_slot('hx-get="/answers/{{ slot.slot_id }}"')),
    Plant("8 requests", "by letter", in_slot('><img src="/shot/{{ slot.letter }}"')),
    Plant("8 requests", "a route", route("/answers/<answer_id>", "x")),
    Plant("8 requests", "packed", in_response("/", header("Content-Encoding", "gzip"))),
    Plant("9 layout", "a size", in_slot('data-long="{{ slot.raw | length // 100 }}"')),
    Plant("9 layout", "a class", in_slot("{% if slot.raw | length > 99 %}class='x'{% endif %}")),
    Plant("9 layout", "a number", in_slot('data-n="{{ behind(slot).number }}"')),
    Plant("9 blanks", "as stored", patched(
        ballot_store, "visible", lambda stored: Cleaned(stored, ()))),
    Plant("9 blanks", "in the HTML", patched(
        catalogue, "render", lambda stored: Rendered(f"<pre>{stored}</pre>", ()))),
    Plant("10 marks", "in raw text", patched(
        ballot_store, "visible", lambda stored: Cleaned(stored.strip(), ()))),
    Plant("10 marks", "in the HTML", patched(
        catalogue, "render", lambda stored: Rendered(f"<p>{stored}</p>", ()))),
    Plant("11 outside", "a link", rendered('<a href="https://maker.invalid/">x</a>')),
    Plant("11 outside", "a picture", rendered('<img src="/x.png" alt="x">')),
    Plant("11 outside", "a font", in_template(
        BASE, "</head>", '<link rel="stylesheet" href="https://fonts.invalid/x"></head>')),
    Plant("11 outside", "the policy", in_response(
        "/", header("Content-Security-Policy", "default-src 'none'; img-src https:"))),
    Plant("12 referrer", "the header", in_response("/", header("Referrer-Policy", "origin"))),
    Plant("12 referrer", "on errors alone", in_response("/vote", lambda r: r.headers.remove(
        "Referrer-Policy"))),
    Plant("12 referrer", "in the page", in_template(
        BASE, "</head>", '<meta name="referrer" content="unsafe-url"></head>')),
    Plant("13 heads", "the title", in_template(
        BALLOT, '{{ _("Vote") }}{% endblock %}',
        "{{ behind(ballot.slots[0]).number }}{% endblock %}")),
    Plant("13 heads", "a card", in_template(
        BASE, "</head>", '<meta property="og:image" content="/x.png"></head>')),
    Plant("13 heads", "an icon", in_template(
        BASE, "</head>", '<link rel="icon" href="/{{ behind(ballot.slots[1]).number }}"></head>')),
    Plant("13 heads", "printed alone", in_template(
        BALLOT, '<div class="notes">', '<div class="notes">{{ behind(ballot.slots[2]).number }}')),
    Plant("14 shares", "always on", always("fenwhistle")),
    Plant("14 shares", "more often", drawn_as(
        lambda models: models if "brimwick-x" in models else [
            "brimwick-x" if model == "corvath-mini" else model for model in models])),
    Plant("15 seen", "forgotten", patched(
        ballots, "revealed_to", lambda *_: Revealed(frozenset(), frozenset()))),
    Plant("15 seen", "not said", in_template(
        BALLOT, "This vote will not count", "Enjoy")),
    Plant("16 again", "reopened", reopened),
    Plant("16 again", "the form", kept_form),
    Plant("17 board", "fitted at once", fitted_at_once),
    Plant("17 board", "a live count", in_response("/leaderboard", said_count())),
    Plant("18 log", "a name", in_response("/log/tile/entries", said("zanthor-9b"))),
    Plant("18 log", "a verdict", in_response("/log/tile/entries", said('"best_worst"'))),
    Plant("18 log", "an answer", in_response("/log/tile/entries", said("View 1 on topic 1."))),
    Plant("18 log", "a maker's digest", in_response("/log/checkpoint", said(
        hashlib.sha256(b"sarnfield").hexdigest()))),
    Plant("19 moment", "seconds", patched(votes, "hour_of", exact_time)),
    Plant("19 moment", "the order", lambda arena, patch: patch.setattr(
        arena.services.rng, "shuffle", lambda _: None)),
    Plant("20 failures", "not noted", in_database(_FAILED_COMES_BACK)),
    Plant("20 failures", "an error's text", in_database(
        "UPDATE answer SET text = 'HTTP 529: the model is overloaded' WHERE text LIKE 'View 2%'")),
    Plant("21 cuts", "cut", in_template(BALLOT, "{{ slot.raw }}", "{{ slot.raw[:2000] }}")),
    Plant("21 cuts", "marked", in_slot("{% if slot.raw | length > 999 %}title='cut'{% endif %}")),
    Plant("23 labels", "a label", in_slot('aria-label="{{ behind(slot).number }}"')),
    Plant("23 labels", "for ears alone", in_slot(
        '><span class="visually-hidden">{{ behind(slot).number }}</span><i')),
    Plant("24 operators", "an open page", route("/moderation/leak", "all well")),
    Plant("24 operators", "names", in_response("/metrics", said("corvath-mini"))),
    Plant("V-169 joins", "an answer", in_response("/models/", said("View 3 on topic 4."))),
    Plant("V-169 joins", "its digest", answer_digest),
    Plant("V-169 joins", "its id", answer_id("/leaderboard")),
    Plant("V-169 joins", "in the feed", answer_id("/feed.atom")),
    Plant("V-169 joins", "in the log", answer_id("/log/tile/entries")),
)  # fmt: skip
