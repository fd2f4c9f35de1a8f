"""Keeps the public audit log's counts between requests, for counting a month takes seconds."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final, cast

from flask import Flask, current_app

from antiabuse.utc import MINUTE_US, hour_of
from arena.audit import Count, public_counts
from ledger.database import Database

__all__ = ["CountCache", "count_cache", "init_count_cache"]

_EXTENSION: Final = "audit_counts"
_KEPT: Final = 24
_KEPT_US: Final = 5 * MINUTE_US  # an hour's last events reach the log up to minutes after its end


@dataclass(frozen=True, slots=True)
class _Kept:
    counts: tuple[Count, ...]
    counted_us: int


class CountCache:
    """Counts of the last months asked for, by month and hour of asking."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._lock = threading.Lock()

    def of(self, database: Database, month: str, now_us: int) -> tuple[Count, ...]:
        """Return a month's counts, at most five minutes old; readers at once wait for one count."""
        key = (month, hour_of(now_us))
        with self._lock:
            found = self._kept.get(key)
            if found is None or now_us - found.counted_us >= _KEPT_US:
                with database.read() as conn:
                    found = _Kept(public_counts(conn, month, now_us), now_us)
                self._kept.pop(key, None)
                if len(self._kept) >= _KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = found
        return found.counts


def init_count_cache(app: Flask) -> None:
    """Give an application its own cache."""
    app.extensions[_EXTENSION] = CountCache()


def count_cache() -> CountCache:
    """Return the cache of the application at hand."""
    return cast("CountCache", current_app.extensions[_EXTENSION])
