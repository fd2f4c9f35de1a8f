"""The board of a mode and month, as page, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, abort, make_response, render_template, request

from antiabuse.utc import month_of
from arena import boards, refits
from arena.boards import PublishedBoard
from webapp.board.view_models import board_view
from webapp.htmx import wants_fragment
from webapp.limits import reading_limit
from webapp.vote.views import asked_mode
from webapp.wiring import services

board = Blueprint("board", __name__)


@board.get("/leaderboard")
@reading_limit
def show_board() -> Response:
    """Show the board of the open month."""
    mode, month = asked_mode(), month_of(services().clock())
    with services().database.read() as conn:
        published = boards.latest(conn, mode, month)
        waiting = refits.waiting(conn, mode, month, published)
        models = services().ports.catalogue.current(conn).models
    as_file = _file_format()
    if as_file is not None:
        return _file(published, as_file)
    page = render_template(
        "board/board.html",
        board=board_view(published, models, waiting) if published else None,
        waiting=waiting,
        month=month,
        mode=mode,
        nav="board",
        fragment=wants_fragment(),
    )
    return make_response(page)


def _file_format() -> str | None:
    """Return the file format the address asks for, if any."""
    asked = request.args.get("format")
    if asked not in (None, "csv", "json"):
        abort(404)
    return asked


def _file(published: PublishedBoard | None, kind: str) -> Response:
    """Return the board as a file; an empty one before the month's first fit."""
    rows = [asdict(row) for row in published.rows] if published else []
    if kind == "json":
        head: dict[str, Any] = {} if published is None else _head(published)
        response = make_response(json.dumps({**head, "models": rows}, indent=1))
        response.mimetype = "application/json"
        return response
    text = io.StringIO()
    writer = csv.DictWriter(text, list(boards.BoardRow.__dataclass_fields__))
    writer.writeheader()
    writer.writerows(rows)
    response = make_response(text.getvalue())
    response.mimetype = "text/csv"
    return response


def _head(published: PublishedBoard) -> dict[str, Any]:
    return {
        "board": published.id,
        "mode": published.mode,
        "month": published.month,
        "computed_us": published.computed_us,
        "log_size": published.log_size,
        "code_version": published.code_version,
        "demo": published.demo,
        "votes": published.votes,
        "voters": published.voters,
        "excluded": dict(published.excluded),
        "basket": list(published.basket),
    }
