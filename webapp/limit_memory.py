"""The limits' moving windows in this process's memory, forgotten once they are over.

The library's own store keeps every address it ever saw, and looks through all of them up to a
hundred times a second: thousands of addresses take the processor away from the pages.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from limits.storage import MemoryStorage

from antiabuse.utc import SECOND_US
from ledger.ids import Clock

__all__ = ["SCHEME", "WindowMemory"]

SCHEME = "window-memory"


class WindowMemory(MemoryStorage):
    """Moving windows by key, swept at most once in the length of a window.

    Args:
        uri: as the library passes it.
        clock: microseconds since the epoch.
        options: further ones of the library's.
    """

    STORAGE_SCHEME = [SCHEME]  # noqa: RUF012 - the library's own form; it registers the scheme

    def __init__(
        self,
        uri: str | None = None,
        *,
        clock: Clock,
        **options: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(uri, **options)
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[str, deque[float]] = {}
        self._sweep_after = 0.0

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Enter a request into its window; False, and nothing entered, when the window is full.

        Args:
            key: what is limited, such as an address in a scope.
            limit: the most entries a window may hold.
            expiry: the window's length in seconds.
            amount: entries asked for.
        """
        now = self._clock() / SECOND_US
        with self._lock:
            self._sweep(now, expiry)
            entries = self._entries.setdefault(key, deque())
            _drop_old(entries, now, expiry)
            if len(entries) + amount > limit:
                return False
            entries.extend([now] * amount)
            return True

    def enter(self, key: str, expiry: int, amount: int = 1) -> None:
        """Enter a request that was let through elsewhere, also into a full window.

        Args:
            key: what is limited.
            expiry: the window's length in seconds.
            amount: entries made.
        """
        now = self._clock() / SECOND_US
        with self._lock:
            self._sweep(now, expiry)
            entries = self._entries.setdefault(key, deque())
            _drop_old(entries, now, expiry)
            entries.extend([now] * amount)

    def get_moving_window(
        self,
        key: str,
        limit: int,  # noqa: ARG002 - the interface's; all entries held are counted
        expiry: int,
    ) -> tuple[float, int]:
        """Return when the window's oldest entry was made, now without one, and their number.

        Args:
            key: what is limited.
            limit: as entered with; more are held where `enter` filled a full window.
            expiry: the window's length in seconds.
        """
        now = self._clock() / SECOND_US
        with self._lock:
            entries = self._entries.get(key, deque())
            _drop_old(entries, now, expiry)
            return (entries[0] if entries else now), len(entries)

    def clear(self, key: str) -> None:
        """Forget one key."""
        super().clear(key)
        with self._lock:
            self._entries.pop(key, None)

    def reset(self) -> int | None:
        """Forget everything; return how many keys that were."""
        with self._lock:
            forgotten = len(self._entries)
            self._entries.clear()
        return forgotten + (super().reset() or 0)

    def _sweep(self, now: float, expiry: int) -> None:
        # Where the clock was set back, the time for the next sweep is too far away.
        if self._sweep_after - expiry <= now < self._sweep_after:
            return
        self._sweep_after = now + expiry
        over = [key for key, held in self._entries.items() if not held or held[-1] < now - expiry]
        for key in over:
            del self._entries[key]


def _drop_old(entries: deque[float], now: float, expiry: int) -> None:
    """Drop what left the window; what a clock since set back put into the future counts as now.

    Otherwise a full window would stay full until that future is over.
    """
    if entries and entries[-1] > now:
        times = [min(entry, now) for entry in entries]
        entries.clear()
        entries.extend(times)
    while entries and entries[0] < now - expiry:
        entries.popleft()
