"""Which months decisions can still change: the open one, and the last until its archive is out."""

from __future__ import annotations

from collections.abc import Collection
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
    return month in archived_months(conn)


def archived_months(conn: Connection) -> tuple[str, ...]:
    """Return the months whose archive is out, newest first."""
    events = recorded()
    # All of them, by the index of kinds: by stream and kind, SQLite would read the whole month.
    query = select(events.c.stream).where(events.c.kind == _MONTH_CLOSED)
    closed = set(conn.execute(query).scalars())
    months = {stream.rpartition("/")[2] for stream in closed}
    return tuple(sorted((each for each in months if _for_both(each, closed)), reverse=True))


def _for_both(month: str, closed: Collection[str]) -> bool:
    both = all(arena_stream(mode, month) in closed for mode in MODES)
    return both or arena_stream(ANY_MODE, month) in closed


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
