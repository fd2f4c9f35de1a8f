"""What a sweep looks at: a month's votes with their voters, and where they came from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, select

from antiabuse.detectors.shared import Sighting
from antiabuse.tables import sighting as sighting_table
from antiabuse.tables import voter as voter_table
from antiabuse.utc import SECOND_US
from arena import standing
from arena.ballot_events import VoteCast, arena_stream
from arena.events import Mode
from arena.ports import Ports
from arena.tables import question, vote
from arena.vote_columns import Columns
from ledger import store
from ledger.search import logged

__all__ = ["MonthVotes", "Sightings", "cast_before", "read_sightings", "read_votes"]

_PAGE: Final = 20_000  # log entries read at a time
_DAY_HOURS: Final = 24


@dataclass(frozen=True, slots=True, eq=False)
class MonthVotes:
    """The sequenced votes (n,) of a mode and month that are no demo's, in the order of the log.

    Attributes:
        cast: as they were cast.
        now: as they stand, struck ones at weight 0 and joined voters as one cluster.
        ids: of their events.
        names: pseudonyms; `voter` (n,) is a place among them.
        question: (n,) a number for each question text.
        hour: (n,) hours from the month's first midnight, UTC.
        seq: (n,) rises from vote to vote as they were cast; the log shuffles each minute's (V-158).
    """

    cast: Columns
    now: Columns
    ids: Sequence[str]
    names: Sequence[str]
    voter: NDArray[np.int64]
    question: NDArray[np.int64]
    hour: NDArray[np.int64]
    seq: NDArray[np.int64]

    def as_cast(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return some votes (r,) in the order of casting."""
        ordered: NDArray[np.int64] = rows[np.argsort(self.seq[rows])]
        return ordered

    def days(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the days of the month (r,) of some votes."""
        return self.hour[rows] // _DAY_HOURS + 1


@dataclass(frozen=True, slots=True)
class Sightings:
    """Where and how fast votes of some days were cast, in both modes.

    Attributes:
        seen: one for each vote.
        joined: when each voter came, microseconds UTC.
        dwell: reading time by vote id, in seconds; None where unknown.
        modes: mode by vote id.
    """

    seen: Sequence[Sighting]
    joined: dict[str, int]
    dwell: dict[str, Decimal | None]
    modes: dict[str, str]


def read_votes(ports: Ports, conn: Connection, mode: Mode, month: str) -> MonthVotes:
    """Read the votes of a mode and month that are in the log."""
    size = store.head(conn).size
    columns = ports.columns.read(conn, mode, month, size)
    real = ~columns.votes["demo"].astype(bool)
    now = standing.applied(columns, standing.at(conn, mode, month, size))
    ids: list[str] = []
    voters, questions = _Numbers(), _Numbers()
    voter, asked, hour, seq = [], [], [], []
    for low in range(0, size, _PAGE):
        entries = store.sequenced(
            arena_stream(mode, month), VoteCast.KIND, low, min(low + _PAGE, size)
        ).subquery()
        events = logged()
        query = (
            select(entries.c.event_id, events.c.seq, vote.c.voter, vote.c.hour, question.c.text_key)
            .join(events, events.c.id == entries.c.event_id)
            .join(vote, vote.c.id == entries.c.event_id)
            .join(question, question.c.id == vote.c.question_id)
            .where(question.c.demo.is_(False))
            .order_by(entries.c.idx)
        )
        for row in conn.execute(query):
            ids.append(row.event_id)
            voter.append(voters.of(row.voter))
            asked.append(questions.of(row.text_key))
            hour.append(_hour_of_month(row.hour))
            seq.append(row.seq)
    if len(ids) != int(real.sum()):
        raise AssertionError("the month's votes and their columns differ")
    return MonthVotes(
        cast=columns.where(real),
        now=now.where(real),
        ids=ids,
        names=voters.listed,
        voter=np.array(voter, dtype=np.int64),
        question=np.array(asked, dtype=np.int64),
        hour=np.array(hour, dtype=np.int64),
        seq=np.array(seq, dtype=np.int64),
    )


def read_sightings(
    conn: Connection, month: str, days: Collection[str], *where: ColumnElement[bool]
) -> Sightings:
    """Read where the votes of some days came from; nothing is left of them after retention.

    Of a voter who erased all, the place stays until the day is swept. When they came is not known
    any more, so it is taken to be when they first voted that day.

    Args:
        conn: to read with.
        month: of the votes.
        days: of the votes.
        where: further conditions on the sightings.
    """
    made = Sightings([], {}, {}, {})
    if not days:
        return made
    of_days = sighting_table.c.month == month, sighting_table.c.day.in_(sorted(days))
    query = (
        select(sighting_table, vote.c.voter, vote.c.mode, voter_table.c.created_us)
        .join(vote, vote.c.id == sighting_table.c.vote_id)
        .outerjoin(voter_table, voter_table.c.id == sighting_table.c.voter_id)
        .where(*of_days, *where)
        .order_by(sighting_table.c.at_us, sighting_table.c.vote_id)
    )
    seen = []
    for row in conn.execute(query):
        seen.append(
            Sighting(
                vote=row.vote_id,
                voter=row.voter,
                day=row.day,
                address=row.address,
                device=row.device,
            )
        )
        if row.created_us is not None:
            made.joined[row.voter] = row.created_us
        made.joined.setdefault(row.voter, row.at_us)
        made.modes[row.vote_id] = row.mode
        made.dwell[row.vote_id] = (
            None if row.dwell_us is None else Decimal(row.dwell_us) / SECOND_US
        )
    return Sightings(seen, made.joined, made.dwell, made.modes)


class _Numbers:
    """Gives each name a number, in order of appearance."""

    def __init__(self) -> None:
        self.listed: list[str] = []
        self._place: dict[str, int] = {}

    def of(self, name: str) -> int:
        place = self._place.setdefault(name, len(self.listed))
        if place == len(self.listed):
            self.listed.append(name)
        return place


def _hour_of_month(hour: str) -> int:
    """Read `2026-11-30T13:00Z` as hours from the month's first midnight."""
    return (int(hour[8:10]) - 1) * _DAY_HOURS + int(hour[11:13])


def cast_before(mode: Mode, month: str, today: str) -> Select[tuple[str]]:
    """Return a query for a month's votes, none a demo's, of the days before one."""
    return (
        select(vote.c.id)
        .join(question, question.c.id == vote.c.question_id)
        .where(
            vote.c.mode == mode,
            vote.c.month == month,
            vote.c.hour < today,
            question.c.demo.is_(False),
        )
    )
