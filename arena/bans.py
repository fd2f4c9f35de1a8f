"""Banning a voter and taking it back: a person's decision, never a machine's (V-170)."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from antiabuse import quotas
from antiabuse.identity import pseudonym
from antiabuse.tables import voter as voter_table
from antiabuse.utc import month_of
from arena.ballot_events import ANY_MODE
from arena.case_subject import voter_of
from arena.errors import AlreadyDecided
from arena.moderation import Actor
from arena.ports import Ports
from arena.review_events import VoterBanned, VoterUnbanned
from arena.review_record import record_by_moderator
from arena.review_rules import Act, check_reason

__all__ = ["ban", "banned_since", "unban"]


def ban(ports: Ports, actor: Actor, month: str, name: str, *, reason: str, now_us: int) -> str:
    """Refuse a voter's further votes; earlier votes stay as they are.

    Args:
        ports: the arena's means.
        actor: who decides.
        month: to which the pseudonym belongs.
        name: the voter's pseudonym of that month.
        reason: a code of `Act.BAN`.
        now_us: when.

    Returns:
        The decision's id.

    Raises:
        UnknownCode: the reason is not on the list.
        UnknownCase: no voter of that month has this name.
        AlreadyDecided: the voter is banned; nothing is stored.
    """
    check_reason(Act.BAN, reason)
    return _change(ports, actor, month, name, reason, now_us, banned=True)


def unban(ports: Ports, actor: Actor, month: str, name: str, *, reason: str, now_us: int) -> str:
    """Let a banned voter vote again; arguments and errors as for `ban`."""
    check_reason(Act.UNBAN, reason)
    return _change(ports, actor, month, name, reason, now_us, banned=False)


def banned_since(conn: Connection, voter_id: str) -> int | None:
    """Return since when a voter is banned, in microseconds UTC; None when they are not."""
    found = select(voter_table.c.banned_us).where(voter_table.c.id == voter_id)
    return conn.execute(found).scalar()


def _change(
    ports: Ports, actor: Actor, month: str, name: str, reason: str, now_us: int, *, banned: bool
) -> str:
    present = month_of(now_us)
    with ports.database.write() as conn:
        voter_id = voter_of(conn, month, name)
        if quotas.lock(conn, voter_id, now_us).banned is banned:
            raise AlreadyDecided(f"this voter is {'' if banned else 'not '}banned: look again")
        # The month of the deed: the archive of an earlier month may be out already.
        kind = VoterBanned if banned else VoterUnbanned
        event = kind(
            voter=pseudonym(ports.keys, present, voter_id),
            month=present,
            reason=reason,
            moderator=actor.handle,
            at_us=now_us,
        )
        since = now_us if banned else None
        conn.execute(
            update(voter_table).where(voter_table.c.id == voter_id).values(banned_us=since)
        )
        return record_by_moderator(
            ports,
            conn,
            actor,
            event,
            mode=ANY_MODE,
            month=present,
            now_us=now_us,
            private={"voter": voter_id},
        )
