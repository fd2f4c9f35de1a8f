"""Strengths without one voter: the short way gives what a fit of the others gives."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ranking import lobster
from ranking.leave_out import LeaveOut
from tests.fixtures.simulated import simulated

THETA = np.linspace(-1, 1, 8)


@pytest.mark.parametrize("voters", [2, 10, 200])
def test_without_a_voter_is_the_fit_of_the_others(voters: int) -> None:
    """For light voters by one step, for heavy ones by a fit: within a few thousandths."""
    choices = simulated(THETA, 1_000, voters=voters, seed=voters)
    leave_out = LeaveOut(choices, lobster.fit(choices))

    for voter in range(2):
        mine = choices.cluster == voter
        others = dataclasses.replace(choices, weight=np.where(mine, 0, choices.weight))
        expected = lobster.fit(others).theta
        np.testing.assert_allclose(leave_out.without(mine), expected, atol=4e-3)


def test_without_nobody_is_the_fit_of_all() -> None:
    """Votes that do not count change nothing when they are left out."""
    choices = simulated(THETA, 300, voters=5, seed=1)
    fitted = lobster.fit(choices)

    left = LeaveOut(choices, fitted).without(np.zeros(300, dtype=np.bool_))
    np.testing.assert_array_equal(left, fitted.theta)


def test_a_fit_of_other_models_is_refused() -> None:
    """Strengths of other models say nothing of these votes."""
    choices = simulated(THETA, 100, voters=5, seed=1)
    other = lobster.fit(simulated(THETA[:5], 100, voters=5, seed=1))

    with pytest.raises(lobster.WrongUseError, match="other models"):
        LeaveOut(choices, other)
