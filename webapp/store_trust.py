"""When the shared store is asked, and when it counts as away: pure but for its lock and clock.

One slow answer is no outage: on a busy machine it says little, and who stops asking counts alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import StrEnum

__all__ = ["StoreTrust", "Trust"]


class Trust(StrEnum):
    """What is thought of the store."""

    ANSWERS = "answers"
    DOUBTED = "doubted"
    """One answer did not come in time; the store is asked on."""
    AWAY = "away"
    """It refuses connections, or whoever asked again waited in vain too: it is tried now and then.
    """


class StoreTrust:
    """What the requests of one process found out about the store.

    Args:
        elapsed: seconds of a clock that only goes forward.
        try_again_s: how long a store that is away is left alone.
    """

    def __init__(self, elapsed: Callable[[], float], try_again_s: float) -> None:
        self._elapsed = elapsed
        self._try_again_s = try_again_s
        self._lock = threading.Lock()
        self._trust = Trust.ANSWERS
        self._doubted_at = 0.0
        self._next_try = 0.0

    @property
    def state(self) -> Trust:
        """Return what is thought of the store."""
        return self._trust

    def may_ask(self) -> bool:
        """Say whether to ask the store: always unless it is away, then one request now and then."""
        with self._lock:
            if self._trust is not Trust.AWAY:
                return True
            now = self._elapsed()
            if now < self._next_try:
                return False
            self._next_try = now + self._try_again_s
            return True

    def answered(self) -> None:
        """Take note of an answer in time."""
        with self._lock:
            self._trust = Trust.ANSWERS

    def unreachable(self) -> None:
        """Take note that no connection was to be had: there is nothing to wait for."""
        with self._lock:
            self._leave_alone()

    def too_late(self, asked_at: float) -> None:
        """Take note of an answer that did not come in time.

        Args:
            asked_at: when it was asked for, by the same clock; many that ask at once are all kept
                waiting by one pause, so only who asked after the first of them confirms the doubt.
        """
        with self._lock:
            if self._trust is Trust.ANSWERS:
                self._trust, self._doubted_at = Trust.DOUBTED, self._elapsed()
            elif self._trust is Trust.AWAY or asked_at >= self._doubted_at:
                self._leave_alone()

    def _leave_alone(self) -> None:
        self._trust = Trust.AWAY
        self._next_try = self._elapsed() + self._try_again_s
