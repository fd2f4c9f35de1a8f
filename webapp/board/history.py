"""A month's course: scores over time with changes of state on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from sqlalchemy import Connection

from arena import board_history, state_history
from arena.boards import BoardRow, PublishedBoard
from arena.catalogue import ModelInfo
from arena.state_history import StateChange
from webapp.board.asked import FOCUS_MOST
from webapp.board.sheet import Sheet
from webapp.charts.figures import Lines, Mark, Track

__all__ = ["Course", "HistoryView", "history_view", "lines", "load_course"]

_POINTS: Final = 60
_ROWS: Final = 12  # of the table; the file holds all points


@dataclass(frozen=True, slots=True)
class Course:
    """Boards of a month up to one, oldest first, and changes of state since the first of them."""

    boards: Sequence[PublishedBoard]
    changes: Sequence[StateChange]


@dataclass(frozen=True, slots=True)
class Moment:
    """One row of the table: the rows of the models in focus, None where one was not shown yet."""

    computed_us: int
    board: str
    rows: tuple[BoardRow | None, ...]


@dataclass(frozen=True, slots=True)
class HistoryView:
    """Models in focus, their scores over time, and everybody's changes of state, newest first."""

    focus: tuple[ModelInfo, ...]
    others: tuple[ModelInfo, ...]
    moments: tuple[Moment, ...]
    changes: tuple[StateChange, ...]
    points: int
    sheet: Callable[[], Sheet]


def load_course(conn: Connection, board: PublishedBoard) -> Course:
    """Read the course of a board's month up to that board."""
    boards = board_history.course(conn, board, _POINTS)
    known = state_history.changes(conn, board.mode)
    first = boards[0].computed_us if boards else board.computed_us
    # Entering is no news of the course, and what came before the first board is not part of it.
    changes = [change for change in known if change.before and first <= change.at_us]
    return Course(boards, changes)


def focus_of(board: PublishedBoard, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the models to show in colour: those asked for, else the first of the board."""
    return tuple(asked) or tuple(row.model for row in board.rows[:FOCUS_MOST])


def history_view(
    board: PublishedBoard,
    course: Course,
    models: Mapping[str, ModelInfo],
    asked: Sequence[str],
    until_us: int,
) -> HistoryView:
    """Return a month's course for its page, with changes of state up to a moment."""
    focus = focus_of(board, asked)
    thin = max(1, -(-len(course.boards) // _ROWS))
    shown = list(course.boards)[::-1][::thin]
    return HistoryView(
        focus=tuple(models[slug] for slug in focus),
        others=tuple(models[row.model] for row in board.rows if row.model not in focus),
        moments=tuple(
            Moment(each.computed_us, each.id, tuple(each.row_of(slug) for slug in focus))
            for each in shown
        ),
        changes=tuple(c for c in reversed(course.changes) if c.at_us <= until_us),
        points=len(course.boards),
        sheet=partial(_sheet, course),
    )


def _sheet(course: Course) -> Sheet:
    columns = ("computed_us", "board", "model", "score", "low", "high", "best_place", "worst_place")
    rows = [
        (each.computed_us, each.id, row.model, row.score, row.low, row.high,
         row.best_place, row.worst_place)
        for each in course.boards
        for row in each.rows
    ]  # fmt: skip
    return Sheet(columns, tuple(rows))


def lines(
    board: PublishedBoard,
    course: Course,
    names: Mapping[str, str],
    title: str,
    asked: Sequence[str],
) -> Lines:
    """Return the course as a chart."""
    focus = focus_of(board, asked)
    tracks = []
    for row in board.rows:
        points = [
            (each.computed_us, found.score)
            for each in course.boards
            if (found := each.row_of(row.model)) is not None
        ]
        if not points:
            continue
        marks = tuple(
            Mark(change.at_us, _score_at(points, change.at_us), change.after.value.capitalize())
            for change in course.changes
            if change.model == row.model and change.after and change.at_us <= board.computed_us
        )
        place = focus.index(row.model) if row.model in focus else None
        tracks.append(Track(names[row.model], place, tuple(points), marks))
    return Lines(title, "Arena Score", tuple(tracks))


def _score_at(points: Sequence[tuple[int, float]], at_us: int) -> float:
    """Return the score of the last board before a moment."""
    earlier = [score for computed_us, score in points if computed_us <= at_us]
    return earlier[-1] if earlier else points[0][1]
