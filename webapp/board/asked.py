"""Which board an address asks for, and in which view; whatever it names must exist."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from flask import abort, request
from sqlalchemy import Connection

from antiabuse.utc import month_of
from arena import board_history, boards
from arena.board_history import Kinds
from arena.boards import ALL_CATEGORIES, PublishedBoard, View
from arena.events import Mode
from webapp.vote.views import asked_mode

__all__ = [
    "BY_CATEGORY",
    "FOCUS_MOST",
    "KIND_OF_VIEW",
    "SINCE_DAYS",
    "Asked",
    "find_board",
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
_FIRST_VIEW: Final = {kind: view for view, kind in reversed(KIND_OF_VIEW.items())}
_MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class Asked:
    """A view of a mode's month; `pinned` says that the address names one snapshot."""

    view: str
    mode: Mode
    month: str
    category: str
    since: int | None
    focus: tuple[str, ...]
    pinned: bool
    kinds: Kinds
    board: PublishedBoard | None


def find_board(conn: Connection, now_us: int) -> Asked:
    """Return what the address asks for; 404 for what there is not."""
    since, focus = _since(), tuple(request.args.getlist("model"))
    if len(focus) > FOCUS_MOST or len(set(focus)) < len(focus):
        abort(404)
    board_id = single("board")
    if board_id is not None:
        return _pinned(conn, board_id, since, focus)
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


def _pinned(conn: Connection, board_id: str, since: int | None, focus: tuple[str, ...]) -> Asked:
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
    return _asked(
        view, found.mode, found.month, found.category, since, focus, kinds, found, pinned=True
    )


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
) -> Asked:
    if (since is not None and view not in WITH_CHANGE) or (focus and view != "history"):
        abort(404)
    return Asked(view, mode, month, category, since, focus, pinned, kinds, board)


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
