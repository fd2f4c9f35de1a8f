"""A month's course: scores over time with changes of state on them, all on one zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection

from arena import board_history, state_history
from arena.boards import PublishedBoard
from arena.catalogue import ModelInfo
from arena.state_history import StateChange
from webapp.board.asked import FOCUS_MOST
from webapp.board.intervals import half_width
from webapp.board.sheet import Cell, Sheet
from webapp.board.zero import same_zero, scores_on
from webapp.charts.figures import Lines, Mark, Track

__all__ = ["Course", "HistoryView", "course_of", "history_view", "lines", "load_course"]

_POINTS: Final = 60
_ROWS: Final = 12  # of the table; the file holds all points


@dataclass(frozen=True, slots=True)
class Point:
    """One board of the course with its scores on the zero of the board shown.

    `moved` says that its own zero was another, so its errors do not belong to these scores.
    """

    board: PublishedBoard
    scores: Mapping[str, float]
    moved: bool

    def ends(self, model: str) -> tuple[float | None, float | None]:
        """Return the ends of a model's interval, None on a zero they were not computed for."""
        row = self.board.row_of(model)
        return (None, None) if row is None or self.moved else (row.low, row.high)


@dataclass(frozen=True, slots=True)
class Course:
    """Boards of a month up to one, oldest first, and changes of state since the first of them.

    `left_out` counts boards that cannot be counted on the zero of the one shown.
    """

    points: Sequence[Point]
    changes: Sequence[StateChange]
    left_out: int


@dataclass(frozen=True, slots=True)
class Value:
    """A score in the table; `half` is None where its error belongs to another zero."""

    score: float
    half: float | None


@dataclass(frozen=True, slots=True)
class Moment:
    """One row of the table: the scores of the models in focus, None where one was not shown yet."""

    computed_us: int
    board: str
    values: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class HistoryView:
    """Models in focus, their scores over time, and everybody's changes of state, newest first.

    `moved` counts the points whose zero was another, `left_out` those that cannot be shown on it.
    """

    focus: tuple[ModelInfo, ...]
    others: tuple[ModelInfo, ...]
    moments: tuple[Moment, ...]
    changes: tuple[StateChange, ...]
    points: int
    moved: int
    left_out: int
    sheet: Callable[[], Sheet]


def load_course(conn: Connection, board: PublishedBoard) -> Course:
    """Read the course of a board's month up to that board, with the states that stood with it."""
    known = state_history.changes(conn, board.mode)
    return course_of(conn, board, known, state_history.moment_of(board))


def course_of(
    conn: Connection, board: PublishedBoard, known: Sequence[StateChange], until_us: int
) -> Course:
    """Read the course of a board's month up to that board.

    Args:
        conn: to read with.
        board: the last of the course, whose zero all its scores are counted on.
        known: changes of the mode, oldest first.
        until_us: the last moment whose changes belong to it.
    """
    found = board_history.course(conn, board, _POINTS)
    counted = [(each, scores_on(board, each)) for each in found]
    points = [
        Point(each, scores, not same_zero(board, each))
        for each, scores in counted
        if scores is not None
    ]
    first = found[0].computed_us if found else board.computed_us
    # Entering is no news of the course, and what came before the first board is not part of it.
    changes = [change for change in known if change.before and first <= change.at_us <= until_us]
    return Course(points, changes, len(found) - len(points))


def focus_of(board: PublishedBoard, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the models to show in colour: those asked for, else the first of the board."""
    return tuple(asked) or tuple(row.model for row in board.rows[:FOCUS_MOST])


def history_view(
    board: PublishedBoard, course: Course, models: Mapping[str, ModelInfo], asked: Sequence[str]
) -> HistoryView:
    """Return a month's course for its page."""
    focus = focus_of(board, asked)
    thin = max(1, -(-len(course.points) // _ROWS))
    shown = list(course.points)[::-1][::thin]
    return HistoryView(
        focus=tuple(models[slug] for slug in focus),
        others=tuple(models[row.model] for row in board.rows if row.model not in focus),
        moments=tuple(
            Moment(each.board.computed_us, each.board.id, tuple(_value(each, s) for s in focus))
            for each in shown
        ),
        changes=tuple(reversed(course.changes)),
        points=len(course.points),
        moved=sum(point.moved for point in course.points),
        left_out=course.left_out,
        sheet=partial(_sheet, course),
    )


def _value(point: Point, model: str) -> Value | None:
    row = point.board.row_of(model)
    if row is None:
        return None
    return Value(point.scores[model], None if point.moved else half_width(row))


_SCORE_FIELDS: Final = ("board", "score", "low", "high", "best_place", "worst_place", "zero_moved")
_STATE_FIELDS: Final = ("before", "after", "cause")


def _sheet(course: Course) -> Sheet:
    """Return the points, then the changes of state, as rows of two kinds in one table."""
    columns = ("kind", "model", "computed_us", "at_us", *_SCORE_FIELDS, *_STATE_FIELDS)
    scores: list[tuple[Cell, ...]] = [
        ("score", row.model, each.board.computed_us, None, each.board.id,
         round(each.scores[row.model], 2), *each.ends(row.model),
         row.best_place, row.worst_place, each.moved, None, None, None)
        for each in course.points
        for row in each.board.rows
    ]  # fmt: skip
    states: list[tuple[Cell, ...]] = [
        ("state", each.model, None, each.at_us, *(None for _ in _SCORE_FIELDS),
         each.before, each.after, each.cause)
        for each in course.changes
    ]  # fmt: skip
    return Sheet(columns, (*scores, *states), {"changes": [_change(c) for c in course.changes]})


def _change(change: StateChange) -> dict[str, Any]:
    """Return a change with the numbers that caused it."""
    return {
        "at_us": change.at_us,
        "model": change.model,
        "before": change.before,
        "after": change.after,
        "cause": change.cause,
        "numbers": dict(change.numbers),
    }


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
            (each.board.computed_us, each.scores[row.model])
            for each in course.points
            if row.model in each.scores
        ]
        if not points:
            continue
        marks = tuple(
            Mark(change.at_us, _score_at(points, change.at_us), change.after.value.capitalize())
            for change in course.changes
            if change.model == row.model and change.after
        )
        place = focus.index(row.model) if row.model in focus else None
        tracks.append(Track(names[row.model], place, tuple(points), marks))
    return Lines(title, "Arena Score", tuple(tracks))


def _score_at(points: Sequence[tuple[int, float]], at_us: int) -> float:
    """Return the score of the last board before a moment."""
    earlier = [score for computed_us, score in points if computed_us <= at_us]
    return earlier[-1] if earlier else points[0][1]
