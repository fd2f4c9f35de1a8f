"""A throw-away installation of the arena: prepared, served on this machine, settled and checked."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
from sqlalchemy import text

from antiabuse.utc import month_of
from arena import boards, refits
from ledger.sequencer import Sequencer
from ledger.verify import verify_log
from webapp.prepare import prepare
from webapp.settings import Settings, read_settings
from webapp.wiring import Services, build_services

__all__ = ["Installation", "Server", "Stored", "installation", "serving"]

HOST: Final = "127.0.0.1"
READY_SECONDS: Final = 30.0
STOP_SECONDS: Final = 20.0
# One address for each voter comes in this header, as from a proxy; no limit is to be reached.
PROXIES: Final = 1
NO_LIMIT: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Stored:
    """What the database holds after the load."""

    votes: int
    ballots_with_votes: int
    vote_events: int
    log_entries: int
    log_fault: str | None
    events_waiting: int


@dataclass(frozen=True, slots=True)
class Installation:
    """A prepared installation: its environment and what it says."""

    environ: Mapping[str, str]
    settings: Settings
    content: str

    def settle(self) -> None:
        """Sequence all that waits without its minute, and publish boards of all votes."""
        with self._services() as services:
            now_us = services.clock()
            sequencer = _hasty_sequencer(services)
            while sequencer.step(now_us).added:
                now_us += 1
            for mode in boards.MODES:
                refits.refit_now(services.ports, mode, month_of(now_us), now_us)
            sequencer.step(now_us + 1)

    def stored(self) -> Stored:
        """Count what was stored and verify the whole log."""
        with self._services() as services, services.database.read() as conn:
            report = verify_log(
                conn,
                origin=services.settings.log_origin,
                verifiers=[services.log_key.verifier],
                kept=[services.checkpoint_path.read_text(encoding="utf-8")],
            )
            counts = conn.execute(
                text(
                    "SELECT (SELECT count(*) FROM vote),"
                    " (SELECT count(DISTINCT ballot_id) FROM vote),"
                    " (SELECT count(*) FROM event WHERE kind = 'vote.cast')"
                )
            ).one()
            fault = None if report.fault is None else report.fault.what
            votes, ballots, events = (int(count) for count in counts)
            return Stored(votes, ballots, events, report.size, fault, report.pending)

    @contextmanager
    def _services(self) -> Iterator[Services]:
        services = build_services(self.settings)
        try:
            yield services
        finally:
            services.close()


@contextmanager
def installation(
    *, database_url: str | None, questions: Path | None, threads: int
) -> Iterator[Installation]:
    """Prepare an installation in a folder of its own, and remove it in the end.

    Args:
        database_url: an empty PostgreSQL database; None for SQLite in the folder.
        questions: a folder of AlpacaEval outputs to import; None for the demo packs.
        threads: of the web process.
    """
    folder = Path(tempfile.mkdtemp(prefix="arena-bench-"))
    environ = {
        "PATH": os.environ.get("PATH", ""),
        "ARENA_DATA_DIR": str(folder),
        "ARENA_PORT": str(_free_port()),
        "ARENA_THREADS": str(threads),
        "ARENA_RATE_LIMIT": str(NO_LIMIT),
        "ARENA_TRUSTED_PROXIES": str(PROXIES),
        "ARENA_DEMO": "on" if questions is None else "off",
    } | ({} if database_url is None else {"ARENA_DATABASE_URL": database_url})
    try:
        settings = read_settings(environ)
        prepare(settings, say=lambda _line: None)
        if questions is not None:
            _import(questions, environ)
        yield Installation(environ, settings, "demo packs" if questions is None else questions.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Server:
    """A running web server: its port, and its first process."""

    port: int
    pid: int

    def cpu_seconds(self) -> float:
        """Return the processor time that the web processes have used so far."""
        first = psutil.Process(self.pid)
        times = [process.cpu_times() for process in (first, *first.children(recursive=True))]
        return sum(time_.user + time_.system for time_ in times)


@contextmanager
def serving(installed: Installation) -> Iterator[Server]:
    """Run the web server, with the bare page, and the worker; stop both in the end."""
    commands = (("-m", "bench.web"), ("-m", "webapp.cli", "worker"))
    children = [
        subprocess.Popen([sys.executable, *command], env=installed.environ) for command in commands
    ]
    try:
        _wait_until_ready(installed.settings.port)
        yield Server(installed.settings.port, children[0].pid)
    finally:
        for child in children:
            child.send_signal(signal.SIGTERM)
        for child in children:
            try:
                child.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()


def _import(questions: Path, environ: Mapping[str, str]) -> None:
    command = ["-m", "webapp.cli", "import", str(questions), "--mode", "speed"]
    terms = ["--origin", questions.name, "--licence", "unknown"]
    subprocess.run(
        [sys.executable, *command, *terms], env=environ, check=True, stdout=subprocess.DEVNULL
    )


def _hasty_sequencer(services: Services) -> Sequencer:
    return Sequencer(
        services.database,
        services.log_key,
        services.settings.log_origin,
        services.checkpoint_path,
        services.rng,
        shuffle_every_us=0,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(port: int) -> None:
    until_s = time.monotonic() + READY_SECONDS
    while time.monotonic() < until_s:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(f"the server did not answer within {READY_SECONDS:.0f} s")
