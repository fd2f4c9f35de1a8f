"""Security headers on every response, and the origin check on every write (V-130)."""

from __future__ import annotations

from flask import Flask, Response, request

from antiabuse.admission import Refusal, Refused
from antiabuse.origin import same_origin
from antiabuse.quotas import LimitScope, tally_rate_refusal
from arena.votes import record_refusal
from webapp.limits import within_foreign_limit
from webapp.visitors import address_hashes, request_time_us
from webapp.wiring import services

__all__ = ["init_security"]

POLICY = (
    "default-src 'none'; "
    "script-src 'self'; "
    "style-src 'self'; "
    "img-src 'self'; "
    "connect-src 'self'; "
    "font-src 'self'; "
    "manifest-src 'self'; "
    "form-action 'self'; "
    "base-uri 'none'; "
    "frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_HSTS = "max-age=31536000; includeSubDomains"


def init_security(app: Flask) -> None:
    """Refuse writes that come from another site, and add the headers to all that leaves."""

    @app.before_request
    def _check_origin() -> None:
        site = request.headers.get("Sec-Fetch-Site")
        origin = request.headers.get("Origin")
        # Behind a proxy that ends HTTPS the request itself says http; the public address is right.
        ours = (request.host_url, services().settings.public_url)
        if not any(same_origin(request.method, site, origin, url) for url in ours):
            _record_foreign_write()
            raise Refused(Refusal.BAD_ORIGIN)

    @app.after_request
    def _add_headers(response: Response) -> Response:
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        if services().settings.secure:
            response.headers.setdefault("Strict-Transport-Security", _HSTS)
        if response.mimetype == "text/html":
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def _record_foreign_write() -> None:
    """Log a refused write from another site; a flood of them is folded per address and minute."""
    address = address_hashes()
    if within_foreign_limit():
        action = request.path.strip("/").partition("/")[0]
        record_refusal(
            services().ports, request_time_us(), Refusal.BAD_ORIGIN, action, address=address
        )
        return
    with services().database.write() as conn:
        name = address.address if address else "unknown"
        tally_rate_refusal(conn, name, request_time_us(), LimitScope.BALLOTS)
