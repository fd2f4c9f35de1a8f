"""A voter's own page: votes with receipts, own board, all that is kept, and its erasure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flask import Blueprint, Response, make_response, redirect, render_template

from antiabuse import rules
from antiabuse.voter import VoterState
from arena import own_data
from arena import rules as arena_rules
from arena.boards import MODES
from arena.clusters import state_of
from arena.dispute_views import Dispute, own_disputes
from arena.own_board import OwnBoard, own_board
from arena.own_flags import OwnFlags
from arena.own_joining import OwnJoining
from arena.own_votes import OwnVote, own_votes
from arena.review_events import NoteWritten
from webapp.board.names import model_names
from webapp.htmx import wants_fragment
from webapp.limits import reading_limit
from webapp.me.kept import KeptView, kept_view
from webapp.retention import drop_old_pages
from webapp.visitors import clear_cookie, cookie_name, known_visitor, returning_visitor
from webapp.vote.ban_view import BanView, ban_view
from webapp.wiring import services

me = Blueprint("me", __name__)

_TRIES: Final = 5
_PAUSE_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class MeView:
    """What a voter sees of themselves.

    `today` is None for a browser that has not voted here, `ban` for a voter who may vote.
    """

    votes: tuple[OwnVote, ...]
    today: VoterState | None
    ban: BanView | None
    joinings: tuple[OwnJoining, ...]
    consent: str | None
    asks_consent: bool
    boards: tuple[OwnBoard, ...]
    disputes: tuple[Dispute, ...]
    flags: OwnFlags | None
    notes: int
    models: Mapping[str, str]
    kept: KeptView | None
    cookie: str


@me.get("/me")
@reading_limit
def show_me() -> Response:
    """Show the visitor's own votes, allowances, boards, and everything kept on them."""
    page = render_template(
        "me/me.html",
        me=_view(),
        rules=rules.current(),
        listed=arena_rules.current().own_votes_listed,
        nav="me",
        fragment=wants_fragment(),
    )
    return make_response(page)


def _view() -> MeView:
    asks, cookie = services().settings.fingerprint, cookie_name()
    visitor = returning_visitor()
    if visitor is None:
        return MeView((), None, None, (), None, asks, (), (), None, 0, {}, None, cookie)
    with services().database.read() as conn:
        state = state_of(conn, services().ports, visitor)
        kept = own_data.kept_on(conn, visitor.voter, visitor.now_us)
        boards = tuple(own_board(conn, visitor.voter, mode) for mode in MODES)
        return MeView(
            votes=own_votes(conn, visitor.voter, visitor.now_us),
            today=state,
            ban=ban_view(conn, visitor) if state and state.banned else None,
            joinings=kept.joinings,
            consent=state.consent if state else None,
            asks_consent=asks,
            boards=tuple(board for board in boards if board.votes),
            disputes=own_disputes(conn, visitor.voter),
            flags=kept.flags,
            notes=sum(part["kind"] == NoteWritten.KIND for part in kept.private_parts),
            models=model_names(services().ports.catalogue.current(conn).models),
            kept=kept_view(kept),
            cookie=cookie,
        )


@me.get("/me/data.json")
@reading_limit
def download_data() -> Response:
    """Return everything kept on the visitor as one file, field by field as stored.

    Its name stands in the link: a voter with an open ballot gets no header that others lack.
    """
    visitor = known_visitor()
    with services().database.read() as conn:
        kept = own_data.kept_on(conn, visitor.voter, visitor.now_us)
    response = make_response(json.dumps(kept.body(), ensure_ascii=False, indent=2) + "\n")
    response.mimetype = "application/json"
    return response


@me.get("/me/erase")
@reading_limit
def ask_erase() -> Response:
    """Say what erasing takes away and what stays, before it is done."""
    known = returning_visitor() is not None
    page = render_template(
        "me/erase.html", known=known, rules=rules.current(), nav="me", fragment=wants_fragment()
    )
    return make_response(page)


@me.post("/me/erase")
@reading_limit
def erase() -> Response:
    """Erase what is kept on the visitor, and its cookie."""
    visitor = known_visitor()
    own_data.erase(services().ports, visitor.voter, visitor.now_us)
    # Where others are at work it is left to the hourly job.
    drop_old_pages(services().database, tries=_TRIES, pause_s=_PAUSE_S)
    response = make_response(redirect("/me/erased", code=303))
    clear_cookie(response)
    return response


@me.get("/me/erased")
@reading_limit
def show_erased() -> Response:
    """Say that all is done, and what stays."""
    page = render_template(
        "me/erased.html", rules=rules.current(), nav="me", fragment=wants_fragment()
    )
    return make_response(page)
