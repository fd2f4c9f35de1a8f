"""Charts by the board they are drawn from; a drawing never changes, so it may be kept for ever."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from flask import Blueprint, Response, abort, make_response, request

from arena import boards
from arena.boards import PublishedBoard, View
from arena.catalogue import ModelInfo
from webapp.board import exposure, head_to_head, history, score_dots, style
from webapp.board.asked import BY_CATEGORY, FOCUS_MOST, single
from webapp.board.caches import board_caches
from webapp.board.names import model_names
from webapp.charts.figures import Figure, Plate
from webapp.charts.render import ChartKey, Format
from webapp.charts.theme import SizeName, ThemeName
from webapp.filters import month_name
from webapp.limits import reading_limit
from webapp.wiring import services

charts = Blueprint("charts", __name__)

_YEAR_S: Final = 365 * 24 * 3600
_MIMETYPES: Final[Mapping[Format, str]] = {"svg": "image/svg+xml", "png": "image/png"}
_THEMES: Final[Mapping[str, ThemeName]] = {"light": "light", "dark": "dark"}
_SIZES: Final[Mapping[str, SizeName]] = {"wide": "wide", "half": "half", "narrow": "narrow"}
_ENDINGS: Final[Mapping[str, Format]] = {"svg": "svg", "png": "png"}
_DEMO: Final = "Demo: the models and answers here are invented"
_ALL: Final = "all categories"
_WORDS: Final = {
    "scores": "by score",
    "lower": "by lower bound",
    "ranges": "ranges of places",
    "head-to-head": "chance in per cent of the row to be picked rather than the column",
    "history": "Arena Score over the month",
    "exposure": "ballots issued and voted on",
    "style": "what length and formatting add",
}
_VIEWS: Final[Mapping[View, str]] = {
    "official": "Board",
    "head_to_head": "Head to head",
    "style": "Board with style held equal",
    "makers": "Board with one model per maker",
    "extended": "Extended board (experimental)",
}
# The boards of scores have rows; the others have one drawing each.
_OF_KIND: Final[Mapping[str, frozenset[str]]] = {
    "official": frozenset({"scores", "lower", "ranges", "history", "exposure"}),
    "head_to_head": frozenset({"head-to-head"}),
    "style": frozenset({"scores", "style"}),
    "makers": frozenset({"scores"}),
    "extended": frozenset({"scores"}),
}


@charts.get("/charts/<board_id>/<kind>.<ending>")
@reading_limit
def show_chart(board_id: str, kind: str, ending: str) -> Response:
    """Draw one chart of one board."""
    theme = _THEMES.get(single("theme") or "light")
    size = _SIZES.get(single("size") or "wide")
    format_ = _ENDINGS.get(ending)
    focus = tuple(request.args.getlist("model"))
    if theme is None or size is None or format_ is None or len(focus) > FOCUS_MOST:
        abort(404)
    with services().database.read() as conn:
        board = boards.by_id(conn, board_id)
        models = services().ports.catalogue.current(conn).models
    if board is None or kind not in _OF_KIND.get(board.view, ()):
        abort(404)
    if any(slug not in models for slug in focus) or (focus and kind != "history"):
        abort(404)
    if board.category and kind not in BY_CATEGORY:
        abort(404)
    key = ChartKey(board.id, kind, focus, theme, size, format_)
    drawn = board_caches().charts.get(key, lambda: _plate(kind, board, models, focus))
    response = make_response(drawn)
    response.mimetype = _MIMETYPES[format_]
    response.cache_control.public = True
    response.cache_control.max_age = _YEAR_S
    response.cache_control.immutable = True
    return response


def _plate(
    kind: str, board: PublishedBoard, models: Mapping[str, ModelInfo], focus: tuple[str, ...]
) -> Plate:
    names = model_names(models)
    title = f"{_VIEWS[board.view]}, {_WORDS[kind]}"
    draw: Mapping[str, Callable[[], Figure]] = {
        "head-to-head": lambda: head_to_head.cells(board, names, title),
        "style": lambda: style.style_dots(board, title),
        "history": lambda: _history(board, names, title, focus),
        "exposure": lambda: _exposure(board, names, title),
    }
    figure = draw[kind]() if kind in draw else score_dots.dots(board, names, title, kind)
    scope = (month_name(board.month), board.mode.capitalize(), board.category or _ALL)
    return Plate(figure, ", ".join(scope), _DEMO if board.demo else None)


def _history(
    board: PublishedBoard, names: Mapping[str, str], title: str, focus: tuple[str, ...]
) -> Figure:
    with services().database.read() as conn:
        course = history.load_course(conn, board)
    return history.lines(board, course, names, title, focus)


def _exposure(board: PublishedBoard, names: Mapping[str, str], title: str) -> Figure:
    with services().database.read() as conn:
        counts = board_caches().exposures.of(conn, board)
    return exposure.bars(board, counts, names, title)
