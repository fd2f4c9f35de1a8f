"""Limits on guessing passwords: each attempt counts as failed until it has succeeded.

Counted by name with address, by address, and by name alone over a day; the last one does not hold
for a browser that has signed in to the account before, so that strangers lock nobody out. Failures
from the future, of a clock since set back, hold nobody up.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, text

from antiabuse.account_errors import TooManyFailures
from antiabuse.account_rules import current
from antiabuse.keys import derived_key, keyed_digest
from antiabuse.tables import sign_in_failure
from antiabuse.utc import SECOND_US, ceil_seconds
from ledger.ids import uuid4

_NAME_KEY: Final = "antiabuse.sign-in-name"


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt as it is counted.

    Attributes:
        id: of its row.
        name: keyed digest of the name as typed, for it may be a password.
        addresses: keyed digests of the address, today's first, then those of earlier days whose
            failures still count, or midnight would forgive a guesser; empty without an address.
        known_browser: the browser has signed in to this account before.
    """

    id: str
    name: str
    addresses: tuple[str, ...]
    known_browser: bool


def attempt_of(
    rng: random.Random,
    keys: Sequence[str],
    *,
    name: str,
    addresses: tuple[str, ...],
    known_browser: bool,
) -> Attempt:
    """Return an attempt that is not counted yet.

    Args:
        rng: source of its id.
        keys: secrets, oldest first.
        name: as typed, normalised.
        addresses: see `Attempt`.
        known_browser: see `Attempt`.
    """
    return Attempt(uuid4(rng), _name_digest(keys, name), addresses, known_browser)


def check_limits(conn: Connection, attempt: Attempt, now_us: int) -> None:
    """Refuse an attempt after too many failures.

    Raises:
        TooManyFailures: with the wait.
    """
    wait_us = _wait_us(conn, attempt, now_us)
    if wait_us > 0:
        raise TooManyFailures(ceil_seconds(wait_us))


def begin_attempt(conn: Connection, attempt: Attempt, now_us: int) -> None:
    """Count an attempt, unless there were too many.

    Args:
        conn: a write transaction; simultaneous attempts take turns in it.
        attempt: see `attempt_of`.
        now_us: microseconds UTC.

    Raises:
        TooManyFailures: with the wait; the attempt is then not counted, so waiting helps.
    """
    if conn.dialect.name == "postgresql":
        conn.execute(text("LOCK TABLE sign_in_failure IN SHARE ROW EXCLUSIVE MODE"))
    drop_old(conn, now_us)
    check_limits(conn, attempt, now_us)
    address = attempt.addresses[0] if attempt.addresses else None
    row = {"id": attempt.id, "name": attempt.name, "address": address, "at_us": now_us}
    conn.execute(insert(sign_in_failure), row)


@dataclass(frozen=True, slots=True)
class Failures:
    """Failed attempts, and how many different names and addresses they came with.

    An address is another one on another day.
    """

    attempts: int
    names: int
    addresses: int


def failures_since(conn: Connection, since_us: int) -> Failures:
    """Count the failed attempts from a moment on that no success has made forgotten."""
    failed = sign_in_failure.c
    query = select(
        func.count(), func.count(failed.name.distinct()), func.count(failed.address.distinct())
    ).where(failed.at_us >= since_us)
    return Failures(*conn.execute(query).one())


def forgive(conn: Connection, attempt: Attempt) -> None:
    """Forget an attempt that succeeded, and earlier ones of the same name and address."""
    conn.execute(delete(sign_in_failure).where(_same_name(attempt), _same_address(attempt)))


def drop_old(conn: Connection, now_us: int) -> int:
    """Drop the failures that no limit counts any more; return how many."""
    at_us, oldest_us = sign_in_failure.c.at_us, now_us - current().name_window_s * SECOND_US
    over = (at_us <= oldest_us) | (at_us > _latest_us(now_us))
    return conn.execute(delete(sign_in_failure).where(over)).rowcount


def _latest_us(now_us: int) -> int:
    return now_us + current().clock_slack_s * SECOND_US


def _wait_us(conn: Connection, attempt: Attempt, now_us: int) -> int:
    rules = current()
    here = _same_address(attempt)
    limits = [
        (_same_name(attempt) & here, rules.failures_per_name_and_address, rules.failure_window_s),
        (here, rules.failures_per_address, rules.failure_window_s),
    ]
    if not attempt.known_browser:
        limits.append((_same_name(attempt), rules.failures_per_name, rules.name_window_s))
    return max(
        _wait_of_one(conn, which, cap, window_s * SECOND_US, now_us)
        for which, cap, window_s in limits
    )


def _wait_of_one(
    conn: Connection, which: ColumnElement[bool], cap: int, window_us: int, now_us: int
) -> int:
    """Return how long until fewer than `cap` failures lie in the window."""
    at_us = sign_in_failure.c.at_us
    times = conn.execute(
        select(at_us)
        .where(which, at_us > now_us - window_us, at_us <= _latest_us(now_us))
        .order_by(at_us.desc())
        .limit(cap)
    ).scalars()
    newest = list(times)
    return newest[-1] + window_us - now_us if len(newest) == cap else 0


def _same_name(attempt: Attempt) -> ColumnElement[bool]:
    return sign_in_failure.c.name == attempt.name


def _same_address(attempt: Attempt) -> ColumnElement[bool]:
    if not attempt.addresses:
        return sign_in_failure.c.address.is_(None)
    return sign_in_failure.c.address.in_(attempt.addresses)


def _name_digest(keys: Sequence[str], name: str) -> str:
    return keyed_digest(derived_key(keys, _NAME_KEY), name).hex()
