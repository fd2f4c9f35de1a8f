"""Decisions: all of them, and for each about votes the board before and after."""

from __future__ import annotations

from flask import Blueprint, make_response, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from arena.audit import row_for_moderators
from arena.decisions import public_decisions
from arena.difference import board_difference
from webapp.audit.asked import MOVES_BOARDS, decision_id
from webapp.board.names import model_names
from webapp.moderation.guard import MODERATORS, moderators_only, session_now
from webapp.wiring import services

__all__ = ["decision_pages"]

decision_pages = Blueprint("moderation_decisions", __name__, url_prefix="/moderation")


@decision_pages.get("/decisions")
@moderators_only(*MODERATORS)
def show_all() -> AnyResponse:
    """Show a page of all decisions, newest first."""
    after = request.args.get("after", "")
    with services().database.read() as conn:
        found = public_decisions(conn, decision_id(after) if after else None)
    page = render_template(
        "moderation/decisions.html",
        session=session_now(),
        decisions=found.decisions,
        next_url=found.next and f"/moderation/decisions?after={found.next}",
        moves_boards=MOVES_BOARDS,
        nav="moderation",
        room="decisions",
    )
    return make_response(page)


@decision_pages.get("/decisions/<asked>")
@moderators_only(*MODERATORS)
def show(asked: str) -> AnyResponse:
    """Show what one decision did to the board."""
    wanted = decision_id(asked)
    with services().database.read() as conn:
        differences = board_difference(conn, wanted)
        models = services().ports.catalogue.current(conn).models
        decision = row_for_moderators(conn, wanted)
    page = render_template(
        "moderation/difference.html",
        session=session_now(),
        decision=decision,
        differences=differences,
        names=model_names(models),
        nav="moderation",
        room="decisions",
    )
    return make_response(page)
