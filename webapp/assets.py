"""Static files under addresses that name their content, so browsers may keep them for a year."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from http import HTTPStatus

from flask import Flask, Response, request, url_for

from webapp.paths import STATIC

__all__ = ["asset", "init_assets"]

_YEAR_S = 365 * 24 * 3600


_FOLDER = str(STATIC)


@lru_cache(maxsize=256)
def _address(path: str, _stamp: int) -> str:
    version = hashlib.sha256((STATIC / path).read_bytes()).hexdigest()[:12]
    return url_for("static", filename=path, v=version)


def asset(path: str) -> str:
    """Return the address of a static file with its content's digest in the query.

    Raises:
        FileNotFoundError: if there is no such file; browser files need `make browser-files`.
    """
    # A page names sixteen files: their addresses are made once, and again when a file changes.
    stamp = os.stat(f"{_FOLDER}/{path}").st_mtime_ns  # noqa: PTH116 - a Path costs ten times as much
    return _address(path, stamp)


def init_assets(app: Flask) -> None:
    """Offer `asset` to templates and let versioned static files be cached for a year."""
    app.add_template_global(asset)

    @app.after_request
    def _cache(response: Response) -> Response:
        if (
            request.endpoint == "static"
            and "v" in request.args
            and response.status_code == HTTPStatus.OK
        ):
            response.cache_control.clear()
            response.cache_control.public = True
            response.cache_control.max_age = _YEAR_S
            response.cache_control.immutable = True
        return response
