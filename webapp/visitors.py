"""Who is asking: the signed voter cookie, read, refused or issued anew (V-110 to V-112, V-172)."""

from __future__ import annotations

import structlog
from flask import Response, after_this_request, g, request

from antiabuse import rules
from antiabuse.addresses import AddressHashes
from antiabuse.admission import Refusal, Refused
from antiabuse.errors import BadIdentity, DigestKeyUnusable
from antiabuse.identity import new_voter_id
from antiabuse.unrun_checks import Check
from antiabuse.utc import DAY_US, SECOND_US, day_of
from arena.refusals import record_refusal
from arena.visitor import Visitor
from webapp.limits import visitor_address
from webapp.wiring import services

__all__ = [
    "address_hashes",
    "asked_action",
    "clear_cookie",
    "cookie_name",
    "host_bound",
    "known_visitor",
    "new_visitor",
    "request_time_us",
    "returning_visitor",
    "visitor_for_page",
]

_log = structlog.get_logger("webapp.visitors")


def cookie_name() -> str:
    """Return the voter cookie's name."""
    return host_bound("voter")


def host_bound(name: str) -> str:
    """Return a cookie's name; the prefix `__Host-` binds it to this host under HTTPS."""
    return f"__Host-{name}" if services().settings.secure else name


def visitor_for_page() -> Visitor:
    """Return the visitor of a page; a new one, or one with an unusable cookie, gets a new id."""
    visitor = returning_visitor()
    if visitor is not None:
        return visitor
    if cookie_name() in request.cookies:
        _record_bad_identity()
    return new_visitor()


def new_visitor() -> Visitor:
    """Return a visitor with a new id, whose cookie goes out with the answer."""
    voter = new_voter_id(services().rng)
    cookie = services().cookies.issue(voter)

    @after_this_request
    def _set_cookie(response: Response) -> Response:
        response.set_cookie(
            cookie_name(),
            cookie,
            max_age=rules.current().cookie_days * DAY_US // SECOND_US,
            httponly=True,
            samesite="Lax",
            secure=services().settings.secure,
            path="/",
        )
        return response

    return _visitor(voter)


def clear_cookie(response: Response) -> None:
    """Let the browser drop its voter cookie."""
    response.delete_cookie(
        cookie_name(), path="/", secure=services().settings.secure, httponly=True, samesite="Lax"
    )


def known_visitor() -> Visitor:
    """Return the visitor of a write.

    Raises:
        Refused: `bad_identity` without a cookie of ours.
    """
    visitor = returning_visitor()
    if visitor is None:
        _record_bad_identity()
        raise Refused(Refusal.BAD_IDENTITY)
    return visitor


def returning_visitor() -> Visitor | None:
    """Return the visitor if the request carries a valid cookie."""
    cookie = request.cookies.get(cookie_name())
    if cookie is None:
        return None
    try:
        voter = services().cookies.read(cookie)
    except BadIdentity:
        return None
    return _visitor(voter)


def address_hashes() -> AddressHashes | None:
    """Return the keyed hashes of the visitor's address, or None where none can be made.

    Whichever it is for want of, a missing address or a missing key, the request is counted once.
    """
    if "address_hashes" not in g:
        g.address_hashes = _address_hashes()
    hashes: AddressHashes | None = g.address_hashes
    return hashes


def _address_hashes() -> AddressHashes | None:
    address = visitor_address()
    if address is None:
        return None
    try:
        return services().addresses.keyed(address, day_of(request_time_us()))
    except DigestKeyUnusable as error:
        # Whoever votes is not to blame for a full disk: the vote joins nobody instead.
        _log.error("address_unchecked", detail=str(error))
        services().unrun.count(Check.ADDRESS)
        return None


def request_time_us() -> int:
    """Return the moment this request is judged at: one reading of the clock per request."""
    if "now_us" not in g:
        g.now_us = services().clock()
    moment: int = g.now_us
    return moment


def asked_action() -> str:
    """Return what the log says was asked for: the first part of the route, `ballot` for the front.

    Never a part of the address itself: bodies of the log are public for good, and anybody could
    write into them. An address that leads nowhere is `unknown`.
    """
    rule = request.url_rule
    if rule is None:
        return "unknown"
    return rule.rule.strip("/").partition("/")[0] or "ballot"


def _visitor(voter: str) -> Visitor:
    return Visitor(voter, request_time_us(), address_hashes())


def _record_bad_identity() -> None:
    record_refusal(
        services().ports,
        request_time_us(),
        Refusal.BAD_IDENTITY,
        asked_action(),
        address=address_hashes(),
    )
