"""Keeps the public audit log's counts between requests, and adds what the log gained since.

Counting a month of many votes from its beginning takes seconds.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Final, cast

import structlog
from flask import Flask, current_app

from antiabuse.utc import MINUTE_US, hour_of
from arena.audit import Count, LoggedCounts, logged_counts, told_counts
from ledger import store
from ledger.database import Database
from ledger.errors import DatabaseBusy, LedgerError

__all__ = ["CountCache", "count_cache", "init_count_cache"]

_log = structlog.get_logger("webapp.audit")

_EXTENSION: Final = "audit_counts"
_KEPT: Final = 24
_WAIT_S: Final = 10.0  # as long as for one of the database's connections
_KEPT_US: Final = 5 * MINUTE_US  # an hour's last events reach the log up to minutes after its end


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the first `size` entries of the log hold of a month, and what of it was told when."""

    size: int
    logged: LoggedCounts
    told: tuple[Count, ...]
    hour: str
    counted_us: int

    def is_fresh(self, now_us: int) -> bool:
        """Whether it may be told again."""
        return self.hour == hour_of(now_us) and now_us - self.counted_us < _KEPT_US


_NOTHING: Final = _Kept(0, Counter(), (), "", 0)


class CountCache:
    """Counts of the last months asked for."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._counting = threading.Lock()

    def of(self, database: Database, month: str, now_us: int) -> tuple[Count, ...]:
        """Return a month's counts, at most five minutes old.

        While another reader counts, or the database cannot be read, older ones are told again.
        Where there are none yet, readers at once wait for one count.

        Raises:
            DatabaseBusy: it took too long.
        """
        kept = self._kept.get(month, _NOTHING)
        if kept.is_fresh(now_us):
            return kept.told
        if not self._counting.acquire(timeout=_WAIT_S if kept is _NOTHING else 0):
            if kept is _NOTHING:
                raise DatabaseBusy("other readers' counts are still being made: try again")
            return kept.told
        try:
            return self._counted(database, month, now_us).told
        finally:
            self._counting.release()

    def _counted(self, database: Database, month: str, now_us: int) -> _Kept:
        kept = self._kept.get(month, _NOTHING)
        if kept.is_fresh(now_us):
            return kept
        try:
            grown = _grown(database, month, kept, now_us)
        except LedgerError as unable:
            if kept is _NOTHING:
                raise
            _log.warning("audit_not_counted", error=type(unable).__name__)
            return kept
        self._kept.pop(month, None)
        if len(self._kept) >= _KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[month] = grown
        return grown


def _grown(database: Database, month: str, kept: _Kept, now_us: int) -> _Kept:
    with database.read() as conn:
        size = store.head(conn).size
        logged = kept.logged + logged_counts(conn, month, kept.size, size)
    return _Kept(size, logged, told_counts(logged, now_us), hour_of(now_us), now_us)


def init_count_cache(app: Flask) -> None:
    """Give an application its own cache."""
    app.extensions[_EXTENSION] = CountCache()


def count_cache() -> CountCache:
    """Return the cache of the application at hand."""
    return cast("CountCache", current_app.extensions[_EXTENSION])
