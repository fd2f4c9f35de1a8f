"""How long this room keeps what: the first day, month and moment still kept, and the dropping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from antiabuse import sessions, sign_in_limits, unrun_checks
from antiabuse.rules import current
from antiabuse.tables import erased_voter, voter
from antiabuse.utc import DAY_US, day_of, month_of


@dataclass(frozen=True, slots=True)
class Kept:
    """What is still kept at a moment; everything before goes.

    Attributes:
        key_day: the first UTC date whose key is kept, `2026-11-29`.
        key_month: the first UTC month whose key is kept, `2026-11`.
        month: the first UTC month whose private parts and sightings are kept, `2026-09`.
        voter_us: since when an id was issued whose cookie can still be there, microseconds UTC.
    """

    key_day: str
    key_month: str
    month: str
    voter_us: int


def kept_at(now_us: int) -> Kept:
    """Return what is still kept at a moment, microseconds UTC."""
    rules = current()
    return Kept(
        key_day=day_of(now_us - rules.day_key_days * DAY_US),
        # A month ended so many days ago just when it lies before the month of that day.
        key_month=month_of(now_us - rules.month_key_days * DAY_US),
        month=month_of(now_us - rules.private_days * DAY_US),
        voter_us=now_us - rules.cookie_days * DAY_US,
    )


def old_voters(conn: Connection, kept: Kept, most: int) -> Sequence[str]:
    """Return some ids whose cookies have run out."""
    old = select(voter.c.id).where(voter.c.created_us < kept.voter_us).limit(most)
    return conn.execute(old).scalars().all()


def drop_voters(conn: Connection, ids: Sequence[str]) -> int:
    """Drop the rows of voters; return how many."""
    return conn.execute(delete(voter).where(voter.c.id.in_(ids))).rowcount


def drop_traces(conn: Connection, kept: Kept, now_us: int) -> int:
    """Drop small things that are over: erased ids, old failures, sessions and counts."""
    old_ids = delete(erased_voter).where(erased_voter.c.erased_us < kept.voter_us)
    return (
        conn.execute(old_ids).rowcount
        + sign_in_limits.drop_old(conn, now_us)
        + sessions.drop_ended(conn, now_us)
        + unrun_checks.drop_before(conn, kept.month)
    )
