"""Turns at digesting passwords: how many wait, and for how long."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from antiabuse.account_rules import current
from webapp.moderation import digest_turns
from webapp.moderation.digest_turns import DigestsBusy, DigestTurns


def test_few_wait_and_the_rest_are_refused_at_once() -> None:
    """With one digesting, as many as the rule says wait and get their turn; no more."""
    turns, most = DigestTurns(), current().digests_waiting
    inside, go_on, refused = threading.Event(), threading.Event(), threading.Semaphore(0)

    def digest() -> str:
        try:
            with turns.turn():
                inside.set()
                go_on.wait(5)
                return "had a turn"
        except DigestsBusy:
            refused.release()
            return "refused"

    with ThreadPoolExecutor(most + 4) as pool:
        first = pool.submit(digest)
        assert inside.wait(5)
        others = [pool.submit(digest) for _ in range(most + 3)]
        told = [refused.acquire(timeout=0.5) for _ in range(3)]
        go_on.set()

    assert told == [True] * 3
    assert first.result() == "had a turn"
    assert [each.result() for each in others].count("had a turn") == most


def test_nobody_waits_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who gets no turn in time is told when to try again, and leaves the place free."""
    monkeypatch.setattr(digest_turns, "current", lambda: replace(current(), digest_wait_ms=10))
    turns, most = DigestTurns(), current().digests_waiting + 1
    told: list[int] = []

    with turns.turn():
        for _ in range(most):
            with pytest.raises(DigestsBusy) as error, turns.turn():
                pass
            told.append(error.value.retry_after_s)

    assert told == [current().digest_retry_s] * most
    with turns.turn():
        pass
