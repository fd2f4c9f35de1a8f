"""The last sweep of a mode's month, as its own event tells it, for the operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena.audit import rows_for_moderators
from arena.audit_filter import AuditFilter
from arena.events import Mode
from arena.review_events import SweepFinished
from arena.review_tables import sweep_look
from arena.sweep_night import NIGHT

__all__ = ["LastSweep", "last_sweep"]


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


def last_sweep(conn: Connection, mode: Mode, month: str) -> LastSweep | None:
    """Return the newest sweep over a mode's month; None before the first."""
    look = sweep_look.c
    days = conn.execute(
        select(func.max(look.look)).where(
            look.detector == NIGHT, look.mode == mode, look.month == month
        )
    ).scalar()
    if days is None:
        return None  # before the whole stream is read for nothing
    wanted = AuditFilter(kinds=(SweepFinished.KIND,), mode=mode, month=month)
    (row,) = rows_for_moderators(conn, wanted, limit=1, order="newest").rows
    event = SweepFinished.from_body(row.body)
    return LastSweep(month, days, event.at_us, event.flags, event.unrun)
