"""What real pairwise votes say of people: how far tastes differ, how often picks are blind.

Strengths and the weight of a tie come from the arena's own engine; the rest is the maximum of the
judges' marginal likelihood on a grid.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Floats

__all__ = ["Judges", "People", "fit_people", "read_judges"]

TASTES: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
LAPSES: Final = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15)
SCALES: Final = (1.0, 1.1, 1.2, 1.3, 1.4)
DRAWS: Final = 400
SUPPORT: Final = 1.92  # half the 95 % quantile of chi-square with one degree of freedom


@dataclass(frozen=True, slots=True, eq=False)
class Judges:
    """Votes of real judges on pairs, in the engine's columns; `names` are the judges'."""

    choices: Choices
    names: tuple[str, ...]

    def counts(self) -> tuple[int, ...]:
        """Return how many votes each judge gave."""
        counted = Counter(self.choices.cluster.tolist())
        return tuple(counted[judge] for judge in range(len(self.names)))


@dataclass(frozen=True, slots=True)
class People:
    """What the real votes say of people.

    Attributes:
        taste: standard deviation of a person's own opinion of a model, in natural logs.
        taste_low: lower end of its 95 % interval, from the profile likelihood.
        taste_high: upper end.
        lapse: share of picks made blindly.
        scale: by how much strengths are larger than the fit of all people together says.
        tie_weight: δ of "About the same" in the extended likelihood (Davidson 1970).
        votes: votes of each judge.
        worths: log-strengths of the models as an average reader feels them, strongest first.
        models: names in that order.
    """

    taste: float
    taste_low: float
    taste_high: float
    lapse: float
    scale: float
    tie_weight: float
    votes: tuple[int, ...]
    worths: tuple[float, ...]
    models: tuple[str, ...]


def read_judges(path: Path) -> Judges:
    """Read the battles of a file in LMArena's format; each judge is a voter."""
    battles = json.loads(path.read_text(encoding="utf-8"))
    models = sorted({battle[side] for battle in battles for side in ("model_a", "model_b")})
    names = sorted({battle["judge"] for battle in battles})
    place = {model: i for i, model in enumerate(models)}
    sets = np.array([[place[b["model_a"]], place[b["model_b"]]] for b in battles])
    winner = {"model_a": 0, "model_b": 1}
    best = [
        sets[i, winner[b["winner"]]] if b["winner"] in winner else lobster.SAME
        for i, b in enumerate(battles)
    ]
    return Judges(
        Choices(
            models=tuple(models),
            sets=sets,
            best=np.array(best, dtype=np.int64),
            worst=np.full(len(sets), lobster.NO_WORST),
            weight=np.full(len(sets), 10**lobster.WEIGHT_DIGITS),
            cluster=np.array([names.index(b["judge"]) for b in battles]),
        ),
        tuple(names),
    )


def fit_people(judges: Judges, *, draws: int = DRAWS) -> People:
    """Fit tastes and blind picks: a judge's log-strength of a model is s θ + u, u ~ N(0, taste²).

    A decided vote is blind with chance `lapse`, else Bradley-Terry between the judge's own
    strengths. θ is the engine's fit of all votes, and s makes up for its being flatter than any
    single judge (Zeger, Liang and Albert 1988). The likelihood of a judge is the mean over drawn
    u, the same draws at every point of the grid.

    Args:
        judges: their votes.
        draws: of each judge's u.
    """
    grid = _Grid(judges, draws)
    values = {point: grid.value(*point) for point in product(TASTES, LAPSES, SCALES)}
    taste, lapse, scale = max(values, key=lambda point: values[point])
    top = values[taste, lapse, scale]
    inside = [point[0] for point, value in values.items() if value >= top - SUPPORT]
    ties = lobster.fit_extended(judges.choices)
    theta = lobster.strengths(judges.choices)
    order = (-theta).argsort().tolist()
    return People(
        taste=taste,
        taste_low=min(inside),
        taste_high=max(inside),
        lapse=lapse,
        scale=scale,
        tie_weight=float(np.exp(ties.extra[ties.verdicts.index(lobster.SAME)])),
        votes=judges.counts(),
        worths=tuple(scale * float(theta[place] - theta.mean()) for place in order),
        models=tuple(judges.choices.models[place] for place in order),
    )


class _Grid:
    """The judges' marginal log-likelihood at points of the grid."""

    def __init__(self, judges: Judges, draws: int) -> None:
        self._draws = draws
        choices = judges.choices
        decided = choices.best >= 0
        rows = np.flatnonzero(decided)[np.argsort(choices.cluster[decided], kind="stable")]
        self._sets, self._judge = choices.sets[rows], choices.cluster[rows]
        self._won = self._sets[:, 0] == choices.best[rows]
        self._starts = np.flatnonzero(np.diff(self._judge, prepend=-1))
        self._theta = lobster.strengths(choices)
        self._judges = len(judges.names)

    @cached_property
    def _gaps(self) -> Floats:
        """(draws, n) gap between both models' opinions of standard deviation 1."""
        shape = (self._draws, self._judges, len(self._theta))
        opinions = np.random.default_rng(1).normal(size=shape)
        first, second = self._sets.T
        gaps: Floats = opinions[:, self._judge, first] - opinions[:, self._judge, second]
        return gaps

    def value(self, taste: float, lapse: float, scale: float) -> float:
        """Return the log-likelihood of all decided votes."""
        first, second = self._sets.T
        gap = scale * (self._theta[first] - self._theta[second]) + taste * self._gaps
        chance = (1 - lapse) / (1 + np.exp(-gap)) + lapse / 2
        logs = np.log(np.where(self._won, chance, 1 - chance))
        by_judge = np.add.reduceat(logs, self._starts, axis=1)
        top = by_judge.max(axis=0)
        return float((top + np.log(np.exp(by_judge - top).mean(axis=0))).sum())
