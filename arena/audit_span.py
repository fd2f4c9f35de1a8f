"""Where in the public log a month's events stand, so that a page of them reads no other month."""

from __future__ import annotations

from sqlalchemy import Connection, select

from antiabuse.utc import DAY_US, month_end_us, month_start_us
from arena.ballot_events import ANY_MODE, arena_stream
from arena.boards import MODES
from ledger.search import recorded, size_after, size_before

__all__ = ["span_of"]

_SLACK_US = DAY_US  # an event reaches the log within minutes, unless the sequencer stood still


def span_of(conn: Connection, month: str) -> tuple[int, int | None]:
    """Return indexes low <= index < high between which all events of a month in the log are.

    Nothing of a month is written before it begins, and an entry gets its place soon after it is
    written; so the span begins and ends with checkpoints a day apart from the month's own.

    Args:
        conn: to read with.
        month: `2026-11`.

    Returns:
        High is None for the end of the log.
    """
    low = size_before(conn, month_start_us(month_end_us(month) - 1) - _SLACK_US)
    events, last = recorded(), 0
    for mode in (*MODES, ANY_MODE):
        newest = select(events.c.idx).where(events.c.stream == arena_stream(mode, month))
        found = conn.execute(newest.order_by(events.c.seq.desc()).limit(1)).one_or_none()
        if found is not None and found.idx is None:
            return low, None
        last = max(last, 0 if found is None else found.idx)
    return low, size_after(conn, last, _SLACK_US)
