"""What a voter is told of detectors' reports about them; for the holder of the cookie alone.

A report that waits is counted from the day after and not shown: see docs/decisions/0018.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from antiabuse.utc import day_of
from arena.review_events import FlagDecided
from arena.review_tables import decision, flag, flag_vote
from arena.tables import vote
from arena.voter_names import names_of

__all__ = ["OwnFlag", "OwnFlags", "own_flags"]


@dataclass(frozen=True, slots=True)
class OwnFlag:
    """A decided report as its voter may know it; the names of others in it are theirs.

    Attributes:
        id: of the flag.
        detector, mode, month, hour: which detector, over which votes, when.
        statistic, threshold, p_value, look, numbers: what was measured, as text.
        voters: how many voters it names.
        votes: how many votes of this voter's own it names.
        verdict: `upheld` or `dismissed`.
        reason: code of the last decision.
    """

    id: str
    detector: str
    mode: str
    month: str
    hour: str
    statistic: str
    threshold: str
    p_value: str | None
    look: int
    numbers: Mapping[str, str]
    voters: int
    votes: int
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class OwnFlags:
    """Reports about a voter: how many of earlier days wait, and the decided ones, newest first."""

    waiting: int
    decided: tuple[OwnFlag, ...]


def own_flags(conn: Connection, voter_id: str, now_us: int) -> OwnFlags:
    """Return what a voter is told of the reports about them, under any of their names."""
    names = names_of(conn, voter_id)
    if not names:
        return OwnFlags(0, ())
    named = or_(
        *(and_(flag.c.month == month, flag.c.subject.contains(name)) for month, name in names)
    )
    waits = named & (flag.c.state == "open") & (flag.c.hour < day_of(now_us))
    waiting = conn.execute(select(func.count()).select_from(flag).where(waits)).scalar_one()
    return OwnFlags(int(waiting), tuple(_decided(conn, names, named)))


def _decided(
    conn: Connection, names: Sequence[tuple[str, str]], named: ColumnElement[bool]
) -> Iterator[OwnFlag]:
    query = select(flag).where(named, flag.c.state != "open")
    for row in conn.execute(query.order_by(flag.c.hour.desc(), flag.c.id)).all():
        yield OwnFlag(
            id=row.id,
            detector=row.detector,
            mode=row.mode,
            month=row.month,
            hour=row.hour,
            statistic=row.statistic,
            threshold=row.threshold,
            p_value=row.p_value,
            look=row.look,
            numbers=json.loads(row.numbers),
            voters=len(row.subject.split()),
            votes=_own_votes(conn, row.id, [name for month, name in names if month == row.month]),
            verdict=row.state,
            reason=_reason(conn, row.id),
        )


def _own_votes(conn: Connection, flag_id: str, names: Sequence[str]) -> int:
    query = (
        select(func.count())
        .select_from(flag_vote)
        .join(vote, vote.c.id == flag_vote.c.vote_id)
        .where(flag_vote.c.flag_id == flag_id, vote.c.voter.in_(names))
    )
    return conn.execute(query).scalar_one()


def _reason(conn: Connection, flag_id: str) -> str:
    """Return the reason of the decision in force."""
    query = select(decision.c.reason).where(
        decision.c.kind == FlagDecided.KIND, decision.c.subject == f"flag:{flag_id}"
    )
    last = query.order_by(decision.c.at_us.desc(), decision.c.id.desc()).limit(1)
    return str(conn.execute(last).scalar_one())
