"""The votes that enter a fit, as arrays, for the boards and checks beside the official one.

`lobster.py` keeps its own copy of this, because it must run alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Floats, Ints

__all__ = ["Picks", "sums"]

_WEIGHT_UNIT: Final = 10**lobster.WEIGHT_DIGITS
_BLOCK_CELLS: Final = 4_000_000  # floats held at once while summing over voters


@dataclass(frozen=True, slots=True, eq=False)
class Picks:
    """The n votes with a best pick and a weight above 0, voter by voter.

    `sets` (n, k) names models by position, with `size` where a set is smaller than k; `weight`
    (n,) is in votes; `cluster` (n,) counts the voters from 0 and never falls; `labels` (G,) are
    their names in the `Choices`, and `rows` (n,) the votes' places there.
    """

    size: int
    sets: Ints
    best: Ints
    weight: Floats
    cluster: Ints
    labels: Ints
    rows: Ints

    @classmethod
    def of(cls, choices: Choices) -> Picks:
        """Take the votes that count out of the month's votes."""
        rows = np.flatnonzero((choices.best >= 0) & (choices.weight > 0))
        rows = rows[np.argsort(choices.cluster[rows], kind="stable")]
        labels, cluster = np.unique(choices.cluster[rows], return_inverse=True)
        sets = choices.sets[rows]
        size = len(choices.models)
        return cls(
            size=size,
            sets=np.where(sets == lobster.PAD, size, sets),
            best=choices.best[rows],
            weight=choices.weight[rows] / _WEIGHT_UNIT,
            cluster=cluster,
            labels=labels,
            rows=rows,
        )

    def chances(self, theta: Floats, shift: Floats | None = None) -> tuple[Floats, float]:
        """Chance (n, k) of each place to be picked best, and the log-likelihood.

        Plackett-Luce, first choice only: P = γ / Σ γ over the set, with ln γ = θ, plus `shift`
        (n, k) where an answer has more to it than its model.
        """
        worth = np.append(theta, -np.inf)[self.sets]
        if shift is not None:
            worth += shift
        worth -= worth.max(axis=1, keepdims=True)
        odds = np.exp(worth)
        total = odds.sum(axis=1, keepdims=True)
        of_best = np.where(self.picked(), worth, 0.0).sum(axis=1)
        return odds / total, float(self.weight @ (of_best - np.log(total[:, 0])))

    def picked(self) -> lobster.Flags:
        """Which place (n, k) of each set was picked best."""
        picked: lobster.Flags = self.sets == self.best[:, None]
        return picked

    def scores(self, chance: Floats) -> Floats:
        """Score w (y - P) of each place (n, k): y is 1 for the best pick, 0 for the others."""
        picked = self.picked()
        others = np.where(picked, 0.0, chance)
        # 1 - P as the sum of the other chances: no digit is lost when P is near 1.
        missed = others.sum(axis=1, keepdims=True)
        return np.where(picked, missed, -others) * self.weight[:, None]

    def by_cluster(
        self, places: Floats, more: Floats | None = None
    ) -> Iterator[tuple[int, Floats]]:
        """Sum by voter, in blocks: the first voter of the block, and (voters, M + F) sums.

        Args:
            places: (n, k) one value a place, summed by model.
            more: (n, F) further values of each vote, summed as they are.
        """
        extra = np.zeros((len(self.best), 0)) if more is None else more
        side, clusters = self.size + 1, len(self.labels)
        block = max(1, _BLOCK_CELLS // (side + extra.shape[1]))
        for first in range(0, clusters, block):
            count = min(block, clusters - first)
            begin, end = np.searchsorted(self.cluster, (first, first + count))
            cluster = self.cluster[begin:end] - first
            cell = cluster[:, None] * side + self.sets[begin:end]
            by_model = sums(cell, places[begin:end], count * side).reshape(count, side)
            columns = [sums(cluster, column, count) for column in extra[begin:end].T]
            yield first, np.column_stack([by_model[:, : self.size], *columns])


def sums(cells: Ints, values: Floats, size: int) -> Floats:
    """Sum the values by cell, 0 to size - 1."""
    return np.bincount(cells.ravel(), values.ravel(), size).astype(np.float64, copy=False)
