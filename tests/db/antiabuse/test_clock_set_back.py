"""A clock that ran ahead for days and was put right holds up no account and no voter."""

from __future__ import annotations

from sqlalchemy import func, select

from antiabuse import accounts, quotas, sessions, sign_in_limits
from antiabuse.account_errors import TooManyFailures
from antiabuse.account_rules import current
from antiabuse.rules import current as voting_rules
from antiabuse.sign_in_limits import Attempt
from antiabuse.tables import moderator_session, sign_in_failure
from antiabuse.totp import STEP_S
from antiabuse.utc import DAY_US, HOUR_US, SECOND_US, day_of
from ledger.database import Database
from tests.fixtures.moderators import NOON, Means, People

AHEAD = NOON + 30 * DAY_US
SLACK_US = current().clock_slack_s * SECOND_US
VOTER = "0123456789abcdef0123456789abcdef"


def guess(database: Database, means: Means, at_us: int) -> Attempt:
    """Fail once to sign in as rosa."""
    attempt = sign_in_limits.attempt_of(
        means.rng, means.keys, name="rosa", addresses=("home",), known_browser=False
    )
    with database.write() as conn:
        sign_in_limits.begin_attempt(conn, attempt, at_us)
    return attempt


def wait_of(database: Database, attempt: Attempt, now_us: int) -> int:
    """Return the seconds that an attempt is held up."""
    try:
        with database.read() as conn:
            sign_in_limits.check_limits(conn, attempt, now_us)
    except TooManyFailures as held_up:
        return held_up.retry_after_s
    return 0


def test_failures_from_the_future_hold_nobody_up(database: Database, means: Means) -> None:
    """Five failures a month ahead are no reason to wait that long; the next attempt drops them."""
    most = current().failures_per_name_and_address
    attempt = [guess(database, means, AHEAD) for _ in range(most)][-1]
    assert wait_of(database, attempt, AHEAD) == current().failure_window_s

    assert wait_of(database, attempt, NOON) == 0
    guess(database, means, NOON)
    assert wait_of(database, attempt, AHEAD) == 0
    with database.read() as conn:
        assert conn.execute(select(func.count()).select_from(sign_in_failure)).scalar_one() == 1


def test_failures_of_a_clock_a_little_ahead_count(database: Database, means: Means) -> None:
    """Setting the clock back by no more than the slack lets nobody guess anew."""
    most = current().failures_per_name_and_address
    attempt = [guess(database, means, NOON + SLACK_US) for _ in range(most)][-1]

    wait_s = current().failure_window_s + current().clock_slack_s
    assert wait_of(database, attempt, NOON) == wait_s
    assert wait_of(database, attempt, NOON - 1) == 0


def test_a_step_from_the_future_bars_no_right_code(database: Database, people: People) -> None:
    """A code used two days ahead is in nobody's way; each right one is used once as before."""
    people.add("rosa", secret="A" * 32)
    step = NOON // (STEP_S * SECOND_US)

    with database.write() as conn:
        steps = (step + 2 * 2880, step, step, step - 1, step + 1)
        used = [accounts.use_code_step(conn, "rosa", each) for each in steps]

    assert used == [True, True, False, False, True]


def test_a_code_in_force_is_never_used_twice(database: Database, people: People) -> None:
    """However the clock is set back within the slack, a later step bars all that come before."""
    people.add("rosa", secret="A" * 32)
    slack = current().clock_slack_s // STEP_S
    last = 1_000_000
    with database.write() as conn:
        assert accounts.use_code_step(conn, "rosa", last)
        for back in range(slack + 2 * current().code_window + 1):
            assert not accounts.use_code_step(conn, "rosa", last - back), back


def test_a_session_from_the_future_is_over(database: Database, people: People) -> None:
    """Opened or used a month ahead, it would never idle out; it does not come back to life."""
    people.add("rosa")
    ahead = people.opened("rosa", AHEAD)
    assert people.session(ahead, AHEAD) is not None
    assert people.session(ahead, NOON) is None
    assert people.session(ahead, NOON + 5 * DAY_US) is None

    used = people.opened("rosa", NOON)
    session = people.session(used, NOON)
    assert session is not None
    with database.write() as conn:
        sessions.touch(conn, session, NOON + HOUR_US)
    assert people.session(used, NOON + 1) is None

    kept = people.opened("rosa", NOON + 2)
    assert people.session(ahead, AHEAD) is None
    assert people.session(kept, NOON + 2) is not None
    with database.read() as conn:
        assert conn.execute(select(func.count()).select_from(moderator_session)).scalar_one() == 1


def test_a_session_lives_through_a_small_step_back(people: People) -> None:
    """Servers whose clocks differ within the slack sign nobody out."""
    people.add("rosa")
    token = people.opened("rosa", NOON + SLACK_US)

    assert people.session(token, NOON) is not None
    assert people.session(token, NOON - 1) is None


def test_a_day_used_up_far_ahead_is_not_waited_for(database: Database) -> None:
    """What was counted two days ahead leaves today's allowance whole; tomorrow's does not."""
    caps, tomorrow = voting_rules(), NOON + DAY_US
    with database.write() as conn:
        quotas.register(conn, VOTER, NOON)
        for _ in range(caps.daily_skips):
            assert quotas.spend_skip(conn, VOTER, tomorrow + DAY_US)
        assert not quotas.spend_skip(conn, VOTER, tomorrow)

        seen = quotas.read(conn, VOTER, NOON)
        assert seen is not None
        assert (seen.day, seen.skips_left) == (day_of(NOON), caps.daily_skips)
        for _ in range(caps.daily_skips):
            assert quotas.spend_skip(conn, VOTER, NOON)
        assert not quotas.spend_skip(conn, VOTER, NOON)
        assert quotas.spend_ballot(conn, VOTER, NOON)
        assert quotas.spend_vote(conn, VOTER, NOON)
        seen = quotas.read(conn, VOTER, NOON)
    assert seen is not None
    assert (seen.day, seen.votes, seen.ballots, seen.skips_left) == (day_of(NOON), 1, 1, 0)
