"""Fits and boards that failed: the last ones stay, and pages and health say since when (V-050).

One row per mode whose official fits fail, and one per board beside the official one; of the
installation and not of the log: they are gone with the next success.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from arena.boards import View
from arena.events import Mode
from arena.publishing import one_worker_at_a_time
from arena.tables import board_fault, fit_fault
from ledger.database import Database

__all__ = [
    "BoardFault",
    "FitFault",
    "clear",
    "drop_boards_before",
    "keep_boards",
    "record",
    "standing",
    "standing_boards",
]


@dataclass(frozen=True, slots=True)
class FitFault:
    """Since when a mode's fits fail, and what the last one said."""

    mode: str
    since_us: int
    text: str


@dataclass(frozen=True, slots=True)
class BoardFault:
    """Since when a board beside the official one cannot be made, and why the last time."""

    mode: Mode
    month: str
    view: View
    category: str
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


def keep_boards(
    database: Database,
    mode: Mode,
    month: str,
    now_us: int,
    failed: Mapping[tuple[View, str], str],
) -> None:
    """Set which boards beside the official one of a mode's month fail; forget all others.

    Args:
        database: where it is kept.
        mode: the mode.
        month: the month, such as `2026-11`.
        now_us: since when those fail that did not fail before.
        failed: what each said, by view and category.
    """
    with database.read() as conn:
        before = {
            (each.view, each.category): each
            for each in standing_boards(conn)
            if (each.mode, each.month) == (mode, month)
        }
    if {key: each.text for key, each in before.items()} == failed:
        return
    rows = [
        {
            "mode": mode,
            "month": month,
            "view": key[0],
            "category": key[1],
            "since_us": before[key].since_us if key in before else now_us,
            "text": said,
        }
        for key, said in failed.items()
    ]
    with database.write() as conn:
        one_worker_at_a_time(conn)
        conn.execute(
            delete(board_fault).where(board_fault.c.mode == mode, board_fault.c.month == month)
        )
        if rows:
            conn.execute(insert(board_fault), rows)


def drop_boards_before(database: Database, mode: Mode, month: str) -> None:
    """Forget boards of earlier months, which nobody tries to make any more."""
    earlier = (board_fault.c.mode == mode, board_fault.c.month < month)
    with database.read() as conn:
        if conn.execute(select(board_fault.c.view).where(*earlier)).first() is None:
            return
    with database.write() as conn:
        conn.execute(delete(board_fault).where(*earlier))


def standing_boards(conn: Connection) -> tuple[BoardFault, ...]:
    """Return the boards beside the official ones that could not be made, in a fixed order."""
    query = select(board_fault).order_by(
        board_fault.c.mode, board_fault.c.month, board_fault.c.view, board_fault.c.category
    )
    return tuple(
        BoardFault(row.mode, row.month, row.view, row.category, row.since_us, row.text)
        for row in conn.execute(query)
    )
