"""How often 95 % intervals hold the true score: independent voters, and 13 correlated votes each.

`python -m bench.coverage`; seeded, so it prints the same figures everywhere. Correlated voters have
tastes of their own. Their intervals are judged against the fit of the whole population, for
differences between people shrink the scale of any fit of all.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Final

# Fits this small gain nothing from a second thread.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from bench import synthetic
from bench.synthetic import Floats, Ints
from ranking import lobster

MODELS: Final = 12
VOTERS: Final = 300
TASTE: Final = 1.0  # natural logs, standard deviation of a person's own opinion of a model
PEOPLE: Final = 20_000  # drawn to find the fit of the whole population
RUNS: Final = 1_000
QUICK_RUNS: Final = 40
EXPECTED: Final = (0.94, 0.96)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Share of intervals that held the truth, by voter and as if votes were independent.

    `error` is the standard error of `clustered` from run to run.
    """

    voters: str
    runs: int
    votes: int
    clustered: float
    error: float
    by_model: float


def choices(sets: Ints, places: Ints, voters: Ints) -> lobster.Choices:
    """Votes of weight 1 with the best pick in the place given."""
    best = np.take_along_axis(sets, places[:, None], axis=1)[:, 0]
    weight = np.full(len(sets), 10**lobster.WEIGHT_DIGITS)
    none = np.full(len(sets), lobster.NO_WORST)
    return lobster.Choices(names(), sets, best, none, weight, voters)


def names() -> tuple[str, ...]:
    """The models' names."""
    return tuple(f"m{i:02d}" for i in range(MODELS))


def independent(theta: Floats, rng: np.random.Generator) -> lobster.Choices:
    """As many votes as in the other case, each by its own voter, all of one opinion."""
    count = VOTERS * synthetic.VOTES_PER_VOTER
    sets = synthetic.uniform_sets(count, MODELS, rng)
    return choices(sets, synthetic.best_picks(theta[sets], rng), np.arange(count))


def correlated(theta: Floats, rng: np.random.Generator) -> lobster.Choices:
    """Thirteen votes by each voter, who has an own opinion of each model."""
    opinions = theta + rng.normal(0.0, TASTE, (VOTERS, MODELS))
    voters = np.repeat(np.arange(VOTERS), synthetic.VOTES_PER_VOTER)
    sets = synthetic.uniform_sets(len(voters), MODELS, rng)
    worth = np.take_along_axis(opinions[voters], sets, axis=1)
    return choices(sets, synthetic.best_picks(worth, rng), voters)


def of_population(theta: Floats, rng: np.random.Generator) -> Floats:
    """Log-strengths, with mean 0, of a fit of every set by endlessly many people."""
    opinions = np.exp(theta + rng.normal(0.0, TASTE, (PEOPLE, MODELS)))
    sets = np.array(list(combinations(range(MODELS), synthetic.SET_SIZE)))
    chances = [opinions[:, shown] / opinions[:, shown].sum(axis=1, keepdims=True) for shown in sets]
    share = np.array([chance.mean(axis=0) for chance in chances])
    votes = lobster.Choices(
        names(),
        np.repeat(sets, synthetic.SET_SIZE, axis=0),
        sets.ravel(),
        np.full(sets.size, lobster.NO_WORST),
        np.rint(share.ravel() * 1e3 * 10**lobster.WEIGHT_DIGITS).astype(np.int64),
        np.arange(sets.size),
    )
    return lobster.strengths(votes, ghost=0)


def coverage(
    name: str,
    draw: Callable[[Floats, np.random.Generator], lobster.Choices],
    theta: Floats,
    truth: Floats,
    runs: int,
) -> Coverage:
    """Draw and fit so many months; count the intervals that hold the truth."""
    rng = np.random.default_rng(7)
    everyone = np.ones(MODELS, dtype=np.bool_)
    clustered, by_model, votes = [], [], 0
    for _ in range(runs):
        fitted = lobster.fit(draw(theta, rng))
        votes = fitted.votes
        off = np.abs(fitted.theta - fitted.theta.mean() - truth)
        covariance = lobster.Covariance.of(fitted, everyone)
        model_se = np.sqrt(np.diag(covariance.model))
        clustered.append(float((off <= lobster.INTERVAL_Z * covariance.errors()).mean()))
        by_model.append(float((off <= lobster.INTERVAL_Z * model_se).mean()))
    error = float(np.std(clustered)) / math.sqrt(runs)
    return Coverage(name, runs, votes, float(np.mean(clustered)), error, float(np.mean(by_model)))


def main(arguments: Sequence[str] | None = None) -> list[Coverage]:
    """Simulate both kinds of voters and print the shares.

    Raises:
        AssertionError: a full run leaves the range of V-161.
    """
    parser = argparse.ArgumentParser(prog="bench.coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated months of each kind")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_RUNS} months, not judged")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args(arguments)
    runs = QUICK_RUNS if options.quick else options.runs
    rng = np.random.default_rng(3)
    theta = synthetic.strengths(MODELS, rng)
    average = of_population(theta, rng)
    found = [
        coverage("independent", independent, theta, theta, runs),
        coverage("13 votes each", correlated, theta, average, runs),
    ]
    if options.json:
        print(json.dumps([asdict(case) for case in found]))
    else:
        for case in found:
            print(
                f"{case.voters:>14}: {case.clustered:.4f} ± {case.error:.4f} "
                f"({case.runs} months of {case.votes} votes); "
                f"as if all votes were independent {case.by_model:.4f}"
            )
        print(f"scale of the population's fit: {average.std() / theta.std():.3f} of that generated")
    assert options.quick or all(EXPECTED[0] <= case.clustered <= EXPECTED[1] for case in found)
    return found


if __name__ == "__main__":
    main()
