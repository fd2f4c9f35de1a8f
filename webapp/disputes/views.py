"""Disputes: all in public without the voters' words, and the form for a vote's own voter."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request
from sqlalchemy import Connection
from werkzeug.wrappers import Response as AnyResponse

from antiabuse import rules as voting_rules
from antiabuse.admission import Refusal, Refused
from arena import review_rules
from arena.closed_months import is_open
from arena.dispute_views import Dispute, own_disputes, public_disputes
from arena.disputes import add_evidence, open_dispute
from arena.errors import DisputeRefused
from arena.joining_disputes import is_contestable
from arena.own_joining import OwnJoining, own_joinings
from arena.reveals import Reveal, load_reveal
from arena.visitor import Visitor
from webapp.errors import wants_json
from webapp.limits import reading_limit
from webapp.visitors import known_visitor, request_time_us, returning_visitor
from webapp.vote.view_models import weight_view
from webapp.vote.views import held_ballot
from webapp.wiring import services

__all__ = ["disputes", "disputes_about"]

disputes = Blueprint("disputes", __name__)


@dataclass(frozen=True, slots=True)
class RefusedText:
    """A text too short or too long, for the form it came from: of a dispute's id, or a new one."""

    dispute: str
    reason: str
    text: str


@disputes.get("/disputes")
@reading_limit
def show_all() -> Response:
    """Show all disputes, the visitor's own first and with their words."""
    return make_response(_all_page(returning_visitor()))


def _all_page(visitor: Visitor | None, refused: RefusedText | None = None) -> str:
    hour, last = request.args.get("hour", ""), request.args.get("after", "")
    with services().database.read() as conn:
        found = public_disputes(conn, (hour, last) if hour and last else None)
        own = own_disputes(conn, visitor.voter) if visitor and not last else ()
    following = found.next and urlencode({"hour": found.next[0], "after": found.next[1]})
    return render_template(
        "disputes/list.html",
        own=own,
        disputes=[each for each in found.disputes if each.id not in {o.id for o in own}],
        next_url=following and f"/disputes?{following}",
        rules=review_rules.current(),
        refused=refused,
        nav="me",
    )


@disputes.get("/disputes/new")
@reading_limit
def ask() -> Response:
    """Show the form to dispute one's own vote, named by the address of its reveal.

    For a vote that no dispute can help it says why instead.
    """
    visitor = returning_visitor()
    route = request.args.get("vote", "")
    return make_response(_form_page(visitor, _own_reveal(visitor, route), route))


def _form_page(
    visitor: Visitor | None, reveal: Reveal, route: str, refused: RefusedText | None = None
) -> str:
    with services().database.read() as conn:
        month_open = is_open(conn, reveal.month, request_time_us())
        joining = _joining_behind(conn, visitor, reveal)
    return render_template(
        "disputes/new.html",
        reveal=reveal,
        weight=weight_view(reveal.weight),
        month_open=month_open,
        joining=joining,
        route=route,
        earlier=disputes_about(visitor, reveal.ballot),
        rules=review_rules.current(),
        voting=voting_rules.current(),
        refused=refused,
        mode=reveal.mode,
        nav="me",
    )


def _joining_behind(conn: Connection, visitor: Visitor | None, reveal: Reveal) -> OwnJoining | None:
    """Return the voter's joining, where it may be why a rule gave their vote weight 0."""
    if visitor is None or not is_contestable(conn, reveal.vote):
        return None
    joinings = own_joinings(conn, visitor.voter, visitor.now_us)
    return next((each for each in joinings if each.month == reveal.month), None)


@disputes.post("/disputes")
@reading_limit
def submit() -> AnyResponse:
    """Open a dispute about one's own vote; a text that is refused is handed back."""
    visitor = known_visitor()
    route, text = request.form.get("vote", ""), request.form.get("text", "")
    reveal = _own_reveal(visitor, route)
    try:
        made = open_dispute(services().ports, visitor, reveal.vote, text)
    except DisputeRefused as error:
        refused = _refused_text(error, text)
        return make_response(_form_page(visitor, reveal, route, refused), 422)
    return _see_other(made)


@disputes.post("/disputes/<dispute_id>/evidence")
@reading_limit
def add(dispute_id: str) -> AnyResponse:
    """Add to one's own dispute what else speaks for the vote; a refused text is handed back."""
    visitor, text = known_visitor(), request.form.get("text", "")
    try:
        add_evidence(services().ports, visitor, dispute_id, text)
    except DisputeRefused as error:
        refused = _refused_text(error, text, dispute_id)
        return make_response(_all_page(visitor, refused), 422)
    return _see_other(dispute_id)


def _refused_text(error: DisputeRefused, text: str, dispute_id: str = "") -> RefusedText:
    """Return a text to be mended in its form.

    Raises:
        DisputeRefused: the same, where mending the text would not help, or no page was asked for.
    """
    if error.reason not in ("empty", "over_long") or wants_json():
        raise error
    return RefusedText(dispute_id, error.reason, text)


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
    return redirect(f"/disputes#d-{dispute_id}", code=303)
