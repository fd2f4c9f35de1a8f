"""Fits that failed: the last board stays, and pages and health say since when (V-050).

One row per mode, of the installation and not of the log: it is gone with the next success.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from arena.tables import fit_fault
from ledger.database import Database

__all__ = ["FitFault", "clear", "record", "standing"]


@dataclass(frozen=True, slots=True)
class FitFault:
    """Since when a mode's fits fail, and what the last one said."""

    mode: str
    since_us: int
    text: str


def record(database: Database, mode: str, now_us: int, text: str) -> None:
    """Note that a fit failed; the moment of the first of several failures in a row stays."""
    with database.write() as conn:
        known = conn.execute(
            update(fit_fault).where(fit_fault.c.mode == mode).values(text=text)
        ).rowcount
        if not known:
            conn.execute(insert(fit_fault), {"mode": mode, "since_us": now_us, "text": text})


def clear(database: Database, mode: str) -> None:
    """Forget a mode's failures after a success."""
    with database.read() as conn:
        if mode not in standing(conn):
            return
    with database.write() as conn:
        conn.execute(delete(fit_fault).where(fit_fault.c.mode == mode))


def standing(conn: Connection) -> dict[str, FitFault]:
    """Return the modes whose last fit failed, by name."""
    return {
        row.mode: FitFault(row.mode, row.since_us, row.text)
        for row in conn.execute(select(fit_fault))
    }
