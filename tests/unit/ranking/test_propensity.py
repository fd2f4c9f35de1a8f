"""The check by propensity: does exposure by index bend the board?"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ranking import lobster, rules
from ranking.propensity import propensity_check, propensity_factors
from tests.fixtures.choices import choices_of
from tests.fixtures.simulated import simulated

RULES = rules.current()
FOUR = (0, 1, 2, 3)


def test_factors_by_hand() -> None:
    """1 / P(S) over its median among the votes that count, at most ten."""
    choices = choices_of(
        4,
        [(FOUR, 0), (FOUR, 1), (FOUR, 2), (FOUR, 0), (FOUR, lobster.BAD)],
        weights=[1, 1, 1, 0, 1],
    )

    factors, median = propensity_factors(choices, np.array([0.5, 0.1, 0.001, 1, 0.02]), RULES)

    assert median == pytest.approx(10)
    assert factors.tolist() == pytest.approx([0.2, 1, 10, 0.1, 5])


def test_a_logged_one_may_be_rounded_up() -> None:
    """What floating-point sums add to 1 in a ballot counts as 1, exactly."""
    choices = choices_of(4, [(FOUR, 0), (FOUR, 1)])

    factors, median = propensity_factors(choices, np.array([1.0000000000000002, 1]), RULES)

    assert (median, factors.tolist()) == (1, [1, 1])


def test_equal_probabilities_change_nothing() -> None:
    """Then the check is the official fit, and every vote counts in full."""
    choices = simulated(np.linspace(1, -1, 6), 500, voters=80, seed=1)
    official = lobster.fit(choices)

    check = propensity_check(choices, np.full(500, 1 / 15), official, basket=None, rules=RULES)

    assert check.effective_votes == pytest.approx(500)
    assert check.capped == 0
    assert [row.model for row in check.models] == [
        row.model for row in lobster.board(official).models
    ]
    for row in check.models:
        assert row.reweighted == pytest.approx(row.official, abs=1e-6)
        assert not row.marked


def test_a_model_whose_strength_hangs_on_rare_sets_is_marked() -> None:
    """B beats A whenever C and D are shown too, which is rare; E's votes agree everywhere."""
    common = [((0, 1, 2, 4), 0)] * 300 + [((0, 1, 2, 4), 1)] * 100 + [((0, 1, 2, 4), 4)] * 100
    rare = [((0, 1, 2, 3), 1)] * 100 + [((0, 1, 2, 3), 3)] * 20
    choices = choices_of(5, [*common, *rare])
    probability = np.array([0.2] * len(common) + [0.001] * len(rare))
    official = lobster.fit(choices)

    check = propensity_check(choices, probability, official, basket=["A", "B"], rules=RULES)

    rows = {row.model: row for row in check.models}
    assert check.capped == len(rare)
    assert check.effective_votes < 300
    assert rows["B"].marked
    assert rows["B"].reweighted > rows["B"].official
    official_b = next(
        r for r in lobster.board(official, basket=["A", "B"]).models if r.model == "B"
    )
    apart = (rows["B"].reweighted - rows["B"].official) / official_b.score_se
    assert rows["B"].errors == pytest.approx(apart)
    heavier = dataclasses.replace(
        choices, weight=choices.weight * np.where(probability < 0.1, 10, 1)
    )
    again = lobster.board(lobster.fit(heavier), basket=["A", "B"])
    expected = {row.model: row.score for row in again.models}
    assert {m: r.reweighted for m, r in rows.items()} == pytest.approx(expected, abs=1e-6)


def test_an_empty_month_has_a_check() -> None:
    """Nothing counted, nothing marked."""
    choices = choices_of(2, [])

    check = propensity_check(choices, np.zeros(0), lobster.fit(choices), basket=None, rules=RULES)

    assert check.effective_votes == 0
    assert not any(row.marked for row in check.models)


@pytest.mark.parametrize("probability", [[0.0], [1.5], [1 + 1e-9], [float("nan")], [0.5, 0.5]])
def test_wrong_probabilities_are_refused(probability: list[float]) -> None:
    """Each vote's ballot logged one above 0 and up to 1."""
    choices = choices_of(4, [(FOUR, 0)])

    with pytest.raises(lobster.WrongUseError, match="probability"):
        propensity_factors(choices, np.array(probability), RULES)


def test_a_fit_of_other_models_is_refused() -> None:
    """Two different boards cannot be compared."""
    choices = choices_of(4, [(FOUR, 0)])
    other = lobster.fit(choices_of(5, [(FOUR, 0)]))

    with pytest.raises(lobster.WrongUseError, match="other models"):
        propensity_check(choices, np.ones(1), other, basket=None, rules=RULES)
