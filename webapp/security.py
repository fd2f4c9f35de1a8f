"""Security headers on every response, the origin check on every write (V-130), unusable text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Final

from flask import Flask, Request, Response, abort, request
from gunicorn.http.errors import ParseException
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.exceptions import BadRequest
from werkzeug.formparser import FormDataParser

from antiabuse.admission import Refusal, Refused
from antiabuse.origin import same_origin
from antiabuse.quotas import LimitScope, tally_rate_refusal
from arena.refusals import record_refusal
from webapp.limits import within_foreign_limit
from webapp.visitors import address_hashes, asked_action, request_time_us
from webapp.wiring import services

__all__ = ["headers_of_all", "init_input_check", "init_security"]

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
_NUL: Final = "\0"
_UNREADABLE: Final = "\N{REPLACEMENT CHARACTER}"


def headers_of_all(*, secure: bool) -> Mapping[str, str]:
    """Return the headers that every response bears; `secure` says that browsers come by HTTPS."""
    return {**_HEADERS, "Strict-Transport-Security": _HSTS} if secure else _HEADERS


def init_security(app: Flask) -> None:
    """Refuse writes that come from another site, and add the headers to all that leaves."""
    # A redirect to the address with fewer slashes would name the host that the request claims.
    app.url_map.merge_slashes = False

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
        for name, value in headers_of_all(secure=services().settings.secure).items():
            response.headers.setdefault(name, value)
        if response.mimetype in ("text/html", "application/json"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def init_input_check(app: Flask) -> None:
    """Refuse too much at once, and let no NUL reach a query, for PostgreSQL stores none."""
    app.request_class = _Request

    @app.before_request
    def _check_size_and_address() -> None:
        if (request.content_length or 0) > app.config["MAX_CONTENT_LENGTH"]:
            abort(413)
        asked = (text for name, values in request.args.lists() for text in (name, *values))
        if any(_NUL in text for text in (request.path, *asked)):
            abort(404)


class _FormParser(FormDataParser):
    """Reads NUL as werkzeug reads bytes that are no text: as the sign for the unreadable.

    A chunked form above the bound is too large, where werkzeug would go by its first part alone.
    """

    def parse(
        self,
        stream: IO[bytes],
        mimetype: str,
        content_length: int | None,
        options: dict[str, str] | None = None,
    ) -> tuple[IO[bytes], MultiDict[str, str], MultiDict[str, FileStorage]]:
        try:
            rest, form, files = super().parse(stream, mimetype, content_length, options)
            stream.read(1)  # past the bound this raises
        except ParseException as error:
            raise BadRequest("the body's chunks cannot be read") from error
        readable = [
            (name.replace(_NUL, _UNREADABLE), value.replace(_NUL, _UNREADABLE))
            for name, value in form.items(multi=True)
        ]
        return rest, self.cls(readable), files


class _Request(Request):
    form_data_parser_class = _FormParser


def _record_foreign_write() -> None:
    """Log a refused write from another site; a flood of them is folded per address and minute."""
    address = address_hashes()
    if within_foreign_limit():
        record_refusal(
            services().ports, request_time_us(), Refusal.BAD_ORIGIN, asked_action(), address=address
        )
        return
    with services().database.write() as conn:
        name = address.address if address else "unknown"
        tally_rate_refusal(conn, name, request_time_us(), LimitScope.BALLOTS)
