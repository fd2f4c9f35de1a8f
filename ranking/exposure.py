"""Which four models a ballot shows: the uniform draw, with its exact probability.

Pure: the caller passes the pool and the source of randomness. The models come in slot order.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from math import comb
from typing import Final

from ranking.errors import PoolTooSmallError

POLICY: Final = "uniform.1"
SET_SIZE: Final = 4
PROBABILITY_DIGITS: Final = 18  # significant; the count of sets gives the exact value


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may be shown, and who makes it."""

    model: str
    maker: str


@dataclass(frozen=True, slots=True)
class Draw:
    """Four models in slot order and how they were drawn.

    `sets` is the number of sets that could have come, all equally likely; `probability` is
    P(S) = 1 / `sets` as a decimal string. With `distinct_makers` those are only the sets with
    `makers` different makers, the most this pool allows; without, all sets of the pool.
    """

    models: tuple[str, ...]
    probability: str
    sets: int
    policy: str
    pool_size: int
    distinct_makers: bool
    makers: int


def draw(pool: Sequence[Candidate], rng: random.Random, *, distinct_makers: bool) -> Draw:
    """Draw four different models uniformly over the possible sets, in uniformly random order.

    Args:
        pool: the models with a showable answer. The same pool in the same order and the same state
            of `rng` give the same draw.
        rng: source of randomness.
        distinct_makers: only sets with as many different makers as the pool allows.

    Raises:
        PoolTooSmallError: the pool has fewer than four models.
        ValueError: the pool names a model twice.
    """
    if len({candidate.model for candidate in pool}) < len(pool):
        raise ValueError("the pool names a model twice")
    if len(pool) < SET_SIZE:
        raise PoolTooSmallError(f"{len(pool)} models to choose from, {SET_SIZE} needed")
    groups = _groups(pool, distinct_makers=distinct_makers)
    makers = min(SET_SIZE, len(groups))
    ways = _ways(tuple(len(group) for group in groups), makers)
    chosen = _pick(groups, ways, makers, rng)
    rng.shuffle(chosen)
    sets = ways[0][SET_SIZE]
    return Draw(
        models=tuple(candidate.model for candidate in chosen),
        probability=_reciprocal(sets),
        sets=sets,
        policy=POLICY,
        pool_size=len(pool),
        distinct_makers=distinct_makers,
        makers=len({candidate.maker for candidate in chosen}),
    )


def _groups(pool: Sequence[Candidate], *, distinct_makers: bool) -> list[list[Candidate]]:
    """By maker in order of appearance; each model alone when makers do not matter."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in pool:
        key = candidate.maker if distinct_makers else candidate.model
        groups.setdefault(key, []).append(candidate)
    return list(groups.values())


def _takes(makers: int) -> range:
    """How many models a maker may have in the set: all makers must be in it if there are few."""
    return range(2) if makers == SET_SIZE else range(1, SET_SIZE + 1)


@lru_cache(maxsize=64)
def _ways(sizes: tuple[int, ...], makers: int) -> tuple[tuple[int, ...], ...]:
    """Count the ways to take k models from the groups i, i + 1, and so on, as [i][k].

    With one model a maker these are the elementary symmetric polynomials of the sizes.
    """
    ways: list[tuple[int, ...]] = [(1,) + (0,) * SET_SIZE]
    for size in reversed(sizes):
        later = ways[-1]
        ways.append(
            tuple(
                sum(comb(size, take) * later[k - take] for take in _takes(makers) if take <= k)
                for k in range(SET_SIZE + 1)
            )
        )
    return tuple(reversed(ways))


def _pick(
    groups: Sequence[Sequence[Candidate]],
    ways: Sequence[Sequence[int]],
    makers: int,
    rng: random.Random,
) -> list[Candidate]:
    """A uniform set: one random number spreads the places over makers, then models within each."""
    chosen: list[Candidate] = []
    number = rng.randrange(ways[0][SET_SIZE])
    for group, later in zip(groups, ways[1:], strict=True):
        for take in _takes(makers):
            left = SET_SIZE - len(chosen) - take
            block = comb(len(group), take) * later[left] if left >= 0 else 0
            if number < block:
                # The place inside the block says which models, but sampling them is as uniform.
                number %= later[left]
                chosen += rng.sample(group, take)
                break
            number -= block
    return chosen


def _reciprocal(count: int) -> str:
    with localcontext(prec=PROBABILITY_DIGITS):
        return format(Decimal(1) / count, "f")
