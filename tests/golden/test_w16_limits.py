"""W-16: cooldown, daily cap, change of day and month, and the budget of requests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from antiabuse import quotas
from antiabuse.rules import current
from antiabuse.utc import month_of
from ledger.database import Database

VOTER = "0123456789abcdef0123456789abcdef"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def at(text: str) -> int:
    """Return a time in microseconds."""
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


def seconds(count: float) -> int:
    """Return a span in microseconds."""
    return timedelta(seconds=count) // timedelta(microseconds=1)


NOON = at("2026-11-30T12:00:00+00:00")


def vote(database: Database, now_us: int) -> bool:
    """Try to spend one vote in a transaction of its own."""
    with database.write() as conn:
        quotas.register(conn, VOTER, now_us)
        return quotas.spend_vote(conn, VOTER, now_us)


def test_cooldown_ends_after_exactly_ten_seconds(database: Database) -> None:
    """Votes at 0 s and 10.000 s are accepted, the one at 9.999 s is not."""
    answers = [vote(database, NOON + seconds(t)) for t in (0, 9.999, 10.0)]

    assert answers == [True, False, True]


def test_fifty_votes_a_day_and_a_new_day_at_midnight(database: Database) -> None:
    """Votes 1 to 50 are accepted, the 51st is not, and at 00:00:00 UTC voting goes on."""
    answers = [vote(database, NOON + seconds(10 * n)) for n in range(51)]

    assert answers == [True] * 50 + [False]
    assert not vote(database, at("2026-11-30T23:59:59.999999+00:00"))
    assert vote(database, at("2026-12-01T00:00:00+00:00"))


@pytest.mark.parametrize(
    "moment, month",
    [
        ("2026-11-30T23:59:59.999+00:00", "2026-11"),
        ("2026-12-01T00:00:00.000+00:00", "2026-12"),
        ("2027-01-01T06:59:59.999+07:00", "2026-12"),
    ],
)
def test_the_month_changes_at_midnight_utc(moment: str, month: str) -> None:
    """The last millisecond of a month belongs to it, and the next one to the new month."""
    assert month_of(at(moment)) == month


def test_full_voting_speed_fits_the_request_limit() -> None:
    """Vote cycles at the pace of the cooldown, of three requests each, pass the limit."""
    rules = current()

    cycles = rules.request_window_s // rules.cooldown_s

    assert (rules.ballot_requests, rules.request_window_s, cycles) == (20, 60, 6)
    assert cycles * 3 <= rules.ballot_requests
