"""The limits' moving windows in Redis or Valkey, and in this process's memory while that is away.

A store that does not answer costs a request a short wait, and after two of them nobody asks it
until it is tried again. What could not be counted in common is reported, never costs a visitor
(V-168), and is told to the store once it answers.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from dataclasses import dataclass
from typing import Any, Final

from limits.storage import MovingWindowSupport, RedisStorage, Storage
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError
from redis.retry import Retry

from webapp.limit_memory import WindowMemory
from webapp.store_trust import StoreTrust, Trust

__all__ = ["ANSWER_WAIT_S", "SCHEME", "SharedWindows"]

SCHEME: Final = "shared-windows"
ANSWER_WAIT_S: Final = 0.35
"""How long a request waits for the store, connecting included."""

_DETAIL_WAIT_S: Final = 0.1  # a refused request asks once more; both stay below half a second
_TRY_AGAIN_S: Final = 2.0
_SOCKET_WAIT_S: Final = 1.0  # nobody waits for it but a thread of this module
_ASKING: Final = 8  # a connection each: a crowd's own connections would slow the store down
_MOST_OWED: Final = 100_000
_SETTLE_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class _Entry:
    """A request let through, as the store is told of it."""

    key: str
    limit: int
    expiry: int
    amount: int
    at_s: float


class SharedWindows(Storage, MovingWindowSupport):
    """Moving windows that all processes share, with a stand-in of this process's own.

    Args:
        uri: as the library passes it.
        redis_url: the store's address.
        memory: counts while the store is away, and knows what this process let through before.
        processes: how many count at the same store; each lets through its share in a moment's
            doubt, so that all together keep to the limit.
        whole: says whether the request at hand is of those that have no share, but the whole limit
            in each process, for it must not be lost to a doubt.
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
        processes: int,
        whole: Callable[[], bool],
        missed: Callable[[], None],
        elapsed: Callable[[], float],
        **options: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(uri, **options)
        self._redis = RedisStorage(
            redis_url,
            socket_timeout=_SOCKET_WAIT_S,
            socket_connect_timeout=_SOCKET_WAIT_S,
            # Once more where the store closed an idle connection; never after a wait.
            retry=Retry(NoBackoff(), 1, (NoConnection,)),  # type: ignore[arg-type] # passed on
        )
        self._memory = memory
        self._processes = processes
        self._whole = whole
        self._missed = missed
        self._elapsed = elapsed
        self._trust = StoreTrust(elapsed, _TRY_AGAIN_S)
        self._asking = ThreadPoolExecutor(_ASKING, thread_name_prefix="limit-store")
        self._entering, self._settling = threading.Lock(), threading.Lock()
        self._in_doubt: Counter[str] = Counter()
        self._owed: deque[_Entry] = deque(maxlen=_MOST_OWED)

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
        entry = _Entry(key, limit, expiry, amount, self._elapsed())
        if not self._trust.may_ask():
            return self._enter_alone(entry, told=False)
        asked = self._asking.submit(self._ask, entry)
        try:
            entered = asked.result(ANSWER_WAIT_S)
        except (TooLate, RedisError) as fault:
            self._note(fault, entry.at_s)
            # A store that only stood still reads later what it was sent.
            sent = isinstance(fault, TooLate) and not asked.cancel()
            return self._enter_alone(entry, told=sent)
        self._trust.answered()
        if entered:
            self._memory.enter(key, expiry, amount)
        if self._in_doubt:
            with self._entering:
                self._in_doubt.clear()
        return entered

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return when the window's oldest entry was made, now without one, and their number.

        Args:
            key: what is limited.
            limit: the most entries a window may hold.
            expiry: the window's length in seconds.
        """
        if self._trust.state is Trust.ANSWERS:
            asked = self._asking.submit(self._redis.get_moving_window, key, limit, expiry)
            try:
                return asked.result(_DETAIL_WAIT_S)
            except (TooLate, RedisError):
                asked.cancel()
        return self._memory.get_moving_window(key, limit, expiry)

    def _ask(self, entry: _Entry) -> bool:
        """Enter a request in the store; then tell it what it missed, before others may ask."""
        entered = self._enter(entry)
        if self._owed and self._settling.acquire(blocking=False):
            try:
                self._settle(self._elapsed() + _SETTLE_S)
            finally:
                self._settling.release()
        return entered

    def _settle(self, until: float) -> None:
        while self._owed and self._elapsed() < until:
            entry = self._owed.popleft()
            if self._elapsed() - entry.at_s >= entry.expiry:
                continue
            try:
                self._enter(entry)
            except RedisError:  # whoever is asking was entered already
                self._owed.appendleft(entry)
                return

    def _enter(self, entry: _Entry) -> bool:
        return self._redis.acquire_entry(entry.key, entry.limit, entry.expiry, entry.amount)

    def _note(self, fault: Exception, asked_at: float) -> None:
        if isinstance(fault, NoConnection):
            self._trust.unreachable()
        else:
            self._trust.too_late(asked_at)

    def _enter_alone(self, entry: _Entry, *, told: bool) -> bool:
        """Enter into this process's window, and remember what the store has to be told of.

        A doubt passes within a second, in which no voter needs a whole minute's requests: there
        each process lets through its share, but of what must not be lost. While the store is away
        a share would refuse honest ones.
        """
        self._missed()
        shared = not self._whole()
        share = max(1, entry.limit // self._processes)
        with self._entering:
            doubted = shared and self._trust.state is Trust.DOUBTED
            if doubted and self._in_doubt[entry.key] + entry.amount > share:
                return False
            if not self._memory.acquire_entry(entry.key, entry.limit, entry.expiry, entry.amount):
                return False
            if doubted:
                self._in_doubt[entry.key] += entry.amount
        if not told:
            self._owed.append(entry)
        return True

    def check(self) -> bool:
        """Say whether the store answered whoever asked last; nobody waits for this."""
        return self._trust.state is Trust.ANSWERS

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
