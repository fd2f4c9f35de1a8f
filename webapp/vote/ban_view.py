"""What pages tell a banned voter, the holder of the cookie: since when, why, whom to write to."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from arena.own_ban import own_ban
from arena.review_events import VoterBanned
from arena.visitor import Visitor
from webapp.audit.reason_words import reason_sentence
from webapp.wiring import services

__all__ = ["BanView", "ban_of", "ban_view"]


@dataclass(frozen=True, slots=True)
class BanView:
    """A ban in words.

    Attributes:
        since_us: since when it holds, microseconds UTC.
        reason: the decision's public reason as a sentence; empty where none is known.
        month, name: the name by which moderators find the voter; None where there is none.
    """

    since_us: int
    reason: str
    month: str | None
    name: str | None


def ban_of(visitor: Visitor) -> BanView | None:
    """Return the ban that holds for a visitor, or None."""
    with services().database.read() as conn:
        return ban_view(conn, visitor)


def ban_view(conn: Connection, visitor: Visitor) -> BanView | None:
    """Return the same, read within a page's other reading."""
    ban = own_ban(conn, visitor.voter, visitor.now_us)
    if ban is None:
        return None
    reason = reason_sentence(VoterBanned.KIND, ban.reason) if ban.reason else ""
    return BanView(ban.since_us, reason, ban.month, ban.name)
