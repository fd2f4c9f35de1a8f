"""Evidence of a case: votes as they stand, picks against expected, who shares device or address.

All of it is for moderators.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Row, func, select

from antiabuse.tables import sighting
from arena import review_rules
from arena.ballot_projection import WEIGHT_UNIT
from arena.review_tables import vote_strike
from arena.tables import vote

__all__ = [
    "CaseVote",
    "Neighbour",
    "Picks",
    "Trace",
    "neighbours_for_moderators",
    "picks_for_moderators",
    "votes_for_moderators",
]

Trace = Literal["device", "network", "address"]
_TRACES: Final[tuple[Trace, ...]] = ("device", "network", "address")


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
class Picks:
    """How often a model was picked, against how often an average voter would have picked it.

    `expected` sums the chances that the model had when the votes were cast.
    """

    model: str
    shown: int
    best: int
    worst: int
    expected: float


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another voter of the month, and how many of their votes share a trace with the case's."""

    voter: str
    via: Trace
    votes: int


def votes_for_moderators(
    conn: Connection, where: ColumnElement[bool], flagged: Collection[str]
) -> tuple[CaseVote, ...]:
    """Return the newest votes that fulfil a condition on `vote`, as they stand.

    Args:
        conn: to read with.
        where: which votes.
        flagged: ids of those that are the case's evidence.
    """
    query = (
        select(
            vote,
            vote_strike.c.reason.label("struck"),
            sighting.c.at_us,
            sighting.c.dwell_us,
        )
        .outerjoin(vote_strike, vote_strike.c.vote_id == vote.c.id)
        .outerjoin(sighting, sighting.c.vote_id == vote.c.id)
        .where(where)
        .order_by(vote.c.hour.desc(), sighting.c.at_us.desc(), vote.c.id)
        .limit(review_rules.current().case_votes)
    )
    return tuple(_case_vote(row, flagged) for row in conn.execute(query))


def _case_vote(row: Row[*tuple[Any, ...]], flagged: Collection[str]) -> CaseVote:
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
        flagged=row.id in flagged,
    )


def picks_for_moderators(conn: Connection, where: ColumnElement[bool]) -> tuple[Picks, ...]:
    """Count the picks of the votes that fulfil a condition on `vote`; most picked first.

    Only votes with a best count, so picks and expectations have the same sum.
    """
    shown: dict[str, int] = {}
    best: dict[str, int] = {}
    worst: dict[str, int] = {}
    expected: dict[str, float] = {}
    query = select(vote.c.models, vote.c.best, vote.c.worst, vote.c.p_win)
    for row in conn.execute(query.where(where, vote.c.best.is_not(None)).order_by(vote.c.id)):
        models, chances = json.loads(row.models), json.loads(row.p_win)
        for slot, (model, chance) in enumerate(zip(models, chances, strict=True)):
            shown[model] = shown.get(model, 0) + 1
            best[model] = best.get(model, 0) + (slot == row.best)
            worst[model] = worst.get(model, 0) + (slot == row.worst)
            expected[model] = expected.get(model, 0.0) + float(chance)
    picks = [Picks(each, shown[each], best[each], worst[each], expected[each]) for each in shown]
    return tuple(sorted(picks, key=lambda each: (-each.best, each.model)))


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
    found: list[Neighbour] = []
    for via in _TRACES:
        trace = sighting.c[via]
        own = (
            select(trace)
            .join(vote, vote.c.id == sighting.c.vote_id)
            .where(vote.c.month == month, vote.c.voter.in_(voters), trace.is_not(None))
        )
        query = (
            select(vote.c.voter, func.count().label("votes"))
            .join(sighting, sighting.c.vote_id == vote.c.id)
            .where(vote.c.month == month, vote.c.voter.not_in(voters), trace.in_(own))
            .group_by(vote.c.voter)
            .order_by(func.count().desc(), vote.c.voter)
            .limit(review_rules.current().case_neighbours)
        )
        found.extend(Neighbour(row.voter, via, row.votes) for row in conn.execute(query))
    return tuple(found)
