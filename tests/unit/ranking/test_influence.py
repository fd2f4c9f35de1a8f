"""Influence of single voters, and how few of them decide the first place."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import numpy as np
import pytest

from ranking import lobster
from ranking.influence import Tipping, fragility, largest_effects, tipping_voters
from ranking.subsets import subset
from tests.fixtures.choices import choices_of
from tests.fixtures.simulated import simulated


def without(choices: lobster.Choices, clusters: tuple[int, ...]) -> lobster.Fit:
    """The fit when these voters had never voted."""
    return lobster.fit(subset(choices, ~np.isin(choices.cluster, clusters)))


def small(seed: int, voters: int = 9) -> lobster.Choices:
    """Thirty-odd votes on four models by a few voters, so that every removal can be tried."""
    return simulated(np.array([0.4, 0.2, 0, -0.5]), 40, voters=voters, seed=seed)


def test_effects_are_what_a_removal_does() -> None:
    """To first order: with many voters the score moves by the effect, to a few per cent."""
    choices = simulated(np.linspace(1, -1, 5), 4_000, voters=200, seed=8)
    fitted = lobster.fit(choices)

    effects = largest_effects(choices, fitted, count=2)

    for i, model in enumerate(fitted.models):
        largest, second = effects[model]
        assert abs(largest.points) >= abs(second.points) > 0
        moved = fitted.theta[i] - without(choices, (largest.cluster,)).theta[i]
        assert moved * lobster.POINTS_PER_NAT == pytest.approx(largest.points, rel=0.1)


def test_the_largest_effects_are_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    """All voters by definition, whatever the size of the blocks."""
    choices = small(3)
    fitted = lobster.fit(choices)
    by_definition = {}
    for cluster in np.unique(choices.cluster):
        score = np.zeros(4)
        for shown, best in zip(
            choices.sets[choices.cluster == cluster],
            choices.best[choices.cluster == cluster],
            strict=True,
        ):
            odds = np.exp(fitted.theta[shown])
            score[shown] += (shown == best) - odds / odds.sum()
        moved = fitted.inverse @ score
        by_definition[int(cluster)] = (moved - moved[[0, 1]].mean()) * lobster.POINTS_PER_NAT

    for cells in (1, 4_000_000):
        monkeypatch.setattr("ranking.picks._BLOCK_CELLS", cells)
        effects = largest_effects(choices, fitted, basket=["A", "B"], count=3)
        for i, model in enumerate("ABCD"):
            order = sorted(by_definition, key=lambda c: -abs(by_definition[c][i]))[:3]
            expected = [abs(by_definition[c][i]) for c in order]
            assert [abs(e.points) for e in effects[model]] == pytest.approx(expected)
            assert all(
                e.points == pytest.approx(by_definition[e.cluster][i]) for e in effects[model]
            )


def fewest(choices: lobster.Choices) -> int | None:
    """The true smallest number of voters, by trying all sets of them."""
    fitted = lobster.fit(choices)
    first = int(np.argmax(fitted.theta))
    voters = [int(cluster) for cluster in np.unique(choices.cluster)]
    for number in range(1, len(voters) + 1):
        for clusters in combinations(voters, number):
            theta = without(choices, clusters).theta
            if theta.max() > theta[first] + 1e-8:
                return number
    return None


@pytest.mark.parametrize("seed", range(8))
def test_small_months_against_all_removals(seed: int) -> None:
    """Never below the true number, at most one above it, and true when checked by hand."""
    choices = small(seed)
    fitted = lobster.fit(choices)

    tipping = tipping_voters(choices, fitted)

    true = fewest(choices)
    assert tipping is not None
    assert true is not None
    assert true <= len(tipping.clusters) <= true + 1
    assert fragility(choices, fitted) == len(tipping.clusters)
    theta = without(choices, tipping.clusters).theta
    models = fitted.models
    assert tipping.first == models[int(fitted.theta.argmax())]
    assert tipping.instead == models[int(theta.argmax())] != tipping.first


def test_a_narrow_lead_hangs_on_few_voters_and_a_wide_one_on_many() -> None:
    """The number grows with the lead."""
    narrow = simulated(np.array([0.05, 0, -1, -1, -1]), 3_000, voters=500, seed=1)
    wide = simulated(np.array([1.0, 0, -1, -1, -1]), 3_000, voters=500, seed=1)

    few, many = (fragility(choices, lobster.fit(choices)) for choices in (narrow, wide))

    assert few is not None
    assert many is not None
    assert 1 <= few < 30
    assert 100 < many < 400


def test_one_loud_voter_is_found() -> None:
    """Twenty votes by one voter put B first; without them A is."""
    picks = [((0, 1, 2, 3), 0)] * 12 + [((0, 1, 2, 3), 1)] * 20 + [((0, 1, 2, 3), 2)] * 5
    clusters = [*range(12), *[77] * 20, *range(20, 25)]
    choices = choices_of(4, picks, clusters=clusters)
    fitted = lobster.fit(choices)

    tipping = tipping_voters(choices, fitted)

    assert tipping == Tipping("B", "A", (77,))
    assert largest_effects(choices, fitted)["B"][0].cluster == 77


def test_unanimous_votes_cannot_be_tipped() -> None:
    """Without any of them nobody is first, so nobody else is."""
    choices = choices_of(4, [((0, 1, 2, 3), 0)] * 40)

    assert fragility(choices, lobster.fit(choices)) is None


def test_provisional_models_are_no_rivals() -> None:
    """Below 30 exposures nothing has a place that could be lost or taken."""
    choices = choices_of(4, [((0, 1, 2, 3), i % 2) for i in range(29)])

    assert tipping_voters(choices, lobster.fit(choices)) is None


def test_a_fit_of_other_models_or_an_unknown_basket_is_refused() -> None:
    """Positions would mean other models."""
    choices = small(1)
    fitted = lobster.fit(choices)
    other = dataclasses.replace(choices, models=("W", "X", "Y", "Z"))

    with pytest.raises(lobster.WrongUseError, match="other models"):
        fragility(other, fitted)
    with pytest.raises(lobster.WrongUseError, match="no such model in the fit: E"):
        largest_effects(choices, fitted, basket=["A", "E"])
    with pytest.raises(lobster.WrongUseError, match="the list is empty"):
        largest_effects(choices, fitted, basket=[])
