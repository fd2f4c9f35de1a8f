"""Disputes: all in public without the voters' words, and the form for a vote's own voter."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from antiabuse import rules as voting_rules
from antiabuse.admission import Refusal, Refused
from arena import review_rules
from arena.closed_months import is_open
from arena.dispute_views import Dispute, own_disputes, public_disputes
from arena.disputes import add_evidence, open_dispute
from arena.reveals import Reveal, load_reveal
from arena.visitor import Visitor
from webapp.limits import reading_limit
from webapp.visitors import known_visitor, request_time_us, returning_visitor
from webapp.vote.view_models import weight_view
from webapp.vote.views import held_ballot
from webapp.wiring import services

__all__ = ["disputes", "disputes_about"]

disputes = Blueprint("disputes", __name__)


@disputes.get("/disputes")
@reading_limit
def show_all() -> Response:
    """Show all disputes, the visitor's own first and with their words."""
    hour, last = request.args.get("hour", ""), request.args.get("after", "")
    visitor = returning_visitor()
    with services().database.read() as conn:
        found = public_disputes(conn, (hour, last) if hour and last else None)
        own = own_disputes(conn, visitor.voter) if visitor and not last else ()
    following = found.next and urlencode({"hour": found.next[0], "after": found.next[1]})
    page = render_template(
        "disputes/list.html",
        own=own,
        disputes=[each for each in found.disputes if each.id not in {o.id for o in own}],
        next_url=following and f"/disputes?{following}",
        rules=review_rules.current(),
        nav="me",
    )
    return make_response(page)


@disputes.get("/disputes/new")
@reading_limit
def ask() -> Response:
    """Show the form to dispute one's own struck vote, named by the address of its reveal.

    For a vote that no dispute can help it says why instead.
    """
    visitor = returning_visitor()
    route = request.args.get("vote", "")
    reveal = _own_reveal(visitor, route)
    with services().database.read() as conn:
        month_open = is_open(conn, reveal.month, request_time_us())
    page = render_template(
        "disputes/new.html",
        reveal=reveal,
        weight=weight_view(reveal.weight),
        month_open=month_open,
        route=route,
        earlier=disputes_about(visitor, reveal.ballot),
        rules=review_rules.current(),
        voting=voting_rules.current(),
        mode=reveal.mode,
        nav="me",
    )
    return make_response(page)


@disputes.post("/disputes")
@reading_limit
def submit() -> AnyResponse:
    """Open a dispute about one's own struck vote."""
    visitor = known_visitor()
    reveal = _own_reveal(visitor, request.form.get("vote", ""))
    made = open_dispute(services().ports, visitor, reveal.vote, request.form.get("text", ""))
    return _see_other(made)


@disputes.post("/disputes/<dispute_id>/evidence")
@reading_limit
def add(dispute_id: str) -> AnyResponse:
    """Add to one's own dispute what else speaks for the vote."""
    visitor = known_visitor()
    add_evidence(services().ports, visitor, dispute_id, request.form.get("text", ""))
    return _see_other(dispute_id)


def disputes_about(visitor: Visitor | None, ballot: str) -> tuple[Dispute, ...]:
    """Return the visitor's own disputes about one ballot's vote, newest first."""
    if visitor is None:
        return ()
    with services().database.read() as conn:
        return tuple(each for each in own_disputes(conn, visitor.voter) if each.ballot == ballot)


def _own_reveal(visitor: Visitor | None, route: str) -> Reveal:
    """Return the visitor's own vote at an address of a reveal.

    Raises:
        Refused: `not_yours`; `bad_identity` for a browser without a voter.
    """
    if visitor is None:
        raise Refused(Refusal.BAD_IDENTITY)
    ballot_id = held_ballot(visitor, route)
    with services().database.read() as conn:
        reveal = load_reveal(conn, ballot_id)
    if reveal is None:
        abort(404)
    return reveal


def _see_other(dispute_id: str) -> AnyResponse:
    response = make_response(redirect(f"/disputes#d-{dispute_id}", code=303))
    response.headers["Cache-Control"] = "no-store"
    return response
