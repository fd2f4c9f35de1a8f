"""Moving windows in memory: full, moving on, and forgotten."""

from __future__ import annotations

import pytest

from webapp.limit_memory import WindowMemory

SECOND = 1_000_000
WINDOW = 60
FULL = 3


class Moment:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_us = 1_000 * SECOND

    def __call__(self) -> int:
        """Return the moment."""
        return self.now_us


@pytest.fixture
def moment() -> Moment:
    """The clock of the store."""
    return Moment()


@pytest.fixture
def memory(moment: Moment) -> WindowMemory:
    """An empty store."""
    return WindowMemory(clock=moment)


def enter(memory: WindowMemory, key: str = "a") -> bool:
    """Ask for one entry in a window of three a minute."""
    return memory.acquire_entry(key, FULL, WINDOW)


def test_a_full_window_takes_no_more(memory: WindowMemory) -> None:
    """As many entries as the limit says are taken, and each key has its own."""
    assert [enter(memory) for _ in range(FULL + 1)] == [True, True, True, False]
    assert enter(memory, "b")


def test_the_window_moves(memory: WindowMemory, moment: Moment) -> None:
    """Each entry makes room when it is as old as the window, not all at once."""
    enter(memory)
    moment.now_us += 30 * SECOND
    enter(memory)
    enter(memory)
    moment.now_us += 30 * SECOND + 1
    assert [enter(memory), enter(memory)] == [True, False]


def test_a_refused_request_takes_no_room(memory: WindowMemory, moment: Moment) -> None:
    """Who keeps asking while refused is let in as soon as who waits."""
    for _ in range(10 * FULL):
        enter(memory)
    moment.now_us += WINDOW * SECOND + 1
    assert enter(memory)


def test_the_window_tells_its_start_and_count(memory: WindowMemory, moment: Moment) -> None:
    """The oldest entry's time is what the wait is computed from."""
    first = moment.now_us / SECOND
    enter(memory)
    moment.now_us += SECOND
    enter(memory)
    assert memory.get_moving_window("a", FULL, WINDOW) == (first, 2)
    assert memory.get_moving_window("new", FULL, WINDOW) == (first + 1, 0)


def test_what_passed_elsewhere_counts_here(memory: WindowMemory, moment: Moment) -> None:
    """Requests entered from outside fill the window, and leave it as the others do."""
    for _ in range(FULL + 2):
        memory.enter("a", WINDOW)
    assert not enter(memory)

    moment.now_us += WINDOW * SECOND + 1
    memory.enter("a", WINDOW)
    assert memory.get_moving_window("a", FULL, WINDOW)[1] == 1
    assert enter(memory)


def test_addresses_are_forgotten(memory: WindowMemory, moment: Moment) -> None:
    """Keys whose window is over are gone after the next sweep; a long-lived server stays small."""
    for number in range(100):
        enter(memory, f"address {number}")
    moment.now_us += 2 * WINDOW * SECOND
    enter(memory, "late")
    assert memory.reset() == 1


def test_clear_and_reset(memory: WindowMemory) -> None:
    """One key, or all, can be forgotten at once."""
    for key in ("a", "b"):
        for _ in range(FULL):
            enter(memory, key)
    memory.clear("a")
    assert [enter(memory, "a"), enter(memory, "b")] == [True, False]
    memory.reset()
    assert enter(memory, "b")


def test_a_clock_set_back_shuts_nobody_out(moment: Moment) -> None:
    """A full window is free again one window later, however far the clock went back."""
    memory = WindowMemory(clock=moment)
    assert [memory.acquire_entry("a", FULL, WINDOW) for _ in range(4)] == [True] * 3 + [False]

    moment.now_us -= 900 * SECOND
    assert not memory.acquire_entry("a", FULL, WINDOW)
    assert memory.get_moving_window("a", FULL, WINDOW) == (100.0, FULL)
    moment.now_us += (WINDOW + 1) * SECOND

    assert memory.acquire_entry("a", FULL, WINDOW)
