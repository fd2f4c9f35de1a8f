"""Keeps the public audit log's counts between requests, and adds what the log gained since.

Counting a month of many votes from its beginning takes seconds.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Final, cast

from flask import Flask, current_app

from antiabuse.utc import MINUTE_US, hour_of
from arena.audit import Count, LoggedCounts, logged_counts, told_counts
from ledger import store
from ledger.database import Database

__all__ = ["CountCache", "count_cache", "init_count_cache"]

_EXTENSION: Final = "audit_counts"
_KEPT: Final = 24
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
        self._lock = threading.Lock()

    def of(self, database: Database, month: str, now_us: int) -> tuple[Count, ...]:
        """Return a month's counts, at most five minutes old; readers at once wait for one count."""
        with self._lock:
            found = self._kept.pop(month, _NOTHING)
            if not found.is_fresh(now_us):
                found = _grown(database, month, found, now_us)
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[month] = found
        return found.told


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
