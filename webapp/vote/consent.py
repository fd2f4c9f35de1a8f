"""Consent to the device fingerprint, and the fingerprint of those who gave it (V-121, V-173)."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request

from antiabuse import quotas
from antiabuse.devices import device_digest
from antiabuse.errors import DigestKeyUnusable
from antiabuse.events import consent_given
from antiabuse.unrun_checks import Check
from antiabuse.utc import month_of
from antiabuse.voter import Consent
from arena.ballot_events import ANY_MODE, arena_stream
from arena.visitor import Visitor
from ledger.ids import uuid4
from webapp.htmx import wants_fragment
from webapp.limits import reading_limit
from webapp.visitors import known_visitor
from webapp.vote import forms
from webapp.wiring import services

__all__ = ["consent", "sent_fingerprint"]

consent = Blueprint("consent", __name__)


@consent.post("/consent")
@reading_limit
def give_consent() -> Response:
    """Store the voter's answer about the device fingerprint (V-173).

    From a ballot it leads back there, with a field for the code if that was allowed: so the vote
    at hand carries one. Nothing else that a form may name is led to.
    """
    visitor = known_visitor()
    answer, mode = (forms.single(request.form, name) for name in ("fingerprint", "mode"))
    if answer not in ("yes", "no") or mode not in (None, "speed", "expert"):
        abort(400)
    given = cast("Consent", answer)
    ports = services().ports
    event = consent_given(
        event_id=uuid4(ports.rng),
        stream=arena_stream(ANY_MODE, month_of(visitor.now_us)),
        now_us=visitor.now_us,
        voter_id=visitor.voter,
        consent=given,
    )
    with ports.database.write() as conn:
        quotas.register(conn, visitor.voter, visitor.now_us)
        quotas.set_consent(conn, visitor.voter, given)
        ports.log.append(conn, event)
    if not wants_fragment():
        return cast("Response", redirect("/me" if mode is None else f"/?mode={mode}", code=303))
    collects = services().settings.fingerprint and given == "yes"
    return make_response(render_template("vote/device_fields.html") if collects else "")


def sent_fingerprint(visitor: Visitor) -> str | None:
    """Return the fingerprint's digest, if setting and consent allow it (V-173)."""
    sent = forms.single(request.form, "fingerprint")
    if not sent or not services().settings.fingerprint:
        return None
    with services().database.read() as conn:
        state = quotas.read(conn, visitor.voter, visitor.now_us)
    if state is None or state.consent != "yes":
        return None
    try:
        return device_digest(services().digest_keys, month_of(visitor.now_us), sent)
    except DigestKeyUnusable:
        services().unrun.count(Check.DEVICE)
        return None
