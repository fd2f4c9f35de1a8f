"""Strengths without one voter's votes, for judging that voter by the votes of all others.

One Newton step from the fit of all, with the voter's information taken out (Cook and Weisberg
1982, section 3.4); a voter who moves the fit far is left out of a real fit.
"""

from __future__ import annotations

import dataclasses
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Fit, Flags, Floats, Ints
from ranking.picks import sums

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
        score, information = self._share(np.flatnonzero(votes))
        choices, theta = self._choices, self._fitted.theta
        step = np.linalg.solve(self._information - information, score)
        if np.abs(step).max(initial=0.0) <= _FAR:
            return theta - step
        left = dataclasses.replace(choices, weight=np.where(votes, 0, choices.weight))
        start = dict(zip(choices.models, (theta - step).tolist(), strict=True))
        return lobster.strengths(left, ghost=self._fitted.ghost, start=start)

    def _share(self, rows: Ints) -> tuple[Floats, Floats]:
        """Score (M,) and information (M, M) of some votes at the fit of all."""
        choices, theta = self._choices, self._fitted.theta
        rows = rows[(choices.best[rows] >= 0) & (choices.weight[rows] > 0)]
        size, side = len(theta), len(theta) + 1
        sets = choices.sets[rows].astype(np.int64)
        sets = np.where(sets == lobster.PAD, size, sets)
        weight = choices.weight[rows, None] / 10**lobster.WEIGHT_DIGITS
        worth = np.append(theta, -np.inf)[sets]
        odds = np.exp(worth - worth.max(axis=1, keepdims=True))
        chance = odds / odds.sum(axis=1, keepdims=True)
        gain = weight * ((sets == choices.best[rows, None]) - chance)
        shared = -weight[:, :, None] * chance[:, :, None] * chance[:, None, :]
        pairs = sets[:, :, None] * side + sets[:, None, :]
        table = sums(pairs, shared, side * side).reshape(side, side)[:size, :size]
        own = sums(sets, weight * chance, side)[:size]
        return sums(sets, gain, side)[:size], table + np.diag(own)
