"""Exposure by UCB-E: models that may be among the best, or are little known, are shown more often.

Audibert, Bubeck and Munos 2010, index p + sqrt(a / s). Pure: standings and randomness are passed
in, and the unconditional probability of the drawn set comes out.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ranking.errors import PoolTooSmallError
from ranking.exposure import SET_SIZE, Candidate
from ranking.rules import RankingRules

POLICY: Final = "ucb-e.1"
_EXPLORATION: Final = 25 / 36  # Audibert, Bubeck and Munos 2010, theorem 1
# The integrand is smooth in ln t: this step of the trapezoid rule is exact to rounding, and the
# tails left out are below 1e-10.
_LOG_STEP: Final = 0.25
_LOG_BEFORE: Final = 25.0
_LOG_AFTER: Final = 4.0

PROBABILITY_ROUNDING: Final = 1e-12
"""How far above 1 a probability may come out of floating-point sums; more than that is a fault."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the draw knows of a model of the mode.

    `gamma` is its strength on the last board, `showings` s: counted ballots voted on that showed
    it, `multiplier` the share of exposure of its state, 0 keeping it out.
    """

    model: str
    gamma: float
    showings: int
    multiplier: float


@dataclass(frozen=True, slots=True)
class Indices:
    """The index of each eligible model, with what it was made of, by slug."""

    chance: Mapping[str, float]
    hardness: float
    exploration: float
    index: Mapping[str, float]
    multiplier: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class UcbDraw:
    """Four models in slot order and how they were drawn.

    `probability` is the chance P(S) of the set over this pool before any redrawing; with
    `conditioned` the set was redrawn for distinct makers, `redraws` times.
    """

    models: tuple[str, ...]
    probability: str
    policy: str
    pool_size: int
    uniform_share: float
    temperature: float
    exploration: float
    conditioned: bool
    redraws: int
    makers: int


def best_chances(gammas: Sequence[float]) -> NDArray[np.float64]:
    """Chance of each model to be picked best, averaged over all sets of four of them.

    Plackett-Luce as a race of exponential clocks: i wins a set when the other three ring later, so
    the sum over sets is ∫ γ_i e^(-γ_i t) e₃(e^(-γ_j t), j ≠ i) dt, e₃ the elementary symmetric
    polynomial.

    Args:
        gammas: (M,) strengths above 0, M at least four.

    Returns:
        (M,) chances; their sum is M / 4.
    """
    gamma = np.asarray(gammas, dtype=np.float64)
    log_t = np.arange(
        -math.log(gamma.max()) - _LOG_BEFORE, -math.log(gamma.min()) + _LOG_AFTER, _LOG_STEP
    )
    t = np.exp(log_t)
    later = np.exp(-gamma[:, None] * t)
    before, after = _symmetric(later), _symmetric(later[::-1])[::-1]
    # Products of what stands on either side of i, rather than a division by i: nothing cancels.
    others = sum(before[:-1, k] * after[1:, SET_SIZE - 1 - k] for k in range(SET_SIZE))
    won = (gamma[:, None] * t * later * others).sum(axis=1) * _LOG_STEP
    chances: NDArray[np.float64] = won / math.comb(len(gamma) - 1, SET_SIZE - 1)
    return chances


def _symmetric(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elementary symmetric polynomials 0 to 3 of the first m rows, as [m, k]; values are (M, T)."""
    table = np.zeros((len(values) + 1, SET_SIZE, values.shape[1]))
    table[:, 0] = 1
    for m, value in enumerate(values):
        table[m + 1, 1:] = table[m, 1:] + value * table[m, :-1]
    return table


def indices(standings: Sequence[Standing], rules: RankingRules) -> Indices:
    """Index of each eligible model: its chance to be picked best and a bonus for being unknown.

    Raises:
        PoolTooSmallError: fewer than four models have a multiplier above 0.
    """
    eligible = [standing for standing in standings if standing.multiplier > 0]
    if len(eligible) < SET_SIZE:
        raise PoolTooSmallError(f"{len(eligible)} eligible models, {SET_SIZE} needed")
    chances = best_chances([standing.gamma for standing in eligible])
    chance = {s.model: float(p) for s, p in zip(eligible, chances, strict=True)}
    best = min(chance, key=lambda model: (-chance[model], model))
    gaps = [chance[best] - p for model, p in chance.items() if model != best]
    hardness = sum(1 / max(gap, rules.exposure_gap_floor) ** 2 for gap in gaps)
    spread = max(0, rules.exposure_budget - len(eligible))
    exploration = rules.exposure_factor * _EXPLORATION * spread / hardness
    return Indices(
        chance=chance,
        hardness=hardness,
        exploration=exploration,
        index={s.model: chance[s.model] + _bonus(exploration, s.showings, rules) for s in eligible},
        multiplier={s.model: s.multiplier for s in eligible},
    )


def _bonus(exploration: float, showings: int, rules: RankingRules) -> float:
    if showings == 0:
        return rules.exposure_bonus_cap
    return min(rules.exposure_bonus_cap, math.sqrt(exploration / showings))


def draw(
    pool: Sequence[Candidate], known: Indices, rng: random.Random, rules: RankingRules
) -> UcbDraw:
    """Draw four models of a pool, more often those of a high index, in uniformly random order.

    A set with fewer makers than the pool allows is drawn again, up to the number in the rules.

    Raises:
        PoolTooSmallError: fewer than four models of the pool are eligible.
        ValueError: the pool names a model twice.
    """
    chosen, redraws = choose(pool, known, rng, rules)
    maker = {c.model: c.maker for c in pool if c.model in known.index}
    return UcbDraw(
        models=chosen,
        probability=format(Decimal(repr(set_probability(chosen, list(maker), known, rules))), "f"),
        policy=POLICY,
        pool_size=len(maker),
        uniform_share=rules.exposure_uniform_share,
        temperature=rules.exposure_temperature,
        exploration=known.exploration,
        conditioned=len(set(maker.values())) < len(maker),
        redraws=redraws,
        makers=len({maker[model] for model in chosen}),
    )


def choose(
    pool: Sequence[Candidate], known: Indices, rng: random.Random, rules: RankingRules
) -> tuple[tuple[str, ...], int]:
    """Draw as `draw` does, and return only the models in slot order and how often it drew again.

    The probability of a set takes ten times as long as the set: simulations do without it.

    Raises:
        PoolTooSmallError: fewer than four models of the pool are eligible.
        ValueError: the pool names a model twice.
    """
    if len({candidate.model for candidate in pool}) < len(pool):
        raise ValueError("the pool names a model twice")
    maker = {c.model: c.maker for c in pool if c.model in known.index}
    mixture = _mixture(list(maker), known, rules)
    wanted = min(SET_SIZE, len(set(maker.values())))
    redraws, chosen = 0, _successive(mixture, rng)
    while len({maker[model] for model in chosen}) < wanted and redraws < rules.exposure_redraws:
        redraws, chosen = redraws + 1, _successive(mixture, rng)
    rng.shuffle(chosen)
    return tuple(chosen), redraws


def set_probability(
    models: Sequence[str], pool: Sequence[str], known: Indices, rules: RankingRules
) -> float:
    """Chance P(S) that a draw from this pool, before any redrawing, gives this set; at most 1.

    Raises:
        PoolTooSmallError: fewer than four models of the pool are eligible.
        ValueError: the models are no set of the pool.
        ArithmeticError: the sum is above 1 by more than rounding.
    """
    return _probability(_mixture(pool, known, rules), models)


_Mixture = tuple[tuple[float, dict[str, float]], ...]  # chance of each part, and its weights


def _mixture(pool: Sequence[str], known: Indices, rules: RankingRules) -> _Mixture:
    """By state alone with the uniform share, else by state and index."""
    eligible = [model for model in pool if model in known.index]
    if len(eligible) < SET_SIZE:
        raise PoolTooSmallError(f"{len(eligible)} models to choose from, {SET_SIZE} needed")
    by_state = {model: known.multiplier[model] for model in eligible}
    top = max(known.index[model] for model in eligible)
    by_index = {
        model: share * math.exp((known.index[model] - top) / rules.exposure_temperature)
        for model, share in by_state.items()
    }
    share = rules.exposure_uniform_share
    return ((share, by_state), (1 - share, by_index))


def _successive(mixture: _Mixture, rng: random.Random) -> list[str]:
    """Four models one after the other, each by its weight among those left."""
    (share, by_state), (_, by_index) = mixture
    left = dict(by_state if rng.random() < share else by_index)
    chosen: list[str] = []
    for _ in range(SET_SIZE):
        (model,) = rng.choices(list(left), weights=list(left.values()))
        chosen.append(model)
        del left[model]
    return chosen


def _probability(mixture: _Mixture, models: Sequence[str]) -> float:
    chance = math.fsum(
        share * _successive_probability(weights, models) for share, weights in mixture
    )
    if chance > 1 + PROBABILITY_ROUNDING:
        raise ArithmeticError(f"a set would be drawn with probability {chance!r}")
    return min(chance, 1.0)


def _successive_probability(weights: Mapping[str, float], models: Sequence[str]) -> float:
    """Sum over the 24 orders of the chance to draw the models in that order.

    Built up from smaller sets: the chance that the first draws are some set, in any order.
    """
    if len(set(models) & set(weights)) < SET_SIZE or len(models) != SET_SIZE:
        raise ValueError("a set is four different models of the pool")
    if len(weights) == SET_SIZE:
        return 1.0  # there is no other set, and the sum would round
    first = {frozenset[str](): 1.0}
    for size in range(1, SET_SIZE + 1):
        for drawn in map(frozenset, combinations(models, size)):
            first[drawn] = math.fsum(
                first[drawn - {last}] * weights[last] / _left(weights, drawn - {last})
                for last in sorted(drawn)
            )
    return first[frozenset(models)]


def _left(weights: Mapping[str, float], drawn: frozenset[str]) -> float:
    """Weight of what is left, as a sum: subtracting from the total would lose digits."""
    return math.fsum(weight for model, weight in weights.items() if model not in drawn)
