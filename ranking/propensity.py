"""Does exposure by index bend the board? The official fit beside one that weighs rare sets up.

A check only, after Horvitz and Thompson (1952): each vote counts min(1 / P(S) ÷ median, cap) times.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Fit, Floats
from ranking.rules import RankingRules
from ranking.ucbe import PROBABILITY_ROUNDING

__all__ = ["PropensityCheck", "PropensityRow", "propensity_check", "propensity_factors"]

_WEIGHT_UNIT: Final = 10**lobster.WEIGHT_DIGITS


@dataclass(frozen=True, slots=True)
class PropensityRow:
    """One model's two scores, in points, and the difference in official standard errors."""

    model: str
    official: float
    reweighted: float
    errors: float
    marked: bool


@dataclass(frozen=True, slots=True)
class PropensityCheck:
    """The check of a board.

    `median` is that of 1 / P(S) over the counted votes, `capped` how many of them met the cap, and
    `effective_votes` (Σ w)² / Σ w² after Kish (1965): as many equal votes would tell as much.
    """

    median: float
    capped: int
    effective_votes: float
    models: tuple[PropensityRow, ...]


def propensity_factors(
    choices: Choices, probability: Floats, rules: RankingRules
) -> tuple[Floats, float]:
    """The factor (n,) of each vote, and the median of 1 / P(S) over the votes that count.

    Args:
        choices: the votes.
        probability: (n,) P(S) of each vote's set as its ballot logged it. Ballots may hold 1 with
            its last digits rounded up; that counts as 1.
        rules: holds the cap.

    Raises:
        WrongUseError: not one probability above 0 and up to 1 a vote.
    """
    if (
        probability.shape != choices.best.shape
        or not ((probability > 0) & (probability <= 1 + PROBABILITY_ROUNDING)).all()
    ):
        raise lobster.WrongUseError("each vote needs a probability above 0 and up to 1")
    inverse: Floats = 1 / np.minimum(probability, 1)
    counted = _counted(choices)
    median = float(np.median(inverse[counted])) if counted.any() else 1.0
    return np.minimum(inverse / median, rules.propensity_cap), median


def _counted(choices: Choices) -> lobster.Flags:
    return (choices.best >= 0) & (choices.weight > 0)


def propensity_check(
    choices: Choices,
    probability: Floats,
    official: Fit,
    *,
    basket: Sequence[str] | None,
    rules: RankingRules,
) -> PropensityCheck:
    """Fit again with weights by propensity and compare each model's score with the official one.

    Args:
        choices: the votes.
        probability: (n,) P(S) of each vote's set as its ballot logged it.
        official: the official fit.
        basket: basket of the official board, used for both.
        rules: hold the cap and the number of errors from which a model is marked.

    Returns:
        Rows in the order of the official board.

    Raises:
        WrongUseError: see `propensity_factors`; or the fit is of other models.
    """
    if official.models != choices.models:
        raise lobster.WrongUseError("the official fit is of other models")
    factors, median = propensity_factors(choices, probability, rules)
    weight = np.rint(choices.weight * factors).astype(np.int64)
    start = dict(zip(official.models, official.theta.tolist(), strict=True))
    again = lobster.fit(
        dataclasses.replace(choices, weight=weight), ghost=official.ghost, start=start
    )
    reweighted = {row.model: row for row in lobster.board(again, basket=basket).models}
    counted = _counted(choices)
    used = weight[counted] / _WEIGHT_UNIT
    squares = float((used**2).sum())
    return PropensityCheck(
        median=median,
        capped=int((factors[counted] >= rules.propensity_cap).sum()),
        effective_votes=float(used.sum()) ** 2 / squares if squares > 0 else 0.0,
        models=tuple(
            _row(row, reweighted[row.model], rules)
            for row in lobster.board(official, basket=basket).models
        ),
    )


def _row(official: lobster.Row, again: lobster.Row, rules: RankingRules) -> PropensityRow:
    points = (again.theta - official.theta) * lobster.POINTS_PER_NAT
    # A model that alone is the zero has no error and cannot move.
    errors = abs(points) / official.score_se if official.score_se > 0 else 0.0
    return PropensityRow(
        model=official.model,
        official=official.score,
        reweighted=again.score,
        errors=errors,
        marked=errors > rules.propensity_errors,
    )
