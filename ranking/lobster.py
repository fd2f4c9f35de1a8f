"""The public ranking engine `pl.1`: from the votes of a month to its board, in one file.

It runs alone, with numpy and nothing else: `python lobster.py votes.jsonl.gz`. It reads no clock
and draws no random numbers: the same votes give the same board. Read it from top to bottom:
numbers, votes, fit, errors, board, file, command.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import json
import math
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Verdict = Literal["best_worst", "same", "bad"]

# --- Numbers ---
# `ranking/rules.py` shows these with unit and reason; they stand here so that this file runs alone.

BOARD: Final = "pl.1"
MODES: Final = ("expert", "speed")
GHOST: Final = (
    0.5  # wins, and as many losses, of every model against an imaginary model of strength 1
)
SCORE_BASE: Final = 1200.0
SCORE_SCALE: Final = 400.0  # points for odds of 10 to 1
SCORE_LOWEST: Final = 0.0
SCORE_HIGHEST: Final = 2400.0
STEP_LIMIT: Final = 3.0  # natural logs
TOLERANCE: Final = 1e-9  # natural logs
MAX_ITERATIONS: Final = 200
INTERVAL_Z: Final = 1.96
HOLM_LEVEL: Final = 0.05
PROVISIONAL_BELOW: Final = 30  # weighted exposures
BASKET_EXPOSURES: Final = 100  # weighted exposures
BASKET_MODELS: Final = 4
FEW_BEST_PICKS: Final = 5  # weighted
FEW_CLUSTERS: Final = 30
WEIGHT_DIGITS: Final = (
    6  # after the point; weights are held as whole millionths, so their sums are exact
)

POINTS_PER_NAT: Final = SCORE_SCALE / math.log(10)
_WEIGHT_UNIT: Final = 10**WEIGHT_DIGITS
_ROUNDING: Final = 1e-12  # relative error of a log-likelihood summed over a million votes
_SCORE_DIGITS: Final = 6  # scores that agree so far differ by rounding alone
_SMALLEST_SET: Final = 2
_START_LIMIT: Final = (SCORE_HIGHEST - SCORE_BASE) / POINTS_PER_NAT
_SUM_LIMIT: Final = 2**53  # above this a float no longer holds every whole number
_BLOCK_CELLS: Final = 4_000_000  # floats held at once while summing over voters

SAME: Final = -1  # in `Choices.best`: "About the same"
BAD: Final = -2  # in `Choices.best`: "Both bad"
NO_WORST: Final = -1  # in `Choices.worst`
PAD: Final = -1  # in `Choices.sets`: no model in this place


class LobsterError(Exception):
    """Any refusal of this module; the text is one line that says what to do."""


class WrongUseError(LobsterError):
    """A parameter is out of its range or names what is not there."""


class VotesError(LobsterError):
    """The votes handed in contradict themselves."""


class NoFiniteMaximumError(LobsterError):
    """Without the ghost some strength would be zero, infinite or undetermined."""


class NotConvergedError(LobsterError):
    """Newton's method did not settle within the allowed number of steps."""


# --- Votes ---


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """All votes of one mode and month, as whole numbers; n votes on sets of at most k models.

    Args:
        models: slugs; every other field names a model by its position here.
        sets: (n, k) models of each vote, each at most once; rows of smaller sets end in PAD.
        best: (n,) the model picked best, or SAME, or BAD.
        worst: (n,) the model picked worst, or NO_WORST.
        weight: (n,) weight in millionths, 0 or more. Votes of weight 0 count for nothing.
        cluster: (n,) voter, after joining of accounts; any labels.

    Raises:
        VotesError: the fields contradict each other.
    """

    models: tuple[str, ...]
    sets: Ints
    best: Ints
    worst: Ints
    weight: Ints
    cluster: Ints

    def __post_init__(self) -> None:
        picks = (self.best, self.worst, self.weight, self.cluster)
        whole = all(column.dtype == np.int64 for column in (self.sets, *picks))
        _require(whole, "all fields must hold whole numbers of 64 bits")
        _require(self.sets.shape[1:], "sets must be a table")
        _require(self.sets.shape[1] >= _SMALLEST_SET, "sets need at least two columns")
        shapes = {column.shape for column in picks}
        _require(shapes == {self.sets.shape[:1]}, "all fields need one entry a vote")
        _require(len(set(self.models)) == len(self.models), "two models have the same name")
        self._require_sound_sets()
        self._require_sound_picks()
        _require((self.weight >= 0).all(), "a weight is negative")
        total = self.weight.sum(dtype=np.float64)
        _require(total < _SUM_LIMIT, "the weights are too large to be added exactly")

    def _require_sound_sets(self) -> None:
        ordered = np.sort(self.sets, axis=1)
        known = (ordered >= PAD) & (ordered < len(self.models))
        _require(known.all(), "a set names an unknown model")
        twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != PAD)
        _require(not twice.any(), "a set names a model twice")
        sizes = (self.sets != PAD).sum(axis=1)
        _require((sizes >= _SMALLEST_SET).all(), "a set has fewer than two models")

    def _require_sound_picks(self) -> None:
        scored, with_worst = self.best >= 0, self.worst != NO_WORST
        _require(np.isin(self.best[~scored], (SAME, BAD)).all(), "an unknown verdict")
        for rows, pick in ((scored, self.best), (with_worst, self.worst)):
            found = (self.sets[rows] == pick[rows, None]).any(axis=1) & (pick[rows] >= 0)
            _require(found.all(), "a pick is not in its set")
        other = scored & (self.worst != self.best)
        _require(other[with_worst].all(), "a worst pick needs another model as best pick")


def _require(holds: object, otherwise: str) -> None:
    if not holds:
        raise VotesError(otherwise)


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The votes that enter the fit: those with a best pick and a weight above 0.

    PAD has become `size`, one past the last model.
    """

    size: int
    sets: Ints
    best: Ints
    weight: Floats
    cluster: Ints  # 0 … clusters - 1
    clusters: int

    @classmethod
    def of(cls, choices: Choices) -> _Counted:
        rows = (choices.best >= 0) & (choices.weight > 0)
        size, sets = len(choices.models), choices.sets[rows]
        labels, cluster = np.unique(choices.cluster[rows], return_inverse=True)
        weight = choices.weight[rows] / _WEIGHT_UNIT
        return cls(
            size,
            np.where(sets == PAD, size, sets),
            choices.best[rows],
            weight,
            cluster,
            len(labels),
        )

    def chances(self, theta: Floats) -> tuple[Floats, float]:
        """Chance of each place of each set to be picked best, and the log-likelihood.

        Plackett-Luce, first choice only: P = γ / Σ γ over the set.
        """
        worth = np.append(theta, -np.inf)[self.sets]
        top = worth.max(axis=1, keepdims=True)
        odds = np.exp(worth - top)
        total = odds.sum(axis=1, keepdims=True)
        log_chance = theta[self.best] - (top + np.log(total))[:, 0]
        return odds / total, float(self.weight @ log_chance)

    def scores(self, chance: Floats) -> Floats:
        """Score w (y - P) of each place of each set: y is 1 for the best pick, 0 for the others."""
        picked = self.sets == self.best[:, None]
        others = np.where(picked, 0.0, chance)
        # 1 - P as the sum of the other chances: no digit is lost when P is near 1.
        missed = others.sum(axis=1, keepdims=True)
        return np.where(picked, missed, -others) * self.weight[:, None]

    def beaten(self) -> Flags:
        """beaten[i, j]: i was picked best at least once where j was shown too."""
        table = np.zeros((self.size, self.size + 1), dtype=np.bool_)
        table[self.best[:, None], self.sets] = True
        return table[:, : self.size]


# --- Fit ---
# Maximise Σ w [θ_best - ln Σ exp θ] over votes + ghost × Σ [ln σ(θ) + ln σ(-θ)] over models,
# where θ = ln γ and σ is the logistic function.


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """One maximum-likelihood fit of M models, with what errors and boards need.

    `theta` (M,) is in natural logs with the ghost at 0; without ghost its mean is 0. The tallies
    (M,) are weighted: `exposures`, `best` and `worst` over votes with a best pick, `same` and
    `bad` over those two verdicts. `comparable` marks the largest group tied by shared ballots.
    `inverse` (M, M) is H⁻¹; `middle` (M, M) is B, or None with fewer than two clusters.
    """

    models: tuple[str, ...]
    ghost: float
    theta: Floats
    iterations: int
    log_likelihood: float
    penalised_log_likelihood: float
    votes: int
    clusters: int
    same_votes: int
    bad_votes: int
    exposures: Floats
    best: Floats
    worst: Floats
    same: Floats
    bad: Floats
    comparable: Flags
    inverse: Floats
    middle: Floats | None


def fit(choices: Choices, *, ghost: float = GHOST, start: Mapping[str, float] | None = None) -> Fit:
    """Fit the strengths by Newton's method with limited steps; the maximum is unique.

    Args:
        choices: the votes.
        ghost: wins, and as many losses, of each model against an imaginary one of strength 1
            (Turner, van Etten, Firth and Kosmidis 2020); 0 gives plain maximum likelihood.
        start: log-strengths to start from, by slug; a model it does not name starts at 0.

    Raises:
        NoFiniteMaximumError: `ghost` is 0 and the votes do not tie all models together in both
            directions (Hunter 2004, assumption 1).
        NotConvergedError: no convergence within MAX_ITERATIONS steps.
        WrongUseError: the ghost is negative, or a start value is not finite.
    """
    if not (math.isfinite(ghost) and ghost >= 0):
        raise WrongUseError("the ghost must be 0 or a positive number")
    votes = _Counted.of(choices)
    beaten = votes.beaten()
    if ghost == 0:
        _require_finite_maximum(beaten, choices.models)
    exposures = _tally(choices, choices.best >= 0)
    theta, iterations = _maximise(votes, ghost, _start(choices.models, start, exposures > 0))
    if ghost == 0:
        theta -= theta.mean()
    chance, log_likelihood = votes.chances(theta)
    information = _slopes(votes, ghost, theta, chance)[1]
    prior = _ghost_log_likelihood(ghost, theta[exposures > 0])
    return Fit(
        models=choices.models,
        ghost=ghost,
        theta=theta,
        iterations=iterations,
        log_likelihood=log_likelihood,
        penalised_log_likelihood=log_likelihood + prior,
        votes=len(votes.best),
        clusters=votes.clusters,
        same_votes=int(((choices.best == SAME) & (choices.weight > 0)).sum()),
        bad_votes=int(((choices.best == BAD) & (choices.weight > 0)).sum()),
        exposures=exposures,
        best=_tally_picks(choices, choices.best),
        worst=_tally_picks(choices, choices.worst),
        same=_tally(choices, choices.best == SAME),
        bad=_tally(choices, choices.best == BAD),
        comparable=_largest_group(beaten | beaten.T, exposures),
        inverse=_inverse(information, ghost),
        middle=_middle(votes, ghost, theta, chance) if votes.clusters > 1 else None,
    )


def _start(models: Sequence[str], start: Mapping[str, float] | None, shown: Flags) -> Floats:
    """The start, kept within the printed scale: far outside it the likelihood is all but flat."""
    given = np.array([(start or {}).get(model, 0.0) for model in models], dtype=np.float64)
    if not np.isfinite(given).all():
        raise WrongUseError("a start value is not a finite number")
    return np.where(shown, np.clip(given, -_START_LIMIT, _START_LIMIT), 0.0)


def _maximise(votes: _Counted, ghost: float, theta: Floats) -> tuple[Floats, int]:
    """The maximum, and the number of steps it took."""
    chance, value = _penalised(votes, ghost, theta)
    for iteration in range(1, MAX_ITERATIONS + 1):
        gradient, information = _slopes(votes, ghost, theta, chance)
        step = _inverse(information, ghost) @ gradient
        length = float(np.abs(step).max(initial=0.0))
        if length > STEP_LIMIT:
            step *= STEP_LIMIT / length
        while True:
            chance, climbed = _penalised(votes, ghost, theta + step)
            # The objective is concave: a step that loses has overshot, and half of it is closer.
            if climbed >= value - abs(value) * _ROUNDING or np.abs(step).max() < TOLERANCE:
                break
            step /= 2
        theta, value = theta + step, climbed
        if length < TOLERANCE:
            return theta, iteration
    raise NotConvergedError(f"no convergence after {MAX_ITERATIONS} steps")


def _penalised(votes: _Counted, ghost: float, theta: Floats) -> tuple[Floats, float]:
    chance, log_likelihood = votes.chances(theta)
    return chance, log_likelihood + _ghost_log_likelihood(ghost, theta)


def _slopes(votes: _Counted, ghost: float, theta: Floats, chance: Floats) -> tuple[Floats, Floats]:
    """Gradient (M,) and negative Hessian (M, M) of the penalised log-likelihood."""
    expected = chance * votes.weight[:, None]
    q = _logistic(theta)
    side = votes.size + 1
    gradient = _sums(votes.sets, votes.scores(chance), side)[: votes.size] + ghost * (1 - 2 * q)
    pairs = np.zeros(side * side)
    for a in range(votes.sets.shape[1]):
        for b in range(a):
            cell = votes.sets[:, a] * side + votes.sets[:, b]
            pairs += _sums(cell, expected[:, a] * chance[:, b], side * side)
    shared = pairs.reshape(side, side)[: votes.size, : votes.size]
    shared = shared + shared.T
    # P (1 - P) as the sum of its products with the other chances, for the same reason as above.
    return gradient, np.diag(shared.sum(axis=1) + 2 * ghost * q * (1 - q)) - shared


def _inverse(information: Floats, ghost: float) -> Floats:
    """H⁻¹; without ghost the first model is held fixed, which leaves every contrast as it is."""
    if ghost > 0 or len(information) == 0:
        return np.linalg.inv(information).astype(np.float64, copy=False)
    inverse: Floats = np.zeros_like(information)
    inverse[1:, 1:] = np.linalg.inv(information[1:, 1:])
    return inverse


def _ghost_log_likelihood(ghost: float, theta: Floats) -> float:
    return -ghost * float((np.logaddexp(0, theta) + np.logaddexp(0, -theta)).sum())


def _logistic(theta: Floats) -> Floats:
    values: Floats = np.exp(-np.logaddexp(0, -theta))
    return values


def _sums(cells: Ints, values: NDArray[Any], size: int) -> Floats:
    """Sum the values by cell, 0 to size - 1."""
    return np.bincount(cells.ravel(), values.ravel(), size).astype(np.float64, copy=False)


def _tally(choices: Choices, rows: Flags) -> Floats:
    """Weighted number of the chosen votes that showed each model."""
    sets, size = choices.sets[rows], len(choices.models)
    weight = np.broadcast_to(choices.weight[rows, None], sets.shape)
    places = np.where(sets == PAD, size, sets)
    return _sums(places, weight, size + 1)[:size] / _WEIGHT_UNIT


def _tally_picks(choices: Choices, pick: Ints) -> Floats:
    rows = pick >= 0
    return _sums(pick[rows], choices.weight[rows], len(choices.models)) / _WEIGHT_UNIT


def _reached(links: Flags, first: int) -> Flags:
    """The models reached from `first` along links[i, j]."""
    reached = np.zeros(len(links), dtype=np.bool_)
    reached[first] = True
    frontier = reached
    while frontier.any():
        frontier = links[frontier].any(axis=0) & ~reached
        reached = reached | frontier
    return reached


def _largest_group(links: Flags, exposures: Floats) -> Flags:
    """Members of the largest group of models tied by shared ballots.

    Of equally large groups, the one shown more often.
    """
    left = exposures > 0
    largest = np.zeros(len(links), dtype=np.bool_)
    while left.any():
        group = _reached(links, int(np.argmax(left)))
        size, shown = int(group.sum()), float(exposures[group].sum())
        if (size, shown) > (int(largest.sum()), float(exposures[largest].sum())):
            largest = group
        left &= ~group
    return largest


def _require_finite_maximum(beaten: Flags, models: Sequence[str]) -> None:
    if not models:
        return
    for links, lack in ((beaten, "never beats"), (beaten.T, "is never beaten by")):
        reached = _reached(links, 0)
        if not reached.all():
            other = models[int(np.argmin(reached))]
            raise NoFiniteMaximumError(
                f"without the ghost there is no finite maximum: "
                f"{models[0]} {lack} {other}, not even through others"
            )


# --- Errors: V = A B Aᵀ, A = C H⁻¹, C the contrast with a mean of models ---


def _middle(votes: _Counted, ghost: float, theta: Floats, chance: Floats) -> Floats:
    """B: outer products of each voter's summed scores w (y - P), times G / (G - 1), plus ghosts."""
    scores = votes.scores(chance)
    order = np.argsort(votes.cluster, kind="stable")
    cluster, side = votes.cluster[order], votes.size + 1
    block = min(votes.clusters, max(1, _BLOCK_CELLS // side))
    middle = np.zeros((votes.size, votes.size))
    for first in range(0, votes.clusters, block):
        rows = order[np.searchsorted(cluster, first) : np.searchsorted(cluster, first + block)]
        cell = (votes.cluster[rows, None] - first) * side + votes.sets[rows]
        summed = _sums(cell, scores[rows], block * side)
        summed = summed.reshape(block, side)[:, : votes.size]
        middle += summed.T @ summed
    q = _logistic(theta)
    ghost_rows = np.diag(ghost * ((1 - q) ** 2 + q**2))
    return middle * (votes.clusters / (votes.clusters - 1)) + ghost_rows


@dataclass(frozen=True, slots=True, eq=False)
class Covariance:
    """Covariance (M, M) of contrasts: clustered by voter, and from the model alone.

    `clustered` is None with fewer than two clusters. `few_voters` (M,) says where the larger of
    the two is used.
    """

    clustered: Floats | None
    model: Floats
    few_voters: Flags

    @classmethod
    def of(cls, fitted: Fit, mean_of: Flags | None) -> Covariance:
        """Covariance of each log-strength less the mean of some models, or less nothing."""
        size = len(fitted.models)
        contrast = np.eye(size)
        if mean_of is not None and mean_of.any():
            contrast = contrast - mean_of / mean_of.sum()
        side = contrast @ fitted.inverse
        clustered = None if fitted.middle is None else side @ fitted.middle @ side.T
        few = (fitted.best < FEW_BEST_PICKS) | (fitted.clusters < FEW_CLUSTERS)
        return cls(clustered, side @ contrast.T, few)

    def errors(self) -> Floats:
        """(M,) standard errors, natural logs."""
        model = np.diag(self.model)
        clustered = model if self.clustered is None else np.diag(self.clustered)
        return _root(self._chosen(clustered, model, self.few_voters))

    def error_of_differences(self) -> Floats:
        """(M, M) standard errors of θ_i - θ_j, natural logs."""
        model = _variance_of_differences(self.model)
        clustered = model if self.clustered is None else _variance_of_differences(self.clustered)
        return _root(self._chosen(clustered, model, self.few_voters[:, None] | self.few_voters))

    @staticmethod
    def _chosen(clustered: Floats, model: Floats, few: Flags) -> Floats:
        # With few voters the clustered error is itself too noisy, mostly too small.
        return np.where(few, np.maximum(clustered, model), clustered)


def _variance_of_differences(covariance: Floats) -> Floats:
    variance = np.diag(covariance)
    return variance[:, None] + variance - covariance - covariance.T


def _root(variance: Floats) -> Floats:
    # Rounding may leave -1e-18 where a model is compared with itself.
    return np.sqrt(np.maximum(variance, 0.0))


# --- Board ---


@dataclass(frozen=True, slots=True)
class Row:
    """One model on a board.

    `theta` and `se` are in natural logs; `score`, `score_se`, `low` and `high` in points;
    `exposures`, `best`, `worst`, `same` and `bad` are weighted. `limited` says that the printed
    score stopped at an end of the scale. Provisional and not comparable models have no places.
    """

    model: str
    theta: float
    gamma: float
    score: float
    se: float
    low: float
    high: float
    exposures: float
    best: float
    worst: float
    same: float
    bad: float
    score_se: float
    limited: bool
    provisional: bool
    comparable: bool
    few_voters: bool
    never_best: bool
    always_best: bool
    best_place: int | None
    worst_place: int | None


@dataclass(frozen=True, slots=True)
class Board:
    """A board in display order with its totals and the parameters it was made with."""

    board: str
    votes: int
    voters: int
    same: int
    bad: int
    log_likelihood: float
    penalised_log_likelihood: float
    iterations: int
    ghost: float
    basket: tuple[str, ...] | None
    reference: str | None
    models: tuple[Row, ...] = field(repr=False)


def arena_score(gamma: float) -> float:
    """Arena Score 1200 + 400 log10 γ, in points, not limited."""
    return SCORE_BASE + SCORE_SCALE * math.log10(gamma)


def basket_of(fitted: Fit, candidates: Sequence[str]) -> tuple[str, ...] | None:
    """The candidates shown often enough in this fit to set the zero, or None when too few are."""
    exposures = dict(zip(fitted.models, fitted.exposures, strict=True))
    basket = tuple(slug for slug in candidates if exposures.get(slug, 0.0) >= BASKET_EXPOSURES)
    return basket if len(basket) >= BASKET_MODELS else None


def board(
    fitted: Fit, *, basket: Sequence[str] | None = None, reference: str | None = None
) -> Board:
    """Turn a fit into scores, intervals and ranks.

    Args:
        fitted: the fit.
        basket: models whose mean log-strength is put at 0, taken as they are (see `basket_of`).
        reference: one model to be put at 0 instead. With neither, the ghost is at 0 and errors are
            of contrasts with the mean of all models in the fit; without ghost, that mean is at 0.

    Raises:
        WrongUseError: both are given, or a model is not in the fit.
    """
    if basket is not None and reference is not None:
        raise WrongUseError("give a basket or a reference, not both")
    named = basket if reference is None else (reference,)
    mean_of = _members(fitted.models, named) if named is not None else fitted.exposures > 0
    theta = fitted.theta
    if named is not None or fitted.ghost == 0:
        theta = theta - (theta[mean_of].mean() if mean_of.any() else 0.0)
    covariance = Covariance.of(fitted, mean_of)
    ranked = fitted.comparable & (fitted.exposures >= PROVISIONAL_BELOW)
    places = _places(theta, covariance.error_of_differences(), ranked)
    few = covariance.few_voters
    rows = [
        _row(fitted, i, float(theta[i]), float(se), places.get(i), few=bool(few[i]))
        for i, se in enumerate(covariance.errors())
    ]
    return Board(
        board=BOARD,
        votes=fitted.votes,
        voters=fitted.clusters,
        same=fitted.same_votes,
        bad=fitted.bad_votes,
        log_likelihood=fitted.log_likelihood,
        penalised_log_likelihood=fitted.penalised_log_likelihood,
        iterations=fitted.iterations,
        ghost=fitted.ghost,
        basket=None if basket is None else tuple(basket),
        reference=reference,
        models=tuple(sorted(rows, key=_display_order)),
    )


def _members(models: Sequence[str], named: Sequence[str]) -> Flags:
    unknown = sorted(set(named) - set(models))
    if unknown or not named:
        raise WrongUseError(
            f"no such model among these votes: {', '.join(unknown) or 'the list is empty'}"
        )
    return np.array([model in set(named) for model in models], dtype=np.bool_)


def _row(
    fitted: Fit, i: int, theta: float, se: float, places: tuple[int, int] | None, *, few: bool
) -> Row:
    score, score_se = SCORE_BASE + POINTS_PER_NAT * theta, POINTS_PER_NAT * se
    exposures, best = float(fitted.exposures[i]), float(fitted.best[i])
    return Row(
        model=fitted.models[i],
        theta=theta,
        gamma=math.exp(theta),
        score=_limited(score),
        se=se,
        low=_limited(score - INTERVAL_Z * score_se),
        high=_limited(score + INTERVAL_Z * score_se),
        exposures=exposures,
        best=best,
        worst=float(fitted.worst[i]),
        same=float(fitted.same[i]),
        bad=float(fitted.bad[i]),
        score_se=score_se,
        limited=_limited(score) != score,
        provisional=exposures < PROVISIONAL_BELOW,
        comparable=bool(fitted.comparable[i]),
        few_voters=few,
        never_best=exposures > 0 and best == 0,
        always_best=exposures > 0 and best == exposures,
        best_place=places[0] if places else None,
        worst_place=places[1] if places else None,
    )


def _limited(score: float) -> float:
    return min(max(score, SCORE_LOWEST), SCORE_HIGHEST)


def _display_order(row: Row) -> tuple[bool, bool, float, float, str]:
    return (
        not row.comparable,
        row.provisional,
        -round(row.score, _SCORE_DIGITS),
        -row.exposures,
        row.model,
    )


def _places(theta: Floats, error: Floats, ranked: Flags) -> dict[int, tuple[int, int]]:
    """Best and worst place that the data allow each ranked model.

    All differences are tested, two-sided, at HOLM_LEVEL together (Holm 1979).
    """
    models = np.flatnonzero(ranked)
    above, below = np.zeros(len(theta), dtype=np.int64), np.zeros(len(theta), dtype=np.int64)
    first, second = (models[side] for side in np.triu_indices(len(models), 1))
    size = np.abs(theta[first] - theta[second])
    z = np.divide(
        size, error[first, second], out=np.zeros_like(size), where=error[first, second] > 0
    )
    p = np.array([math.erfc(value / math.sqrt(2)) for value in z])
    order = np.argsort(p, kind="stable")
    passed = p[order] <= HOLM_LEVEL / np.arange(len(p), 0, -1)
    for pair in order[: len(p) if passed.all() else int(np.argmin(passed))]:
        i, j = first[pair], second[pair]
        winner, loser = (i, j) if theta[i] > theta[j] else (j, i)
        above[loser] += 1
        below[winner] += 1
    return {int(i): (1 + int(above[i]), len(models) - int(below[i])) for i in models}


# --- File: one vote a line, JSON ---

_GZIP: Final = b"\x1f\x8b"
_WEIGHT: Final = re.compile(rf"([0-9]{{1,9}})(?:\.([0-9]{{1,{WEIGHT_DIGITS}}}))?")


@dataclass(frozen=True, slots=True)
class _Vote:
    mode: str
    models: list[str]
    verdict: Verdict
    best: str | None
    worst: str | None
    weight: int
    cluster: str


def read_choices(path: Path, *, cluster: Literal["voter", "vote"]) -> dict[str, Choices]:
    """Read a `votes.jsonl` or `votes.jsonl.gz` into one `Choices` per mode found.

    Raises:
        VotesError: a line is not a vote; the text names the line.
    """
    by_mode: dict[str, list[_Vote]] = {}
    for number, line in enumerate(_lines(path), start=1):
        try:
            vote = _parse(json.loads(line), f"line {number}" if cluster == "vote" else None)
        except (ValueError, RecursionError, VotesError) as error:
            raise VotesError(f"{path.name}, line {number}: {error}") from None
        by_mode.setdefault(vote.mode, []).append(vote)
    return {mode: _choices(votes) for mode, votes in sorted(by_mode.items())}


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as raw:
        packed = raw.read(len(_GZIP)) == _GZIP
        raw.seek(0)
        lines: Iterable[bytes] = gzip.GzipFile(fileobj=raw) if packed else raw
        try:
            yield from lines
        except (OSError, EOFError, zlib.error) as error:
            raise VotesError(f"{path.name} cannot be read to its end: {error}") from None


def _parse(line: object, own_cluster: str | None) -> _Vote:
    if not isinstance(line, dict):
        raise VotesError("a vote must be a JSON object")
    for key in ("mode", "models", "verdict", "best", "worst", "weight"):
        _require(key in line, f"'{key}' is missing")
    mode, verdict, models = line["mode"], line["verdict"], line["models"]
    best, worst = line["best"], line["worst"]
    cluster: Any = own_cluster or line.get("cluster") or line.get("voter")
    _require(mode in MODES, f"'mode' must be one of {', '.join(MODES)}")
    _require(_names(models), "'models' must be a list of names")
    _require(len(models) >= _SMALLEST_SET, "'models' must name at least two models")
    _require(len(set(models)) == len(models), "'models' names a model twice")
    _require(verdict in ("best_worst", "same", "bad"), "'verdict' must be best_worst, same or bad")
    if verdict == "best_worst":
        _require(best in models, "'best' must be one of the models")
        _require(worst is None or worst in models, "'worst' must be null or one of the models")
        _require(worst != best, "'worst' must be another model than 'best'")
    else:
        nothing = best is None and worst is None
        _require(nothing, "'best' and 'worst' must be null with this verdict")
    _require(_names([cluster]), "'cluster' or 'voter' must name the voter")
    return _Vote(mode, models, verdict, best, worst, millionths(line["weight"]), cluster)


def _names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name for name in value)


def millionths(text: object) -> int:
    """The exact number of millionths that a weight's decimal string says.

    Raises:
        VotesError: no string, a sign, an exponent, or more than six digits after the point.
    """
    found = _WEIGHT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise VotesError(
            f"'weight' must be a decimal string with at most {WEIGHT_DIGITS} digits after the point"
        )
    return int(found[1]) * _WEIGHT_UNIT + int((found[2] or "").ljust(WEIGHT_DIGITS, "0"))


def _choices(votes: Sequence[_Vote]) -> Choices:
    models = tuple(sorted({model for vote in votes for model in vote.models}))
    index = {model: i for i, model in enumerate(models)}
    cluster = {name: i for i, name in enumerate(sorted({vote.cluster for vote in votes}))}
    sets = np.full((len(votes), max(len(vote.models) for vote in votes)), PAD, dtype=np.int64)
    for row, vote in enumerate(votes):
        sets[row, : len(vote.models)] = [index[model] for model in vote.models]
    without_best = {"same": SAME, "bad": BAD}
    best = [without_best[vote.verdict] if vote.best is None else index[vote.best] for vote in votes]
    worst = [NO_WORST if vote.worst is None else index[vote.worst] for vote in votes]
    return Choices(
        models=models,
        sets=sets,
        best=np.array(best, dtype=np.int64),
        worst=np.array(worst, dtype=np.int64),
        weight=np.array([vote.weight for vote in votes], dtype=np.int64),
        cluster=np.array([cluster[vote.cluster] for vote in votes], dtype=np.int64),
    )


def _month_basket(path: Path, mode: str) -> list[str]:
    """The month's basket from `manifest.json` beside the votes; empty without a manifest."""
    manifest = path.parent / "manifest.json"
    if not manifest.exists():
        return []
    try:
        basket = json.loads(manifest.read_text(encoding="utf-8"))["basket"][mode]
    except (ValueError, KeyError, TypeError):
        raise LobsterError(f"{manifest.name} names no basket for {mode}; give --basket") from None
    if not (isinstance(basket, list) and all(isinstance(model, str) for model in basket)):
        raise LobsterError(
            f"the basket for {mode} in {manifest.name} is not a list of names; give --basket"
        )
    return basket


# --- Command ---


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="lobster.py", description="Compute the board of a month from its published votes."
    )
    parser.add_argument("votes", type=Path, help="votes.jsonl or votes.jsonl.gz")
    parser.add_argument("--json", action="store_true", help="print JSON with all digits")
    parser.add_argument("--ghost", type=float, default=GHOST, help="0 is plain maximum likelihood")
    parser.add_argument("--mode", choices=MODES, help="this mode only")
    centre = parser.add_mutually_exclusive_group()
    centre.add_argument("--basket", help="models whose mean is 1200, with commas between")
    centre.add_argument("--reference", help="one model to be put at 1200")
    parser.add_argument(
        "--cluster", choices=("voter", "vote"), default="voter", help="what counts as independent"
    )
    parser.add_argument("--board", choices=(BOARD,), default=BOARD, help="which board")
    return parser


def _chosen(options: argparse.Namespace) -> dict[str, Choices]:
    found = read_choices(options.votes, cluster=options.cluster)
    if options.mode is None:
        return found
    if options.mode not in found:
        raise VotesError(f"{options.votes.name} holds no vote of mode {options.mode}")
    return {options.mode: found[options.mode]}


def _board_of(choices: Choices, mode: str, options: argparse.Namespace) -> Board:
    fitted = fit(choices, ghost=options.ghost)
    if options.reference is not None:
        return board(fitted, reference=options.reference)
    if options.basket is not None:
        return board(fitted, basket=[slug.strip() for slug in options.basket.split(",")])
    return board(fitted, basket=basket_of(fitted, _month_basket(options.votes, mode)))


def _table(mode: str, made: Board) -> str:
    lines = [
        f"{made.board} {mode}: {made.votes} votes by {made.voters} voters",
        f"about the same {made.same}, both bad {made.bad}, steps {made.iterations}",
        f"log-likelihood {made.log_likelihood:.6f}, with ghost {made.penalised_log_likelihood:.6f}",
        "",
        _LINE.format("place", "score", "low", "high", "shown", "best", "worst", "model"),
    ]
    for row in made.models:
        numbers = [f"{value:.2f}" for value in (row.score, row.low, row.high)]
        tallies = [f"{value:.6g}" for value in (row.exposures, row.best, row.worst)]
        marks = [text for name, text in _MARKS.items() if getattr(row, name)]
        marks += [] if row.comparable else ["not yet comparable"]
        name = row.model + (f" ({', '.join(marks)})" if marks else "")
        lines.append(_LINE.format(_place(row), *numbers, *tallies, name))
    return "\n".join(lines)


def _place(row: Row) -> str:
    if row.best_place == row.worst_place:
        return "-" if row.best_place is None else str(row.best_place)
    return f"{row.best_place}–{row.worst_place}"


_LINE: Final = "{:>7} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10}  {}"
_MARKS: Final = {
    "provisional": "provisional",
    "few_voters": "few voters",
    "never_best": "never best",
    "always_best": "always best",
    "limited": "at the end of the scale",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code: 0, 1 for bad votes, 2 for wrong use."""
    options = _parser().parse_args(arguments)
    try:
        boards = {
            mode: _board_of(choices, mode, options) for mode, choices in _chosen(options).items()
        }
    except OSError as error:
        print(f"lobster.py: cannot open {options.votes}: {error.strerror}", file=sys.stderr)
        return 2
    except LobsterError as error:
        print(f"lobster.py: {error}", file=sys.stderr)
        return 2 if isinstance(error, WrongUseError) else 1
    if options.json:
        records = [{"mode": mode, **dataclasses.asdict(made)} for mode, made in boards.items()]
        print(json.dumps({"boards": records} if options.mode is None else records[0]))
    else:
        print("\n\n".join(_table(mode, made) for mode, made in boards.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
