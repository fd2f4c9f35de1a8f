"""How long this room keeps what: the first day, month and moment still kept, and the dropping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, or_, select

from antiabuse import account_rules, unrun_checks
from antiabuse.rules import current
from antiabuse.statements import Statement
from antiabuse.tables import erased_voter, moderator_session, sign_in_failure, voter
from antiabuse.utc import DAY_US, SECOND_US, day_of, month_of

_OLD_SIGHTINGS: Final = Statement(
    "DELETE FROM sighting WHERE vote_id IN"
    " (SELECT vote_id FROM sighting WHERE month < :month LIMIT :most)"
)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is still kept at a moment; everything before goes.

    Attributes:
        key_day: the first UTC date whose key is kept, `2026-11-29`.
        month: the first UTC month whose private parts, sightings and key are kept, `2026-09`.
        voter_us: since when an id was issued whose cookie can still be there, microseconds UTC.
    """

    key_day: str
    month: str
    voter_us: int


def kept_at(now_us: int) -> Kept:
    """Return what is still kept at a moment, microseconds UTC."""
    rules = current()
    return Kept(
        key_day=day_of(now_us - rules.day_key_days * DAY_US),
        # A month ended so many days ago just when it lies before the month of that day.
        month=month_of(now_us - rules.private_days * DAY_US),
        voter_us=now_us - rules.cookie_days * DAY_US,
    )


def drop_sightings(conn: Connection, kept: Kept, most: int) -> int:
    """Drop some sightings of old months; return how many, fewer than `most` when none is left."""
    return _OLD_SIGHTINGS.run(conn, month=kept.month, most=most).rowcount


def old_voters(conn: Connection, kept: Kept, most: int) -> Sequence[str]:
    """Return some ids whose cookies have run out."""
    old = select(voter.c.id).where(voter.c.created_us < kept.voter_us).limit(most)
    return conn.execute(old).scalars().all()


def drop_voters(conn: Connection, ids: Sequence[str]) -> int:
    """Drop the rows of voters; return how many."""
    return conn.execute(delete(voter).where(voter.c.id.in_(ids))).rowcount


def drop_traces(conn: Connection, kept: Kept, now_us: int) -> int:
    """Drop small things that are over: erased ids, old failures, sessions and counts."""
    accounts = account_rules.current()
    failed, session = sign_in_failure.c, moderator_session.c
    over = (
        delete(erased_voter).where(erased_voter.c.erased_us < kept.voter_us),
        delete(sign_in_failure).where(failed.at_us <= now_us - accounts.name_window_s * SECOND_US),
        delete(moderator_session).where(
            or_(
                session.opened_us <= now_us - accounts.session_s * SECOND_US,
                session.seen_us <= now_us - accounts.idle_s * SECOND_US,
            )
        ),
    )
    return sum(conn.execute(each).rowcount for each in over) + unrun_checks.drop_before(
        conn, kept.month
    )
