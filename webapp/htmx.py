"""HTMX on both sides: what a request asks for, and headers that steer the browser."""

from __future__ import annotations

from typing import Literal

from flask import Flask, Response, request
from htmx_flask import Htmx

__all__ = ["init_htmx", "push_url", "retarget", "wants_fragment"]

Swap = Literal["innerHTML", "outerHTML", "beforeend", "afterbegin", "none"]


def init_htmx(app: Flask) -> None:
    """Give every request its `request.htmx`, and name the header that answers vary by."""
    Htmx(app)

    @app.after_request
    def _vary(response: Response) -> Response:
        if response.mimetype == "text/html":
            response.vary.add("HX-Request")
        return response


def wants_fragment() -> bool:
    """Return whether HTMX asks for a part of the page; history restores want the whole."""
    partial = request.headers.get("HX-Request-Type", "partial") != "full"
    restoring = request.headers.get("HX-History-Restore-Request") == "true"
    return request.headers.get("HX-Request") == "true" and partial and not restoring


def retarget(response: Response, selector: str, swap: Swap = "innerHTML") -> Response:
    """Send an answer to another place of the page than the request named."""
    response.headers["HX-Retarget"] = selector
    response.headers["HX-Reswap"] = swap
    return response


def push_url(response: Response, url: str) -> Response:
    """Put an address into the browser's history with this answer."""
    response.headers["HX-Push-Url"] = url
    return response
