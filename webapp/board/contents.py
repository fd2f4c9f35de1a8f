"""What each view of a board shows: its template's content, read in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from sqlalchemy import Connection

from antiabuse.utc import DAY_US
from arena import board_history, state_history
from arena.boards import PublishedBoard
from arena.catalogue import ModelInfo
from ranking.lifecycle import State
from webapp.board.asked import KIND_OF_VIEW, Asked
from webapp.board.caches import board_caches
from webapp.board.exposure import exposure_view
from webapp.board.head_to_head import head_to_head_view
from webapp.board.history import history_view, load_course
from webapp.board.scores import ScoresView, scores_view
from webapp.board.sheet import Sheet

__all__ = ["Content", "load_content", "states_of"]

_Models = Mapping[str, ModelInfo]


class Content(Protocol):
    """Every view has its numbers as a sheet too, made when a file is asked for."""

    @property
    def sheet(self) -> Callable[[], Sheet]:
        """Return what makes the sheet."""
        ...


def load_content(conn: Connection, asked: Asked, board: PublishedBoard, models: _Models) -> Content:
    """Return what a view shows of a board."""
    return _LOADERS[asked.view](conn, asked, board, models)


def states_of(conn: Connection, asked: Asked, board: PublishedBoard) -> dict[str, State]:
    """Return the models' states: now, or when a pinned snapshot was computed."""
    known = state_history.changes(conn, board.mode)
    last = known[-1].at_us if known else 0
    return state_history.states_at(known, board.computed_us if asked.pinned else last)


def _scores(conn: Connection, asked: Asked, board: PublishedBoard, models: _Models) -> ScoresView:
    states, checks = states_of(conn, asked, board), _checks(conn, asked, board)
    return scores_view(board, models, states, _past(conn, asked, board), checks, asked.view)


def _past(conn: Connection, asked: Asked, board: PublishedBoard) -> PublishedBoard | None:
    """Return what changes are counted from: a day before, or the official board beside."""
    if KIND_OF_VIEW[asked.view] != "official":
        return board_history.official_beside(conn, board)
    if asked.since is None:
        return None
    return board_history.before(conn, board, board.computed_us - asked.since * DAY_US)


def _checks(conn: Connection, asked: Asked, board: PublishedBoard) -> PublishedBoard | None:
    """Return the checks of a board of scores; they are made of all categories together."""
    if KIND_OF_VIEW[asked.view] != "official" or board.category:
        return None
    return board_history.checks_beside(conn, board)


def _head_to_head(
    _conn: Connection, _asked: Asked, board: PublishedBoard, models: _Models
) -> Content:
    return head_to_head_view(board, models)


def _history(conn: Connection, asked: Asked, board: PublishedBoard, models: _Models) -> Content:
    course = load_course(conn, board)
    last = course.changes[-1].at_us if course.changes else 0
    until = board.computed_us if asked.pinned else last
    return history_view(board, course, models, asked.focus, until)


def _exposure(conn: Connection, asked: Asked, board: PublishedBoard, models: _Models) -> Content:
    counts = board_caches().exposures.of(conn, board)
    return exposure_view(board, counts, models, states_of(conn, asked, board))


_LOADERS: Final[Mapping[str, Callable[[Connection, Asked, PublishedBoard, _Models], Content]]] = {
    "scores": _scores,
    "lower": _scores,
    "ranges": _scores,
    "makers": _scores,
    "style": _scores,
    "extended": _scores,
    "head-to-head": _head_to_head,
    "history": _history,
    "exposure": _exposure,
}
