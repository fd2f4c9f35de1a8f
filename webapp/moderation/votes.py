"""One vote's life as a timeline, and the two things that may be decided about it."""

from __future__ import annotations

from flask import Blueprint, make_response, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from arena.case_subject import Subject
from arena.review_rules import Act
from webapp.audit.asked import AGAINST
from webapp.moderation.cases import read_case, reasons_of
from webapp.moderation.guard import MODERATORS, moderators_only, session_now
from webapp.moderation.vote_story import vote_story
from webapp.wiring import services

__all__ = ["vote_pages"]

vote_pages = Blueprint("moderation_votes", __name__, url_prefix="/moderation")


@vote_pages.get("/votes/<vote_id>")
@moderators_only(*MODERATORS)
def show(vote_id: str) -> AnyResponse:
    """Show what happened to a vote, from its ballot on."""
    with services().database.read() as conn:
        story = vote_story(conn, vote_id)
    case = read_case(Subject("vote", vote_id))
    page = render_template(
        "moderation/vote.html",
        session=session_now(),
        story=story,
        vote=next((each for each in case.votes.rows if each.id == vote_id), None),
        case=case,
        against=AGAINST,
        done="done" in request.args,
        strike_reasons=reasons_of(Act.STRIKE_VOTE),
        restore_reasons=reasons_of(Act.UPHOLD_DISPUTE),
        nav="moderation",
        room="audit",
    )
    return make_response(page)
