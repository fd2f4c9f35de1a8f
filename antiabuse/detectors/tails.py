"""Exact tail probabilities of counts, and the normal law's quantile."""

from __future__ import annotations

from math import comb
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["SCREEN_SD", "Floats", "Ints", "count_tails", "normal_bound", "overlap_tail"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

SCREEN_SD: Final = 3.0
"""Standard deviations above expectation: what lies below passes no level shared among many tests,
and is not worth its exact tail."""


def count_tails(chances: Floats, count: int) -> tuple[float, float]:
    """P(X <= count) and P(X >= count) for the number X of independent events that happen.

    X is Poisson-binomial. Its law is built up event by event; all terms are positive, so that tiny
    tails keep their digits, which transforms lose (Hong 2013, section 2, gives both ways).

    Args:
        chances: (n,) chance of each event, 0 to 1.
        count: 0 to n.
    """
    law = np.zeros(len(chances) + 1)
    law[0] = 1.0
    for done, chance in enumerate(chances, start=1):
        law[1 : done + 1] = law[1 : done + 1] * (1 - chance) + law[:done] * chance
        law[0] *= 1 - chance
    return min(1.0, float(law[: count + 1].sum())), min(1.0, float(law[count:].sum()))


def overlap_tail(marked: int, drawn: int, total: int, overlap: int) -> float:
    """P(at least `overlap` marked ones among `drawn` out of `total`): hypergeometric (Fisher).

    Args:
        marked: how many of all are marked.
        drawn: how many of all are drawn, without putting back.
        total: how many there are.
        overlap: marked ones among those drawn.
    """
    ways = sum(
        comb(marked, hits) * comb(total - marked, drawn - hits)
        for hits in range(overlap, min(marked, drawn) + 1)
    )
    return ways / comb(total, drawn)


def normal_bound(level: float) -> float:
    """The z that a standard normal number passes in absolute value with chance `level`."""
    return NormalDist().inv_cdf(1 - level / 2)
