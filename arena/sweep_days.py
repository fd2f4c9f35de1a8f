"""Which days of a month the sweeps went over; days that a clock ran ahead of are not among them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from sqlalchemy import Connection, select

from arena import flags
from arena.ballot_events import arena_stream
from arena.events import Mode
from arena.flags import Look
from arena.review_events import SweepFinished
from arena.review_tables import sweep_look
from ledger.search import TIMED_ID, recorded, time_us

__all__ = ["EVERYBODY", "NIGHT", "days_of", "days_swept", "standing_looks"]

EVERYBODY: Final = "*"
"""In the place of a voter: a look at all of a day's votes; its number is the day of the month."""

NIGHT: Final = "night"
"""In the place of a detector: the sweep itself went over that day."""


def days_of(month: str) -> Iterator[str]:
    """Yield a month's days."""
    day = date.fromisoformat(f"{month}-01")
    while f"{day:%Y-%m}" == month:
        yield day.isoformat()
        day += timedelta(days=1)


def standing_looks(conn: Connection, mode: Mode, month: str, now_us: int) -> frozenset[Look]:
    """Return the looks at a mode's month that need not be taken again.

    Looks at days stand unless a clock that was set back since took them: votes of those days came
    afterwards. Looks at so many votes of a voter stand, whatever the clock said.
    """
    return flags.taken_looks(conn, mode, month) - _ahead(conn, mode, month, now_us)


def days_swept(conn: Connection, mode: Mode, month: str, now_us: int) -> int:
    """Return the last day of a month that a sweep went over; 0 before the first."""
    look = sweep_look.c
    query = select(look.look).where(
        look.detector == NIGHT, look.mode == mode, look.month == month, look.voter == EVERYBODY
    )
    days = conn.execute(query).scalars().all()
    ahead = _ahead(conn, mode, month, now_us) if days else frozenset()
    return max((day for day in days if (NIGHT, EVERYBODY, day) not in ahead), default=0)


def _ahead(conn: Connection, mode: Mode, month: str, now_us: int) -> frozenset[Look]:
    """Return the looks at days that were taken by a clock which ran ahead, and by no other."""
    events = recorded()
    of_month = (
        events.c.kind == SweepFinished.KIND,
        events.c.stream == arena_stream(mode, month),
    )
    newest_first = select(events.c.id).where(*of_month).order_by(events.c.seq.desc())
    ahead, earliest_us = set(), now_us
    for event_id in conn.execute(newest_first).scalars():
        # Its id tells a sweep's time; a later event of an earlier time gives the clock away.
        at_us = time_us(event_id[:TIMED_ID])
        if at_us > earliest_us:
            ahead.add(event_id)
        earliest_us = min(at_us, earliest_us)
    if not ahead:
        return frozenset()
    stand: set[Look] = set()
    doubtful: set[Look] = set()
    for row in conn.execute(select(events.c.id, events.c.body).where(*of_month)):
        looks = SweepFinished.from_body(json.loads(row.body)).looks
        of_days = {look for look in looks if look[1] == EVERYBODY}
        (doubtful if row.id in ahead else stand).update(of_days)
    return frozenset(doubtful - stand)
