"""The arena's own web server with one bare Flask page beside it: the measure for the others."""

from __future__ import annotations

import os
from typing import Final

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

    def load(self) -> Flask:
        """Return the arena's application with the bare one before it, behind one dispatcher."""
        app = super().load()
        app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {BARE_PATH: bare_app()})  # type: ignore[method-assign]
        return app


if __name__ == "__main__":
    BenchServer(read_settings(os.environ)).run()
