"""The web half: gunicorn with threads, in this process's own words."""

from __future__ import annotations

import sys
from typing import Any, Final

from flask import Flask
from gunicorn.app.base import BaseApplication

from webapp.app import create_app
from webapp.logs import init_logs
from webapp.settings import Settings
from webapp.unreadable import WebWorker
from webapp.wiring import Services, build_services

__all__ = ["WebServer", "run_web"]

# Writers of one process wait for each other; the usual 5 ms between thread switches would show.
_SWITCH_INTERVAL_S: Final = 0.0005
_GRACEFUL_S: Final = 15


class WebServer(BaseApplication):  # type: ignore[misc] # gunicorn ships no types
    """Gunicorn with the arena's settings and, in each worker, the arena's application.

    Attributes:
        settings: the operator's.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._services: Services | None = None
        super().__init__()

    def load_config(self) -> None:
        """Translate the operator's settings into gunicorn's."""
        settings = self.settings
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        options: dict[str, Any] = {
            "bind": f"{host}:{settings.port}",
            "workers": settings.workers,
            "worker_class": WebWorker,
            "threads": settings.threads,
            "graceful_timeout": _GRACEFUL_S,
            "control_socket_disable": True,
            "worker_exit": self._close,
            "loglevel": "warning",
            "proc_name": "arena web",
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Build the services in the worker: connections do not survive a fork."""
        init_logs()
        sys.setswitchinterval(_SWITCH_INTERVAL_S)
        self._services = build_services(self.settings)
        return create_app(self._services)

    def _close(self, _arbiter: object, _worker: object) -> None:
        """Close what `load` opened, in the worker that ends; the arbiter itself opened nothing."""
        if self._services is not None:
            self._services.close()


def run_web(settings: Settings) -> None:
    """Serve until told to stop."""
    WebServer(settings).run()
