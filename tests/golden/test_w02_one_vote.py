"""W-2 and W-3: probability, gain and penalty of one vote, and the Arena Score of a strength."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ranking import rules
from ranking.lobster import Verdict
from ranking.points import arena_score, vote_points

EVEN = (1, 1, 1, 1)
MIXED = (2, 1, 0.5, 0.5)

VOTES = [
    (EVEN, 0, 3, "1", 0.25, (24, -4, -4, -16)),
    (EVEN, 0, 3, "0.5", 0.25, (12, -2, -2, -8)),
    (EVEN, 0, 3, "0", 0.25, (0, 0, 0, 0)),
    (MIXED, 0, 3, "1", 0.5, (16, -2.666667, -2.666667, -10.666667)),
    (MIXED, 2, 0, "1", 0.125, (-18.666667, -4.666667, 28, -4.666667)),
    (MIXED, 2, 0, "0.5", 0.125, (-9.333333, -2.333333, 14, -2.333333)),
    (MIXED, 2, 0, "0.99875", 0.125, (-18.643333, -4.660833, 27.965, -4.660833)),
    (MIXED, 1, None, "1", 0.25, (-8, 24, -8, -8)),
]


@pytest.mark.parametrize("gammas,best,worst,weight,chance,changes", VOTES)
def test_a_vote_with_a_best_pick_moves_the_points_of_w2(
    gammas: tuple[float, ...],
    best: int,
    worst: int | None,
    weight: str,
    chance: float,
    changes: tuple[float, ...],
) -> None:
    """Every best-and-worst row of W-2 comes out to its printed digits and sums to zero."""
    points = vote_points(
        gammas, "best_worst", best=best, worst=worst, weight=Decimal(weight), rules=rules.current()
    )

    assert points.probabilities[best] == pytest.approx(chance, abs=1e-12)
    assert points.changes == pytest.approx(changes, abs=5e-7)
    assert sum(points.changes) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    "verdict,weight,changes",
    [
        ("same", "1", (-8, 0, 4, 4)),
        ("same", "0.5", (-4, 0, 2, 2)),
        ("bad", "1", (0, 0, 0, 0)),
    ],
)
def test_a_vote_without_a_best_pick_moves_the_points_of_w2(
    verdict: Verdict, weight: str, changes: tuple[float, ...]
) -> None:
    """The rows "About the same" and "Both bad" of W-2."""
    points = vote_points(
        MIXED, verdict, best=None, worst=None, weight=Decimal(weight), rules=rules.current()
    )

    assert points.probabilities == (0.5, 0.25, 0.125, 0.125)
    assert points.changes == pytest.approx(changes, abs=1e-12)


@pytest.mark.parametrize(
    "gamma,score",
    [
        (0.01, 400),
        (0.1, 800),
        (0.25, 959.18),
        (0.5, 1079.59),
        (0.529412, 1089.52),
        (0.75, 1150.02),
        (1, 1200),
        (2, 1320.41),
        (4, 1440.82),
        (10, 1600),
        (100, 2000),
    ],
)
def test_the_arena_score_of_w3(gamma: float, score: float) -> None:
    """The scores of W-3 to their two printed digits."""
    assert arena_score(gamma) == pytest.approx(score, abs=0.005)
