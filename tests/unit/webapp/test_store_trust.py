"""Trust in the shared store: doubted after one late answer, left alone only after more."""

from __future__ import annotations

import pytest

from webapp.store_trust import StoreTrust, Trust

LEFT_ALONE_S = 2.0


class Elapsed:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the seconds."""
        return self.now


@pytest.fixture
def elapsed() -> Elapsed:
    """The clock of the trust."""
    return Elapsed()


@pytest.fixture
def trust(elapsed: Elapsed) -> StoreTrust:
    """A store that answered so far."""
    return StoreTrust(elapsed, LEFT_ALONE_S)


def test_one_late_answer_is_a_doubt(trust: StoreTrust) -> None:
    """The store is asked on, and an answer in time ends the doubt."""
    trust.too_late(asked_at=99.6)
    assert (trust.state, trust.may_ask()) == (Trust.DOUBTED, True)

    trust.answered()
    assert trust.state is Trust.ANSWERS


def test_all_that_one_pause_kept_waiting_are_one_doubt(trust: StoreTrust, elapsed: Elapsed) -> None:
    """Only who asked after the first late answer confirms it."""
    for asked_at in (99.6, 99.7, 99.9):
        trust.too_late(asked_at)
    assert (trust.state, trust.may_ask()) == (Trust.DOUBTED, True)

    elapsed.now += 0.5
    trust.too_late(asked_at=100.1)
    assert (trust.state, trust.may_ask()) == (Trust.AWAY, False)


def test_a_refused_connection_needs_no_second_look(trust: StoreTrust) -> None:
    """There is nothing to wait for."""
    trust.unreachable()
    assert (trust.state, trust.may_ask()) == (Trust.AWAY, False)


def test_a_store_that_is_away_is_tried_now_and_then(trust: StoreTrust, elapsed: Elapsed) -> None:
    """One request in each stretch tries it; a late answer to that keeps it away."""
    trust.unreachable()
    elapsed.now += LEFT_ALONE_S
    assert [trust.may_ask() for _ in range(3)] == [True, False, False]

    trust.too_late(asked_at=elapsed.now)
    assert (trust.state, trust.may_ask()) == (Trust.AWAY, False)
    elapsed.now += LEFT_ALONE_S
    assert trust.may_ask()
    trust.answered()
    assert [trust.may_ask() for _ in range(3)] == [True] * 3
