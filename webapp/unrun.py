"""Counts checks that could not run, every few seconds into the database.

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
        elapsed: seconds of a clock that only goes forward.
    """

    def __init__(self, elapsed: Callable[[], float] = time.monotonic) -> None:
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._waiting: Counter[Check] = Counter()
        self._next = 0.0

    def count(self, check: Check) -> None:
        """Count one request that went without a check."""
        with self._lock:
            self._waiting[check] += 1

    def write(self, database: Database, now_us: int) -> None:
        """Write what waits, at most every few seconds; what cannot be written waits on."""
        if not self._waiting:
            return
        with self._lock:
            if self._elapsed() < self._next:
                return
            self._next = self._elapsed() + _EVERY_S
            taken, self._waiting = self._waiting, Counter()
        try:
            with database.write() as conn:
                unrun_checks.add(conn, hour_of(now_us), taken)
        except LedgerError as error:
            _log.warning("unrun_not_written", error=type(error).__name__)
            with self._lock:
                self._waiting.update(taken)


def init_unrun(app: Flask, counter: UnrunCounter, database: Database, clock: Clock) -> None:
    """Write the counts once an answer has left."""

    @app.after_request
    def _write_later(response: Response) -> Response:
        response.call_on_close(lambda: counter.write(database, clock()))
        return response
