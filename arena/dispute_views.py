"""Disputes read back: all for everybody without the voters' words, a voter's own with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, select, tuple_

from arena import review_rules
from arena.review_tables import dispute, dispute_step
from arena.tables import ballot_holder, vote
from ledger import store

__all__ = [
    "Dispute",
    "DisputePage",
    "Step",
    "dispute_for_moderators",
    "own_disputes",
    "public_disputes",
]

_HEAD: Final = (
    dispute.c.id,
    dispute.c.vote_id,
    vote.c.ballot_id,
    vote.c.mode,
    vote.c.month,
    dispute.c.hour,
    dispute.c.state,
    vote.c.weight_micro,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One version of a dispute: the state it entered, when, by whom, with which words.

    `moderator` is None for a step of the voter, whose words are None in public and once erased.
    """

    number: int
    state: str
    hour: str
    moderator: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Dispute:
    """A dispute with all its versions; which vote and ballot it is about is None in public.

    `about_joining`: a rule gave the vote weight 0, so it is about being one person with others.
    """

    id: str
    mode: str
    month: str
    hour: str
    state: str
    steps: tuple[Step, ...]
    about_joining: bool
    vote: str | None = None
    ballot: str | None = None


@dataclass(frozen=True, slots=True)
class DisputePage:
    """Disputes, newest first; `next` is where the following page begins, if there is one."""

    disputes: tuple[Dispute, ...]
    next: tuple[str, str] | None


def public_disputes(
    conn: Connection, after: tuple[str, str] | None = None, limit: int | None = None
) -> DisputePage:
    """Return a page of all disputes: states, hours, moderators' words (X-012).

    Neither the vote nor what its voter says is told, for that would join the two (V-158).

    Args:
        conn: to read with.
        after: the `next` of the page before; None for the first.
        limit: disputes of the page; as the rules say unless told.
    """
    most = limit or review_rules.current().page_rows
    query = select(*_HEAD).join(vote, vote.c.id == dispute.c.vote_id)
    if after is not None:
        query = query.where(tuple_(dispute.c.hour, dispute.c.id) < tuple_(*after))
    rows = conn.execute(
        query.order_by(dispute.c.hour.desc(), dispute.c.id.desc()).limit(most + 1)
    ).all()
    shown = rows[:most]
    steps = _steps(conn, [row.id for row in shown])
    disputes = tuple(
        Dispute(
            id=row.id,
            mode=row.mode,
            month=row.month,
            hour=row.hour,
            state=row.state,
            steps=tuple(_public_step(each) for each in steps[row.id]),
            about_joining=row.weight_micro == 0,
        )
        for row in shown
    )
    return DisputePage(disputes, (shown[-1].hour, shown[-1].id) if len(rows) > most else None)


def own_disputes(conn: Connection, voter_id: str) -> tuple[Dispute, ...]:
    """Return a voter's own disputes with their own words, newest first; for the voter alone."""
    query = (
        select(*_HEAD)
        .join(vote, vote.c.id == dispute.c.vote_id)
        .join(ballot_holder, ballot_holder.c.ballot_id == vote.c.ballot_id)
        .where(ballot_holder.c.voter_id == voter_id)
        .order_by(dispute.c.hour.desc(), dispute.c.id.desc())
    )
    return _with_words(conn, conn.execute(query).all())


def dispute_for_moderators(conn: Connection, dispute_id: str) -> Dispute | None:
    """Return a dispute with the voter's words; None when there is none of that id."""
    query = (
        select(*_HEAD).join(vote, vote.c.id == dispute.c.vote_id).where(dispute.c.id == dispute_id)
    )
    found = _with_words(conn, conn.execute(query).all())
    return found[0] if found else None


def _with_words(conn: Connection, rows: Sequence[Row[*tuple[Any, ...]]]) -> tuple[Dispute, ...]:
    steps = _steps(conn, [row.id for row in rows])
    return tuple(
        Dispute(
            id=row.id,
            mode=row.mode,
            month=row.month,
            hour=row.hour,
            state=row.state,
            steps=tuple(_full_step(conn, each) for each in steps[row.id]),
            about_joining=row.weight_micro == 0,
            vote=row.vote_id,
            ballot=row.ballot_id,
        )
        for row in rows
    )


def _steps(conn: Connection, ids: Sequence[str]) -> dict[str, list[Row[*tuple[Any, ...]]]]:
    found: dict[str, list[Row[*tuple[Any, ...]]]] = {each: [] for each in ids}
    query = select(dispute_step).where(dispute_step.c.dispute_id.in_(ids))
    for row in conn.execute(query.order_by(dispute_step.c.number)):
        found[row.dispute_id].append(row)
    return found


def _public_step(row: Row[*tuple[Any, ...]]) -> Step:
    said = row.text if row.moderator is not None else None
    return Step(row.number, row.state, row.hour, row.moderator, said)


def _full_step(conn: Connection, row: Row[*tuple[Any, ...]]) -> Step:
    if row.moderator is not None:
        return _public_step(row)
    words = (store.read_private(conn, row.event_id) or {}).get("text")
    return Step(row.number, row.state, row.hour, None, words)
