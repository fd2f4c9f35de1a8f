"""Maps every error to a status and to words: what happened, what was kept, what to do."""

from __future__ import annotations

from dataclasses import replace

import structlog
from flask import Flask, Response, jsonify, make_response, render_template, request
from flask_limiter import RateLimitExceeded
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from antiabuse import rules
from antiabuse.admission import Refusal, Refused, message
from antiabuse.errors import UnknownVoter
from antiabuse.quotas import LimitScope, tally_rate_refusal
from arena.errors import NothingToShow, UnknownCode
from ledger.errors import (
    DatabaseBusy,
    DatabaseFull,
    DatabaseNotMigrated,
    DatabaseUnavailable,
    LedgerError,
)
from webapp.htmx import retarget, wants_fragment
from webapp.limits import retry_after_s
from webapp.refusals import Act, Problem, in_mode, refusal_problem
from webapp.visitors import address_hashes, request_time_us, returning_visitor
from webapp.vote.ban_view import ban_of
from webapp.wiring import services

__all__ = ["init_errors", "problem_response", "wants_json"]

_log = structlog.get_logger("webapp.errors")

_BUSY_RETRY_S = 2
_UNAVAILABLE_RETRY_S = 30


def init_errors(app: Flask) -> None:
    """Answer every error of the rooms below, and every HTTP error, in one form."""
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(UnknownVoter, _unknown_voter)
    app.register_error_handler(RateLimitExceeded, _rate_limited)
    app.register_error_handler(NothingToShow, _nothing_to_show)
    app.register_error_handler(UnknownCode, _unknown_code)
    app.register_error_handler(LedgerError, _ledger_error)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)


def problem_response(problem: Problem) -> Response:
    """Render a problem as page, fragment or problem details (RFC 9457), as the client asks."""
    if wants_json():
        response = jsonify(
            type=f"{services().settings.public_url}/rules#{problem.reason}",
            title=problem.title,
            status=problem.status,
            detail=problem.text,
            reason=problem.reason,
        )
        response.mimetype = "application/problem+json"
    else:
        fragment = wants_fragment()
        # Who is banned has no use for the ballot: the page that says so takes its place.
        inline = fragment and request.method == "POST" and problem.ban is None
        page = render_template("error.html", error=problem, fragment=fragment, inline=inline)
        response = make_response(page)
        if inline:
            # The ballot stays on the page with all that was read and chosen.
            retarget(response, "#ballot-message")
    response.status_code = problem.status
    if problem.retry_after_s is not None:
        response.headers["Retry-After"] = str(problem.retry_after_s)
    response.headers["Cache-Control"] = "no-store"
    return response


def wants_json() -> bool:
    """Say whether the client asks for data rather than for a page."""
    if request.path.startswith("/api/"):
        return True
    best = request.accept_mimetypes.best_match(
        ["text/html", "application/json", "application/problem+json"], default="text/html"
    )
    return best != "text/html"


def _refused(error: Refused) -> Response:
    problem = refusal_problem(error.refusal, error.message(), error.retry_after_s)
    visitor = returning_visitor() if error.refusal is Refusal.BANNED else None
    ban = ban_of(visitor) if visitor else None
    if ban is not None:
        problem = replace(problem, ban=ban, text=f"{problem.text} {ban.reason}".rstrip())
    return problem_response(problem)


def _unknown_voter(_error: UnknownVoter) -> Response:
    """Refuse the cookie of a voter who had all erased; nothing is written about them again."""
    return _refused(Refused(Refusal.BAD_IDENTITY))


def _rate_limited(error: RateLimitExceeded) -> Response:
    """Answer 429 with the wait, and fold the refusal into the address's minute (V-114)."""
    wait_s = retry_after_s()
    hashes = address_hashes()
    scope = LimitScope(str(error.limit.scope))
    address = hashes.address if hashes else "unknown"
    try:
        with services().database.write() as conn:
            tally_rate_refusal(conn, address, request_time_us(), scope)
    except LedgerError as unable:
        # A flood is refused also while the database cannot take note of it.
        _log.warning("refusal_not_counted", error=type(unable).__name__)
    text = message(Refusal.RATE_LIMITED, wait_s, rules.current())
    return problem_response(refusal_problem(Refusal.RATE_LIMITED, text, wait_s))


def _unknown_code(error: UnknownCode) -> Response:
    return problem_response(
        Problem(status=422, reason="unknown_code", title="That is not on the list", text=str(error))
    )


def _nothing_to_show(_error: NothingToShow) -> Response:
    body = render_template("vote/empty.html", fragment=wants_fragment())
    response = make_response(body, 503)
    response.headers["Cache-Control"] = "no-store"
    return response


def _ledger_error(error: LedgerError) -> Response:
    _log.error("ledger_error", error=type(error).__name__, detail=str(error))
    if isinstance(error, DatabaseBusy):
        problem = Problem(
            status=503,
            reason="busy",
            title="The arena is busy",
            text="Your request could not be stored in time. Try again in a moment.",
            kept="Nothing was counted; your ballot stays open.",
            retry_after_s=_BUSY_RETRY_S,
        )
    elif isinstance(error, DatabaseFull):
        problem = Problem(
            status=507,
            reason="storage_full",
            title="The arena's storage is full",
            text="Nothing can be stored until the operator makes room. Please come back later.",
            kept="Nothing was counted; your ballot stays open.",
        )
    elif isinstance(error, DatabaseUnavailable):
        problem = Problem(
            status=503,
            reason="unavailable",
            title="The arena cannot reach its storage",
            text="Nothing can be read or stored at the moment. The fault was noted.",
            kept="Nothing was counted.",
            retry_after_s=_UNAVAILABLE_RETRY_S,
        )
    elif isinstance(error, DatabaseNotMigrated):
        problem = Problem(
            status=503,
            reason="not_migrated",
            title="The arena is being updated",
            text="Its database is not at the version this program needs. "
            "The operator runs “arena db upgrade” to finish.",
        )
    else:
        return _unexpected(error)
    return problem_response(problem)


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    reason, title, text = _HTTP_WORDS.get(
        status, ("http_error", error.name, error.description or error.name)
    )
    if isinstance(error, NotFound) and error.description != NotFound.description:
        text = error.description or text
    act = Act("Go to the ballot", in_mode("/")) if request.path != "/" else None
    response = problem_response(
        Problem(status=status, reason=reason, title=title, text=text, act=act)
    )
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.allow.update(error.valid_methods)
    return response


_HTTP_WORDS = {
    400: ("bad_request", "That request cannot be read", "A part of it is missing or malformed."),
    404: (
        "not_found",
        "There is no such page",
        "The address may be mistyped, or the page was moved.",
    ),
    405: (
        "method_not_allowed",
        "That address does not take this kind of request",
        "Use the forms on the pages of this site.",
    ),
    413: ("too_large", "That is too much at once", "The form was larger than any vote can be."),
}


def _unexpected(error: Exception) -> Response:
    _log.error("unexpected_error", error=type(error).__name__, exc_info=error)
    return problem_response(
        Problem(
            status=500,
            reason="internal_error",
            title="Something went wrong here",
            text="The fault is ours and was noted. Try again; if it stays, tell the operator.",
            kept="A vote is stored whole or not at all.",
        )
    )
