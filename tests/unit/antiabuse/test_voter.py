"""What a stored voter may still do at a moment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antiabuse.rules import current
from antiabuse.voter import VoterRow, voter_state

SECOND = 1_000_000
DAY = 86_400 * SECOND
MIDNIGHT = 20_000 * DAY  # 2024-10-04
ROW = VoterRow(
    id="0" * 32,
    created_us=0,
    day="2024-10-04",
    votes=50,
    ballots=100,
    skips=60,
    last_vote_us=MIDNIGHT + 100 * SECOND,
    banned_us=None,
    consent="no",
)


def test_the_days_use_is_taken_from_its_limits() -> None:
    """On the counters' own day, what is left is the limit less the use."""
    state = voter_state(ROW, MIDNIGHT + 200 * SECOND, current())

    assert (state.votes_left, state.ballots_left, state.skips_left) == (0, 50, 0)
    assert (state.votes, state.ballots, state.skips) == (50, 100, 60)
    assert (state.day, state.consent, state.banned) == ("2024-10-04", "no", False)


def test_a_new_day_begins_with_nothing_used() -> None:
    """From 00:00:00 UTC on all counters are 0, though the row still holds the old ones."""
    state = voter_state(ROW, MIDNIGHT + DAY, current())

    assert (state.votes_left, state.ballots_left, state.skips_left) == (50, 150, 60)
    assert (state.day, state.day_left_s) == ("2024-10-05", 86_400)


def test_a_clock_set_back_gives_no_second_quota() -> None:
    """Seen from the day before, the later day's use still holds."""
    state = voter_state(ROW, MIDNIGHT - 1, current())

    assert (state.votes_left, state.day) == (0, "2024-10-04")


@pytest.mark.parametrize(
    "after_us, wait_s",
    [(0, 10), (1, 10), (SECOND, 9), (9_999_000, 1), (9_999_999, 1), (10_000_000, 0), (DAY, 0)],
)
def test_the_wait_is_rounded_up(after_us: int, wait_s: int) -> None:
    """Who waits the seconds named is let in, at 9.999 s not yet and at 10.000 s at once."""
    assert voter_state(ROW, MIDNIGHT + 100 * SECOND + after_us, current()).wait_s == wait_s


@pytest.mark.parametrize("back_s, wait_s", [(1, 11), (10, 20), (11, 0), (3600, 0)])
def test_a_clock_set_back_makes_nobody_wait_long(back_s: int, wait_s: int) -> None:
    """Clocks of two machines may differ by a little; more is a clock that was wrong."""
    now_us = MIDNIGHT + (100 - back_s) * SECOND
    assert voter_state(ROW, now_us, current()).wait_s == wait_s


def test_a_newcomer_need_not_wait_and_a_banned_voter_is_known() -> None:
    """Without an earlier vote there is no cooldown; a ban shows."""
    state = voter_state(replace(ROW, last_vote_us=None, banned_us=5), MIDNIGHT, current())

    assert (state.wait_s, state.banned) == (0, True)


@pytest.mark.parametrize("before_us, left_s", [(1, 1), (SECOND, 1), (SECOND + 1, 2)])
def test_the_rest_of_the_day_is_rounded_up(before_us: int, left_s: int) -> None:
    """Who comes back after the seconds named finds a new day."""
    assert voter_state(ROW, MIDNIGHT + DAY - before_us, current()).day_left_s == left_s
