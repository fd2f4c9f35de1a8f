"""The board `pl.style.1`: strengths with length and formatting of the answers held equal.

The likelihood of the official board with covariates of each answer beside its model's strength
(conditional logit, McFadden 1974), fitted together: u = θ_model + x·β.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Board, Choices, Fit, Floats
from ranking.picks import Picks, sums

__all__ = ["BOARD", "Coefficient", "StyleFit", "fit", "style_board"]

BOARD: Final = "pl.style.1"
_ROUNDING: Final = 1e-12  # relative error of a log-likelihood summed over a million votes


@dataclass(frozen=True, slots=True)
class Coefficient:
    """What one standard deviation of a feature does to the chance to be picked best.

    `beta`, `se`, `low` and `high` (95 %) are in natural logs of the odds, `points` the same on the
    score's scale. `deviation` is the month's standard deviation, in the feature's own unit; 0 says
    that the answers of no ballot differed in it.
    """

    feature: str
    beta: float
    se: float
    low: float
    high: float
    points: float
    deviation: float


@dataclass(frozen=True, slots=True, eq=False)
class StyleFit:
    """The joint fit: strengths with their errors as a `Fit`, and the coefficients."""

    strengths: Fit
    coefficients: tuple[Coefficient, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """The votes that count, and their features (n, k, F), centred by ballot and scaled."""

    picks: Picks
    x: Floats
    ghost: float

    def objective(self, point: Floats) -> tuple[Floats, float, float]:
        """Chances, log-likelihood, and the same with the ghosts of strengths and coefficients."""
        theta, beta = np.split(point, [self.picks.size])
        chance, value = self.picks.chances(theta, self.x @ beta)
        ghosts = np.logaddexp(0, point) + np.logaddexp(0, -point)
        return chance, value, value - self.ghost * float(ghosts.sum())

    def scores(self, chance: Floats) -> tuple[Floats, Floats]:
        """Scores of the places (n, k), and of the coefficients vote by vote (n, F)."""
        places = self.picks.scores(chance)
        return places, np.einsum("nk,nkf->nf", places, self.x)

    def gradient(self, point: Floats, chance: Floats) -> Floats:
        places, votes = self.scores(chance)
        size = self.picks.size
        by_model = sums(self.picks.sets, places, size + 1)[:size]
        q = _logistic(point)
        return np.concatenate([by_model, votes.sum(axis=0)]) + self.ghost * (1 - 2 * q)

    def information(self, point: Floats, chance: Floats) -> Floats:
        """Negative Hessian (M + F, M + F)."""
        size, side = self.picks.size, self.picks.size + 1
        expected = chance * self.picks.weight[:, None]
        pairs = np.zeros(side * side)
        for column, part in zip(self.picks.sets.T, expected.T, strict=True):
            cell = column[:, None] * side + self.picks.sets
            pairs += sums(cell, part[:, None] * chance, side * side)
        shared = pairs.reshape(side, side)[:size, :size]
        np.fill_diagonal(shared, 0.0)
        # P (1 - P) as the sum of its products with the other chances: no digit is lost near 1.
        strengths = np.diag(shared.sum(axis=1)) - shared
        away = self.x - np.einsum("nk,nkf->nf", chance, self.x)[:, None]
        features = np.einsum("nk,nkf,nkg->fg", expected, away, away)
        columns = [
            sums(self.picks.sets, expected * part, side)[:size] for part in away.T.swapaxes(1, 2)
        ]
        mixed = np.column_stack(columns)
        q = _logistic(point)
        ghosts = np.diag(2 * self.ghost * q * (1 - q))
        return np.block([[strengths, mixed], [mixed.T, features]]) + ghosts

    def middle(self, point: Floats, chance: Floats) -> Floats | None:
        """Outer products of each voter's summed scores, as in the official fit."""
        clusters = len(self.picks.labels)
        if clusters < 2:  # noqa: PLR2004 - one voter shows no spread
            return None
        summed = np.zeros((len(point), len(point)))
        for _, block in self.picks.by_cluster(*self.scores(chance)):
            summed += block.T @ block
        q = _logistic(point)
        ghosts = np.diag(self.ghost * ((1 - q) ** 2 + q**2))
        return summed * (clusters / (clusters - 1)) + ghosts


def _logistic(values: Floats) -> Floats:
    chances: Floats = np.exp(-np.logaddexp(0, -values))
    return chances


def fit(
    choices: Choices,
    values: Floats,
    names: Sequence[str],
    *,
    ghost: float = lobster.GHOST,
    official: Fit | None = None,
) -> StyleFit:
    """Fit strengths and the effect of each feature together by safeguarded Newton steps.

    Features are centred by ballot, so a question that calls for long answers favours nobody, and
    divided by the standard deviation of the centred values over the month's counted ballots. Each
    coefficient has a ghost as each strength has: half a win and half a loss against no effect.

    Args:
        choices: the votes.
        values: (n, k, F) features of the answer in each place; places past the set are ignored.
        names: F names.
        ghost: see `lobster.fit`; above 0.
        official: the official fit of the same votes, if it is at hand.

    Raises:
        WrongUseError: shapes differ, a counted value is not finite, or the ghost is not above 0.
        NotConvergedError: no convergence within `lobster.MAX_ITERATIONS` steps.
    """
    if values.shape != (*choices.sets.shape, len(names)) or not names:
        raise lobster.WrongUseError("features need one value a place and name")
    if not (math.isfinite(ghost) and ghost > 0):
        raise lobster.WrongUseError("with covariates the ghost must be above 0")
    plain = lobster.fit(choices, ghost=ghost) if official is None else official
    if plain.models != choices.models or plain.ghost != ghost:
        raise lobster.WrongUseError("the official fit is of other models or another ghost")
    picks = Picks.of(choices)
    x, deviations = _centred(picks, values[picks.rows])
    problem = _Problem(picks, x, ghost)
    point, iterations = _maximise(problem, np.append(plain.theta, np.zeros(len(names))))
    return _summary(problem, plain, point, iterations, list(zip(names, deviations, strict=True)))


def _centred(picks: Picks, values: Floats) -> tuple[Floats, list[float]]:
    """Features minus the ballot's mean over the month's deviation, 0 past the set."""
    shown = picks.sets < picks.size
    if not np.isfinite(values[shown]).all():
        raise lobster.WrongUseError("a feature is not a finite number")
    inside = np.where(shown[:, :, None], values, 0.0)
    count = shown.sum(axis=1)
    means = inside.sum(axis=1) / count[:, None]
    away = np.where(shown[:, :, None], values - means[:, None], 0.0)
    deviation = np.sqrt((away**2).sum(axis=(0, 1)) / max(1, int(count.sum())))
    # Rounding must not pass for a difference: where no ballot differs, the feature is nothing.
    largest = np.abs(inside).max(axis=(0, 1), initial=0.0)
    deviation = np.where(deviation > largest * _ROUNDING, deviation, 0.0)
    x = np.divide(away, deviation, out=np.zeros_like(away), where=deviation > 0)
    return x, deviation.tolist()


def _maximise(problem: _Problem, point: Floats) -> tuple[Floats, int]:
    """The maximum, and the number of steps it took; the objective is concave."""
    chance, _, value = problem.objective(point)
    for iteration in range(1, lobster.MAX_ITERATIONS + 1):
        slope = problem.gradient(point, chance)
        step = np.linalg.solve(problem.information(point, chance), slope)
        length = float(np.abs(step).max())
        if length > lobster.STEP_LIMIT:
            step *= lobster.STEP_LIMIT / length
        while True:
            chance, _, climbed = problem.objective(point + step)
            # A step that loses has overshot, and half of it is closer.
            if climbed >= value - abs(value) * _ROUNDING or np.abs(step).max() < lobster.TOLERANCE:
                break
            step /= 2
        point, value = point + step, climbed
        if length < lobster.TOLERANCE:
            return point, iteration
    raise lobster.NotConvergedError(f"no convergence after {lobster.MAX_ITERATIONS} steps")


def _summary(
    problem: _Problem,
    plain: Fit,
    point: Floats,
    iterations: int,
    features: Sequence[tuple[str, float]],
) -> StyleFit:
    chance, log_likelihood, penalised = problem.objective(point)
    # As in the official fit, models never shown count for nothing; each stands at the ghost.
    penalised += problem.ghost * 2 * math.log(2) * int((plain.exposures == 0).sum())
    inverse = np.linalg.inv(problem.information(point, chance)).astype(np.float64, copy=False)
    middle = problem.middle(point, chance)
    size = problem.picks.size
    clustered = None if middle is None else inverse @ middle @ inverse
    errors = _errors(np.diag(inverse)[size:], clustered, size, plain.clusters)
    strengths = dataclasses.replace(
        plain,
        theta=point[:size],
        iterations=iterations,
        log_likelihood=log_likelihood,
        penalised_log_likelihood=penalised,
        inverse=inverse[:size, :size],
        middle=None if clustered is None else _middle_of(inverse, clustered, size),
    )
    coefficients = [
        _coefficient(name, float(beta), float(se), deviation)
        for (name, deviation), beta, se in zip(features, point[size:], errors, strict=True)
    ]
    return StyleFit(strengths, tuple(coefficients))


def _errors(model: Floats, clustered: Floats | None, size: int, clusters: int) -> Floats:
    """Errors of the coefficients, by the official rule for few voters."""
    if clustered is None:
        return np.sqrt(model)
    by_voter = np.diag(clustered)[size:]
    chosen = np.maximum(by_voter, model) if clusters < lobster.FEW_CLUSTERS else by_voter
    return np.sqrt(chosen)


def _middle_of(inverse: Floats, clustered: Floats, size: int) -> Floats:
    """The matrix between two of the strengths' own inverses that gives their joint covariance.

    So the official board can be made of it: its errors are inverse · middle · inverse.
    """
    information = np.linalg.inv(inverse[:size, :size])
    return information @ clustered[:size, :size] @ information


def _coefficient(feature: str, beta: float, se: float, deviation: float) -> Coefficient:
    reach = lobster.INTERVAL_Z * se
    points = lobster.POINTS_PER_NAT * beta
    return Coefficient(feature, beta, se, beta - reach, beta + reach, points, deviation)


def style_board(fitted: StyleFit, *, basket: Sequence[str] | None = None) -> Board:
    """The board `pl.style.1`: rows, errors and places by the rules of the official board.

    Args:
        fitted: the joint fit.
        basket: see `lobster.board`.
    """
    return dataclasses.replace(lobster.board(fitted.strengths, basket=basket), board=BOARD)
