"""The public log as static files (C2SP tlog-tiles): checkpoint, tiles, entry bundles, key."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response

from ledger import store
from ledger.tiles import parse_path
from webapp.limits import limiter
from webapp.wiring import services

log = Blueprint("log", __name__, url_prefix="/log")

_CHECKPOINT_AGE_S = 2


@log.get("/checkpoint")
@limiter.exempt
def checkpoint() -> Response:
    """Return the newest signed checkpoint."""
    with services().database.read() as conn:
        note = store.checkpoint_text(conn)
    if note is None:
        abort(404)
    response = make_response(note)
    response.mimetype = "text/plain"
    response.cache_control.public = True
    response.cache_control.max_age = _CHECKPOINT_AGE_S
    return response


@log.get("/key")
@limiter.exempt
def key() -> Response:
    """Return the verifier keys of the log's whole life, a line each, the current one first."""
    keys = services().log_keys.ring().verifiers
    response = make_response("".join(f"{key.vkey}\n" for key in keys))
    response.mimetype = "text/plain"
    return response


@log.get("/tile/<path:name>")
@limiter.exempt
def tile(name: str) -> Response:
    """Return a tile or an entry bundle; both never change."""
    wanted = parse_path(name)
    if wanted is None:
        abort(404)
    with services().database.read() as conn:
        if wanted.level is None:
            content = store.entries(conn, wanted.index, wanted.width)
        else:
            content = store.tile(conn, wanted.level, wanted.index, wanted.width)
    if content is None:
        abort(404)
    response = make_response(content)
    response.mimetype = "application/octet-stream"
    response.cache_control.public = True
    response.cache_control.max_age = 365 * 24 * 3600
    response.cache_control.immutable = True
    return response
