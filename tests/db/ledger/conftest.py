"""A log to write to, sequence and read, with a fixed key and seeded randomness."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from ledger import store
from ledger.database import Database
from ledger.event import Disclosure, NewEvent, StoredEvent
from ledger.ids import uuid4
from ledger.sequencer import Sequencer, Step
from ledger.signing import Signer
from ledger.verify import Report, verify_log

ORIGIN = "example.org/log"
MINUTE = 60_000_000
START_US = 1_796_000_000_000_000


class Logbook:
    """The log of one test, driven by a clock that the test moves."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.rng = random.Random(7)
        self.log = store.Log(lambda: self.rng.randbytes(32))
        self.signer = Signer(ORIGIN, bytes(range(32)))
        self.kept = folder / "checkpoint"
        self.now_us = START_US
        self.sequencer = self.new_sequencer([self.signer])

    def new_sequencer(self, signers: Sequence[Signer], origin: str = ORIGIN) -> Sequencer:
        """Return a sequencer as a fresh process has it."""
        return Sequencer(self.database, signers, origin, self.kept, self.rng)

    def event(self, number: int, *, shuffled: bool = False, private: bool = True) -> NewEvent:
        """Return a new event that tells its number."""
        return NewEvent(
            id=uuid4(self.rng),
            kind="vote.cast" if shuffled else "board.published",
            version=1,
            stream="arena/speed/2026-11",
            ruleset="arena.2026.1",
            body={"number": number, "note": "Bịa Đặt"},
            private={"exact_us": self.now_us + number} if private else None,
            disclosure=Disclosure.ARCHIVE,
            shuffled=shuffled,
        )

    def append(self, numbers: Iterable[int], *, shuffled: bool = False) -> list[StoredEvent]:
        """Append events in one transaction."""
        with self.database.write() as conn:
            return [
                self.log.append(conn, self.event(number, shuffled=shuffled)) for number in numbers
            ]

    def step(self, after_us: int = 0) -> Step:
        """Move the clock and let the sequencer take a step."""
        self.now_us += after_us
        return self.sequencer.step(self.now_us)

    def public_numbers(self) -> list[int]:
        """Return the events' numbers in the order of the public log."""
        sql = "SELECT e.id FROM log_entry AS l JOIN event AS e ON e.id = l.event_id ORDER BY l.idx"
        with self.database.read() as conn:
            ids = list(conn.execute(text(sql)).scalars())
            return [int(found.body["number"]) for found in self.events(ids)]

    def events(self, ids: Iterable[str]) -> list[StoredEvent]:
        """Return the events with the given ids."""
        with self.database.read() as conn:
            found = [store.read_event(conn, event_id) for event_id in ids]
        return [event for event in found if event is not None]

    def verify(self, kept: Sequence[str] = ()) -> Report:
        """Read the whole log independently."""
        with self.database.read() as conn:
            return verify_log(conn, origin=ORIGIN, verifiers=[self.signer.verifier], kept=kept)

    def force(self, *statements: str) -> None:
        """Do what only the database's owner can: change rows past the triggers."""
        if self.database.dialect == "sqlite":
            self._force_sqlite(statements)
            return
        with self.database.write() as conn:
            tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            for table in list(conn.execute(text(tables)).scalars()):
                conn.execute(text(f'ALTER TABLE "{table}" DISABLE TRIGGER ALL'))
            for statement in statements:
                conn.execute(text(statement))

    def _force_sqlite(self, statements: Iterable[str]) -> None:
        # A connection of its own, on which foreign keys are not checked.
        with closing(sqlite3.connect(str(self.database.url.database))) as raw:
            triggers = raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            for (name,) in triggers.fetchall():
                raw.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                raw.execute(statement)
            raw.commit()


@pytest.fixture
def logbook(database: Database, tmp_path: Path) -> Logbook:
    """An empty log with its sequencer, on each kind of database."""
    return Logbook(database, tmp_path / "kept")
