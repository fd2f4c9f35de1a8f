"""The arena's own web server with one bare Flask page beside it: the measure for the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from webapp.server import WebServer
from webapp.settings import read_settings

__all__ = ["BARE_PATH"]

BARE_PATH: Final = "/bare"


def bare_app() -> Flask:
    """Return an application of one page, with nothing of the arena in it."""
    app = Flask("bare")

    @app.get("/")
    def page() -> str:
        return "<!doctype html><title>Bare</title><p>Nothing is done for this page."

    return app


class BenchServer(WebServer):
    """The arena's server, same process, same threads, and the bare page under its own path."""

    def load(self) -> Callable[..., Any]:
        """Return the arena's application and the bare one behind one dispatcher."""
        return DispatcherMiddleware(super().load(), {BARE_PATH: bare_app()})


if __name__ == "__main__":
    BenchServer(read_settings(os.environ)).run()
