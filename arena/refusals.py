"""Refused requests into the log (V-127)."""

from __future__ import annotations

from sqlalchemy import Connection

from antiabuse.addresses import AddressHashes
from antiabuse.admission import Refusal
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

    Args:
        ports: the arena's means.
        now_us: when.
        refusal: why.
        action: what was asked for.
        visitor: who, if a valid cookie says so.
        address: where from, when there is no visitor to say it.
        ballot: which ballot, if it is known.
        conn: the caller's write transaction, if any.
    """
    event = vote_refused(
        event_id=uuid4(ports.rng),
        stream=arena_stream(ballot.mode if ballot else ANY_MODE, month_of(now_us)),
        now_us=now_us,
        refusal=refusal,
        action=action,
        voter_id=visitor.voter if visitor else None,
        ballot_id=ballot.id if ballot else None,
        addresses=visitor.address if visitor else address,
    )
    if conn is not None:
        ports.log.append(conn, event)
        return
    with ports.database.write() as own:
        ports.log.append(own, event)
