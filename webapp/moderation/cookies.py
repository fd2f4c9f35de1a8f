"""The moderators' two cookies: the session, and the mark of a browser that has signed in before."""

from __future__ import annotations

from datetime import timedelta

from flask import Response, request

from antiabuse.account_rules import current
from antiabuse.known_browsers import browser_mark
from webapp.visitors import host_bound
from webapp.wiring import services

__all__ = ["clear_session", "known_browser", "session_token", "set_session"]

_SESSION = "moderator"
_BROWSER = "moderator-browser"


def session_token() -> str | None:
    """Return the session's token that the browser sent."""
    return request.cookies.get(host_bound(_SESSION))


def known_browser() -> str:
    """Return the browser's mark; empty without one."""
    return request.cookies.get(host_bound(_BROWSER), "")


def set_session(response: Response, token: str, name: str) -> None:
    """Hand out a session, and the mark that this browser has signed in to the account."""
    secure = services().settings.secure
    response.set_cookie(
        host_bound(_SESSION), token, httponly=True, samesite="Strict", secure=secure, path="/"
    )
    response.set_cookie(
        host_bound(_BROWSER),
        browser_mark(services().ports.keys, name),
        max_age=timedelta(days=current().known_browser_days),
        httponly=True,
        samesite="Strict",
        secure=secure,
        path="/",
    )


def clear_session(response: Response) -> None:
    """Take the session's cookie back; the browser's mark stays."""
    response.delete_cookie(
        host_bound(_SESSION),
        httponly=True,
        samesite="Strict",
        secure=services().settings.secure,
        path="/",
    )
