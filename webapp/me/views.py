"""A voter's own page: votes with receipts, what is left of the day, what is kept."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, make_response, render_template

from antiabuse import quotas
from antiabuse.voter import VoterState
from arena.own_votes import OwnVote, own_votes
from webapp.htmx import wants_fragment
from webapp.limits import reading_limit
from webapp.visitors import returning_visitor
from webapp.wiring import services

me = Blueprint("me", __name__)


@dataclass(frozen=True, slots=True)
class MeView:
    """What a voter sees of themselves; `today` is None for a browser that has not voted here."""

    votes: tuple[OwnVote, ...]
    today: VoterState | None
    consent: str | None
    asks_consent: bool


@me.get("/me")
@reading_limit
def show_me() -> Response:
    """Show the visitor's own votes and allowances."""
    visitor = returning_visitor()
    view = MeView((), None, None, asks_consent=services().settings.fingerprint)
    if visitor is not None:
        with services().database.read() as conn:
            state = quotas.read(conn, visitor.voter, visitor.now_us)
            votes = own_votes(conn, visitor.voter)
        view = MeView(votes, state, state.consent if state else None, view.asks_consent)
    page = render_template("me/me.html", me=view, nav="me", fragment=wants_fragment())
    return make_response(page)
