"""Strengths without one voter's votes, for judging that voter by the votes of all others.

One Newton step from the fit of all, with the voter's information taken out (Cook and Weisberg
1982, section 3.4); a voter who moves the fit far is left out of a real fit.
"""

from __future__ import annotations

import dataclasses
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Fit, Flags, Floats

__all__ = ["LeaveOut"]

_FAR: Final = 0.05  # natural logs; the step's error is of the order of its square


class LeaveOut:
    """The fit of all votes, and what it would be without some of them."""

    def __init__(self, choices: Choices, fitted: Fit) -> None:
        """Take the votes and their fit.

        Raises:
            WrongUseError: the fit is of other models.
        """
        if fitted.models != choices.models:
            raise lobster.WrongUseError("the fit is of other models")
        self._choices = choices
        self._fitted = fitted
        self._information = np.linalg.inv(fitted.inverse)

    def without(self, votes: Flags) -> Floats:
        """Return the log-strengths (M,) of the fit without the votes of a mask (n,)."""
        choices, theta = self._choices, self._fitted.theta
        mine = np.flatnonzero(votes & (choices.best >= 0) & (choices.weight > 0))
        score, information = np.zeros_like(theta), np.zeros_like(self._information)
        for row in mine.tolist():
            models = choices.sets[row][choices.sets[row] != lobster.PAD]
            weight = float(choices.weight[row]) / 10**lobster.WEIGHT_DIGITS
            odds = np.exp(theta[models] - theta[models].max())
            chance = odds / odds.sum()
            score[models] += weight * ((models == choices.best[row]) - chance)
            information[np.ix_(models, models)] += weight * (
                np.diag(chance) - np.outer(chance, chance)
            )
        step = np.linalg.solve(self._information - information, score)
        if np.abs(step).max(initial=0.0) <= _FAR:
            return theta - step
        left = dataclasses.replace(choices, weight=np.where(votes, 0, choices.weight))
        start = dict(zip(choices.models, (theta - step).tolist(), strict=True))
        return lobster.strengths(left, ghost=self._fitted.ghost, start=start)
