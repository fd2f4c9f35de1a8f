"""The influence bound: no voter cluster and no network moves a score by more than so many errors.

A cap on a share of the evidence is not enough in large months: what a share can move stays the
same, while intervals shrink with the root of the votes. The measure is DFBETAS (Belsley, Kuh and
Welsch 1980, section 2.1) of a whole supplier; estimators that bound it: Krasker and Welsch 1982.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ranking import lobster
from ranking.caps import by_address
from ranking.lobster import Choices, Covariance, Fit, Flags, Floats, Ints
from ranking.picks import Picks, sums
from ranking.rules import RankingRules

__all__ = ["BoundFactors", "bound_factors"]

_NEVER: Final = 1e-12  # a smaller error or move is rounding
_BLOCK_CELLS: Final = 4_000_000  # floats held at once
_WEIGHT_UNIT: Final = 10**lobster.WEIGHT_DIGITS


class BoundFactors(NamedTuple):
    """What each vote's weight (n,) is to be multiplied by, for its voter and for its network."""

    voters: Floats
    networks: Floats


def bound_factors(
    choices: Choices, fitted: Fit, network: Ints | None, rules: RankingRules
) -> BoundFactors:
    """The factors, 0 to 1, that keep each supplier's move of each score within the bound.

    A supplier moves a model's score, measured from the zero of a board, by about d = H⁻¹ s, s its
    summed score; the score's error without it is that of the clustered covariance less the
    supplier's own part. Where d passes `bound_errors` such errors, all votes of the supplier take
    the factor that brings it back: d goes with their weight. Models with fewer suppliers of the
    kind than the cap asks for are not looked at.

    Args:
        choices: the votes, already capped.
        fitted: their fit.
        network: (n,) label of the network each vote came from, or None when no vote's is known; a
            label below 0 is one that is not known and bounds nobody.
        rules: hold the bound.
    """
    even = np.ones(len(choices.best))
    errors = _Errors.of(fitted, rules.bound_errors)
    if errors is None:
        return BoundFactors(even, even)
    voter, voters = lobster.numbered(choices.cluster)
    bound = _Bound(choices, fitted, errors, voter, rules)
    by_voter = bound.factors(voter, voters)
    if network is None:
        return BoundFactors(by_voter, even)
    supplier, count = by_address(network, voter)
    return BoundFactors(by_voter, np.where(network >= 0, bound.factors(supplier, count), 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Errors:
    """How scores move, and how far votes may move them.

    `side` (M, M) takes a summed score to moves of log-strengths; `variance` (M,) is the clustered
    one, `least` (M,) the one below which none is taken, and `scale` is G / (G - 1); `bound` is in
    errors.
    """

    side: Floats
    variance: Floats
    least: Floats
    scale: float
    bound: float

    @classmethod
    def of(cls, fitted: Fit, bound: float) -> _Errors | None:
        """Take them from a fit; None with fewer than two voters, which nobody can compare."""
        mean_of = _zero(fitted)
        covariance = Covariance.of(fitted, mean_of)
        if covariance.clustered is None or not mean_of.any():
            return None
        return cls(
            side=fitted.inverse - fitted.inverse[mean_of].mean(axis=0),
            variance=np.diag(covariance.clustered),
            least=np.where(covariance.few_voters, np.diag(covariance.model), 0.0),
            scale=fitted.clusters / (fitted.clusters - 1),
            bound=bound,
        )

    def allowed(self, own: Floats) -> Floats:
        """The moves (suppliers, M) within the bound, of who brings so much to the variance."""
        left = np.maximum(self.variance - self.scale * own, self.least)
        allowed: Floats = self.bound * np.sqrt(np.maximum(left, _NEVER**2))
        return allowed

    def sure(self) -> Floats:
        """The moves (M,) that are within the bound whoever makes them.

        A supplier brings at most its move, squared, to the variance.
        """
        reach = self.bound / np.sqrt(1 + self.scale * self.bound**2)
        sure: Floats = reach * np.sqrt(np.maximum(self.variance, self.least))
        return sure

    def most(self, shown: Floats, total: Floats) -> Floats:
        """The largest moves (suppliers, M) that votes can make, whatever they pick.

        The scores of a vote of weight w sum to 0, and those above 0 to at most w, so it moves a
        model by at most w times the span of that model's row over the vote's models.

        Args:
            shown: (suppliers, M) weight of a supplier's votes that show the model.
            total: (suppliers,) weight of all its votes.
        """
        size = len(self.side)
        others = self.side[~np.eye(size, dtype=np.bool_)].reshape(size, size - 1)
        apart = (total[:, None] - shown) * np.ptp(others, axis=1)
        most: Floats = shown * np.ptp(self.side, axis=1) + apart
        return most


def _zero(fitted: Fit) -> Flags:
    """Which models' mean score is the zero, as on a board: those shown often, if enough are."""
    often = lobster.basket_of(fitted, fitted.models)
    return fitted.comparable if often is None else np.isin(fitted.models, often)


@dataclass(frozen=True, slots=True, eq=False)
class _Bound:
    """The votes under the bound; `voter` (n,) numbers their clusters from 0."""

    choices: Choices
    fitted: Fit
    errors: _Errors
    voter: Ints
    rules: RankingRules

    def factors(self, supplier: Ints, count: int) -> Floats:
        """The factor (n,) of each vote by its supplier, numbered from 0."""
        factors = np.ones(count)
        looked_at = self._looked_at(supplier, count)
        if looked_at.any():
            for some in self._loud(supplier, count, looked_at):
                factors[some] = self._of(some, supplier, count, looked_at)
        steps = self.rules.bound_steps
        made: Floats = (np.floor(factors * steps) / steps)[supplier]
        return made

    def _looked_at(self, supplier: Ints, count: int) -> Flags:
        """Which models (M,) have as many suppliers as the cap asks for."""
        rows = np.flatnonzero((self.choices.best >= 0) & (self.choices.weight > 0))
        side = len(self.fitted.models) + 1
        met = np.zeros(count * side, dtype=np.bool_)
        first = supplier[rows].astype(np.int64) * side
        for column in self.choices.sets[rows].T:
            met[first + np.where(column == lobster.PAD, side - 1, column)] = True
        enough: Flags = met.reshape(count, side)[:, :-1].sum(axis=0) >= self.rules.cap_clusters
        return enough

    def _loud(self, supplier: Ints, count: int, looked_at: Flags) -> Iterator[Ints]:
        """Yield, some at a time, the suppliers whose votes could pass the bound."""
        weight = np.where(self.choices.best >= 0, self.choices.weight, 0) / _WEIGHT_UNIT
        total = sums(supplier, weight, count)
        sure = self.errors.sure()
        # As if all votes showed the model, which is far from enough for most.
        one = self.errors.most(np.ones((1, len(sure))), np.ones(1))[0]
        loud = np.flatnonzero(total > (sure / np.maximum(one, _NEVER))[looked_at].min())
        size = max(1, _BLOCK_CELLS // (len(sure) + 1))
        for some in np.split(loud, range(size, len(loud), size)):
            picks, number = self._votes_of(some, supplier, count)
            weights = np.broadcast_to(picks.weight[:, None], picks.sets.shape)
            shown = _by_model(picks, weights, number, len(some))
            passing = (self.errors.most(shown, total[some]) > sure)[:, looked_at].any(axis=1)
            if passing.any():
                yield some[passing]

    def _votes_of(self, some: Ints, supplier: Ints, count: int) -> tuple[Picks, Ints]:
        """The votes of some suppliers, and for each the place of its supplier among those."""
        place = np.full(count, -1, dtype=np.int64)
        place[some] = np.arange(len(some))
        weight = np.where(place[supplier] >= 0, self.choices.weight, 0)
        picks = Picks.of(dataclasses.replace(self.choices, weight=weight))
        return picks, place[supplier[picks.rows]]

    def _of(self, some: Ints, supplier: Ints, count: int, looked_at: Flags) -> Floats:
        """The factors of some suppliers, in their order, by their votes alone."""
        picks, number = self._votes_of(some, supplier, count)
        scores = picks.scores(picks.chances(self.fitted.theta)[0])
        moves = self._moves(picks, scores, number, len(some))
        # The variance knows voters: of those behind a network each brings a part of its own.
        pairs, part = np.unique(number * len(picks.labels) + picks.cluster, return_inverse=True)
        squared = self._moves(picks, scores, part, len(pairs)) ** 2
        own = np.zeros(moves.shape)
        np.add.at(own, pairs // len(picks.labels), squared)
        ratio = self.errors.allowed(own) / np.maximum(np.abs(moves), _NEVER)
        factors: Floats = np.minimum(1.0, ratio[:, looked_at].min(axis=1))
        return factors

    def _moves(self, picks: Picks, scores: Floats, number: Ints, count: int) -> Floats:
        """How far votes move each log-strength, summed by number (count, M)."""
        moves: Floats = _by_model(picks, scores, number, count) @ self.errors.side.T
        return moves


def _by_model(picks: Picks, places: Floats, number: Ints, count: int) -> Floats:
    """Sum one value a place (n, k) by number and model (count, M)."""
    side = picks.size + 1
    summed = sums(number[:, None] * side + picks.sets, places, count * side)
    return summed.reshape(count, side)[:, :-1]
