"""Ballot, vote, skip, reveal, reasons, report and consent: parse, call, render."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request

from antiabuse import quotas, rules
from antiabuse.admission import Refusal, Refused, message
from antiabuse.errors import BadToken, UnknownVoter
from antiabuse.identity import BallotToken
from arena import after_vote, ballots, votes
from arena.ballot_store import LETTERS, load_held, route_holder
from arena.ballots import Shown, Stopped
from arena.boards import as_mode
from arena.closed_months import is_open
from arena.clusters import cluster_of
from arena.dispute_views import Dispute, own_disputes
from arena.events import Mode
from arena.refusals import record_refusal
from arena.reveals import load_reveal
from arena.visitor import Visitor
from ledger import store
from webapp.htmx import push_url, wants_fragment
from webapp.limits import ballot_limit, reading_limit
from webapp.visitors import (
    address_hashes,
    known_visitor,
    new_visitor,
    request_time_us,
    returning_visitor,
    visitor_for_page,
)
from webapp.vote import forms
from webapp.vote.ban_view import ban_of
from webapp.vote.consent import sent_fingerprint
from webapp.vote.view_models import ballot_view, cap_view, reveal_view
from webapp.wiring import services

vote = Blueprint("vote", __name__)

_CAPS = {
    "votes": Refusal.DAILY_CAP,
    "ballots": Refusal.BALLOT_CAP,
    "skips": Refusal.SKIP_CAP,
}
_NOTHING_HERE = (
    "The address may be mistyped. Or what was kept about its voter was erased: then nothing leads "
    "from here to the vote any more. A proof that was downloaded before stays good."
)


def asked_mode() -> Mode:
    """Return the mode the address names, Speed without one; anything else is no page of ours."""
    modes = request.args.getlist("mode")
    if not modes:
        return "speed"
    if len(modes) > 1 or modes[0] not in ("speed", "expert"):
        abort(404)
    return as_mode(modes[0])


@vote.get("/")
@ballot_limit
def show_ballot() -> Response:
    """Show the open ballot of a mode again, or a new one, or the wait."""
    mode = asked_mode()
    visitor = visitor_for_page()
    try:
        return _ballot_page(visitor, mode)
    except UnknownVoter:  # the cookie's voter had all erased: a stranger comes
        return _ballot_page(new_visitor(), mode)


def _ballot_page(visitor: Visitor, mode: Mode) -> Response:
    found = ballots.open_ballot(services().ports, visitor, mode)
    if isinstance(found, Shown):
        return _shown(visitor, found, mode)
    if isinstance(found, Stopped):
        return _page("vote/stopped.html", mode, ban=ban_of(visitor))
    text = message(_CAPS[found.kind], None, rules.current())
    return _page("vote/wait.html", mode, cap=cap_view(found, text, visitor.now_us))


def _shown(visitor: Visitor, found: Shown, mode: Mode) -> Response:
    token = services().tokens.sign(found.ballot.id, visitor.voter, visitor.now_us)
    view = ballot_view(found, token, fingerprint=services().settings.fingerprint)
    return _page("vote/ballot.html", mode, ballot=view, rules=rules.current())


def _page(template: str, mode: str, **values: object) -> Response:
    """Return a page of the way of a vote; `done` in its address names a form just sent."""
    page = render_template(
        template,
        **values,
        done=request.args.get("done"),
        mode=mode,
        nav="vote",
        fragment=wants_fragment(),
    )
    return make_response(page)


@vote.post("/vote")
@ballot_limit
def cast_vote() -> Response:
    """Accept or refuse a vote; the answer is the reveal."""
    visitor = known_visitor()
    token = _token(visitor, "vote")
    raw = forms.raw_values()
    fingerprint = sent_fingerprint(visitor)
    if fingerprint is not None:
        raw["fingerprint"] = fingerprint
    cast_ = votes.cast(
        services().ports, visitor, token.ballot, forms.choice(), forms.client_values(), raw
    )
    if not wants_fragment():
        return _see_other(f"/ballots/{cast_.route}")
    page = _reveal_page(visitor, cast_.others, token.ballot, cast_.route)
    return push_url(page, f"/ballots/{cast_.route}")


@vote.post("/skip")
@ballot_limit
def skip_ballot() -> Response:
    """Close a ballot unrevealed and go on to the next."""
    visitor = known_visitor()
    token = _token(visitor, "skip")
    mode = as_mode(votes.skip(services().ports, visitor, token.ballot))
    if not wants_fragment():
        return _see_other(f"/?mode={mode}")
    return _ballot_page(visitor, mode)


@vote.get("/ballots/<route>")
@ballot_limit
def show_reveal(route: str) -> Response:
    """Show a reveal to its voter; before the vote the ballot itself; to others nothing."""
    visitor = returning_visitor()
    ballot_id = held_ballot(visitor, route)
    if visitor is None:  # refused above; said again for the type checker
        abort(403)
    with services().database.read() as conn:
        own = own_disputes(conn, visitor.voter)
        others = cluster_of(conn, services().ports, visitor).others
    about = tuple(each for each in own if each.ballot == ballot_id)
    return _reveal_page(visitor, others, ballot_id, route, about)


def _reveal_page(
    visitor: Visitor,
    others: tuple[str, ...],
    ballot_id: str,
    route: str,
    disputes: tuple[Dispute, ...] = (),
) -> Response:
    """Return a reveal to its voter; `others` are the ids of those joined to them."""
    with services().database.read() as conn:
        reveal = load_reveal(conn, ballot_id)
        if reveal is None:
            held = load_held(conn, ballot_id)
            return _see_other(f"/?mode={held.mode if held else 'speed'}")
        sequenced = store.index_of(conn, reveal.vote) is not None
        state = quotas.read_cluster(conn, visitor.voter, others, visitor.now_us)
        month_open = is_open(conn, reveal.month, visitor.now_us)
    if state is None:  # who holds a ballot is registered; only an erasure comes between
        raise Refused(Refusal.BAD_IDENTITY)
    return _page(
        "vote/reveal.html",
        reveal.mode,
        reveal=reveal_view(reveal, route, state, sequenced=sequenced),
        disputes=disputes,
        month_open=month_open,
        rules=rules.current(),
    )


def held_ballot(visitor: Visitor | None, route: str) -> str:
    """Return the id of the visitor's own ballot at an address (V-017, V-159).

    Raises:
        Refused: `not_yours`. An address that nothing has is 404: there is nobody to protect, and
            guessing must not fill the log.
    """
    with services().database.read() as conn:
        found = route_holder(conn, route)
    if found is None:
        abort(404, description=_NOTHING_HERE)
    ballot_id, holder = found
    if visitor is None or visitor.voter != holder:
        record_refusal(
            services().ports,
            request_time_us(),
            Refusal.NOT_YOURS,
            "reveal",
            visitor=visitor,
            address=address_hashes(),
        )
        raise Refused(Refusal.NOT_YOURS)
    return ballot_id


@vote.post("/ballots/<route>/reasons")
@reading_limit
def give_reasons(route: str) -> Response:
    """Store why the voter voted so; optional."""
    visitor = known_visitor()
    ballot_id = held_ballot(visitor, route)
    chosen = after_vote.give_reasons(
        services().ports, visitor, ballot_id, request.form.getlist("reason")
    )
    if not wants_fragment():
        return _see_other(f"/ballots/{route}")
    return make_response(render_template("vote/reasons_saved.html", chosen_reasons=chosen))


@vote.post("/report")
@reading_limit
def report_answer() -> Response:
    """Point a moderator to one answer of the voter's own ballot; without script it leads back."""
    visitor = known_visitor()
    token = _token(visitor, "report")
    letter = forms.single(request.form, "slot") or ""
    slot = LETTERS.find(letter) if len(letter) == 1 else -1
    reason = forms.single(request.form, "reason") or ""
    after_vote.report_answer(services().ports, visitor, token.ballot, slot, reason)
    if wants_fragment():
        return make_response(render_template("vote/reported.html"))
    with services().database.read() as conn:
        held = load_held(conn, token.ballot)
    if held is None:  # only where all was erased since the report
        return _see_other("/")
    back = f"/ballots/{held.route}?" if held.state == "voted" else f"/?mode={held.mode}&"
    return _see_other(f"{back}done=reported")


def _token(visitor: Visitor, action: str) -> BallotToken:
    """Return the ballot token of a form that belongs to this visitor.

    Raises:
        Refused: `bad_token`, or `not_yours` when it was made for another voter; both are logged.
    """
    ports = services().ports
    try:
        token = forms.ballot_token()
    except BadToken:
        record_refusal(ports, visitor.now_us, Refusal.BAD_TOKEN, action, visitor=visitor)
        raise Refused(Refusal.BAD_TOKEN) from None
    if token.voter != visitor.voter:
        record_refusal(ports, visitor.now_us, Refusal.NOT_YOURS, action, visitor=visitor)
        raise Refused(Refusal.NOT_YOURS)
    return token


def _see_other(address: str) -> Response:
    return cast("Response", redirect(address, code=303))
