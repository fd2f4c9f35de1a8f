"""Sign-in and sign-out of moderators."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from antiabuse import accounts, sessions
from antiabuse.account_errors import SignInFailed, TooManyFailures
from antiabuse.account_rules import current
from antiabuse.errors import DigestKeyUnusable
from antiabuse.known_browsers import is_known
from antiabuse.sign_in import Proof, SignedIn, sign_in
from antiabuse.utc import SECOND_US, day_of
from webapp.limits import reading_limit, visitor_address
from webapp.moderation.cookies import clear_session, known_browser, session_token, set_session
from webapp.moderation.digest_turns import MODERATORS_TURNS, STRANGERS_TURNS, DigestsBusy, proven
from webapp.moderation.guard import current_session, moderators_only
from webapp.moderation.return_paths import return_path
from webapp.visitors import address_hashes, request_time_us
from webapp.wiring import services

__all__ = ["proof", "sign_in_pages"]

sign_in_pages = Blueprint("moderation_sign_in", __name__, url_prefix="/moderation")


@sign_in_pages.get("/sign-in")
@reading_limit
def show() -> AnyResponse:
    """Show the form; who is signed in is led on."""
    path = return_path(request.args.get("next", ""))
    if current_session() is not None:
        return redirect(path, code=303)
    return _form(path)


@sign_in_pages.post("/sign-in")
@reading_limit
def enter() -> AnyResponse:
    """Sign in, and lead on to one of our own pages."""
    path = return_path(request.form.get("next", ""))
    shown = proof()
    try:
        done = proven(sign_in, shown, MODERATORS_TURNS if shown.known_browser else STRANGERS_TURNS)
    except SignInFailed:
        return _form(path, problem="failed", status=403)
    except TooManyFailures as error:
        return _form(path, problem="held_up", status=429, wait_s=error.retry_after_s)
    except DigestsBusy as error:
        return _form(path, problem="busy", status=503, wait_s=error.retry_after_s)
    return _entered(done, path)


@sign_in_pages.post("/sign-out")
@moderators_only(*accounts.ROLES)
def leave() -> AnyResponse:
    """End this session."""
    token = session_token()
    if token is not None:
        with services().database.write() as conn:
            sessions.close_session(conn, token)
    response = make_response(redirect("/moderation/sign-in", code=303))
    clear_session(response)
    return response


def proof() -> Proof:
    """Return what the request says to prove who is there."""
    name = request.form.get("name", "")
    return Proof(
        name=name,
        password=request.form.get("password", ""),
        code=request.form.get("code", ""),
        limit_keys=_limit_keys(),
        addresses=address_hashes(),
        known_browser=is_known(services().ports.keys, known_browser(), accounts.normal_name(name)),
        old_token=session_token(),
    )


def _limit_keys() -> tuple[str, ...]:
    """Return the address's digests of the days in which failures may lie that still count."""
    address, now_us = visitor_address(), request_time_us()
    if address is None:
        return ()
    began_us = now_us - current().failure_window_s * SECOND_US
    days = dict.fromkeys((day_of(now_us), day_of(began_us)))
    try:
        return tuple(services().addresses.of_day(address, day) for day in days)
    except DigestKeyUnusable:  # told by whoever asks for the address's other digests
        return ()


def _entered(done: SignedIn, path: str) -> Response:
    to = path if done.account.role != "master" else "/moderation/account"
    response = make_response(redirect(to, code=303))
    set_session(response, done.token, done.account.name)
    return response


def _form(
    path: str, *, problem: str = "", status: int = 200, wait_s: int | None = None
) -> Response:
    page = render_template(
        "moderation/sign_in.html",
        next=path,
        numbers=current(),
        problem=problem,
        wait_s=wait_s,
        name=request.form.get("name", "")[:32] if problem else "",
        nav="moderation",
        fragment=False,
    )
    response = make_response(page, status)
    if wait_s is not None:
        response.headers["Retry-After"] = str(wait_s)
    return response
