"""Where votes came from, as keyed digests: one operational row per vote, erased after retention."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from sqlalchemy import Connection

from antiabuse.addresses import AddressHashes
from antiabuse.detectors import rules as detector_rules
from antiabuse.statements import Statement
from antiabuse.utc import HOUR_US, MINUTE_US, SECOND_US, day_of, month_of

__all__ = ["drop_before", "forget_places", "record", "unlink"]

_INSERT: Final = Statement(
    """
    INSERT INTO sighting (vote_id, voter_id, month, day, at_us, dwell_us, address, network, device)
    VALUES (:vote, :voter, :month, :day, :at, :dwell, :address, :network, :device)
    """
)
_UNLINK: Final = Statement(
    """
    UPDATE sighting
    SET voter_id = '', at_us = at_us - at_us % :hour, dwell_us = NULL,
        address = CASE WHEN day < :unswept THEN NULL ELSE address END,
        device = CASE WHEN day < :unswept THEN NULL ELSE device END
    WHERE voter_id = :id
    """
)
_FORGET_PLACES: Final = Statement(
    """
    UPDATE sighting SET address = NULL, device = NULL
    WHERE vote_id IN (
        SELECT vote_id FROM sighting
        WHERE voter_id = '' AND day < :unswept AND (address IS NOT NULL OR device IS NOT NULL)
        LIMIT :most
    )
    """
)
_DROP: Final = Statement(
    "DELETE FROM sighting WHERE vote_id IN"
    " (SELECT vote_id FROM sighting WHERE month < :month LIMIT :most)"
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


def unlink(conn: Connection, voter: str, now_us: int) -> int:
    """Take voter, exact time, dwell, address and device out of a voter's sightings.

    The digest of the network stays until the month's retention ends: the cap on what one network's
    votes may move (V-155) is taken at each fit, and erasing must not lift it. Those of address and
    device stay, nameless, while how many voters share them in a day is still counted (V-122,
    V-125): else who erases after each vote would be alone every time.

    Args:
        conn: the transaction.
        voter: the voter's id.
        now_us: when, microseconds UTC.

    Returns:
        How many sightings there were.
    """
    return _UNLINK.run(conn, id=voter, hour=HOUR_US, unswept=_unswept_day(now_us)).rowcount


def forget_places(conn: Connection, now_us: int, most: int) -> int:
    """Take address and device out of sightings that are nobody's and of days that were counted.

    Returns:
        How many sightings there were, fewer than `most` at the end.
    """
    return _FORGET_PLACES.run(conn, unswept=_unswept_day(now_us), most=most).rowcount


def _unswept_day(now_us: int) -> str:
    """Return the first day whose sweep is not late yet, so that it may be still to come."""
    rules = detector_rules.current()
    return day_of(now_us - (rules.sweep_minute + 60 * rules.sweep_late_hours) * MINUTE_US)


def drop_before(conn: Connection, month: str, most: int) -> int:
    """Drop some sightings of months before this; return how many, fewer than `most` at the end."""
    return _DROP.run(conn, month=month, most=most).rowcount
