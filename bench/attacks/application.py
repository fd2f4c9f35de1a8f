"""The real application over a throw-away SQLite database, and bots that vote on it.

Votes go by direct calls of the use cases, with a clock of the bench's own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, Final

from sqlalchemy import select

from antiabuse.identity import new_voter_id
from antiabuse.sincerity import ClientValues
from antiabuse.utc import SECOND_US, day_of, month_of
from arena import ballots, boards, refits, votes
from arena.ballot_store import load_held
from arena.ballots import Shown as ShownBallot
from arena.boards import PublishedBoard
from arena.catalogue import render_missing
from arena.events import Mode
from arena.imports import apply, plan
from arena.tables import ballot, vote
from arena.visitor import Visitor
from arena.votes import Choice
from bench.attacks.bots import Policy
from bench.attacks.people import Shown
from ledger import store
from ledger.migrate import upgrade
from ranking.lobster import Floats
from webapp.paths import MIGRATIONS
from webapp.settings import read_settings
from webapp.wiring import Services, build_services

__all__ = ["Application", "Cast", "Clock", "Person", "application"]

NOON_US: Final = round(datetime(2026, 11, 20, 8, tzinfo=UTC).timestamp()) * SECOND_US
SECRET: Final = "a-secret-of-the-bench"  # noqa: S105 - of a database that is thrown away
MODE: Final[Mode] = "speed"


class Clock:
    """Microseconds since the epoch, moved by the bench alone."""

    def __init__(self) -> None:
        self.now_us = NOON_US

    def __call__(self) -> int:
        """Return the moment."""
        return self.now_us

    def advance(self, seconds: float) -> None:
        """Move on."""
        self.now_us += round(seconds * SECOND_US)


@dataclass(frozen=True, slots=True)
class Person:
    """A voter id and the address it comes from."""

    voter: str
    address: IPv4Address


@dataclass(frozen=True, slots=True)
class Cast:
    """What the application did with one vote.

    `question`, and `models` in slot order, are names; `probability` is the logged chance of the
    set, `weight` as cast, in text.
    """

    vote: str
    question: str
    models: tuple[str, ...]
    probability: str
    issued_us: int
    cast_us: int
    weight: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Application:
    """The application; `worth` says how good an average reader finds each model."""

    services: Services
    clock: Clock
    worth: Mapping[str, float]

    @property
    def month(self) -> str:
        """Return the open month."""
        return month_of(self.clock())

    def person(self, address: str) -> Person:
        """Return a new voter."""
        return Person(new_voter_id(self.services.rng), IPv4Address(address))

    def visitor(self, person: Person) -> Visitor:
        """Return a voter as of now."""
        day = day_of(self.clock())
        hashes = self.services.addresses.keyed(person.address, day)
        return Visitor(person.voter, self.clock(), hashes)

    def turn(
        self,
        person: Person,
        policy: Policy,
        read: tuple[ClientValues, float],
        rng: random.Random,
        *,
        fingerprint: str | None = None,
    ) -> tuple[Cast, Choice] | None:
        """Open a ballot, let a policy decide, and vote or skip; None for a skip or a cap."""
        ports = self.services.ports
        found = ballots.open_ballot(ports, self.visitor(person), MODE)
        if not isinstance(found, ShownBallot):
            return None
        with self.services.database.read() as conn:
            held = load_held(conn, found.ballot.id)
        assert held is not None
        models = tuple(slot.model for slot in held.slots)
        answers = tuple(slot.raw for slot in found.ballot.slots)
        worth = tuple(self.worth[model] for model in models)
        shown = Shown(held.question_key, answers, models, worth)
        choice = policy.choose(shown, rng)
        client, waited_s = read
        issued_us = self.clock()
        self.clock.advance(waited_s)
        if choice is None:
            votes.skip(ports, self.visitor(person), held.id)
            return None
        raw = {} if fingerprint is None else {"fingerprint": fingerprint}
        votes.cast(ports, self.visitor(person), held.id, choice, client, raw)
        policy.learn(shown)
        return self._cast(held.id, issued_us), choice

    def _cast(self, ballot_id: str, issued_us: int) -> Cast:
        with self.services.database.read() as conn:
            row = conn.execute(select(vote).where(vote.c.ballot_id == ballot_id)).one()
            issued = store.read_event(conn, ballot_id)
            cast = store.read_event(conn, row.id)
        assert issued is not None
        assert cast is not None
        body: Mapping[str, Any] = cast.body
        return Cast(
            vote=row.id,
            question=body["question"],
            models=tuple(body["models"]),
            probability=issued.body["draw"]["probability"],
            issued_us=issued_us,
            cast_us=self.clock(),
            weight=body["weight"],
            reasons=tuple(body["reasons"]),
        )

    def publish(self) -> PublishedBoard:
        """Sequence all that waits, fit, and return the new board."""
        self.clock.advance(60)
        sequencer = self.services.sequencer()
        while sequencer.step(self.clock()).added:
            pass
        refits.refit_now(self.services.ports, MODE, self.month, self.clock())
        with self.services.database.read() as conn:
            board = boards.latest(conn, MODE, self.month)
        assert board is not None
        return board

    def ballots_issued(self) -> int:
        """Return how many ballots there are."""
        with self.services.database.read() as conn:
            return len(conn.execute(select(ballot.c.id)).all())


@contextmanager
def application(
    folder: Path, names: Sequence[str], worth: Floats, *, questions: int, seed: int, **settings: str
) -> Iterator[Application]:
    """Open an application with invented questions, and close it in the end.

    Args:
        folder: an empty folder of its own.
        names: the models' slugs.
        worth: (M,) how good an average reader finds each.
        questions: how many; every model answers each.
        seed: of ids, slots and draws.
        settings: `ARENA_` variables without their prefix.
    """
    environ = {
        "ARENA_DATA_DIR": str(folder / "data"),
        "ARENA_SECRET_KEYS": SECRET,
        "ARENA_PUBLIC_URL": "http://localhost",
        "ARENA_DEMO": "off",
        "ARENA_THREADS": "4",
        **{f"ARENA_{name.upper()}": value for name, value in settings.items()},
    }
    chosen = read_settings(environ)
    chosen.data_dir.mkdir(parents=True)
    upgrade(chosen.database_url, MIGRATIONS)
    clock, rng = Clock(), random.Random(seed)
    services = build_services(chosen, clock=clock, rng=rng)
    try:
        pack = _write_pack(folder / "pack", names, questions)
        apply(services.database, services.ports.log, plan(pack), clock=clock, rng=rng)
        render_missing(services.database)
        yield Application(services, clock, dict(zip(names, worth.tolist(), strict=True)))
    finally:
        services.close()


def _write_pack(folder: Path, names: Sequence[str], questions: int) -> Path:
    """Write a pack in which every model, each by a maker of its own, answers every question."""
    folder.mkdir()
    lines = [
        'format = "evidence-arena-pack.1"', 'name = "Invented for a bench"', f'mode = "{MODE}"',
        'language = "en"', 'origin = "Invented for a bench"', 'licence = "CC0-1.0"',
        "redistribute = true",
    ]  # fmt: skip
    for name in names:
        lines += ["[[models]]", f'slug = "{name}"', f'name = "{name.upper()}"']
        lines += [f'maker = "Maker of {name}"', 'licence = "none"', 'link = ""']
    (folder / "pack.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = [
        {"id": f"q{number}", "text": f"What of subject {number}?", "category": "Invented"}
        for number in range(questions)
    ]
    given = [
        {"question": f"q{number}", "model": name, "text": f"View {place} on subject {number}."}
        for number in range(questions)
        for place, name in enumerate(names)
    ]
    for title, rows in (("questions", asked), ("answers", given)):
        text = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{title}.jsonl").write_text(text + "\n", encoding="utf-8")
    return folder
