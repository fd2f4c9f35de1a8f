"""How many votes it takes to find the best of 20 models: UCB-E against uniform draws.

Simulated months with known strengths, and a test that sets come as often as their ballots log.
Run as `python -m bench.exposure`; seeded, so that it prints the same figures everywhere.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ranking import lobster, rules, ucbe
from ranking.exposure import SET_SIZE, Candidate

Floats = NDArray[np.float64]

MODELS: Final = 20
VOTES: Final = 8_000
REFIT_VOTES: Final = 200
CHECKPOINTS: Final = (200, 400, 800, 1_600, 3_200, 4_800, 8_000)
RUNS: Final = 24
DRAWS: Final = 40_000
BINS: Final = 40
LEAST_P: Final = 0.001
# Log-strengths: the best leads by 15 points, as the others follow each other; or by 60.
EVEN: Final = np.linspace(0.8, -0.8, MODELS)
CLEAR: Final = np.append(0.8 + 45 / lobster.POINTS_PER_NAT, np.linspace(0.716, -0.8, MODELS - 1))
RULES: Final = rules.current()


@dataclass(frozen=True, slots=True)
class Month:
    """One simulated month: whether the best model led at each refit, and its showings."""

    led: tuple[bool, ...]
    showings: tuple[int, ...]


Draw = Callable[[Floats, NDArray[np.int64], int, random.Random], list[list[int]]]


def uniform_sets(
    _theta: Floats, showings: NDArray[np.int64], count: int, rng: random.Random
) -> list[list[int]]:
    """Return sets drawn without looking at anything."""
    return [rng.sample(range(len(showings)), SET_SIZE) for _ in range(count)]


def ucbe_sets(
    theta: Floats, showings: NDArray[np.int64], count: int, rng: random.Random
) -> list[list[int]]:
    """Return sets drawn by the policy in force, all from one board, as between two refits."""
    known = known_from(theta, showings)
    pool = [Candidate(str(i), str(i)) for i in range(len(showings))]
    drawn = (ucbe.draw(pool, known, rng, RULES).models for _ in range(count))
    return [[int(model) for model in models] for models in drawn]


def known_from(theta: Floats, showings: NDArray[np.int64]) -> ucbe.Indices:
    """Return the indices of all models, each Active."""
    return ucbe.indices(
        [
            ucbe.Standing(str(i), math.exp(theta[i]), int(showings[i]), RULES.multiplier_active)
            for i in range(len(showings))
        ],
        RULES,
    )


def month(truth: Floats, draw: Draw, seed: int) -> Month:
    """Simulate a month; picks follow Plackett-Luce, each vote by its own voter."""
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    size = len(truth)
    models = tuple(f"m{i:02d}" for i in range(size))
    sets = np.zeros((0, SET_SIZE), dtype=np.int64)
    best = np.zeros(0, dtype=np.int64)
    theta, showings = np.zeros(size), np.zeros(size, dtype=np.int64)
    led: list[bool] = []
    for votes in range(REFIT_VOTES, VOTES + 1, REFIT_VOTES):
        new = np.array(draw(theta, showings, REFIT_VOTES, rng), dtype=np.int64)
        picks = (truth[new] + noise.gumbel(size=new.shape)).argmax(axis=1)
        sets, best = np.vstack([sets, new]), np.append(best, new[np.arange(len(new)), picks])
        showings = np.bincount(sets.ravel(), minlength=size)
        choices = lobster.Choices(
            models=models,
            sets=sets,
            best=best,
            worst=np.full(votes, lobster.NO_WORST),
            weight=np.full(votes, 10**lobster.WEIGHT_DIGITS),
            cluster=np.arange(votes),
        )
        theta = lobster.fit(choices, start=dict(zip(models, theta.tolist(), strict=True))).theta
        led.append(int(theta.argmax()) == int(truth.argmax()))
    return Month(tuple(led), tuple(showings.tolist()))


def settled(led: Sequence[bool]) -> int:
    """Return from which vote on the best model led; past the month if not at its end."""
    wrong = [i for i, right in enumerate(led) if not right]
    return REFIT_VOTES * (wrong[-1] + 2 if wrong else 1)


def race(name: str, truth: Floats, runs: int) -> None:
    """Print how often each policy's leader was the best model, by votes cast.

    Then from which vote on it led to the end in half and in three quarters of the months.
    """
    print(
        f"\n{name}: best model leads by "
        f"{(truth[0] - truth[1]) * lobster.POINTS_PER_NAT:.0f} points, {runs} months each"
    )
    print(
        "policy    "
        + "".join(f"{votes:>8,}" for votes in CHECKPOINTS)
        + "    half   three in four   showings of best"
    )
    for policy, draw in (("uniform", uniform_sets), ("ucb-e.1", ucbe_sets)):
        months = [month(truth, draw, seed) for seed in range(runs)]
        shares = [
            np.mean([one.led[votes // REFIT_VOTES - 1] for one in months]) for votes in CHECKPOINTS
        ]
        half, most = np.quantile([settled(one.led) for one in months], (0.5, 0.75))
        shown = np.mean([one.showings[0] for one in months])
        print(
            f"{policy:10}"
            + "".join(f"{share:>8.0%}" for share in shares)
            + f"{half:>8,.0f}{most:>16,.0f}{shown:>19,.0f}"
        )


def chi_square(counts: Floats, expected: Floats) -> tuple[float, float]:
    """Return the statistic and its p, after Wilson and Hilferty (1931)."""
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = len(counts) - 1
    part = 2 / (9 * freedom)
    z = ((statistic / freedom) ** (1 / 3) - (1 - part)) / math.sqrt(part)
    return statistic, math.erfc(z / math.sqrt(2)) / 2


def logged_probabilities(draws: int) -> None:
    """Print whether sets come as often as logged, on a board in the middle of a month.

    The sets go into groups of about equal logged probability, from the rarest to the commonest.
    """
    rng, noise = random.Random(1), np.random.default_rng(1)
    showings = noise.integers(20, 600, MODELS)
    known = known_from(EVEN + noise.normal(0, 0.1, MODELS), showings)
    names = [str(i) for i in range(MODELS)]
    logged = {
        four: ucbe.set_probability(four, names, known, RULES)
        for four in combinations(names, SET_SIZE)
    }
    order = sorted(logged, key=lambda four: logged[four])
    mass = np.cumsum([logged[four] for four in order])
    group = dict(zip(order, np.minimum(mass * BINS, BINS - 1).astype(int), strict=True))
    expected, counts = np.zeros(BINS), np.zeros(BINS)
    for four, probability in logged.items():
        expected[group[four]] += probability * draws
    pool = [Candidate(name, name) for name in names]
    differ, weights = 0.0, []
    for _ in range(draws):
        drawn = ucbe.draw(pool, known, rng, RULES)
        first, second, third, fourth = sorted(drawn.models, key=int)
        four = (first, second, third, fourth)
        counts[group[four]] += 1
        differ = max(differ, abs(float(drawn.probability) / logged[four] - 1))
        weights.append(1 / float(drawn.probability))
    # A set commoner than a group leaves the groups beside it empty.
    used = expected > 0
    statistic, p = chi_square(counts[used], expected[used])
    error = np.std(weights) / math.sqrt(draws) / len(logged)
    print(f"\nLogged probabilities: {draws:,} draws of 4 from {MODELS} models")
    print(f"sum over all {len(logged):,} sets 1 {mass[-1] - 1:+.1e}")
    print(f"rarest set {logged[order[0]]:.2e}, commonest {logged[order[-1]]:.2e}")
    print(f"ballot's figure against the set's, largest relative difference {differ:.1e}")
    print(f"chi-square {statistic:.1f} on {used.sum() - 1} degrees of freedom, p = {p:.2f}")
    print(
        f"mean of 1/P(S) over the number of sets {np.mean(weights) / len(logged):.3f} ± {error:.3f}"
    )
    assert p > LEAST_P, "sets do not come as often as logged"


def main() -> None:
    """Run both parts and print their figures and times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated months a policy and case")
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws of the chi-square test")
    options = parser.parse_args()
    started = time.perf_counter()
    logged_probabilities(options.draws)
    race("Even field", EVEN, options.runs)
    race("Clear winner", CLEAR, options.runs)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
