"""What a voter whose votes are stopped is told of it: since when, why, and how to be found.

For the holder of the voter's cookie alone; a decision's reason is public, about whom it is is not.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from antiabuse.utc import month_of
from arena.bans import ban_of
from arena.case_subject import Subject
from arena.clusters import joined_to
from arena.review_events import VoterBanned
from arena.review_tables import decision
from arena.voter_names import names_of

__all__ = ["OwnBan", "own_ban"]


@dataclass(frozen=True, slots=True)
class OwnBan:
    """A ban as its voter may know it.

    Attributes:
        since_us: when it was decided, microseconds UTC; of several that hold, the first.
        reason: a code of `Act.BAN`; None where no decision tells it.
        month: of `name`.
        name: the voter's own newest name, by which moderators find them; None where they have none.
    """

    since_us: int
    reason: str | None
    month: str | None
    name: str | None


def own_ban(conn: Connection, voter_id: str, now_us: int) -> OwnBan | None:
    """Return the ban that holds for a voter, their own or of one joined to them; None without."""
    since_us = ban_of(conn, voter_id, now_us)
    if since_us is None:
        return None
    month, name = next(iter(names_of(conn, voter_id)), (None, None))
    ids = (voter_id, *joined_to(conn, month_of(now_us), voter_id))
    return OwnBan(since_us, _reason(conn, ids, since_us), month, name)


def _reason(conn: Connection, ids: tuple[str, ...], since_us: int) -> str | None:
    """Return why a ban was laid at that moment.

    A ban that went over from an erased id keeps its moment, which then is all that leads to it.
    """
    query = select(decision.c.subject, decision.c.reason).where(
        decision.c.kind == VoterBanned.KIND, decision.c.at_us == since_us
    )
    found = conn.execute(query).all()
    names = {pair for each in ids for pair in names_of(conn, each)}
    subjects = {str(Subject("voter", name, month)) for month, name in names}
    own = {row.reason for row in found if row.subject in subjects}
    reasons: set[str] = own or {row.reason for row in found}
    return reasons.pop() if len(reasons) == 1 else None
