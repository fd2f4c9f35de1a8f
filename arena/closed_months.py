"""Which months decisions can still change: the open one, and the last until its archive is out."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, select

from antiabuse.utc import month_of, previous_month
from arena.ballot_events import ANY_MODE, arena_stream
from arena.boards import MODES
from arena.errors import ClosedMonth
from ledger.search import recorded

__all__ = ["archived_months", "check_open", "is_archived", "is_open", "open_months"]

_MONTH_CLOSED: Final = "month.closed"


def is_archived(conn: Connection, month: str) -> bool:
    """Say whether a month's archive is out: the log closes it for both modes."""
    events = recorded()
    streams = {arena_stream(mode, month): mode for mode in (*MODES, ANY_MODE)}
    query = select(events.c.stream).where(
        events.c.stream.in_(streams), events.c.kind == _MONTH_CLOSED
    )
    closed = {streams[stream] for stream in conn.execute(query).scalars()}
    return ANY_MODE in closed or closed.issuperset(MODES)


def archived_months(conn: Connection) -> tuple[str, ...]:
    """Return the months whose archive is out, newest first."""
    events = recorded()
    query = select(events.c.stream).where(events.c.kind == _MONTH_CLOSED).distinct()
    months = {stream.rpartition("/")[2] for stream in conn.execute(query).scalars()}
    return tuple(sorted((each for each in months if is_archived(conn, each)), reverse=True))


def is_open(conn: Connection, month: str, now_us: int) -> bool:
    """Say whether decisions still change a month's board.

    What the last days bring to light is decided after their month, so the month before stays open
    until its archive is out.
    """
    if month == month_of(now_us):
        return True
    return month == previous_month(now_us) and not is_archived(conn, month)


def open_months(conn: Connection, now_us: int) -> tuple[str, ...]:
    """Return the months whose boards decisions still change, oldest first."""
    months = (previous_month(now_us), month_of(now_us))
    return tuple(month for month in months if is_open(conn, month, now_us))


def check_open(conn: Connection, month: str, now_us: int) -> None:
    """Refuse a decision about a month that is closed.

    Raises:
        ClosedMonth: nothing may change any more.
    """
    if not is_open(conn, month, now_us):
        raise ClosedMonth(f"{month} is closed: its votes can no longer be changed here")
