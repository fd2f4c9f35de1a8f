"""The header of a month and mode: which models were Active when it opened, and so set the zero.

Written once, by the first job that sees the month (V-103, V-108, requirements 1.9).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import Connection, text

from arena.events import Mode

__all__ = ["MonthHeader", "latest"]

_HEADER = text("SELECT basket, opened_us FROM month_header WHERE mode = :mode AND month = :month")


@dataclass(frozen=True, slots=True)
class MonthHeader:
    """Models Active when the month opened; fewer than four set no basket."""

    mode: Mode
    month: str
    basket: tuple[str, ...]
    opened_us: int


def latest(conn: Connection, mode: Mode, month: str) -> MonthHeader | None:
    """Return the header of a month, or None before it was opened."""
    row = conn.execute(_HEADER, {"mode": mode, "month": month}).one_or_none()
    if row is None:
        return None
    return MonthHeader(mode, month, tuple(json.loads(row.basket)), row.opened_us)
