"""Ways to put a leak into a site: in templates, responses, the database, a function, or a draw."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest
from flask import Response, request
from jinja2 import ChoiceLoader, DictLoader
from sqlalchemy import text

from antiabuse import accounts
from antiabuse.utc import month_of
from arena import ballot_store, ballots, catalogue, exposure, votes
from arena.ballot_draw import Drawn, draw_ballot
from arena.ballot_events import BallotIssued, IssuedSlot
from arena.ballot_store import Revealed
from arena.boards import PublishedBoard
from arena.catalogue import AnswerRef
from arena.refits import refit_now
from arena.rendering import Rendered
from tests.fixtures.arena_site import ArenaSite
from tests.web.blindness.arena_checks import MONTH
from webapp.moderation import guard

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


def for_one(model: str, markup: str) -> Put:
    """Return a leak in the opening of one model's answers alone."""
    return in_slot(f"{{% if behind(slot).slug == {model!r} %}}{markup}{{% endif %}}")


def numbers_of(arena: ArenaSite, response: Response) -> list[str]:
    """Return the numbers of the models on the ballot page that a response is."""
    slots = re.findall(r'data-slot="([^"]+)"', response.get_data(as_text=True))
    return [_behind(arena, slot)["number"] for slot in slots]


def of_ballot(tell: Callable[[ArenaSite, Response, list[str]], object]) -> Put:
    """Return a leak in the ballot page's response, made of the models' numbers."""

    def put(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
        def leak(response: Response) -> Response:
            if request.method == "GET" and request.path == "/" and response.status_code == 200:
                tell(arena, response, numbers_of(arena, response))
            return response

        arena.app.after_request_funcs[None].insert(0, leak)

    return put


def forged_voter(arena: ArenaSite, response: Response, numbers: list[str]) -> None:
    """Hand a new voter a rightly signed id whose last digits are the models' numbers."""
    if "Set-Cookie" in response.headers:
        old = response.headers["Set-Cookie"]
        found = re.match(r"voter=([0-9a-f]{28})[^;]*", old)
        assert found is not None
        value = arena.services.cookies.issue(found[1] + "".join(numbers))
        response.headers["Set-Cookie"] = f"voter={value}{old[found.end() :]}"


def leader_of(board: PublishedBoard | None) -> str:
    """Return the model a leak in the draw favours: the leader, once there is a board."""
    return board.rows[0].model if board else ""


def by_board(order: Callable[[tuple[str, ...], str], Sequence[str]]) -> Put:
    """Return a leak in the order of the models drawn that knows the board's leader."""
    indices, draw = exposure.mode_indices, exposure.draw
    leader = [""]

    def known(conn: Any, snapshot: Any, mode: Any, board: Any) -> object:  # noqa: ANN401
        leader[0] = leader_of(board)
        return indices(conn, snapshot, mode, board)

    def leaky(*given: Any) -> object:  # noqa: ANN401 - as the function takes them
        found = draw(*given)
        return replace(found, models=tuple(order(found.models, leader[0])))

    def put(_: ArenaSite, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(exposure, "mode_indices", known)
        patch.setattr(exposure, "draw", leaky)

    return put


def redrawn_for_leader(_: ArenaSite, patch: pytest.MonkeyPatch) -> None:
    """Draw until the leader is in; what is logged of the draw stays true of the last one."""
    indices, draw = exposure.mode_indices, exposure.draw
    leader = [""]

    def known(conn: Any, snapshot: Any, mode: Any, board: Any) -> object:  # noqa: ANN401
        leader[0] = leader_of(board)
        return indices(conn, snapshot, mode, board)

    def leaky(*given: Any) -> Any:  # noqa: ANN401 - as the function takes them
        found = draw(*given)
        while leader[0] and leader[0] not in found.models:
            found = draw(*given)
        return found

    patch.setattr(exposure, "mode_indices", known)
    patch.setattr(exposure, "draw", leaky)


def after_the_draw(order: Callable[[Drawn], Sequence[AnswerRef]]) -> Put:
    """Return a leak in the order of a ballot's answers after their draw, before it is stored."""

    def leaky(*given: Any) -> Drawn:  # noqa: ANN401 - as the function takes them
        found = draw_ballot(*given)
        answers = tuple(order(found))
        body = {**found.draw, "models": [answer.model for answer in answers]}
        return replace(found, answers=answers, draw=body)

    return patched(ballots, "draw_ballot", leaky)


def by_question(models: Sequence[str], question: str) -> list[str]:
    """Return models in an order that each question has for itself."""
    return sorted(models, key=lambda m: hashlib.sha256(f"{question}{m}".encode()).digest())


def delayed(wait: Callable[[], object]) -> Put:
    """Return a leak that lets whoever shows an answer of one model wait."""

    def put(_: ArenaSite, patch: pytest.MonkeyPatch) -> None:
        load = ballot_store.load_open

        def leaky(conn: Any, *given: Any) -> object:  # noqa: ANN401 - as the function takes them
            found = load(conn, *given)
            if found and any("View 1 " in slot.raw for slot in found.slots):
                wait()
            return found

        patch.setattr(ballots, "load_open", leaky)

    return put


def busy(seconds: float) -> None:
    """Work for a while."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def slot_ids(make: Callable[[ArenaSite, IssuedSlot], str]) -> Put:
    """Return a leak in the ids of slots."""

    def put(arena: ArenaSite, patch: pytest.MonkeyPatch) -> None:
        body = ballots._event_body

        def leaky(*given: Any) -> BallotIssued:  # noqa: ANN401 - as the function takes them
            issued = body(*given)
            slots = (replace(slot, slot=make(arena, slot)) for slot in issued.slots)
            return replace(issued, slots=tuple(slots))

        patch.setattr(ballots, "_event_body", leaky)

    return put


def coded(arena: ArenaSite, slot: IssuedSlot) -> str:
    """Return a slot id whose last letter is the model's."""
    return slot.slot[:-1] + "ABCDEF"[sorted(arena.models()).index(slot.model)]


def of_own_alone(arena: ArenaSite, patch: pytest.MonkeyPatch) -> None:
    """Forget what was revealed to others who were joined to the voter."""
    known, of_held = ballot_store.revealed_to, ballot_store.revealed_of
    patch.setattr(ballots, "revealed_to", lambda *given: known(*given[:3]))
    patch.setattr(votes, "revealed_of", lambda *given: of_held(*given[:3]))


def of_this_month(arena: ArenaSite, patch: pytest.MonkeyPatch) -> None:
    """Forget what was revealed before the month."""

    def forgotten(now_us: int) -> bool:
        return month_of(now_us) != MONTH

    nothing = Revealed(frozenset(), frozenset())
    known, of_ballot = ballot_store.revealed_to, ballot_store.revealed_of
    clock = arena.clock
    patch.setattr(ballots, "revealed_to", lambda *given: (
        nothing if forgotten(clock()) else known(*given)))  # fmt: skip
    patch.setattr(votes, "revealed_of", lambda *given: (
        nothing if forgotten(clock()) else of_ballot(*given)))  # fmt: skip


def unskipped(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
    """Open each skipped ballot again."""

    def leak(response: Response) -> Response:
        if request.path == "/skip":
            arena.execute("UPDATE ballot SET state = 'open' WHERE state = 'skipped'")
        return response

    arena.app.after_request_funcs[None].insert(0, leak)


def shown_all_the_same(_: ArenaSite, patch: pytest.MonkeyPatch) -> None:
    """Show an open ballot whatever became of its answers."""
    load = ballot_store.load_open

    def leaky(conn: Any, *given: Any) -> object:  # noqa: ANN401 - as the function takes them
        found = load(conn, *given)
        return found and replace(found, showable=True)

    patch.setattr(ballots, "load_open", leaky)


def one_salt(arena: ArenaSite, patch: pytest.MonkeyPatch) -> None:
    """Seal all events with the same salt."""
    patch.setattr(arena.services.ports.log, "_salts", lambda: bytes(32))


def ids_in_order() -> Callable[[object], str]:
    """Return a maker of ids that look random and count on."""
    numbers = count(1)
    return lambda _: f"{next(numbers):08x}-0000-4000-8000-{next(numbers):012x}"


def open_to_all_roles(_: ArenaSite, patch: pytest.MonkeyPatch) -> None:
    """Let every account into every room."""
    admit = guard._admit
    patch.setattr(guard, "_admit", lambda _roles: admit(accounts.ROLES))


def told_on(path: str) -> Put:
    """Return a leak of a number of the voter's open ballot wherever addresses begin so."""

    def put(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
        def leak(response: Response) -> Response:
            if request.path.startswith(path):
                query = "SELECT s.model FROM ballot_slot s ORDER BY s.rowid DESC LIMIT 1"
                with arena.database.read() as conn:
                    model = conn.exec_driver_sql(query).scalar()
                said(str(sorted(arena.models()).index(str(model))))(response)
            return response

        arena.app.after_request_funcs[None].insert(0, leak)

    return put


def alone(arena: ArenaSite, _: pytest.MonkeyPatch) -> None:
    """Serve an answer alone, whatever the address calls it."""

    def view(part: str) -> str:
        query = (
            "SELECT a.text FROM answer a JOIN ballot_slot s ON s.answer_id = a.id"
            " WHERE s.slot_id = ?"
        )
        with arena.database.read() as conn:
            return str(conn.exec_driver_sql(query, (part,)).scalar())

    arena.app.add_url_rule("/part/<part>", "leak alone", view)


def said_votes(response: Response) -> None:
    """Put the count of votes at the end of a body."""
    from webapp.wiring import services  # the application's, within a request

    with services().database.read() as conn:
        cast = conn.exec_driver_sql("SELECT count(*) FROM vote").scalar()
    said(f"{cast} votes")(response)


def salt_told(arena: ArenaSite, patch: pytest.MonkeyPatch) -> None:
    """Write salts of sealed bodies into the public log."""

    def leak(response: Response) -> Response:
        if request.path.startswith("/log/tile/entries"):
            query = "SELECT body_salt FROM event WHERE kind = 'vote.cast'"
            with arena.database.read() as conn:
                said(str(conn.exec_driver_sql(query).scalar()))(response)
        return response

    arena.app.after_request_funcs[None].insert(0, leak)


def halves(waiting: list[Any]) -> None:
    """Shuffle no more than which half comes first and which way round a half is."""
    middle = len(waiting) // 2
    waiting[:] = [*waiting[middle:], *waiting[:middle]]
