"""What each view of a board shows: its template's content, read in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sqlalchemy import Connection

from antiabuse.utc import DAY_US
from arena import board_history, state_history
from arena.boards import PublishedBoard
from arena.catalogue import ModelInfo
from arena.state_history import StateChange
from ranking.lifecycle import State
from webapp.board.asked import KIND_OF_VIEW, WITH_STATES, Asked
from webapp.board.caches import board_caches
from webapp.board.exposure import exposure_view
from webapp.board.head_to_head import head_to_head_view
from webapp.board.history import course_of, history_view
from webapp.board.scores import ScoresView, scores_view
from webapp.board.sheet import Sheet

__all__ = ["Content", "Loaded", "load_content"]

_Models = Mapping[str, ModelInfo]


class Content(Protocol):
    """Every view has its numbers as a sheet too, made when a file is asked for."""

    @property
    def sheet(self) -> Callable[[], Sheet]:
        """Return what makes the sheet."""
        ...


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a view shows, and the moment of its states where that is later than the board's own."""

    content: Content
    states_us: int | None


@dataclass(frozen=True, slots=True)
class _States:
    """The changes of a mode, and the moment whose states are shown: page and files agree on it."""

    known: Sequence[StateChange]
    moment_us: int

    def at_that_moment(self) -> dict[str, State]:
        return state_history.states_at(self.known, self.moment_us)


def load_content(conn: Connection, asked: Asked, board: PublishedBoard, models: _Models) -> Loaded:
    """Return what a view shows of a board."""
    states = _states(conn, asked, board)
    content = _LOADERS[asked.view](conn, asked, board, models, states)
    later = states.moment_us > state_history.moment_of(board)
    return Loaded(content, states.moment_us if later else None)


def _states(conn: Connection, asked: Asked, board: PublishedBoard) -> _States:
    """Return the states that stand beside a board.

    Those of the moment the address asks for, else of a pinned snapshot's own moment, else the last
    of the board's month: the present ones while it is open, those of its cut afterwards.
    """
    if asked.view not in WITH_STATES:
        return _States((), state_history.moment_of(board))
    known = state_history.changes(conn, board.mode)
    if asked.states_us is not None:
        return _States(known, asked.states_us)
    if asked.pinned:
        return _States(known, state_history.moment_of(board))
    return _States(known, state_history.last_moment(board, known))


def _scores(
    conn: Connection, asked: Asked, board: PublishedBoard, models: _Models, states: _States
) -> ScoresView:
    past, checks = _past(conn, asked, board), _checks(conn, asked, board)
    return scores_view(board, models, states.at_that_moment(), past, checks, asked.view)


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
    _conn: Connection, _asked: Asked, board: PublishedBoard, models: _Models, _states: _States
) -> Content:
    return head_to_head_view(board, models)


def _history(
    conn: Connection, asked: Asked, board: PublishedBoard, models: _Models, states: _States
) -> Content:
    course = course_of(conn, board, states.known, states.moment_us)
    return history_view(board, course, models, asked.focus)


def _exposure(
    conn: Connection, _asked: Asked, board: PublishedBoard, models: _Models, states: _States
) -> Content:
    counts = board_caches().exposures.of(conn, board)
    return exposure_view(board, counts, models, states.at_that_moment())


_Loader = Callable[[Connection, Asked, PublishedBoard, _Models, _States], Content]
_LOADERS: Final[Mapping[str, _Loader]] = {
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
