"""The 95 % interval of a score as pages print it: its full half width, and whether it is cut."""

from __future__ import annotations

from arena.boards import BoardRow
from ranking import rules

__all__ = ["half_width", "is_cut"]


def half_width(row: BoardRow) -> float:
    """Return what stands after the ±, in points; no end of the printed scale shortens it."""
    return rules.current().interval_z * row.score_se


def is_cut(row: BoardRow) -> bool:
    """Tell whether an end of the interval as published is no more than that of the scale."""
    book = rules.current()
    return row.low <= book.score_lowest or row.high >= book.score_highest
