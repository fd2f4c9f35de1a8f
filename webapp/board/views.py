"""The board of a mode and month in all its views, as page, CSV and JSON; two models compared."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort, make_response, render_template
from sqlalchemy import Connection

from antiabuse.utc import month_of, previous_month
from arena import boards, fit_faults, refits, state_history
from arena.fit_faults import BoardFault, FitFault
from ranking import rules as ranking_rules
from webapp.board.asked import KIND_OF_VIEW, SINCE_DAYS, Asked, find_board, find_scores, single
from webapp.board.compare import compare_view, find_pairs
from webapp.board.contents import load_content
from webapp.board.extended import extended_facts
from webapp.board.links import Links
from webapp.board.sheet import Sheet, as_file
from webapp.board.style import effects
from webapp.filters import month_name
from webapp.htmx import wants_fragment
from webapp.limits import reading_limit
from webapp.wiring import services

board = Blueprint("board", __name__)

_SCORES = (boards.OFFICIAL, boards.ALL_CATEGORIES)
_TEMPLATES = {
    "head-to-head": "board/head_to_head.html",
    "history": "board/history.html",
    "exposure": "board/exposure.html",
}


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around every view; `waiting` and `fault` speak of the open month alone.

    `board_fault` says that this board beside the scores cannot be made, `checks_fault` that the
    checks of these scores cannot; a permanent address tells of neither.
    """

    asked: Asked
    links: Links
    month_name: str
    months: tuple[str, ...]
    waiting: int
    fault: FitFault | None
    board_fault: BoardFault | None
    checks_fault: BoardFault | None


@board.get("/leaderboard")
@reading_limit
def show_board() -> Response:
    """Show one view of a board."""
    kind = _file_format()
    now = services().clock()
    with services().database.read() as conn:
        asked = find_board(conn, now)
        models = services().ports.catalogue.current(conn).models
        if any(slug not in models for slug in asked.focus):
            abort(404)
        loaded = load_content(conn, asked, asked.board, models) if asked.board else None
        content = loaded.content if loaded else None
        if kind is not None:
            sheet = content.sheet() if content else Sheet((), ())
            return as_file(asked.board, asked.view, sheet, kind)
        states_us = loaded.states_us if loaded else None
        frame = _frame(conn, asked, Links(asked, month_of(now), states_us), month_of(now))
    page = render_template(
        _TEMPLATES.get(asked.view, "board/scores.html"),
        board=asked.board,
        asked=asked,
        frame=frame,
        links=frame.links,
        content=content,
        models=models,
        effects=effects(asked.board) if asked.view == "style" and asked.board else (),
        extended=extended_facts(asked.board) if asked.view == "extended" and asked.board else None,
        since_days=SINCE_DAYS,
        rules=ranking_rules.current(),
        mode=asked.mode,
        nav="board",
        fragment=wants_fragment(),
    )
    return make_response(page)


def _frame(conn: Connection, asked: Asked, links: Links, current_month: str) -> Frame:
    open_month = asked.month == current_month
    still_fitted = asked.month >= previous_month(services().clock())  # or its cut may be waiting
    official = (
        boards.latest(conn, asked.mode, asked.month)
        if open_month and asked.board is not None and asked.board.view != boards.OFFICIAL
        else asked.board
    )
    faults = _board_faults(conn, asked)
    view = KIND_OF_VIEW[asked.view]
    months = [m for m in boards.months(conn, asked.mode) if m != current_month]
    return Frame(
        asked=asked,
        links=links,
        month_name=month_name(asked.month),
        months=(current_month, *months),
        waiting=refits.waiting(conn, asked.mode, asked.month, official) if open_month else 0,
        fault=fit_faults.standing(conn).get(asked.mode) if still_fitted else None,
        board_fault=faults.get((view, asked.category)),
        checks_fault=faults.get(("checks", "")) if (view, asked.category) == _SCORES else None,
    )


def _board_faults(conn: Connection, asked: Asked) -> dict[tuple[boards.View, str], BoardFault]:
    """Return the boards beside the scores that fail, by view and category."""
    if asked.pinned:
        return {}
    return {
        (each.view, each.category): each
        for each in fit_faults.standing_boards(conn)
        if (each.mode, each.month) == (asked.mode, asked.month)
    }


def _file_format() -> str | None:
    """Return the file format the address asks for, if any."""
    asked = single("format")
    if asked not in (None, "csv", "json"):
        abort(404)
    return asked


@board.get("/leaderboard/compare")
@reading_limit
def compare() -> Response:
    """Set two models of a mode and month, or of one snapshot, beside each other."""
    kind, now = _file_format(), services().clock()
    with services().database.read() as conn:
        asked = find_scores(conn, now)
        models = services().ports.catalogue.current(conn).models
        pairs = find_pairs(conn, asked)
        entered = {change.model for change in state_history.changes(conn, asked.mode)}
    slugs = (single("a"), single("b"))
    if any(slug and slug not in models for slug in slugs):
        abort(404)
    view = compare_view(asked.board, pairs, models, entered, *slugs)
    if kind is not None:
        return as_file(asked.board, "compare", view.sheet(), kind)
    page = render_template(
        "board/compare.html",
        view=view,
        asked=asked,
        links=Links(asked, month_of(now)),
        month_name=month_name(asked.month),
        mode=asked.mode,
        nav="board",
        fragment=wants_fragment(),
    )
    return make_response(page)
