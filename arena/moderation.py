"""What moderators may do to votes: strike, restore, join voters (V-052). No score is ever written.

A decision is one event in one transaction: it holds for all its votes or for none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from antiabuse.utc import hour_of
from arena import closed_months
from arena.boards import as_mode
from arena.clusters import members_with
from arena.device_grounds import check_joining
from arena.errors import AlreadyJoined, AlreadyStruck, NotStruck, SeveralMonths, UnknownVote
from arena.events import Mode
from arena.ports import Ports
from arena.projection import project
from arena.publishing import one_worker_at_a_time
from arena.review_tables import vote_strike
from arena.standing_events import (
    AccountJoined,
    StandingEvent,
    VoteDiscounted,
    VoteRestored,
    VoteVoided,
    standing_event,
)
from arena.standing_reasons import JoinReason, RestoreReason, StrikeReason
from arena.tables import vote
from ledger.ids import uuid4, uuid7

__all__ = ["Actor", "discount", "join", "restore", "void", "write"]

_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Actor:
    """Who decides: the name moderators know, and the handle that stands in public."""

    name: str
    handle: str


def void(
    ports: Ports,
    actor: Actor,
    vote_ids: Sequence[str],
    *,
    reason: StrikeReason,
    case: str,
    now_us: int,
    conn: Connection | None = None,
) -> str:
    """Strike votes: they weigh 0 from the next board on.

    Args:
        ports: the arena's means.
        actor: who decides.
        vote_ids: one or more votes of one month that is not closed, of either mode.
        reason: why.
        case: what it was about, such as a flag's or an answer's id.
        now_us: when.
        conn: the caller's write transaction, if the decision is part of a larger one.

    Returns:
        The decision's id.

    Raises:
        UnknownVote: no votes, or one that there is not; like all errors here, nothing is stored.
        ClosedMonth, SeveralMonths: votes of a month that is closed, or of more than one.
        AlreadyStruck: one of them does not count already, perhaps by another moderator just now.
    """
    with _transaction(ports, conn) as own:
        votes, strikes = _locked(own, vote_ids, now_us)
        if strikes:
            raise AlreadyStruck(f"{len(strikes)} of these votes are struck already: look again")
        event = VoteVoided(
            mode=_mode(votes),
            month=votes[0].month,
            votes=tuple(row.id for row in votes),
            reason=StrikeReason(reason).value,
            moderator=actor.handle,
            case=case,
            at_us=now_us,
        )
        return write(ports, own, event, uuid7(now_us, ports.rng), actor)


def restore(
    ports: Ports,
    actor: Actor,
    vote_ids: Sequence[str],
    *,
    reason: RestoreReason,
    case: str,
    now_us: int,
    conn: Connection | None = None,
) -> str:
    """Let struck votes count again, with the weight they were cast with; arguments as for `void`.

    Returns:
        The decision's id.

    Raises:
        UnknownVote: no votes, or one that there is not.
        ClosedMonth, SeveralMonths: votes of a month that is closed, or of more than one.
        NotStruck: one of them counts.
    """
    with _transaction(ports, conn) as own:
        votes, strikes = _locked(own, vote_ids, now_us)
        if len(strikes) < len(votes):
            raise NotStruck(
                f"{len(votes) - len(strikes)} of these votes are not struck: look again"
            )
        event = VoteRestored(
            mode=_mode(votes),
            month=votes[0].month,
            votes=tuple(row.id for row in votes),
            undoes=tuple(strikes[row.id] for row in votes),
            reason=RestoreReason(reason).value,
            moderator=actor.handle,
            case=case,
            at_us=now_us,
        )
        return write(ports, own, event, uuid7(now_us, ports.rng), actor)


def discount(
    conn: Connection,
    ports: Ports,
    *,
    flag: str,
    detector: str,
    vote_ids: Sequence[str],
    now_us: int,
) -> tuple[str, ...]:
    """Strike those votes of a flag that still count, for a detector listed as discounting (V-126).

    Args:
        conn: the write transaction in which the flag is raised.
        ports: the arena's means.
        flag: the id of the flag.
        detector: its detector's name.
        vote_ids: votes of one month that is not closed.
        now_us: when.

    Returns:
        The ids of the events, one for each mode; none when no vote was left to strike.

    Raises:
        UnknownVote: one of the votes is not there.
        ClosedMonth, SeveralMonths: votes of a month that is closed, or of more than one.
    """
    votes, strikes = _locked(conn, vote_ids, now_us)
    events = []
    for mode in sorted({row.mode for row in votes}):
        left = tuple(row.id for row in votes if row.mode == mode and row.id not in strikes)
        if not left:
            continue
        event = VoteDiscounted(
            mode=as_mode(mode),
            month=votes[0].month,
            hour=hour_of(now_us),
            votes=left,
            reason=StrikeReason.DETECTOR.value,
            detector=detector,
            flag=flag,
        )
        events.append(write(ports, conn, event, uuid4(ports.rng), None))
    return tuple(events)


def join(
    ports: Ports,
    actor: Actor | None,
    month: str,
    voters: Sequence[str],
    reason: JoinReason,
    now_us: int,
) -> str:
    """Take voters of a month for one person: one cluster in fit, caps and lifecycle (V-047).

    Whoever is joined to one of them already comes along.

    Args:
        ports: the arena's means.
        actor: who decides; None for a rule of the arena's own.
        month: one that is not closed.
        voters: pseudonyms of that month, two or more.
        reason: why.
        now_us: when.

    Returns:
        The decision's id.

    Raises:
        UnknownVote: a pseudonym that has no vote in the month, or fewer than two.
        ClosedMonth: the month is closed.
        AlreadyJoined: they are one cluster already.
        DeviceAlone: a ban would reach one of them for a shared device alone.
    """
    with ports.database.write() as own:
        closed_months.check_open(own, month, now_us)
        one_worker_at_a_time(own)  # two joinings that overlap must see each other
        members = _members(own, month, voters)
        if len(members) == 1:
            raise AlreadyJoined("these voters are one cluster already")
        check_joining(own, month, members, reason)
        named = sorted({voter for group in members for voter in group})
        event = AccountJoined(
            month=month,
            members=tuple(named),
            cluster=named[0],
            reason=JoinReason(reason).value,
            moderator=None if actor is None else actor.handle,
            at_us=now_us,
        )
        return write(ports, own, event, uuid7(now_us, ports.rng), actor)


@contextmanager
def _transaction(ports: Ports, conn: Connection | None) -> Iterator[Connection]:
    """Yield the caller's transaction, or one of its own."""
    if conn is not None:
        yield conn
        return
    with ports.database.write() as own:
        yield own


def _locked(
    conn: Connection, vote_ids: Sequence[str], now_us: int
) -> tuple[list[Row[Any]], dict[str, str]]:
    """Lock votes, in one order for all; return them, and which event struck those that are."""
    wanted = sorted(set(vote_ids))
    votes: list[Row[Any]] = []
    strikes: dict[str, str] = {}
    for start in range(0, len(wanted), _PAGE):
        page = wanted[start : start + _PAGE]
        query = select(vote.c.id, vote.c.mode, vote.c.month).where(vote.c.id.in_(page))
        votes += [*conn.execute(query.order_by(vote.c.id).with_for_update())]
    for start in range(0, len(wanted), _PAGE):
        page = wanted[start : start + _PAGE]
        struck = select(vote_strike).where(vote_strike.c.vote_id.in_(page))
        strikes |= {row.vote_id: row.event_id for row in conn.execute(struck)}
    if not votes or len(votes) < len(wanted):
        raise UnknownVote(f"{len(wanted) - len(votes)} of {len(wanted)} votes are not there")
    months = {row.month for row in votes}
    if len(months) > 1:
        raise SeveralMonths(f"votes of {len(months)} months need a decision for each")
    closed_months.check_open(conn, months.pop(), now_us)
    return votes, strikes


def _mode(votes: Sequence[Row[Any]]) -> Mode | None:
    modes = {row.mode for row in votes}
    return as_mode(modes.pop()) if len(modes) == 1 else None


def _members(conn: Connection, month: str, voters: Sequence[str]) -> list[frozenset[str]]:
    """Return the clusters that these voters are in, each with all its members."""
    wanted = sorted(set(voters))
    present = select(vote.c.voter).where(vote.c.month == month, vote.c.voter.in_(wanted)).distinct()
    missing = set(wanted) - set(conn.execute(present).scalars())
    if missing or len(wanted) < 2:  # noqa: PLR2004 - one voter cannot be joined
        raise UnknownVote(f"{len(missing)} of {len(wanted)} voters have no vote in {month}")
    members = members_with(conn, month, wanted)
    groups = [frozenset({voter}) for voter in wanted if voter not in members]
    clusters = sorted(set(members.values()))
    return groups + [
        frozenset(voter for voter, own in members.items() if own == cluster) for cluster in clusters
    ]


def write(
    ports: Ports, conn: Connection, event: StandingEvent, event_id: str, actor: Actor | None
) -> str:
    """Store an event that changes how votes stand; return its id. The name is private."""
    private = None if actor is None else {"name": actor.name}
    stored = standing_event(event, event_id=event_id, private=private)
    project(conn, ports.log.append(conn, stored))
    return event_id
