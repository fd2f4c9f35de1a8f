"""Where votes came from, as keyed digests: one operational row per vote, erased after retention."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from sqlalchemy import Connection

from antiabuse.addresses import AddressHashes
from antiabuse.statements import Statement
from antiabuse.utc import SECOND_US, day_of, month_of

__all__ = ["record"]

_INSERT: Final = Statement(
    """
    INSERT INTO sighting (vote_id, voter_id, month, day, at_us, dwell_us, address, network, device)
    VALUES (:vote, :voter, :month, :day, :at, :dwell, :address, :network, :device)
    """
)


def record(
    conn: Connection,
    vote: str,
    voter: str,
    at_us: int,
    *,
    dwell_s: Decimal | None,
    addresses: AddressHashes | None,
    device: str | None,
) -> None:
    """Store where a vote came from, in the vote's transaction.

    A loopback or private address has no network and joins nobody (V-125), so neither is stored.

    Args:
        conn: the transaction.
        vote: the vote's id.
        voter: the voter's id.
        at_us: when, microseconds UTC.
        dwell_s: reading time in seconds; None when unknown.
        addresses: digests of the address; None when unknown.
        device: digest of the fingerprint; None without consent.
    """
    network = None if addresses is None else addresses.network
    _INSERT.run(
        conn,
        vote=vote,
        voter=voter,
        month=month_of(at_us),
        day=day_of(at_us),
        at=at_us,
        dwell=None if dwell_s is None else int(dwell_s * SECOND_US),
        address=None if addresses is None or network is None else addresses.address,
        network=network,
        device=device,
    )
