"""Evidence of a case: votes as they stand, who cast them, who shares device or address.

All of it is for moderators.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Row, bindparam, case, func, select, text

from antiabuse.tables import sighting
from arena import review_rules
from arena.ballot_projection import WEIGHT_UNIT
from arena.review_tables import vote_strike
from arena.tables import vote

__all__ = [
    "CaseVote",
    "Neighbour",
    "Trace",
    "VoteList",
    "VoterVotes",
    "neighbours_for_moderators",
    "voters_for_moderators",
    "votes_for_moderators",
]

Trace = Literal["device", "network", "address"]
_TRACES: Final[tuple[Trace, ...]] = ("device", "network", "address")
# Written in the order to be read in: SQLite would begin with all votes of the month.
_SHARING: Final = """
    WITH own AS MATERIALIZED (
        SELECT DISTINCT s.{via} AS trace
        FROM vote v JOIN sighting s ON s.vote_id = v.id
        WHERE v.month = :month AND v.voter IN :voters AND s.{via} IS NOT NULL
    )
    SELECT v.voter, count(*) AS votes
    FROM own CROSS JOIN sighting s CROSS JOIN vote v
    WHERE s.{via} = own.trace AND v.id = s.vote_id
      AND v.month = :month AND v.voter NOT IN :voters
    GROUP BY v.voter ORDER BY count(*) DESC, v.voter LIMIT :most
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseVote:
    """One vote: what was picked from what, what it weighs, when it came.

    Attributes:
        id: of the vote.
        voter: pseudonym of the month.
        mode: of the ballot.
        hour: of the vote.
        at_us: the exact time while it is kept; None after retention.
        dwell_us: reading time as reported; None when it was not, or after retention.
        question: its id.
        models: slugs in slot order.
        verdict: best_worst, same or bad.
        best: slug; likewise worst.
        weight: it was cast with.
        reasons: why it was cast with less than 1.
        struck: why it does not count; None while it does.
        flagged: whether it is part of the case's evidence.
    """

    id: str
    voter: str
    mode: str
    hour: str
    at_us: int | None
    dwell_us: int | None
    question: str
    models: tuple[str, ...]
    verdict: str
    best: str | None
    worst: str | None
    weight: Decimal
    reasons: tuple[str, ...]
    struck: str | None
    flagged: bool

    @property
    def counts(self) -> bool:
        """Whether the vote enters boards."""
        return self.struck is None and self.weight > 0


@dataclass(frozen=True, slots=True)
class VoteList:
    """Votes of a case; `total` is how many there are, of which the list holds the first."""

    rows: tuple[CaseVote, ...]
    total: int


@dataclass(frozen=True, slots=True)
class VoterVotes:
    """A voter of the month with the number of their votes in it."""

    voter: str
    votes: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another voter of the month, and how many of their votes share a trace with the case's."""

    voter: str
    via: Trace
    votes: int


def votes_for_moderators(
    conn: Connection, where: ColumnElement[bool], evidence: ColumnElement[bool]
) -> VoteList:
    """Return the votes that fulfil a condition on `vote`, as they stand: evidence, then newest.

    Args:
        conn: to read with.
        where: which votes.
        evidence: the condition of those that are the case's evidence.
    """
    flagged = case((evidence, 1), else_=0).label("flagged")
    query = (
        select(
            vote,
            flagged,
            vote_strike.c.reason.label("struck"),
            sighting.c.at_us,
            sighting.c.dwell_us,
        )
        .outerjoin(vote_strike, vote_strike.c.vote_id == vote.c.id)
        .outerjoin(sighting, sighting.c.vote_id == vote.c.id)
        .where(where)
        .order_by(flagged.desc(), vote.c.hour.desc(), sighting.c.at_us.desc(), vote.c.id)
        .limit(review_rules.current().case_votes)
    )
    total = conn.execute(select(func.count()).select_from(vote).where(where)).scalar_one()
    return VoteList(tuple(_case_vote(row) for row in conn.execute(query)), total)


def _case_vote(row: Row[*tuple[Any, ...]]) -> CaseVote:
    models = tuple(json.loads(row.models))
    return CaseVote(
        id=row.id,
        voter=row.voter,
        mode=row.mode,
        hour=row.hour,
        at_us=row.at_us,
        dwell_us=row.dwell_us,
        question=row.question_id,
        models=models,
        verdict=row.verdict,
        best=None if row.best is None else models[row.best],
        worst=None if row.worst is None else models[row.worst],
        weight=Decimal(row.weight_micro) / WEIGHT_UNIT,
        reasons=tuple(json.loads(row.reasons)),
        struck=row.struck,
        flagged=bool(row.flagged),
    )


def voters_for_moderators(
    conn: Connection, month: str, voters: Sequence[str]
) -> tuple[VoterVotes, ...]:
    """Return those of some pseudonyms who have a vote in the month, in the order of names."""
    query = (
        select(vote.c.voter, func.count().label("votes"))
        .where(vote.c.month == month, vote.c.voter.in_(voters))
        .group_by(vote.c.voter)
        .order_by(vote.c.voter)
    )
    return tuple(VoterVotes(row.voter, row.votes) for row in conn.execute(query))


def neighbours_for_moderators(
    conn: Connection, month: str, voters: Sequence[str]
) -> tuple[Neighbour, ...]:
    """Return who voted from a device, network or address of these voters in that month.

    Sharing is a hint and no proof: a household, an office or a campus shares all of these.

    Args:
        conn: to read with.
        month: to which the pseudonyms belong.
        voters: pseudonyms.
    """
    if not voters:  # an answer that nobody reported
        return ()
    found: list[Neighbour] = []
    most = review_rules.current().case_neighbours
    for via in _TRACES:
        query = text(_SHARING.format(via=via)).bindparams(bindparam("voters", expanding=True))
        rows = conn.execute(query, {"month": month, "voters": list(voters), "most": most})
        found.extend(Neighbour(row.voter, via, row.votes) for row in rows)
    return tuple(found)
