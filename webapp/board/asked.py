"""Which board an address asks for, and in which view; whatever it names must exist."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from flask import abort, request
from sqlalchemy import Connection

from antiabuse.utc import month_end_us, month_of
from arena import board_history, boards, state_history
from arena.board_history import Kinds
from arena.boards import ALL_CATEGORIES, PublishedBoard, View
from arena.events import Mode
from webapp.vote.views import asked_mode

__all__ = [
    "BY_CATEGORY",
    "FOCUS_MOST",
    "KIND_OF_VIEW",
    "SINCE_DAYS",
    "WITH_CHANGE",
    "WITH_STATES",
    "Asked",
    "find_board",
    "find_scores",
    "single",
]

SINCE_DAYS: Final = (1, 7, 30)
FOCUS_MOST: Final = 5
KIND_OF_VIEW: Final[dict[str, View]] = {
    "scores": "official",
    "lower": "official",
    "ranges": "official",
    "head-to-head": "head_to_head",
    "history": "official",
    "exposure": "official",
    "style": "style",
    "makers": "makers",
    "extended": "extended",
}
BY_CATEGORY: Final = frozenset({"scores", "lower", "ranges"})
WITH_CHANGE: Final = frozenset({"scores"})
WITH_STATES: Final = frozenset(KIND_OF_VIEW) - {"head-to-head"}
_FIRST_VIEW: Final = {kind: view for view, kind in reversed(KIND_OF_VIEW.items())}
_MICROSECONDS: Final = re.compile(r"[1-9][0-9]{0,17}")
_MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class Asked:
    """A view of a mode's month; `pinned` says that the address names one snapshot.

    `states_us` is the moment whose states the address asks for with its snapshot, None for those
    that stood when it was computed.
    """

    view: str
    mode: Mode
    month: str
    category: str
    since: int | None
    focus: tuple[str, ...]
    pinned: bool
    kinds: Kinds
    board: PublishedBoard | None
    states_us: int | None


def find_board(conn: Connection, now_us: int) -> Asked:
    """Return what the address asks for; 404 for what there is not."""
    since, focus = _since(), tuple(request.args.getlist("model"))
    if len(focus) > FOCUS_MOST or len(set(focus)) < len(focus):
        abort(404)
    board_id = single("board")
    if board_id is not None:
        return _pinned(conn, board_id, since, focus, now_us)
    if single("states") is not None:
        abort(404)
    mode, view = asked_mode(), single("view") or "scores"
    month = single("month") or month_of(now_us)
    category = single("category") or ALL_CATEGORIES
    if view not in KIND_OF_VIEW or not _MONTH.fullmatch(month):
        abort(404)
    kinds = board_history.kinds(conn, mode, month)
    if not kinds.views and month != month_of(now_us):
        abort(404)
    if category and (category not in kinds.categories or view not in BY_CATEGORY):
        abort(404)
    if view == "extended" and "extended" not in kinds.views:
        abort(404)
    found = boards.latest(conn, mode, month, KIND_OF_VIEW[view], category)
    return _asked(view, mode, month, category, since, focus, kinds, found, pinned=False)


def find_scores(conn: Connection, now_us: int) -> Asked:
    """Return the scores, of all categories, that the address asks for; 404 for another view."""
    asked = find_board(conn, now_us)
    others = (asked.category, asked.since, asked.states_us)
    if asked.view != "scores" or any(each for each in others):
        abort(404)
    return asked


def _pinned(
    conn: Connection, board_id: str, since: int | None, focus: tuple[str, ...], now_us: int
) -> Asked:
    """Return exactly the snapshot named; what else the address says must agree with it."""
    found = boards.by_id(conn, board_id)
    if found is None or found.view not in _FIRST_VIEW:
        abort(404)
    view = single("view") or _FIRST_VIEW[found.view]
    agrees = (
        KIND_OF_VIEW.get(view) == found.view
        and single("mode") in (None, found.mode)
        and single("month") in (None, found.month)
        and single("category") in (None, found.category)
        and (not found.category or view in BY_CATEGORY)
    )
    if not agrees:
        abort(404)
    kinds = board_history.kinds(conn, found.mode, found.month)
    states_us = _states_us(conn, found, now_us)
    if states_us is not None and view not in WITH_STATES:
        abort(404)
    return _asked(
        view, found.mode, found.month, found.category, since, focus, kinds, found,
        pinned=True, states_us=states_us,
    )  # fmt: skip


def _asked(  # noqa: PLR0913 - the fields of one value
    view: str,
    mode: Mode,
    month: str,
    category: str,
    since: int | None,
    focus: tuple[str, ...],
    kinds: Kinds,
    board: PublishedBoard | None,
    *,
    pinned: bool,
    states_us: int | None = None,
) -> Asked:
    if (since is not None and view not in WITH_CHANGE) or (focus and view != "history"):
        abort(404)
    return Asked(view, mode, month, category, since, focus, pinned, kinds, board, states_us)


def _states_us(conn: Connection, board: PublishedBoard, now_us: int) -> int | None:
    """Return the moment of states later than a snapshot's, in its month and not to come.

    The last change may lie ahead where a clock was set back since; the board's own page names it.
    """
    text = single("states")
    if text is None:
        return None
    if not _MICROSECONDS.fullmatch(text):
        abort(404)
    if not state_history.moment_of(board) < int(text) < month_end_us(board.month):
        abort(404)
    if int(text) > now_us:
        known = state_history.changes(conn, board.mode)
        if int(text) > state_history.last_moment(board, known):
            abort(404)
    return int(text)


def _since() -> int | None:
    text = single("since")
    if text is None:
        return None
    if text not in {str(days) for days in SINCE_DAYS}:
        abort(404)
    return int(text)


def single(name: str) -> str | None:
    """Return a value that the address may name once."""
    values = request.args.getlist(name)
    if len(values) > 1:
        abort(404)
    return values[0] if values else None
