"""Banning a voter and taking it back: a person's decision, never a machine's (V-170).

A ban stands in the row of one id and holds for all ids joined to it, as long as they are.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, func, select, update

from antiabuse import quotas
from antiabuse.identity import pseudonym
from antiabuse.tables import voter as voter_table
from antiabuse.utc import month_of
from arena.clusters import joined_to
from arena.device_grounds import check_ban
from arena.errors import AlreadyDecided
from arena.moderation import Actor
from arena.ports import Ports
from arena.publishing import one_worker_at_a_time
from arena.review_events import VoterBanned, VoterUnbanned
from arena.review_record import record_by_moderator
from arena.review_rules import Act, check_reason
from arena.review_tables import cluster_member
from arena.voter_names import held_names, voter_of

__all__ = ["ban", "ban_of", "banned_among", "unban"]


def ban(ports: Ports, actor: Actor, month: str, name: str, *, reason: str, now_us: int) -> str:
    """Refuse further votes of a voter and of all joined to them; earlier votes stay as they are.

    A shared device is never ground enough: see `arena.device_grounds`.

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
        AlreadyDecided: this very voter is banned; nothing is stored.
        DeviceAlone: nothing but a shared device speaks against them, or joins others to them.
    """
    check_reason(Act.BAN, reason)
    return _change(ports, actor, month, name, reason, now_us, banned=True)


def unban(ports: Ports, actor: Actor, month: str, name: str, *, reason: str, now_us: int) -> str:
    """Let a banned voter and all joined to them vote again; arguments and errors as for `ban`.

    The bans of those joined to them end with it. None of them banned is `AlreadyDecided`.
    """
    check_reason(Act.UNBAN, reason)
    return _change(ports, actor, month, name, reason, now_us, banned=False)


def banned_among(
    conn: Connection, month: str, names: Collection[str], now_us: int
) -> dict[str, int]:
    """Return who of some voters is banned, by the name of a month, with since when.

    A ban of somebody joined to them counts as theirs in the month of the joining.

    Args:
        conn: to read with.
        month: to which the pseudonyms belong.
        names: the voters' pseudonyms.
        now_us: the present, microseconds UTC like what is returned.
    """
    groups = _groups(conn, month, names) if month == month_of(now_us) else {}
    everybody = {*names, *(each for group in groups.values() for each in group)}
    held = held_names(month, everybody)
    query = (
        select(held.c.name, func.min(voter_table.c.banned_us).label("since"))
        .join(voter_table, voter_table.c.id == held.c.voter_id)
        .where(voter_table.c.banned_us.is_not(None))
        .group_by(held.c.name)
    )
    since = {row.name: row.since for row in conn.execute(query)}
    found = {
        name: [since[each] for each in groups.get(name, (name,)) if each in since] for name in names
    }
    return {name: min(times) for name, times in found.items() if times}


def _groups(conn: Connection, month: str, names: Collection[str]) -> dict[str, list[str]]:
    """Return for each of some voters who is joined to anybody all those they are one with."""
    named, member = cluster_member.alias(), cluster_member.alias()
    query = (
        select(named.c.voter.label("name"), member.c.voter)
        .join(member, (member.c.month == named.c.month) & (member.c.cluster == named.c.cluster))
        .where(named.c.month == month, named.c.voter.in_(names))
    )
    groups: dict[str, list[str]] = {}
    for row in conn.execute(query):
        groups.setdefault(row.name, []).append(row.voter)
    return groups


def ban_of(conn: Connection, voter_id: str, now_us: int) -> int | None:
    """Return since when a voter, or one joined to them at present, is banned; None if nobody is."""
    ids = (voter_id, *joined_to(conn, month_of(now_us), voter_id))
    since: int | None = conn.execute(
        select(func.min(voter_table.c.banned_us)).where(voter_table.c.id.in_(ids))
    ).scalar()
    return since


def _change(
    ports: Ports, actor: Actor, month: str, name: str, reason: str, now_us: int, *, banned: bool
) -> str:
    present = month_of(now_us)
    with ports.database.write() as conn:
        if banned:
            one_worker_at_a_time(conn)  # a joining at the same time must see it
        voter_id = voter_of(conn, month, name)
        # A ban may be laid beside that of a joined id: it outlasts the month of the joining.
        others = () if banned else joined_to(conn, present, voter_id)
        if quotas.lock_cluster(conn, voter_id, others, now_us).banned is banned:
            raise AlreadyDecided(f"this voter is {'' if banned else 'not '}banned: look again")
        if banned:
            check_ban(conn, voter_id, now_us)
        # The month of the deed: the archive of an earlier month may be out already.
        kind = VoterBanned if banned else VoterUnbanned
        event = kind(
            voter=pseudonym(ports.keys, present, voter_id),
            month=present,
            reason=reason,
            moderator=actor.handle,
            at_us=now_us,
        )
        whom = voter_table.c.id.in_((voter_id, *others))
        conn.execute(update(voter_table).where(whom).values(banned_us=now_us if banned else None))
        return record_by_moderator(
            ports,
            conn,
            actor,
            event,
            now_us=now_us,
            private={"voter": voter_id},
        )
