"""The points ledger: facts that hold for every vote. The worked examples are W-2."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking import rules
from ranking.errors import ContradictoryVoteError
from ranking.lobster import Verdict
from ranking.points import vote_points, win_probabilities

gammas_of_four = st.lists(st.floats(1e-3, 1e3), min_size=4, max_size=4)
slots = st.lists(st.integers(0, 3), min_size=2, max_size=2, unique=True)
weights = st.decimals(0, 1, places=6)
RULES = rules.current()


@given(gammas_of_four, slots, weights, st.booleans())
def test_changes_sum_to_zero(
    gammas: list[float], picks: list[int], weight: Decimal, with_worst: bool
) -> None:
    """V-037: what the best gains the others lose, the worst two thirds of it."""
    best, worst = picks[0], picks[1] if with_worst else None

    points = vote_points(gammas, "best_worst", best=best, worst=worst, weight=weight, rules=RULES)

    gain = points.changes[best]
    assert sum(points.changes) == pytest.approx(0, abs=1e-9)
    assert gain == pytest.approx(32 * (1 - points.probabilities[best]) * float(weight), abs=1e-9)
    shares = [1 / 6 if with_worst else 1 / 3] * 4
    if worst is not None:
        shares[worst] = 2 / 3
    for slot in set(range(4)) - {best}:
        assert points.changes[slot] == pytest.approx(-gain * shares[slot], abs=1e-9)


@given(gammas_of_four, weights)
def test_about_the_same_sums_to_zero(gammas: list[float], weight: Decimal) -> None:
    """V-044: points move from the models expected to win to the others."""
    points = vote_points(gammas, "same", best=None, worst=None, weight=weight, rules=RULES)

    assert sum(points.changes) == pytest.approx(0, abs=1e-9)
    for chance, change in zip(points.probabilities, points.changes, strict=True):
        assert change == pytest.approx(32 * float(weight) * (0.25 - chance), abs=1e-9)


@given(gammas_of_four, st.floats(1.01, 100))
def test_a_less_likely_winner_gains_more(gammas: list[float], factor: float) -> None:
    """V-034: the gain falls as the chance of winning rises."""
    stronger = [gammas[0] * factor, *gammas[1:]]

    gains = [
        vote_points(g, "best_worst", best=0, worst=None, weight=Decimal(1), rules=RULES).changes[0]
        for g in (gammas, stronger)
    ]

    assert gains[0] > gains[1]


@pytest.mark.parametrize(
    "verdict,best,worst",
    [
        ("best_worst", None, None),
        ("best_worst", None, 1),
        ("best_worst", 1, 1),
        ("best_worst", 4, None),
        ("best_worst", -1, None),
        ("best_worst", 0, 4),
        ("same", 0, None),
        ("bad", None, 1),
    ],
)
def test_contradictory_picks_are_refused(
    verdict: Verdict, best: int | None, worst: int | None
) -> None:
    """Picks must fit the verdict and each other."""
    with pytest.raises(ContradictoryVoteError):
        vote_points((1, 1, 1, 1), verdict, best=best, worst=worst, weight=Decimal(1), rules=RULES)


def test_an_unknown_verdict_is_refused() -> None:
    """A verdict outside the closed set raises rather than counting as a tie."""
    with pytest.raises(AssertionError):
        vote_points(
            (1, 1, 1, 1),
            "tie",  # type: ignore[arg-type]
            best=None,
            worst=None,
            weight=Decimal(1),
            rules=RULES,
        )


@pytest.mark.parametrize("gammas", [(1, 1, 1), (1, 1, 1, 1, 1), (1, 1, 1, 0), (1, 1, 1, -1)])
def test_anything_but_four_positive_strengths_is_refused(gammas: tuple[float, ...]) -> None:
    """A ballot has four models, each with a strength above 0."""
    with pytest.raises(ValueError, match=r"4 models|above 0"):
        vote_points(gammas, "bad", best=None, worst=None, weight=Decimal(1), rules=RULES)


@pytest.mark.parametrize("weight", ["-0.1", "NaN"])
def test_a_weight_below_zero_is_refused(weight: str) -> None:
    """Weights are 0 or more."""
    with pytest.raises((ValueError, ArithmeticError)):
        vote_points((1,) * 4, "same", best=None, worst=None, weight=Decimal(weight), rules=RULES)


@given(gammas_of_four)
def test_win_probabilities_are_shares_of_strength(gammas: list[float]) -> None:
    """V-032: they sum to 1 and stand in proportion to the strengths."""
    chances = win_probabilities(gammas)

    assert sum(chances) == pytest.approx(1, abs=1e-12)
    assert chances[0] * gammas[1] == pytest.approx(chances[1] * gammas[0])
