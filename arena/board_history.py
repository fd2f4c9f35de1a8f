"""Boards of the past: a month's course up to one board, the one before a moment, months' ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, text

from arena.boards import ALL_CATEGORIES, OFFICIAL, PublishedBoard, View, parsed

__all__ = [
    "Kinds",
    "before",
    "category_boards",
    "checks_beside",
    "course",
    "kinds",
    "month_ends",
    "official_beside",
    "pairs_beside",
]

_COURSE = text(
    """
    SELECT b.id, b.body FROM board b
    JOIN (SELECT max(log_size) AS log_size FROM board
          WHERE mode = :mode AND month = :month AND view = 'official' AND category = ''
            AND log_size <= :log_size
          GROUP BY computed_us / :step) span
      ON span.log_size = b.log_size
    WHERE b.mode = :mode AND b.month = :month AND b.view = 'official' AND b.category = ''
    ORDER BY b.log_size
    """
)
_FIRST = text(
    "SELECT min(computed_us) FROM board WHERE mode = :mode AND month = :month"
    " AND view = 'official' AND category = ''"
)
_BEFORE = text(
    "SELECT id, body FROM board WHERE mode = :mode AND month = :month AND view = :view"
    " AND category = :category AND computed_us <= :moment AND log_size <= :log_size"
    " ORDER BY log_size DESC LIMIT 1"
)
_BESIDE = text(
    "SELECT id, body FROM board WHERE mode = :mode AND month = :month AND view = :view"
    " AND category = '' AND log_size <= :log_size ORDER BY log_size DESC LIMIT 1"
)
_MONTH_ENDS = text(
    """
    SELECT b.id, b.body FROM board b
    JOIN (SELECT month, max(log_size) AS log_size FROM board
          WHERE mode = :mode AND view = 'official' AND category = '' GROUP BY month) last
      ON last.month = b.month AND last.log_size = b.log_size
    WHERE b.mode = :mode AND b.view = 'official' AND b.category = '' ORDER BY b.month DESC
    """
)
_CATEGORY_BOARDS = text(
    """
    SELECT b.id, b.body FROM board b
    JOIN (SELECT category, max(log_size) AS log_size FROM board
          WHERE mode = :mode AND month = :month AND view = 'official' AND category <> ''
          GROUP BY category) last
      ON last.category = b.category AND last.log_size = b.log_size
    WHERE b.mode = :mode AND b.month = :month AND b.view = 'official' ORDER BY b.category
    """
)
_KINDS = text("SELECT DISTINCT view, category FROM board WHERE mode = :mode AND month = :month")


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which boards a mode and month has: kinds of fit, and categories of the official one."""

    views: frozenset[View]
    categories: tuple[str, ...]


def kinds(conn: Connection, mode: str, month: str) -> Kinds:
    """Return which boards there are."""
    rows = conn.execute(_KINDS, {"mode": mode, "month": month}).all()
    categories = sorted(r.category for r in rows if r.view == OFFICIAL and r.category)
    return Kinds(frozenset(row.view for row in rows), tuple(categories))


def course(conn: Connection, shown: PublishedBoard, points: int) -> list[PublishedBoard]:
    """Return official boards of a board's month up to that board, evenly spaced, oldest first.

    Args:
        conn: to read with.
        shown: the last board to return, if it is an official one.
        points: about how many boards to return.
    """
    where: dict[str, str | int] = {"mode": shown.mode, "month": shown.month}
    first = conn.execute(_FIRST, where).scalar()
    if first is None:
        return []
    step = max(1, (shown.computed_us - first) // points)
    rows = conn.execute(_COURSE, {**where, "log_size": shown.log_size, "step": step})
    return [parsed(row.id, row.body) for row in rows]


def before(conn: Connection, shown: PublishedBoard, moment_us: int) -> PublishedBoard | None:
    """Return the board of the same kind and month that stood at a moment, or None."""
    values = {
        "mode": shown.mode,
        "month": shown.month,
        "view": shown.view,
        "category": shown.category,
        "moment": moment_us,
        "log_size": shown.log_size,
    }
    row = conn.execute(_BEFORE, values).one_or_none()
    return None if row is None else parsed(row.id, row.body)


def official_beside(conn: Connection, shown: PublishedBoard) -> PublishedBoard | None:
    """Return the official board of the votes that another board was made of, or the last before."""
    return _beside(conn, shown, OFFICIAL)


def checks_beside(conn: Connection, shown: PublishedBoard) -> PublishedBoard | None:
    """Return the checks of the votes that a board was made of, or the last before.

    None too where those were demo votes and the board's are not.
    """
    return _of_same_models(_beside(conn, shown, "checks"), shown)


def pairs_beside(conn: Connection, shown: PublishedBoard) -> PublishedBoard | None:
    """Return the head-to-head board of the votes that a board was made of, or the last before.

    None too where those were demo votes and the board's are not.
    """
    return _of_same_models(_beside(conn, shown, "head_to_head"), shown)


def _of_same_models(found: PublishedBoard | None, shown: PublishedBoard) -> PublishedBoard | None:
    return found if found is not None and found.demo is shown.demo else None


def _beside(conn: Connection, shown: PublishedBoard, view: View) -> PublishedBoard | None:
    values = {"mode": shown.mode, "month": shown.month, "view": view, "log_size": shown.log_size}
    row = conn.execute(_BESIDE, values).one_or_none()
    return None if row is None else parsed(row.id, row.body)


def month_ends(conn: Connection, mode: str) -> Sequence[PublishedBoard]:
    """Return the last official board of every month, newest first."""
    rows = conn.execute(_MONTH_ENDS, {"mode": mode})
    return [parsed(row.id, row.body) for row in rows]


def category_boards(conn: Connection, mode: str, month: str) -> Sequence[PublishedBoard]:
    """Return the last board of each category of a month, in order of category."""
    rows = conn.execute(_CATEGORY_BOARDS, {"mode": mode, "month": month})
    found = [parsed(row.id, row.body) for row in rows]
    return [board for board in found if board.category != ALL_CATEGORIES]
