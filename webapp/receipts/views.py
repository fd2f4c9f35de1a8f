"""A vote's receipt: page, and proof file that checks offline; for its voter alone (V-159)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from flask import Blueprint, Response, abort, make_response, render_template

from arena.reveals import Reveal, load_reveal
from ledger import store
from webapp.htmx import wants_fragment
from webapp.limits import reading_limit
from webapp.visitors import returning_visitor
from webapp.vote.views import held_ballot
from webapp.wiring import services

receipts = Blueprint("receipts", __name__)


@dataclass(frozen=True, slots=True)
class Step:
    """One of the three steps a vote goes through, in plain words."""

    label: str
    done: bool
    text: str


@dataclass(frozen=True, slots=True)
class ReceiptView:
    """What the receipt page shows."""

    route: str
    vote: Reveal
    event_id: str
    index: int | None
    tree_size: int
    salt: str
    body_pretty: str
    body_sha256: str
    proof_url: str | None
    steps: tuple[Step, ...]
    checkpoint: str | None
    verifier_key: str


@receipts.get("/receipts/<route>")
@reading_limit
def show_receipt(route: str) -> Response:
    """Show the ballot as logged, and how far its proof is."""
    reveal = _own_vote(route)
    with services().database.read() as conn:
        event = store.read_event(conn, reveal.vote)
        index = store.index_of(conn, reveal.vote)
        signed = store.latest_checkpoint(conn)
    if event is None:
        abort(404)
    covered = index is not None and signed is not None and index < signed.size
    view = ReceiptView(
        route=route,
        vote=reveal,
        event_id=event.id,
        index=index,
        tree_size=signed.size if signed else 0,
        salt=event.body_salt,
        body_pretty=json.dumps(event.body, ensure_ascii=False, indent=2, sort_keys=True),
        body_sha256=event.body_sha256,
        proof_url=f"/receipts/{route}.tlog-proof" if covered else None,
        steps=_steps(index, signed.size if signed else 0),
        checkpoint=signed.note if signed else None,
        verifier_key=services().log_key.verifier.vkey,
    )
    page = render_template(
        "receipt/receipt.html", receipt=view, nav="me", mode=reveal.mode, fragment=wants_fragment()
    )
    return make_response(page)


def _steps(index: int | None, signed_size: int) -> tuple[Step, ...]:
    numbered = index is not None
    covered = index is not None and index < signed_size
    return (
        Step(
            "Stored",
            done=True,
            text="Your vote was stored whole, with a digest over every word of it.",
        ),
        Step(
            "Numbered",
            done=numbered,
            text=f"It is entry {index:,} of the public log."
            if index is not None
            else "It gets its place in the public log within about a minute, shuffled with others.",
        ),
        Step(
            "Signed",
            done=covered,
            text=f"The log's signature over {signed_size:,} entries covers it. "
            "Nobody can take it out unseen."
            if covered
            else "The next signature over the log will cover it.",
        ),
    )


@receipts.get("/receipts/<route>.tlog-proof")
@reading_limit
def download_proof(route: str) -> Response:
    """Return the proof file, once the signed log covers the vote."""
    reveal = _own_vote(route)
    with services().database.read() as conn:
        proof = store.receipt(conn, reveal.vote)
    if proof is None:
        abort(404)
    response = make_response(proof)
    response.mimetype = "text/plain"
    response.headers["Content-Disposition"] = f'attachment; filename="vote-{route}.tlog-proof"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _own_vote(route: str) -> Reveal:
    """Return the visitor's own vote at an address.

    Raises:
        Refused: `not_yours`.
    """
    ballot_id = held_ballot(returning_visitor(), route)
    with services().database.read() as conn:
        reveal = load_reveal(conn, ballot_id)
    if reveal is None:
        abort(404)
    return reveal
