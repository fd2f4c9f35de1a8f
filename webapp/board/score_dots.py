"""A board's scores or places as a drawing, in the order of its view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.boards import BoardRow, PublishedBoard
from ranking import rules
from webapp.board.intervals import is_cut
from webapp.charts.figures import Dots, Range

__all__ = ["dots", "ordered"]


def ordered(rows: Sequence[BoardRow], view: str) -> list[BoardRow]:
    """Keep the published order, by score, unless the view has another."""
    if view == "lower":
        return sorted(rows, key=lambda row: -row.low)
    if view == "ranges":
        return sorted(rows, key=lambda row: (row.best_place, row.worst_place))
    return list(rows)


def dots(board: PublishedBoard, names: Mapping[str, str], title: str, kind: str) -> Dots:
    """Return a board as a chart of scores or of places."""
    ranked = ordered([row for row in board.rows if row.best_place is not None], kind)
    rows = ranked or list(board.rows)
    if kind == "ranges":
        places = [
            Range(names[row.model], float(row.best_place or 0), None, float(row.worst_place or 0))
            for row in ranked
        ]
        return Dots(title, "Place", tuple(places), None)
    ranges = [Range(names[row.model], row.low, row.score, row.high) for row in rows]
    return Dots(title, _axis(rows), tuple(ranges), rules.current().score_base)


def _axis(rows: Sequence[BoardRow]) -> str:
    words, book = "Arena Score with its 95 % interval", rules.current()
    if not any(map(is_cut, rows)):
        return words
    return f"{words}, cut at {book.score_lowest:g} and {book.score_highest:g}"
