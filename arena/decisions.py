"""What moderators decided: the list for everybody, and what was decided on one case (X-011)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, case, select

from antiabuse.utc import hour_of
from arena import review_rules
from arena.case_subject import Subject
from arena.review_tables import decision

__all__ = [
    "Decision",
    "DecisionPage",
    "PublicDecision",
    "decisions_on_for_moderators",
    "public_decision",
    "public_decisions",
]

_RULINGS: Final = ("flag.decided", "answer.decided", "dispute.decided")


@dataclass(frozen=True, slots=True)
class PublicDecision:
    """A decision as everybody may see it: not about whom or which votes, only about how many."""

    id: str
    kind: str
    moderator: str
    verdict: str | None
    reason: str
    mode: str | None
    month: str
    hour: str
    votes: int


@dataclass(frozen=True, slots=True)
class DecisionPage:
    """Decisions, newest first; `next` is where the following page begins, if there is one."""

    decisions: tuple[PublicDecision, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision with its exact time, for moderators."""

    id: str
    kind: str
    moderator: str
    verdict: str | None
    reason: str
    at_us: int
    votes: int


def public_decisions(
    conn: Connection, after: str | None = None, limit: int | None = None
) -> DecisionPage:
    """Return a page of all decisions.

    Args:
        conn: to read with.
        after: the `next` of the page before; None for the first.
        limit: decisions of the page; as the rules say unless told.
    """
    most = limit or review_rules.current().page_rows
    # Ids of decisions begin with their time, so they are an order in time without ties.
    query = select(decision).order_by(decision.c.id.desc()).limit(most + 1)
    if after is not None:
        query = query.where(decision.c.id < after)
    rows = conn.execute(query).all()
    shown = tuple(_public(row) for row in rows[:most])
    return DecisionPage(shown, shown[-1].id if len(rows) > most else None)


def public_decision(conn: Connection, decision_id: str) -> PublicDecision | None:
    """Return one decision; None where there is none of that id."""
    row = conn.execute(select(decision).where(decision.c.id == decision_id)).one_or_none()
    return None if row is None else _public(row)


def _public(row: Row[*tuple[Any, ...]]) -> PublicDecision:
    return PublicDecision(
        id=row.id,
        kind=row.kind,
        moderator=row.moderator,
        verdict=row.verdict,
        reason=row.reason,
        mode=row.mode,
        month=row.month,
        hour=hour_of(row.at_us),
        votes=row.votes,
    )


def decisions_on_for_moderators(
    conn: Connection, subject: Subject, also: Sequence[str] = ()
) -> tuple[Decision, ...]:
    """Return what was decided on a case, oldest first, a ruling before what it brought about.

    Args:
        conn: to read with.
        subject: of the case.
        also: ids of further decisions.
    """
    wanted = (decision.c.subject == str(subject)) | decision.c.id.in_(also)
    # A ruling and what it brings about bear one time.
    ruled = case((decision.c.kind.in_(_RULINGS), 0), else_=1)
    query = select(decision).where(wanted).order_by(decision.c.at_us, ruled, decision.c.id)
    return tuple(
        Decision(
            id=row.id,
            kind=row.kind,
            moderator=row.moderator,
            verdict=row.verdict,
            reason=row.reason,
            at_us=row.at_us,
            votes=row.votes,
        )
        for row in conn.execute(query)
    )
