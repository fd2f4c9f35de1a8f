"""Who is behind a voter's name of a month, and the names that one voter has borne.

For use on the server alone: names of different months are joined here, in public they are not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import Connection, Subquery, select, union

from arena.case_subject import Subject
from arena.errors import UnknownCase
from arena.review_events import VoterBanned, VoterUnbanned
from arena.review_tables import decision
from arena.tables import ballot, ballot_holder, vote
from ledger import private_parts, store

__all__ = ["BANS", "ban_decisions", "held_names", "names_of", "voter_of"]

BANS: Final = (VoterBanned.KIND, VoterUnbanned.KIND)
"""Kinds of decisions on a ban."""


def held_names(month: str, names: Collection[str]) -> Subquery:
    """Return a query for the ids behind names of a month, as `name` and `voter_id`.

    A vote on a ballot of the evening before stands under the name of its own month.
    """
    return union(
        select(ballot.c.voter.label("name"), ballot_holder.c.voter_id)
        .join(ballot_holder, ballot_holder.c.ballot_id == ballot.c.id)
        .where(ballot.c.month == month, ballot.c.voter.in_(names)),
        select(vote.c.voter, ballot_holder.c.voter_id)
        .join(ballot_holder, ballot_holder.c.ballot_id == vote.c.ballot_id)
        .where(vote.c.month == month, vote.c.voter.in_(names)),
    ).subquery()


def voter_of(conn: Connection, month: str, pseudonym: str) -> str:
    """Return the id of the voter behind a name of a month.

    A name under which nothing was voted is known from decisions on a ban, as long as these tell.

    Raises:
        UnknownCase: nothing bears that name, or its voter is erased.
    """
    held = held_names(month, (pseudonym,))
    found = conn.execute(select(held.c.voter_id).limit(1)).scalar()
    found = found or _banned_as(conn, month, pseudonym)
    if found is None:
        raise UnknownCase(f"no voter of {month} is called {pseudonym}")
    return str(found)


def _banned_as(conn: Connection, month: str, pseudonym: str) -> str | None:
    query = (
        select(decision.c.id)
        .where(
            decision.c.subject == str(Subject("voter", pseudonym, month)),
            decision.c.kind.in_(BANS),
        )
        .order_by(decision.c.id.desc())
    )
    for event_id in conn.execute(query).scalars().all():
        part = store.read_private(conn, event_id)
        if part is not None:
            return str(part["voter"])
    return None


def names_of(conn: Connection, voter_id: str) -> list[tuple[str, str]]:
    """Return month and name wherever a voter had a ballot, vote or ban, newest first."""
    query = union(
        select(ballot.c.month, ballot.c.voter)
        .join(ballot_holder, ballot_holder.c.ballot_id == ballot.c.id)
        .where(ballot_holder.c.voter_id == voter_id),
        select(vote.c.month, vote.c.voter)
        .join(ballot_holder, ballot_holder.c.ballot_id == vote.c.ballot_id)
        .where(ballot_holder.c.voter_id == voter_id),
    )
    names = {(row.month, row.voter) for row in conn.execute(query)}
    banned = select(decision.c.subject).where(decision.c.id.in_(ban_decisions(conn, voter_id)))
    for text in conn.execute(banned).scalars():
        about = Subject.read(text)
        if about.month is not None:
            names.add((about.month, about.name))
    return sorted(names, reverse=True)


def ban_decisions(conn: Connection, voter_id: str) -> Sequence[str]:
    """Return the ids of all decisions on a voter's ban whose private part is kept."""
    return private_parts.events_about(conn, voter_id, BANS)
