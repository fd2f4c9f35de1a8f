"""Disputes about being taken for one person with others: on a vote that weighs 0 since then.

Upheld, the voter is parted from the others. The vote stays as it is, for nobody can write a weight.
"""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import Connection, Row, or_, select

from antiabuse.sincerity import WeightReason
from arena import closed_months, parting, review_rules
from arena.clusters import members_with
from arena.errors import DisputeRefused
from arena.moderation import Actor
from arena.ports import Ports
from arena.review_projection import IN_PROGRESS
from arena.review_tables import dispute
from arena.standing_reasons import PartReason
from arena.tables import ballot_holder, vote

__all__ = ["check_number", "contestable_route", "is_contestable", "is_of_joining", "stand_alone"]

_BY_OTHERS: Final = (WeightReason.REPEATED_QUESTION, WeightReason.SEEN_ANSWER)
"""Rules that count what was done by all who are one person."""


def is_of_joining(found: Row[*tuple[Any, ...]]) -> bool:
    """Say whether a dispute about a vote is about a joining: what others did may have made it 0.

    Args:
        found: a vote with its `weight_micro` and `reasons`.
    """
    return found.weight_micro == 0 and not set(_BY_OTHERS).isdisjoint(json.loads(found.reasons))


def is_contestable(conn: Connection, vote_id: str) -> bool:
    """Say whether a vote is one on which its voter may contest that they are joined to others."""
    query = select(vote.c.month, vote.c.voter, vote.c.weight_micro, vote.c.reasons)
    found = conn.execute(query.where(vote.c.id == vote_id)).one()
    return is_of_joining(found) and bool(members_with(conn, found.month, (found.voter,)))


def check_number(conn: Connection, month: str, voter: str) -> None:
    """Refuse a voter's dispute about their joining while one is open, or after enough of them.

    They may have many such votes, and each would say the same.

    Raises:
        DisputeRefused: `already_open` or `too_many`.
    """
    states = _states(conn, month, voter)
    if any(state in IN_PROGRESS for state in states):
        raise DisputeRefused("already_open", "the joining is disputed already: add evidence there")
    if len(states) >= review_rules.current().disputes_per_vote:
        raise DisputeRefused("too_many", "this joining was disputed often enough")


def contestable_route(
    conn: Connection, voter_id: str, month: str, voter: str, now_us: int
) -> str | None:
    """Return the newest vote, by its reveal's address, on which a joined voter may contest that.

    None where they have none, or may open no dispute about it.

    Args:
        conn: to read with.
        voter_id: who asks.
        month: of the joining.
        voter: their pseudonym of that month.
        now_us: the present.
    """
    states = _states(conn, month, voter)
    if (
        not closed_months.is_open(conn, month, now_us)
        or any(state in IN_PROGRESS for state in states)
        or len(states) >= review_rules.current().disputes_per_vote
    ):
        return None
    query = (
        select(ballot_holder.c.route)
        .join(vote, vote.c.ballot_id == ballot_holder.c.ballot_id)
        .where(
            ballot_holder.c.voter_id == voter_id,
            vote.c.month == month,
            vote.c.voter == voter,
            vote.c.weight_micro == 0,
            or_(*(vote.c.reasons.contains(f'"{code.value}"') for code in _BY_OTHERS)),
        )
        .order_by(ballot_holder.c.issued_us.desc())
    )
    found: str | None = conn.execute(query.limit(1)).scalar()
    return found


def stand_alone(
    ports: Ports, conn: Connection, actor: Actor, month: str, voter: str, reason: str, now_us: int
) -> None:
    """Part a voter from all they are joined to; who stands alone already stays so.

    Raises:
        ClosedMonth: the month is closed.
    """
    closed_months.check_open(conn, month, now_us)
    if members_with(conn, month, (voter,)):
        parting.part_within(ports, conn, actor, month, (voter,), PartReason(reason), now_us)


def _states(conn: Connection, month: str, voter: str) -> list[str]:
    query = (
        select(dispute.c.state)
        .join(vote, vote.c.id == dispute.c.vote_id)
        .where(vote.c.month == month, vote.c.voter == voter, vote.c.weight_micro == 0)
    )
    return list(conn.execute(query).scalars())
