"""Taking voters out of a cluster again, who were joined wrongly; no vote is struck or restored."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from arena import closed_months, moderation
from arena.clusters import members_with
from arena.errors import NotJoined
from arena.moderation import Actor
from arena.ports import Ports
from arena.publishing import one_worker_at_a_time
from arena.standing_events import AccountParted
from arena.standing_reasons import PartReason
from ledger.ids import uuid7

__all__ = ["part", "part_within"]


def part(
    ports: Ports,
    actor: Actor,
    month: str,
    voters: Sequence[str],
    reason: PartReason,
    now_us: int,
) -> str:
    """Let voters of a month stand alone from here on, in fit, caps, bans and what they were shown.

    Who stays behind is one cluster as before; a last one left stands alone too. Votes keep the
    weight they were cast with, and a ban of a voter's own, or handed on by erasing, stays theirs.

    Args:
        ports: the arena's means.
        actor: who decides.
        month: one that is not closed.
        voters: pseudonyms of that month, one or more of one cluster.
        reason: why.
        now_us: when.

    Returns:
        The decision's id.

    Raises:
        NotJoined: one of them is joined to nobody, perhaps since another moderator parted them, or
            they are in several clusters, or nobody is named; nothing is stored.
        ClosedMonth: the month is closed.
    """
    with ports.database.write() as conn:
        return part_within(ports, conn, actor, month, voters, reason, now_us)


def part_within(
    ports: Ports,
    conn: Connection,
    actor: Actor,
    month: str,
    voters: Sequence[str],
    reason: PartReason,
    now_us: int,
) -> str:
    """Part voters in the write transaction of a larger decision; otherwise as `part`.

    It waits for a joining under way, so the transaction holds no vote yet, or holds
    `one_worker_at_a_time` since before.
    """
    closed_months.check_open(conn, month, now_us)
    one_worker_at_a_time(conn)  # a joining at the same time must see it
    left = _cluster_with(conn, month, voters) - set(voters)
    rest = sorted(left) if len(left) > 1 else []
    event = AccountParted(
        month=month,
        members=tuple(sorted({*voters, *left} - set(rest))),
        rest=tuple(rest),
        cluster=rest[0] if rest else None,
        reason=PartReason(reason).value,
        moderator=actor.handle,
        at_us=now_us,
    )
    return moderation.write(ports, conn, event, uuid7(now_us, ports.rng), actor)


def _cluster_with(conn: Connection, month: str, voters: Sequence[str]) -> set[str]:
    """Return all members of the one cluster that holds these voters."""
    members = members_with(conn, month, voters)
    if len(set(members.values())) != 1 or not members.keys() >= set(voters):
        raise NotJoined("these voters are not joined to one another any more: look again")
    return set(members)
