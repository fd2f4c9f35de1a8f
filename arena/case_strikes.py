"""How the votes of a case stand, and striking all of one voter's votes at once."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, case, func, select

from arena import moderation
from arena.ballot_events import ANY_MODE
from arena.case_scope import votes_of
from arena.case_subject import Subject
from arena.errors import AlreadyStruck
from arena.moderation import Actor
from arena.ports import Ports
from arena.review_rules import Act, check_reason
from arena.review_strikes import released
from arena.review_tables import vote_strike
from arena.standing_reasons import StrikeReason
from arena.tables import vote

__all__ = ["EvidenceCount", "evidence_count", "strike_voter", "would_be_restored"]

_COUNTS = vote_strike.c.vote_id.is_(None) & (vote.c.weight_micro > 0)


@dataclass(frozen=True, slots=True)
class EvidenceCount:
    """Some votes: how many there are, how many are struck, and how many enter boards.

    The rest is not struck, but was cast with weight 0.
    """

    votes: int
    struck: int
    counting: int


def evidence_count(conn: Connection, where: ColumnElement[bool]) -> EvidenceCount:
    """Count the votes that fulfil a condition on `vote`, as they stand."""
    query = (
        select(
            func.count(),
            func.count(vote_strike.c.vote_id),
            func.count(case((_COUNTS, 1))),
        )
        .select_from(vote)
        .outerjoin(vote_strike, vote_strike.c.vote_id == vote.c.id)
        .where(where)
    )
    votes, struck, counting = conn.execute(query).one()
    return EvidenceCount(votes, struck, counting)


def would_be_restored(conn: Connection, subject: Subject, where: ColumnElement[bool]) -> int:
    """Return how many of some votes count again once a flag or an answer's leak is taken back."""
    if subject.kind not in ("flag", "answer"):
        return 0
    query = select(vote.c.id).join(vote_strike, vote_strike.c.vote_id == vote.c.id).where(where)
    return len(released(conn, conn.execute(query).scalars().all(), subject))


def strike_voter(
    ports: Ports, actor: Actor, month: str, name: str, *, expected: int, reason: str, now_us: int
) -> str:
    """Strike all votes of a voter in a month, of both modes, that still count.

    Args:
        ports: the arena's means.
        actor: who decides.
        month: one that is not closed.
        name: the voter's pseudonym of that month.
        expected: how many votes the moderator was told that this strikes.
        reason: a code of `Act.UPHOLD_FLAG`.
        now_us: when.

    Returns:
        The decision's id.

    Raises:
        UnknownCode: the reason is not on the list.
        AlreadyStruck: another number of votes counts meanwhile, or none; nothing is stored.
        ClosedMonth: the month is closed.
    """
    check_reason(Act.UPHOLD_FLAG, reason)
    with ports.database.write() as conn:
        query = (
            select(vote.c.id)
            .outerjoin(vote_strike, vote_strike.c.vote_id == vote.c.id)
            .where(votes_of((name,), month, ANY_MODE), _COUNTS)
            .order_by(vote.c.id)
        )
        votes = conn.execute(query).scalars().all()
        if not votes or len(votes) != expected:
            raise AlreadyStruck(f"{len(votes)} votes of this voter count at present: look again")
        return moderation.void(
            ports,
            actor,
            votes,
            reason=StrikeReason(reason),
            case=f"voter:{month}:{name}",
            now_us=now_us,
            conn=conn,
        )
