"""Which voters move a published board's scores most, for moderators (V-164).

A voter here is a cluster: accounts that were joined count as one. Nothing is judged by it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from arena import review_rules, standing
from arena.boards import PublishedBoard
from arena.ports import Ports
from arena.refits import counted
from ranking import influence, lobster
from ranking.leave_out import LeaveOut
from ranking.lobster import Choices, Fit, Floats

__all__ = ["VoterEffect", "influential_voters"]


@dataclass(frozen=True, slots=True)
class VoterEffect:
    """What one voter does to the score of one model.

    Attributes:
        model: whose score.
        voter: pseudonym that the cluster goes by.
        accounts: joined in the cluster, 1 for a voter who is joined to nobody.
        votes: of the cluster with a best pick and a weight.
        share: of the model's counted exposures that they supply, 0 to 1.
        change: points by which the score moves when they are left out.
        error: of the score, in points.
    """

    model: str
    voter: str
    accounts: int
    votes: int
    share: float
    change: float
    error: float


def influential_voters(ports: Ports, official: PublishedBoard) -> tuple[VoterEffect, ...]:
    """Return the voters with the largest effect on each score, models in the board's order.

    They are found by first-order influence; the change is that of the fit without them.

    Args:
        ports: the arena's means.
        official: the board; its votes are taken as they stood at the end of its log prefix.
    """
    mode, month, size = official.mode, official.month, official.log_size
    with ports.database.read() as conn:
        votes = standing.columns_at(ports, conn, mode, month, size)
        joined = Counter(standing.at(conn, mode, month, size).clusters.values())
    columns = counted(votes)[0]
    choices = columns.choices()
    fitted = lobster.fit(choices, start={row.model: row.theta for row in official.rows})
    basket = lobster.basket_of(fitted, official.basket) or ()
    most = review_rules.current().influence_voters
    largest = influence.largest_effects(choices, fitted, basket=basket or None, count=most)
    without = _Without(choices, fitted, basket)
    names = columns.names["clusters"]
    effects: list[VoterEffect] = []
    for row in official.rows:
        found = [
            VoterEffect(
                model=row.model,
                voter=names[effect.cluster],
                accounts=joined.get(names[effect.cluster], 1),
                votes=without.votes(effect.cluster),
                share=without.share(effect.cluster, row.model),
                change=without.change(effect.cluster, row.model),
                error=row.score_se,
            )
            for effect in largest[row.model]
        ]
        effects += sorted(found, key=lambda effect: -abs(effect.change))
    return tuple(effects)


class _Without:
    """The scores without one cluster at a time, each computed once."""

    def __init__(self, choices: Choices, fitted: Fit, basket: tuple[str, ...]) -> None:
        self._choices, self._fitted = choices, fitted
        self._place = {model: place for place, model in enumerate(fitted.models)}
        self._basket = [self._place[model] for model in basket]
        self._leave_out = LeaveOut(choices, fitted)
        self._changes: dict[int, Floats] = {}

    def votes(self, cluster: int) -> int:
        """Return how many counted picks a cluster cast."""
        return len(self._rows(cluster))

    def share(self, cluster: int, model: str) -> float:
        """Return the share of a model's counted exposures that a cluster supplies."""
        rows, place = self._rows(cluster), self._place[model]
        shown = (self._choices.sets[rows] == place).any(axis=1)
        weight = self._choices.weight[rows][shown].sum() / 10**lobster.WEIGHT_DIGITS
        return float(weight / self._fitted.exposures[place])

    def change(self, cluster: int, model: str) -> float:
        """Return by how many points a score moves without a cluster."""
        found = self._changes.get(cluster)
        if found is None:
            theta = self._leave_out.without(self._choices.cluster == cluster)
            shift = theta - self._fitted.theta
            if self._basket:
                shift = shift - shift[self._basket].mean()
            found = self._changes[cluster] = lobster.POINTS_PER_NAT * shift
        return float(found[self._place[model]])

    def _rows(self, cluster: int) -> lobster.Ints:
        choices = self._choices
        return np.flatnonzero(
            (choices.cluster == cluster) & (choices.best >= 0) & (choices.weight > 0)
        )
