"""Head to head: fitted chances beside observed counts."""

from __future__ import annotations

import numpy as np
import pytest

from ranking import lobster
from ranking.matrix import head_to_head
from ranking.subsets import restrict
from tests.fixtures.choices import choices_of
from tests.fixtures.simulated import simulated


def test_counts_by_hand() -> None:
    """Weighted wins and showings; ties, both bad and weight 0 are no observation."""
    choices = choices_of(
        3,
        [((0, 1, 2), 0), ((2, 1), 1), ((0, 1), 1), ((0, 1), lobster.SAME), ((0, 2), 2)],
        weights=[1_000_000, 500_000, 250_000, 1_000_000, 0],
    )

    table = head_to_head(choices, lobster.fit(choices))

    assert table.models == ("A", "B", "C")
    assert table.won.tolist() == [[0, 1, 1], [0.25, 0, 0.5], [0, 0, 0]]
    assert table.shown.tolist() == [[0, 1.25, 1], [1.25, 0, 1.5], [1, 1.5, 0]]


def test_chances_come_from_the_strengths() -> None:
    """γ / (γ + γ'), and both directions sum to 1."""
    choices = simulated(np.array([-1.0, 0, 0.5, 1, 2]), 500, voters=50, seed=1)
    fitted = lobster.fit(choices)

    chance = head_to_head(choices, fitted).chance

    gamma = np.exp(fitted.theta)
    assert chance[3, 1] == pytest.approx(gamma[3] / (gamma[3] + gamma[1]))
    assert chance + chance.T == pytest.approx(np.ones((5, 5)))


def test_observed_shares_estimate_the_chances() -> None:
    """Of the ballots that one of the two won, the row won about as many as fitted."""
    choices = simulated(np.linspace(-1, 1, 6), 40_000, voters=4_000, seed=2)

    table = head_to_head(choices, lobster.fit(choices))

    decided = table.won + table.won.T + np.eye(6)
    apart = np.abs(table.won / decided - table.chance)[~np.eye(6, dtype=bool)]
    assert apart.max() < 4 * 0.5 / np.sqrt(decided[~np.eye(6, dtype=bool)].min())


def test_a_fit_of_other_models_is_refused() -> None:
    """Rows and columns must mean the same models."""
    choices = choices_of(3, [((0, 1, 2), 0)])

    with pytest.raises(lobster.WrongUseError):
        head_to_head(choices, lobster.fit(restrict(choices, {"A", "B"})))
