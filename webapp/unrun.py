"""Counts checks that could not run, every few seconds into the database, and in the end the rest.

The database is written after the answer has left, so that an outage makes nobody wait for this too.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog
from flask import Flask, Response

from antiabuse import unrun_checks
from antiabuse.unrun_checks import Check
from antiabuse.utc import hour_of
from ledger.database import Database
from ledger.errors import LedgerError
from ledger.ids import Clock

__all__ = ["UnrunCounter", "init_unrun"]

_EVERY_S: Final = 5.0
_log = structlog.get_logger("webapp.unrun")


class UnrunCounter:
    """What this process could not check and has not written down yet.

    Args:
        database: to write to.
        clock: microseconds since the epoch.
        elapsed: seconds of a clock that only goes forward.
    """

    def __init__(
        self, database: Database, clock: Clock, elapsed: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._clock = clock
        self._elapsed = elapsed
        self._counting, self._writing = threading.Lock(), threading.Lock()
        self._waiting: Counter[Check] = Counter()
        self._next = 0.0
        self._timer: threading.Timer | None = None
        self._closed = False

    def count(self, check: Check) -> None:
        """Count one request that went without a check."""
        with self._counting:
            self._waiting[check] += 1

    def write_soon(self) -> None:
        """Write what waits where the last writing is some seconds ago, and else once it is."""
        if not self._waiting:
            return
        with self._counting:
            due = self._next <= self._elapsed()
        if due:
            self.write()
        with self._counting:
            if self._waiting and self._timer is None and not self._closed:
                wait_s = max(0.0, self._next - self._elapsed())
                self._timer = threading.Timer(wait_s, self._on_time)
                self._timer.daemon = True
                self._timer.start()

    def write(self) -> None:
        """Write all that waits; what cannot be written waits on."""
        with self._writing:
            with self._counting:
                if not self._waiting:
                    return
                self._next = self._elapsed() + _EVERY_S
                taken, self._waiting = self._waiting, Counter()
            try:
                with self._database.write() as conn:
                    unrun_checks.add(conn, hour_of(self._clock()), taken)
            except LedgerError as error:
                _log.warning("unrun_not_written", error=type(error).__name__)
                with self._counting:
                    self._waiting.update(taken)

    def close(self) -> None:
        """Write what waits for the last time: the process ends."""
        with self._counting:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
        self.write()

    def _on_time(self) -> None:
        with self._counting:
            self._timer = None
        self.write_soon()


def init_unrun(app: Flask, counter: UnrunCounter) -> None:
    """Write the counts once an answer has left."""

    @app.after_request
    def _write_later(response: Response) -> Response:
        response.call_on_close(counter.write_soon)
        return response
