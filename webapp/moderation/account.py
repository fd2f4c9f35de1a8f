"""A moderator's own account: open sessions, password, one-time codes."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from flask import Blueprint, Response, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from antiabuse import accounts, sessions, totp
from antiabuse.account_errors import SignInFailed, TooManyFailures, UnusablePassword
from antiabuse.account_rules import current
from antiabuse.passwords import SALT_BYTES, new_digest
from antiabuse.sign_in import check_password
from webapp.moderation.cookies import clear_session, set_session
from webapp.moderation.digest_turns import MODERATORS_TURNS, DigestsBusy, proven
from webapp.moderation.guard import moderators_only, session_now
from webapp.moderation.sign_in import proof
from webapp.visitors import request_time_us
from webapp.wiring import services

__all__ = ["account_pages"]

account_pages = Blueprint("moderation_account", __name__, url_prefix="/moderation/account")

_DONE: Final = frozenset({"password", "code_on", "code_off"})


@account_pages.get("")
@moderators_only(*accounts.ROLES)
def show() -> AnyResponse:
    """Show the account."""
    done = request.args.get("done", "")
    return _page(done=done if done in _DONE else "")


@account_pages.post("/sign-out-everywhere")
@moderators_only(*accounts.ROLES)
def leave_everywhere() -> AnyResponse:
    """End all sessions of the account."""
    with services().database.write() as conn:
        accounts.sign_out_everywhere(conn, services().ports, session_now().name, request_time_us())
    response = make_response(redirect("/moderation/sign-in", code=303))
    clear_session(response)
    return response


@account_pages.post("/password")
@moderators_only(*accounts.ROLES)
def change_password() -> AnyResponse:
    """Set a new password; other sessions end, this browser gets a new one."""
    session, now = session_now(), request_time_us()
    new = request.form.get("new", "")
    if new != request.form.get("again", ""):
        return _page(problem="differ", status=422)
    refusal = _unproven()
    if refusal is not None:
        return refusal
    try:
        with MODERATORS_TURNS.turn():
            digest = new_digest(session.name, new, services().rng.randbytes(SALT_BYTES))
    except UnusablePassword as error:
        return _page(problem="unusable", detail=str(error), status=422)
    except DigestsBusy as error:
        return _page(problem="busy", status=503, wait_s=error.retry_after_s)
    with services().database.write() as conn:
        accounts.set_password(
            conn,
            services().ports,
            name=session.name,
            password_hash=digest,
            by=session.handle,
            now_us=now,
        )
        token = sessions.open_session(conn, services().rng, session.name, now)
    return _changed("password", token)


@account_pages.post("/code")
@moderators_only(*accounts.ROLES)
def change_code() -> AnyResponse:
    """Ask for one-time codes from now on, or no more; the password is asked for once more."""
    session, now = session_now(), request_time_us()
    secret = None if session.has_code else request.form.get("secret", "")
    if secret is not None and not _code_fits(secret):
        return _page(problem="code", status=422)
    refusal = _unproven()
    if refusal is not None:
        return refusal
    with services().database.write() as conn:
        accounts.set_code(
            conn, services().ports, name=session.name, secret=secret, by=session.handle, now_us=now
        )
        token = sessions.open_session(conn, services().rng, session.name, now)
    return _changed("code_off" if secret is None else "code_on", token)


def _code_fits(secret: str) -> bool:
    """Tell whether the authenticator has taken the secret over: it shows the code of now."""
    code = request.form.get("code", "")
    return (
        totp.is_secret(secret) and totp.matching_step(secret, code, request_time_us()) is not None
    )


def _unproven() -> Response | None:
    """Ask for the password once more; return what is answered if it is wrong."""
    try:
        once_more = replace(proof(), name=session_now().name)
        proven(check_password, once_more, MODERATORS_TURNS)
    except SignInFailed:
        return _page(problem="password", status=403)
    except TooManyFailures as error:
        return _page(problem="held_up", status=429, wait_s=error.retry_after_s)
    except DigestsBusy as error:
        return _page(problem="busy", status=503, wait_s=error.retry_after_s)
    return None


def _changed(done: str, token: str) -> Response:
    response = make_response(redirect(f"/moderation/account?done={done}", code=303))
    set_session(response, token, session_now().name)
    return response


def _page(
    *,
    done: str = "",
    problem: str = "",
    detail: str = "",
    status: int = 200,
    wait_s: int | None = None,
) -> Response:
    session, now = session_now(), request_time_us()
    with services().database.read() as conn:
        opened = sessions.sessions_of(conn, session.name, now)
    secret = "" if session.has_code else totp.new_secret(services().rng)
    page = render_template(
        "moderation/account.html",
        session=session,
        opened=opened,
        secret=secret,
        secret_uri=secret and totp.provisioning_uri(secret, session.name, services().settings.name),
        numbers=current(),
        done=done,
        problem=problem,
        detail=detail,
        wait_s=wait_s,
        nav="moderation",
        room="account",
        fragment=False,
    )
    response = make_response(page, status)
    if wait_s is not None:
        response.headers["Retry-After"] = str(wait_s)
    return response
