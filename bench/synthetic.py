"""Synthetic votes from known strengths, in the columns that `lobster.Choices` reads in place."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ranking.lobster import NO_WORST, WEIGHT_DIGITS, Choices

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SET_SIZE: Final = 4
SPREAD: Final = 0.7  # natural logs, standard deviation of the strengths: about 120 points
VOTES_PER_VOTER: Final = 13
BLOCK: Final = 500_000


def strengths(models: int, rng: np.random.Generator) -> Floats:
    """Draw log-strengths with mean 0."""
    theta: Floats = rng.normal(0.0, SPREAD, models)
    theta -= theta.mean()
    return theta


def uniform_sets(votes: int, models: int, rng: np.random.Generator) -> Ints:
    """Draw (n, 4) sets of different models, all equally likely."""
    sets = np.stack([rng.integers(0, models - place, votes) for place in range(SET_SIZE)], axis=1)
    # The number drawn for a place counts among the models still left: shift it past those taken.
    for place in range(1, SET_SIZE):
        for taken in np.sort(sets[:, :place], axis=1).T:
            sets[:, place] += sets[:, place] >= taken
    return sets


def best_picks(worth: Floats, rng: np.random.Generator) -> Ints:
    """Pick a place of each set by Plackett-Luce; `worth` (n, k) are log-strengths."""
    places: Ints = (worth + rng.gumbel(size=worth.shape)).argmax(axis=1)
    return places


def worst_picks(worth: Floats, best: Ints, rng: np.random.Generator) -> Ints:
    """Pick a place among those left, with weights 1/γ."""
    against = rng.gumbel(size=worth.shape) - worth
    np.put_along_axis(against, best[:, None], -np.inf, axis=1)
    places: Ints = against.argmax(axis=1)
    return places


def votes(count: int, models: int, *, seed: int, worst: bool = False) -> Choices:
    """Votes of weight 1 with voters of 13 votes on average, the best pick first in its set."""
    rng = np.random.default_rng(seed)
    theta = strengths(models, rng)
    sets = np.empty((count, SET_SIZE), dtype=np.int16, order="F")
    worst_pick = np.full(count, NO_WORST, dtype=np.int16)
    for first in range(0, count, BLOCK):
        rows = slice(first, min(first + BLOCK, count))
        drawn = uniform_sets(rows.stop - first, models, rng)
        best = best_picks(theta[drawn], rng)
        if worst:
            worst_place = worst_picks(theta[drawn], best, rng)
            worst_pick[rows] = np.take_along_axis(drawn, worst_place[:, None], axis=1)[:, 0]
        every = np.arange(len(drawn))
        drawn[every, best], drawn[:, 0] = drawn[:, 0].copy(), drawn[every, best]
        sets[rows] = drawn
    voters = max(1, count // VOTES_PER_VOTER)
    return Choices(
        models=tuple(f"model-{i:03d}" for i in range(models)),
        sets=sets,
        best=sets[:, 0],
        worst=worst_pick,
        weight=np.full(count, 10**WEIGHT_DIGITS, dtype=np.int32),
        cluster=rng.integers(0, voters, count, dtype=np.int32),
    )
