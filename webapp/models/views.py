"""The register of models, and each model's page."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template

from antiabuse.utc import month_of
from arena.reason_counts import reason_counts
from ranking import rules as ranking_rules
from webapp.board.caches import board_caches
from webapp.board.links import Drawing, chart_address
from webapp.filters import month_name
from webapp.htmx import wants_fragment
from webapp.limits import reading_limit
from webapp.models.view_models import ModelView, index_rows, load_model
from webapp.vote.views import asked_mode
from webapp.wiring import services

models = Blueprint("models", __name__)


@models.get("/models")
@reading_limit
def show_models() -> Response:
    """List every model that the arena knows or knew."""
    month = month_of(services().clock())
    with services().database.read() as conn:
        known = services().ports.catalogue.current(conn).models
        rows = index_rows(conn, known, month)
    page = render_template(
        "models/index.html",
        rows=rows,
        month_name=month_name(month),
        nav="board",
        fragment=wants_fragment(),
    )
    return make_response(page)


@models.get("/models/<slug>")
@reading_limit
def show_model(slug: str) -> Response:
    """Show one model: where it stands, how it came there, against whom."""
    mode = asked_mode()
    with services().database.read() as conn:
        known = services().ports.catalogue.current(conn).models
        if slug not in known:
            abort(404)
        view = load_model(conn, known, slug, mode, board_caches().exposures)
        reasons = reason_counts(conn, slug, mode)
    page = render_template(
        "models/model.html",
        view=view,
        reasons=reasons,
        models=known,
        drawing=_drawing(view),
        rules=ranking_rules.current(),
        mode=mode,
        nav="board",
        fragment=wants_fragment(),
    )
    return make_response(page)


def _drawing(view: ModelView) -> Drawing | None:
    """Return the address of the model's course, None before its first board."""
    if view.standing is None:
        return None
    board_id, focus = view.standing.board.id, (view.model.slug,)
    return lambda theme, size: chart_address(board_id, "history", "svg", theme, size, focus)
