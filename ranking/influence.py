"""How much single voters move the board, and how few of them decide its first place.

First-order effects H⁻¹ s, s a voter's summed score (Cook and Weisberg 1982; as a check of
conclusions: Broderick, Giordano and Meager 2020); what is published is verified by refits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Fit, Ints
from ranking.picks import Picks, sums

__all__ = ["Effect", "Tipping", "fragility", "largest_effects", "tipping_voters"]

_RIVALS: Final = 3  # refits are slow: only the rivals nearest by prediction are tried
_SAME_STRENGTH: Final = 10 * lobster.TOLERANCE  # natural logs; two fits may differ by less


@dataclass(frozen=True, slots=True)
class Effect:
    """What one voter cluster does to the score of a model: about the points it would lose."""

    model: str
    cluster: int
    points: float


@dataclass(frozen=True, slots=True)
class Tipping:
    """Voter clusters without whose votes another model is first, the most influential first."""

    first: str
    instead: str
    clusters: tuple[int, ...]


def largest_effects(
    choices: Choices, fitted: Fit, *, basket: Sequence[str] | None = None, count: int = 1
) -> dict[str, tuple[Effect, ...]]:
    """The voter clusters that move each model's score most, either way, the largest first.

    Args:
        choices: the votes.
        fitted: their fit.
        basket: models whose mean is the board's zero; without it the ghost is.
        count: clusters a model.

    Returns:
        For each model at most `count` effects in points.

    Raises:
        WrongUseError: the fit is of other models, or a model of the basket is not in it.
    """
    _require_same_models(choices, fitted)
    picks = Picks.of(choices)
    side = fitted.inverse
    if basket is not None:
        side = side - side[_positions(fitted.models, basket)].mean(axis=0)
    places = picks.scores(picks.chances(fitted.theta)[0])
    clusters, points = np.zeros((0, picks.size), dtype=np.int64), np.zeros((0, picks.size))
    for first, summed in picks.by_cluster(places):
        rows = np.arange(first, first + len(summed))
        # Only the leaders so far and this block's voters can be among the largest.
        points = np.vstack([points, lobster.POINTS_PER_NAT * (summed @ side.T)])
        clusters = np.vstack([clusters, np.broadcast_to(rows[:, None], summed.shape)])
        top = np.argsort(-np.abs(points), axis=0, kind="stable")[:count]
        points = np.take_along_axis(points, top, axis=0)
        clusters = np.take_along_axis(clusters, top, axis=0)
    return {
        model: tuple(
            Effect(model, int(picks.labels[cluster]), float(value))
            for cluster, value in zip(clusters[:, i], points[:, i], strict=True)
        )
        for i, model in enumerate(fitted.models)
    }


def fragility(choices: Choices, fitted: Fit) -> int | None:
    """The smallest number of voters found without whom another model is first, or None."""
    tipping = tipping_voters(choices, fitted)
    return None if tipping is None else len(tipping.clusters)


def tipping_voters(choices: Choices, fitted: Fit) -> Tipping | None:
    """The fewest voter clusters found whose removal changes the first place.

    For each rival, voters go by their influence on the lead, the most helpful first. Half of those
    that the running sum predicts to be needed are removed at a time, then the votes left are fitted
    again and influence taken anew, so the last ones go one by one. The rivals nearest by prediction
    are tried. The answer is verified, and an upper bound: fewer voters, chosen otherwise, might do.

    Args:
        choices: the votes.
        fitted: their fit.

    Returns:
        None when fewer than two models are ranked, or no removal in this order changes the first
        place.

    Raises:
        WrongUseError: the fit is of other models.
    """
    _require_same_models(choices, fitted)
    ranked = np.flatnonzero(fitted.comparable & (fitted.exposures >= lobster.PROVISIONAL_BELOW))
    if len(ranked) <= 1:
        return None
    first = min(ranked, key=lambda i: (-fitted.theta[i], -fitted.exposures[i], fitted.models[i]))
    search = _Search(choices, fitted, int(first), ranked)
    picks = Picks.of(choices)
    rivals = sorted(
        (int(rival) for rival in ranked if rival != first),
        key=lambda rival: search.needed(picks, fitted, rival)[0],
    )
    best: tuple[int, ...] | None = None
    for rival in rivals[:_RIVALS]:
        limit = len(picks.labels) if best is None else len(best) - 1
        best = search.fewest(rival, limit) or best
    if best is None:
        return None
    theta = search.without(best).theta
    return Tipping(
        fitted.models[search.first], fitted.models[int(ranked[theta[ranked].argmax()])], best
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The search for the voters on whom the first place hangs."""

    choices: Choices
    fitted: Fit
    first: int
    ranked: Ints

    def fewest(self, rival: int, limit: int) -> tuple[int, ...] | None:
        """Labels of voters, up to the limit, without whom the first place changes."""
        removed: tuple[int, ...] = ()
        fitted = self.fitted
        while len(removed) < limit:
            left = self._left(removed)
            picks = Picks.of(left)
            predicted, order = self.needed(picks, fitted, rival)
            if len(order) == 0:
                return None
            batch = order[: min(max(1, predicted // 2), limit - len(removed))]
            labels = tuple(int(label) for label in picks.labels[batch])
            fitted = self.without(removed + labels)
            if self._changed(fitted):
                return removed + labels[: self._enough(removed, labels)]
            removed += labels
        return None

    def needed(self, picks: Picks, fitted: Fit, rival: int) -> tuple[int, Ints]:
        """How many voters are predicted to make the lead, and all who help it, by their help."""
        places = picks.scores(picks.chances(fitted.theta)[0])
        direction = np.append(fitted.inverse[self.first] - fitted.inverse[rival], 0.0)
        help_of_vote = np.einsum("nk,nk->n", places, direction[picks.sets])
        helped = sums(picks.cluster, help_of_vote, len(picks.labels))
        order = np.argsort(-helped, kind="stable")
        order = order[: int((helped > 0).sum())]
        lead = fitted.theta[self.first] - fitted.theta[rival]
        return 1 + int(np.searchsorted(np.cumsum(helped[order]), lead)), order

    def without(self, labels: Sequence[int]) -> Fit:
        """The fit of the votes of all others."""
        start = dict(zip(self.fitted.models, self.fitted.theta.tolist(), strict=True))
        return lobster.fit(self._left(labels), ghost=self.fitted.ghost, start=start)

    def _left(self, labels: Sequence[int]) -> Choices:
        weight = np.where(np.isin(self.choices.cluster, labels), 0, self.choices.weight)
        return dataclasses.replace(self.choices, weight=weight)

    def _changed(self, fitted: Fit) -> bool:
        theta = fitted.theta
        return bool(theta[self.ranked].max() > theta[self.first] + _SAME_STRENGTH)

    def _enough(self, removed: tuple[int, ...], labels: tuple[int, ...]) -> int:
        """How many of the last batch are enough, by halving."""
        low, high = 0, len(labels)
        while high - low > 1:
            middle = (low + high) // 2
            if self._changed(self.without(removed + labels[:middle])):
                high = middle
            else:
                low = middle
        return high


def _require_same_models(choices: Choices, fitted: Fit) -> None:
    if fitted.models != choices.models:
        raise lobster.WrongUseError("the fit is of other models")


def _positions(models: Sequence[str], named: Sequence[str]) -> list[int]:
    unknown = sorted(set(named) - set(models))
    if unknown or not named:
        raise lobster.WrongUseError(
            f"no such model in the fit: {', '.join(unknown) or 'the list is empty'}"
        )
    return [models.index(model) for model in named]
