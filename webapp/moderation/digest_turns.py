"""Turns at digesting passwords: one digest at a time, few may wait, and none of them for long.

Each digest takes 64 MiB and all cores for a tenth of a second. Whoever waits holds a thread of the
web process, so a flood of sign-ins is refused before it takes the threads of voters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Final, TypeVar

from antiabuse.account_rules import current
from antiabuse.accounts import AccountPorts
from antiabuse.sign_in import Proof, refuse_early
from ledger.database import Database
from webapp.visitors import request_time_us
from webapp.wiring import services

__all__ = ["MODERATORS_TURNS", "STRANGERS_TURNS", "DigestTurns", "DigestsBusy", "proven"]

R = TypeVar("R")


class DigestsBusy(Exception):
    """Too many wait for their turn: nothing was checked, and no attempt was counted."""

    def __init__(self) -> None:
        self.retry_after_s = current().digest_retry_s
        super().__init__(f"too many passwords wait to be digested: {self.retry_after_s} s")


class DigestTurns:
    """One queue of a process."""

    def __init__(self) -> None:
        self._places = BoundedSemaphore(1 + current().digests_waiting)
        self._digesting = BoundedSemaphore(1)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn and hold it.

        Raises:
            DigestsBusy: no place to wait, or it took too long.
        """
        if not self._places.acquire(blocking=False):
            raise DigestsBusy
        try:
            if not self._digesting.acquire(timeout=current().digest_wait_ms / 1000):
                raise DigestsBusy
            try:
                yield
            finally:
                self._digesting.release()
        finally:
            self._places.release()


STRANGERS_TURNS: Final = DigestTurns()
MODERATORS_TURNS: Final = DigestTurns()
"""For browsers that have signed in before: strangers who fill their own queue hold nobody up."""


def proven(
    check: Callable[[Database, AccountPorts, Proof, int], R], proof: Proof, turns: DigestTurns
) -> R:
    """Check what someone sends to prove who they are: limits first, then a turn, then the digest.

    Raises:
        TooManyFailures: the limits hold; no turn was taken.
        DigestsBusy: there was no turn to be had.
        SignInFailed: see `check`.
    """
    database, ports, now_us = services().database, services().ports, request_time_us()
    refuse_early(database, ports, proof, now_us)
    with turns.turn():
        return check(database, ports, proof, now_us)
