"""Refused requests into the log (V-127)."""

from __future__ import annotations

from contextlib import nullcontext

from sqlalchemy import Connection

from antiabuse import quotas
from antiabuse.addresses import AddressHashes
from antiabuse.admission import Refusal
from antiabuse.errors import UnknownVoter
from antiabuse.events import vote_refused
from antiabuse.utc import month_of
from arena.ballot_events import ANY_MODE, arena_stream
from arena.ballot_store import HeldBallot
from arena.ports import Ports
from arena.visitor import Visitor
from ledger.ids import uuid4

__all__ = ["record_refusal"]


def record_refusal(
    ports: Ports,
    now_us: int,
    refusal: Refusal,
    action: str,
    *,
    visitor: Visitor | None = None,
    address: AddressHashes | None = None,
    ballot: HeldBallot | None = None,
    conn: Connection | None = None,
) -> None:
    """Log a refusal (V-127), in the caller's transaction or one of its own.

    A voter without a row is not named: either all about them was erased, or nothing is known.

    Args:
        ports: the arena's means.
        now_us: when.
        refusal: why.
        action: what was asked for.
        visitor: who, if a valid cookie says so.
        address: where from, when there is no visitor to say it.
        ballot: which ballot, if it is known.
        conn: the caller's write transaction, if any; it has locked the visitor's row.
    """
    voter = visitor.voter if visitor else None
    with nullcontext(conn) if conn is not None else ports.database.write() as own:
        event = vote_refused(
            event_id=uuid4(ports.rng),
            stream=arena_stream(ballot.mode if ballot else ANY_MODE, month_of(now_us)),
            now_us=now_us,
            refusal=refusal,
            action=action,
            voter_id=voter if conn is not None or _is_kept(own, voter, now_us) else None,
            ballot_id=ballot.id if ballot else None,
            addresses=visitor.address if visitor else address,
        )
        ports.log.append(own, event)


def _is_kept(conn: Connection, voter: str | None, now_us: int) -> bool:
    """Say whether a voter has a row, and lock it: an erasure waits, and takes the trace along."""
    if voter is None:
        return False
    try:
        quotas.lock(conn, voter, now_us)
    except UnknownVoter:
        return False
    return True
