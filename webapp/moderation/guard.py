"""Who may enter the moderators' rooms, and that their forms come from their own pages.

Every POST carries the session's form token, on top of the origin check that holds for all writes.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec

from flask import Response, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from antiabuse.accounts import Role
from antiabuse.sessions import Session, find_session, touch
from arena.moderation import Actor
from ledger.errors import DatabaseBusy
from webapp.errors import problem_response
from webapp.limits import reading_limit
from webapp.moderation.cookies import session_token
from webapp.moderation.return_paths import return_path
from webapp.refusals import Act, Problem
from webapp.visitors import request_time_us
from webapp.wiring import services

__all__ = [
    "MODERATORS",
    "actor",
    "current_session",
    "moderators_only",
    "session_now",
    "uncached",
]

MODERATORS: Final[tuple[Role, ...]] = ("moderator", "operator")

P = ParamSpec("P")
View = Callable[P, AnyResponse]


def moderators_only(*roles: Role) -> Callable[[View[P]], View[P]]:
    """Return a decorator that lets only these roles in, and only forms of their own session."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> AnyResponse:
            refusal = _admit(roles)
            return view(*args, **kwargs) if refusal is None else refusal

        return reading_limit(guarded)

    return decorate


def session_now() -> Session:
    """Return the session of this request, inside a guarded view."""
    found: Session = g.moderator_session
    return found


def actor() -> Actor:
    """Return who decides, inside a guarded view."""
    session = session_now()
    return Actor(session.name, session.handle)


def current_session() -> Session | None:
    """Return the session that the browser has, if it is open."""
    token = session_token()
    if token is None:
        return None
    with services().database.read() as conn:
        return find_session(conn, token, request_time_us())


def _admit(roles: tuple[Role, ...]) -> AnyResponse | None:
    """Admit the request, or return what is answered instead."""
    session = current_session()
    if session is None:
        return _not_signed_in()
    if session.role not in roles:
        return problem_response(_wrong_role(session))
    if request.method == "POST" and not _form_is_ours(session):
        return problem_response(_FOREIGN_FORM)
    g.moderator_session = session
    _note_use(session)
    return None


def _form_is_ours(session: Session) -> bool:
    sent = request.form.get("csrf", "")
    return hmac.compare_digest(sent.encode(), session.csrf.encode())


def _note_use(session: Session) -> None:
    now = request_time_us()
    if not session.is_due(now):
        return
    try:
        with services().database.write() as conn:
            touch(conn, session, now)
    except DatabaseBusy:
        # A page is not withheld for a note of its use; the next request writes it.
        return


def _not_signed_in() -> AnyResponse:
    if request.method == "POST":
        return problem_response(_SIGNED_OUT)
    path = return_path(request.path)
    return redirect(url_for("moderation_sign_in.show", next=path), code=303)


def _wrong_role(session: Session) -> Problem:
    return Problem(
        status=403,
        reason="wrong_role",
        title="Your account does not lead here",
        text=f"You are signed in as {session.name} with the role “{session.role}”. These rooms "
        "are for the roles “moderator” and “operator”.",
        act=Act("Your account", "/moderation/account"),
    )


_SIGNED_OUT: Final = Problem(
    status=403,
    reason="signed_out",
    title="You are signed out",
    text="Your session has ended. Sign in and send the form again.",
    kept="Nothing was changed.",
    act=Act("Sign in", "/moderation/sign-in"),
)
_FOREIGN_FORM: Final = Problem(
    status=403,
    reason="foreign_form",
    title="This form is not from your session",
    text="It was opened before you signed in, or on another site. Open the page again.",
    kept="Nothing was changed.",
    act=Act("Back to the queue", "/moderation"),
)


def uncached(response: Response) -> Response:
    """Keep a response out of every cache, files too."""
    response.headers["Cache-Control"] = "no-store"
    return response
