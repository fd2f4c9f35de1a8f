"""`arena serve`, `web` and `worker`: start the service, or one half of it."""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from typing import Final

import click

from webapp.connections import WORKER_POOL
from webapp.settings import Settings, SettingsError, read_settings

__all__ = ["serve", "web", "worker"]

_READY_WAIT_S: Final = 60.0
_READY_POLL_S: Final = 0.1


@click.command()
def serve() -> None:
    """Prepare the database and run web and worker together; the default for one machine."""
    from webapp.prepare import prepare
    from webapp.supervisor import Supervisor

    settings = read_settings(os.environ)
    _require_free_port(settings)
    prepare(settings, say=_say)
    arena = [sys.executable, "-m", "webapp.cli"]
    # Beside a web server, numpy's threads only wait for each other: a fit took 20 times as long.
    environ = {"OPENBLAS_NUM_THREADS": "1", **os.environ}
    supervisor = Supervisor(
        {"web": [*arena, "web"], "worker": [*arena, "worker"]}, environ, say=_say
    )
    threading.Thread(target=_announce, args=(settings,), daemon=True).start()
    sys.exit(supervisor.run())


@click.command()
def web() -> None:
    """Run the web half alone; the database must be prepared."""
    from webapp.prepare import connection_shortage, require_prepared
    from webapp.server import run_web
    from webapp.supervisor import stop_with_parent

    settings = read_settings(os.environ)
    require_prepared(settings)
    short = connection_shortage(settings)
    if short:
        _say(f"arena: {short}")
    stop_with_parent(os.environ)
    run_web(settings)


@click.command()
def worker() -> None:
    """Run the worker half alone: sequencer, fits, upkeep."""
    from webapp.logs import init_logs
    from webapp.prepare import require_prepared
    from webapp.supervisor import stop_with_parent
    from webapp.wiring import build_services
    from webapp.worker import run_worker

    settings = read_settings(os.environ)
    require_prepared(settings)
    init_logs()
    stop_with_parent(os.environ)
    run_worker(build_services(settings, pool_size=WORKER_POOL))


def _require_free_port(settings: Settings) -> None:
    """Refuse an address that cannot be listened on, before anything is prepared or announced.

    Raises:
        SettingsError: naming the variable to change.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As the server does: what the last run left in TIME_WAIT is no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                message = (
                    f"port {settings.port} is taken: stop what uses it, or set ARENA_PORT to "
                    "another"
                )
            else:
                message = (
                    f"cannot listen on {settings.host}, port {settings.port} ({error.strerror}): "
                    "set ARENA_HOST and ARENA_PORT"
                )
            raise SettingsError(message) from error


def _say(line: str) -> None:
    click.echo(line, err=True)


def _announce(settings: Settings) -> None:
    """Print the address once the first page is there to be read."""
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104 - compared, not bound
    address = f"http://{host}:{settings.port}/healthz"
    end = time.monotonic() + _READY_WAIT_S
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=1):
                click.echo(f"{settings.name} is ready at {settings.public_url} (stop with Ctrl-C)")
                return
        except (urllib.error.URLError, OSError):
            time.sleep(_READY_POLL_S)
