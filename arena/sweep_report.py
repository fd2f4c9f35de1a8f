"""The last sweep of a mode's month, as its own event tells it, and sweeps that do not come.

For the operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func

from antiabuse.detectors import rules as detector_rules
from antiabuse.utc import MINUTE_US, day_of, month_of, previous_month
from arena.audit import rows_for_moderators
from arena.audit_filter import AuditFilter
from arena.boards import MODES
from arena.events import Mode
from arena.review_events import SweepFinished
from arena.sweep_days import days_of, days_swept
from arena.sweep_votes import cast_before
from arena.tables import vote

__all__ = ["LastSweep", "OverdueSweep", "last_sweep", "overdue_sweeps"]


@dataclass(frozen=True, slots=True)
class LastSweep:
    """The newest sweep over a mode's month.

    Attributes:
        month: that it went over.
        days: of the month, over which it and the sweeps before it went, counted from the first.
        at_us: when, microseconds UTC.
        flags: raised by it.
        unrun: detectors that could not run, and the kind of fault (V-168).
    """

    month: str
    days: int
    at_us: int
    flags: int
    unrun: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OverdueSweep:
    """Votes that no sweep went over long after one was due; `day` is the first such day's date."""

    mode: Mode
    day: str


def overdue_sweeps(conn: Connection, now_us: int) -> tuple[OverdueSweep, ...]:
    """Return the modes whose sweep is overdue, over the open month or the one before it."""
    found = []
    for mode in MODES:
        months = (previous_month(now_us), month_of(now_us))
        days = [_overdue(conn, mode, month, now_us) for month in months]
        found += [OverdueSweep(mode, day) for day in days if day is not None][:1]
    return tuple(found)


def _overdue(conn: Connection, mode: Mode, month: str, now_us: int) -> str | None:
    rules = detector_rules.current()
    # Whatever day was over by then has been swept unless something is wrong.
    late = day_of(now_us - (rules.sweep_minute + 60 * rules.sweep_late_hours) * MINUTE_US)
    unswept = [day for day in days_of(month) if day < late][days_swept(conn, mode, month, now_us) :]
    if not unswept:
        return None  # before all votes of the month are looked through for nothing
    cast = cast_before(mode, month, late).where(vote.c.hour >= unswept[0])
    hour: str | None = conn.execute(cast.with_only_columns(func.min(vote.c.hour))).scalar()
    return None if hour is None else hour[:10]


def last_sweep(conn: Connection, mode: Mode, month: str, now_us: int) -> LastSweep | None:
    """Return the newest sweep over a mode's month; None before the first."""
    days = days_swept(conn, mode, month, now_us)
    if days == 0:
        return None  # before the whole stream is read for nothing
    wanted = AuditFilter(kinds=(SweepFinished.KIND,), mode=mode, month=month)
    (row,) = rows_for_moderators(conn, wanted, limit=1, order="newest").rows
    event = SweepFinished.from_body(row.body)
    return LastSweep(month, days, event.at_us, event.flags, event.unrun)
