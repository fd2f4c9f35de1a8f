"""The limits' moving windows in Redis or Valkey, and in this process's memory while that is away.

A store that does not answer costs one request a short wait; the next ones do not ask it until it is
tried again. What could not be counted in common is reported, and never costs a visitor (V-168).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from limits.storage import MovingWindowSupport, RedisStorage, Storage
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from webapp.limit_memory import WindowMemory

__all__ = ["REDIS_WAIT_S", "SCHEME", "SharedWindows"]

SCHEME: Final = "shared-windows"
REDIS_WAIT_S: Final = 0.2
"""How long one answer of the store is waited for; connecting and asking may each take that long."""

_TRY_AGAIN_S: Final = 2.0
_ANSWERS: Final = 0.0


class SharedWindows(Storage, MovingWindowSupport):
    """Moving windows that all processes share, with a stand-in of this process's own.

    Args:
        uri: as the library passes it.
        redis_url: the store's address.
        memory: counts while the store is away.
        missed: called once for each request that could not be counted in the store.
        elapsed: seconds of a clock that only goes forward.
        options: further ones of the library's.
    """

    STORAGE_SCHEME = [SCHEME]  # noqa: RUF012 - the library's own form; it registers the scheme

    def __init__(
        self,
        uri: str | None = None,
        *,
        redis_url: str,
        memory: WindowMemory,
        missed: Callable[[], None],
        elapsed: Callable[[], float],
        **options: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(uri, **options)
        self._redis = RedisStorage(
            redis_url,
            socket_timeout=REDIS_WAIT_S,
            socket_connect_timeout=REDIS_WAIT_S,
            # By itself the client would try four times.
            retry=Retry(NoBackoff(), 0),  # type: ignore[arg-type] # passed on to the client
        )
        self._memory = memory
        self._missed = missed
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._away_until = _ANSWERS

    @property
    def base_exceptions(self) -> type[Exception]:
        """Return the kind of error that a store of the library may raise."""
        return RedisError

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Enter a request into its window; False, and nothing entered, when the window is full.

        Args:
            key: what is limited, such as an address in a scope.
            limit: the most entries a window may hold.
            expiry: the window's length in seconds.
            amount: entries asked for.
        """
        if self._may_ask():
            try:
                entered = self._redis.acquire_entry(key, limit, expiry, amount)
            except RedisError:
                self._answered(well=False)
            else:
                self._answered(well=True)
                return entered
        self._missed()
        return self._memory.acquire_entry(key, limit, expiry, amount)

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return when the window's oldest entry was made, now without one, and their number.

        Args:
            key: what is limited.
            limit: the most entries a window may hold.
            expiry: the window's length in seconds.
        """
        if not self._away_until:
            try:
                return self._redis.get_moving_window(key, limit, expiry)
            except RedisError:
                self._answered(well=False)
        return self._memory.get_moving_window(key, limit, expiry)

    def _may_ask(self) -> bool:
        """Say whether to ask the store: always while it answers, else one request now and then."""
        with self._lock:
            now = self._elapsed()
            if now < self._away_until:
                return False
            if self._away_until:
                self._away_until = now + _TRY_AGAIN_S
            return True

    def _answered(self, *, well: bool) -> None:
        with self._lock:
            self._away_until = _ANSWERS if well else self._elapsed() + _TRY_AGAIN_S

    def check(self) -> bool:
        """Say whether the store answers."""
        return self._redis.check()

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count without a window; the limits here never do."""
        return self._redis.incr(key, expiry, amount)

    def get(self, key: str) -> int:
        """Return a count without a window."""
        return self._redis.get(key)

    def get_expiry(self, key: str) -> float:
        """Return when a count without a window ends."""
        return self._redis.get_expiry(key)

    def clear(self, key: str) -> None:
        """Forget one key."""
        self._memory.clear(key)
        self._redis.clear(key)

    def reset(self) -> int | None:
        """Forget everything; return how many keys that were."""
        return (self._memory.reset() or 0) + (self._redis.reset() or 0)
