"""Head to head: the chance of each model to beat each other one, beside what was observed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.lobster import Choices, Fit, Floats, WrongUseError
from ranking.picks import Picks, sums

__all__ = ["HeadToHead", "head_to_head"]


@dataclass(frozen=True, slots=True, eq=False)
class HeadToHead:
    """Three tables (M, M) over the models, row against column, and nothing (0) on the diagonal.

    `chance` is P(row rather than column) = γ_row / (γ_row + γ_column), ½ on the diagonal. `won` is
    the weighted number of ballots showing both on which the row was picked best, and `shown` the
    weighted number of ballots showing both. By Plackett-Luce won / (won + its transpose) estimates
    `chance`; the other ballots of `shown` went to a third model and say nothing of the two.
    """

    models: tuple[str, ...]
    chance: Floats
    won: Floats
    shown: Floats


def head_to_head(choices: Choices, fitted: Fit) -> HeadToHead:
    """Fitted chances and observed counts of every two models.

    Raises:
        WrongUseError: the fit is not of these models.
    """
    if fitted.models != choices.models:
        raise WrongUseError("the fit is of other models")
    picks = Picks.of(choices)
    size, side = picks.size, picks.size + 1
    weight = np.broadcast_to(picks.weight[:, None], picks.sets.shape)
    won = sums(picks.best[:, None] * side + picks.sets, weight, side * side)
    shown = np.zeros(side * side)
    for column in picks.sets.T:
        shown += sums(column[:, None] * side + picks.sets, weight, side * side)
    off_diagonal = 1.0 - np.eye(size)
    return HeadToHead(
        models=choices.models,
        chance=np.exp(-np.logaddexp(0, fitted.theta - fitted.theta[:, None])),
        won=won.reshape(side, side)[:size, :size] * off_diagonal,
        shown=shown.reshape(side, side)[:size, :size] * off_diagonal,
    )
