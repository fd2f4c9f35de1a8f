"""Who the voters of a case are: banned, erased, joined with or parted from whom, and their names.

A name belongs to a month. A ban is written under the name of the month it was decided in, which may
stand on no ballot.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena.bans import ban_of, banned_among
from arena.case_subject import Subject, stands_on_ballots
from arena.clusters import members_with
from arena.device_grounds import BanRefusal, ban_refusal
from arena.errors import UnknownCase
from arena.joining_history import joining_history
from arena.standing_events import AccountJoined
from arena.tables import vote
from arena.voter_names import ban_decisions, held_names, names_of, voter_of

__all__ = ["Joining", "OtherName", "People", "people_of"]


@dataclass(frozen=True, slots=True)
class Joining:
    """A decision that voters are one person, or that some are not.

    Attributes:
        id: of the decision.
        kind: of its event.
        at_us: when.
        moderator: handle; None where a rule did it.
        reason: its code.
        voters: who is joined to the case's voters since then, by their names of the month; of a
            parting, who stands alone since then.
    """

    id: str
    kind: str
    at_us: int
    moderator: str | None
    reason: str
    voters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OtherName:
    """What a voter is called in another month, with how many votes they have there."""

    month: str
    name: str
    votes: int

    @property
    def subject(self) -> Subject:
        """The case of that name."""
        return Subject("voter", self.name, self.month)


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """What is known of a case's voters.

    Attributes:
        banned: who is banned, or joined to one who is, with since when, microseconds UTC.
        erased: whom nothing joins to a person any more.
        joined: who is joined to them, pseudonym -> cluster.
        joinings: the decisions that joined and parted them, oldest first.
        in_use: unless it is a voter's own case about a name without ballots and votes.
        others: of a voter's own case, the names of other months, newest first.
        bans: of a voter's own case, decisions on their ban under whatever name.
        no_ban: of a voter's own case, why a shared device is all there is to ban them for.
    """

    banned: Mapping[str, int]
    erased: frozenset[str]
    joined: Mapping[str, str]
    joinings: tuple[Joining, ...]
    in_use: bool
    others: tuple[OtherName, ...]
    bans: tuple[str, ...]
    no_ban: BanRefusal | None


def people_of(
    conn: Connection, subject: Subject, month: str, voters: Collection[str], now_us: int
) -> People:
    """Return what is known of a case's voters.

    Args:
        conn: to read with.
        subject: of the case.
        month: to which the pseudonyms belong.
        voters: pseudonyms.
        now_us: the present.
    """
    banned = banned_among(conn, month, voters, now_us)
    held = _held(conn, month, voters)
    person = _person(conn, subject)
    erased = frozenset(voters) - held
    if person is not None and erased:
        erased = frozenset()
        since = ban_of(conn, person, now_us)
        banned |= {} if since is None else {subject.name: since}
    return People(
        banned=banned,
        erased=erased,
        joined=members_with(conn, month, voters),
        joinings=_joinings(conn, month, voters),
        in_use=subject.month is None or stands_on_ballots(conn, subject.month, subject.name),
        others=() if person is None else _others(conn, subject, person),
        bans=() if person is None else tuple(ban_decisions(conn, person)),
        no_ban=None if person is None else ban_refusal(conn, person, now_us),
    )


def _person(conn: Connection, subject: Subject) -> str | None:
    """Return the id behind a voter's own case; None for other cases and the erased."""
    if subject.month is None:
        return None
    try:
        return voter_of(conn, subject.month, subject.name)
    except UnknownCase:
        return None


def _held(conn: Connection, month: str, voters: Collection[str]) -> frozenset[str]:
    held = held_names(month, voters)
    return frozenset(conn.execute(select(held.c.name).distinct()).scalars())


def _others(conn: Connection, subject: Subject, person: str) -> tuple[OtherName, ...]:
    found = []
    for month, name in names_of(conn, person):
        if (month, name) != (subject.month, subject.name):
            cast = select(func.count()).where(vote.c.month == month, vote.c.voter == name)
            found.append(OtherName(month, name, conn.execute(cast).scalar_one()))
    return tuple(found)


def _joinings(conn: Connection, month: str, voters: Collection[str]) -> tuple[Joining, ...]:
    found: list[Joining] = []
    own = set(voters) if len(voters) == 1 else set[str]()
    known = set(own)
    for event_id, event in joining_history(conn, month, voters):
        if isinstance(event, AccountJoined):
            told = tuple(name for name in event.members if name not in known)
            known.update(event.members)
        else:
            told = event.members
            known = set(own) if own & set(told) else known - set(told)
        found.append(
            Joining(event_id, event.KIND, event.at_us, event.moderator, event.reason, told)
        )
    return tuple(found)
