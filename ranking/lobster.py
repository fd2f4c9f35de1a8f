"""The public ranking engine, `pl.1` and `pl.extended.1`: from a month's votes to its board.

It runs alone, with numpy and nothing else: `python lobster.py votes.jsonl.gz`. It reads no clock
and draws no random numbers: the same votes give the same board. Read it from top to bottom:
numbers, votes, the two likelihoods, fit, errors, scale, board, file, command.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import io
import json
import math
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Flags = NDArray[np.bool_]
Verdict = Literal["best_worst", "same", "bad"]
Made = TypeVar("Made")

# --- Numbers ---
# `ranking/rules.py` shows these with unit and reason; they stand here so that this file runs alone.

BOARD: Final = "pl.1"
EXTENDED: Final = "pl.extended.1"
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
_RANGE_LIMIT: Final = 700.0  # natural logs between two strengths; floats end soon after
_RENEW: Final = 0.03  # natural logs; a longer way makes the information out of date
_SHRINK: Final = 0.25  # of a step to the last; about-right information does better near the maximum
_SHORT: Final = 0.1  # natural logs; on such a way the information hardly changes
_SETTLED: Final = 1e-4  # of the tolerance: how far from the maximum a fit may end
_ABOUT_SETTLED: Final = 0.02  # the same with information that is about right
_NEARLY_SETTLED: Final = 2.0  # the same when one more step with the exact one follows
_COUNTLESS: Final = 100_000  # votes, from which on the exact information is not worth its time
_NEAR: Final = 1e-3  # natural logs; the start need not be better, for votes are noisier than that
_BLOCK_VOTES: Final = 2**17  # enough for two threads not to wait for each other
_THREADS: Final = 2
_BLOCK_CELLS: Final = 2**20  # numbers in a block of a stage
_VOTER_CELLS: Final = 240_000  # in a block of voters: in smaller ones two threads wait in turn
_VOTERS_PER_MODEL: Final = 4  # at least so many in such a block
_SORTED_VOTES: Final = 8_000_000  # votes put in the order of their voters at once
_MANY_VOTES: Final = 4_000_000  # votes of which one number each is held at once
_PLACE_BITS: Final = 31
_SMALL_BYTES: Final = 4  # of an integer that is read in place
_LABELS_PER_VOTE: Final = 4  # up to which voters' labels are taken as numbers

SAME: Final = -1  # in `Choices.best`: "About the same"
BAD: Final = -2  # in `Choices.best`: "Both bad"
NO_WORST: Final = -1  # in `Choices.worst`
PAD: Final = -1  # in `Choices.sets`: no model in this place
_VERDICTS: Final[dict[int, Verdict]] = {SAME: "same", BAD: "bad"}


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

    Any signed integers will do. Small ones, with each column of `sets` in one piece (Fortran
    order) and the best pick in the first, are read in place; others are copied.

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
        whole = all(column.dtype.kind == "i" for column in (self.sets, *picks))
        _require(whole, "all fields must hold whole numbers with a sign")
        _require(self.sets.shape[1:], "sets must be a table")
        _require(self.sets.shape[1] >= _SMALLEST_SET, "sets need at least two columns")
        shapes = {column.shape for column in picks}
        _require(shapes == {self.sets.shape[:1]}, "all fields need one entry a vote")
        _require(len(set(self.models)) == len(self.models), "two models have the same name")
        self._require_sound_sets()
        self._require_sound_picks()
        _require(self.weight.min(initial=0) >= 0, "a weight is negative")
        total = self.weight.sum(dtype=np.float64)
        _require(total < _SUM_LIMIT, "the weights are too large to be added exactly")

    def _require_sound_sets(self) -> None:
        lowest, highest = self.sets.min(initial=0), self.sets.max(initial=0)
        known = lowest >= PAD and highest < max(1, len(self.models))
        _require(known, "a set names an unknown model")
        for a, b in _pairs(self.sets.shape[1]):
            twice = self.sets[:, a] == self.sets[:, b]
            if lowest == PAD:
                twice &= self.sets[:, a] != PAD
            _require(not twice.any(), "a set names a model twice")
        if lowest == PAD:
            empty = self.sets == PAD
            gap = empty[:, :-1] & ~empty[:, 1:]
            _require(not gap.any(), "PAD must come after the models of a set")
            _require(not empty[:, 1].any(), "a set has fewer than two models")

    def _require_sound_picks(self) -> None:
        _require(self.best.min(initial=0) >= BAD, "an unknown verdict")
        with_worst = self.worst != NO_WORST
        for without, pick in ((self.best < 0, self.best), (~with_worst, self.worst)):
            found = without | (pick == self.sets[:, 0])
            for a in range(1, self.sets.shape[1]):
                found |= pick == self.sets[:, a]
            _require((found & (without | (pick >= 0))).all(), "a pick is not in its set")
        other = (self.best >= 0) & (self.worst != self.best)
        _require((other | ~with_worst).all(), "a worst pick needs another model as best pick")


def _require(holds: object, otherwise: str) -> None:
    if not holds:
        raise VotesError(otherwise)


def _pairs(size: int) -> list[tuple[int, int]]:
    """All pairs of places in a set of so many."""
    return [(a, b) for a in range(size) for b in range(a + 1, size)]


# --- Likelihood of `pl.1` ---
# ℓ = Σ w [θ_best - ln Σ exp θ]: Plackett-Luce with the first choice only; θ = ln γ.
# The sums run over blocks of votes that fit in the processor's cache, and each has terms of one
# sign: no digit is lost when a chance is near 0 or 1.


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The votes that enter the fit: those with a best pick and a weight other than 0.

    `slots` are the columns of the sets, best pick first. PAD has become `size`, one past the last
    model, and has strength 0. `weight` is in millionths. Voters are numbered from 0. `cells` are
    where the best pick meets each other model in a flat table of models by models, or empty where
    there are too many votes to keep them.
    """

    size: int
    slots: tuple[Ints, ...]
    weight: Ints
    voter: Ints
    voters: int
    cells: tuple[Ints, ...]

    @classmethod
    def of(cls, choices: Choices) -> _Counted:
        counted = (choices.best >= 0) & (choices.weight > 0)
        rows: slice | Flags = slice(None) if counted.all() else counted
        size = len(choices.models)
        slots = _best_first(choices.sets[rows], choices.best[rows], size)
        few = len(slots[0]) <= _MANY_VOTES
        cells = tuple(np.empty(len(slot), dtype=np.intp) for slot in slots[1:]) if few else ()
        voters = numbered(choices.cluster[rows])
        votes = cls(size, slots, choices.weight[rows], *voters, cells)
        if few:
            votes._keep_cells()
        return votes

    def _keep_cells(self) -> None:
        def of_block(rows: slice) -> None:
            for kept, found in zip(self.cells, _cells(self.slots, rows, self.size), strict=True):
                kept[rows] = found

        for _ in _in_order(of_block, self.blocks()):
            pass

    def blocks(self) -> list[slice]:
        """The votes in blocks."""
        # With many models, tables of models by models are what takes time: fewer, larger blocks.
        size = max(_BLOCK_VOTES, (self.size + 1) ** 2)
        return [slice(i, i + size) for i in range(0, len(self.weight), size)]

    def met(self, rows: slice) -> list[Ints]:
        """Cells of the best pick with each other model."""
        return [cells[rows] for cells in self.cells] or _cells(self.slots, rows, self.size)

    def wins(self) -> Floats:
        """(M, M) weight of the votes that picked i best where j was shown, j = i included."""

        def of_block(rows: slice) -> Floats:
            return _sums_by_pair(self.met(rows), self.weight[rows].astype(np.float64), side)

        side = self.size + 1
        table = _added(of_block, self.blocks(), side)
        # Each best pick meets a model, or PAD, in every other place.
        np.fill_diagonal(table, table.sum(axis=1) / (len(self.slots) - 1))
        return table[:-1, :-1] / _WEIGHT_UNIT

    def climb(self, theta: Floats) -> tuple[Floats, Floats | None]:
        """Gradient (M,), and about the information (M, M) if there are many votes.

        Both come from the chances w P_j, summed by the model i picked best. The sum for i and j has
        the mean Σ w P_i P_j when the chances are right: less its sign, an entry of the information.
        """

        def of_block(rows: slice) -> Floats:
            cells = self.met(rows)
            whole = _taken(odds, cells)
            whole += 1
            return _sums_by_pair(cells, np.divide(self.weight[rows], whole, out=whole), len(odds))

        odds = _odds(theta)
        flow = (_added(of_block, self.blocks(), len(odds)) * odds)[:-1, :-1] / _WEIGHT_UNIT
        many = len(self.weight) >= _COUNTLESS
        return _balance(flow), _laplacian((flow + flow.T) / 2) if many else None

    def value(self, theta: Floats) -> float:
        """Log-likelihood: Σ w ln P, P = 1 / (1 + odds against)."""

        def of_block(rows: slice) -> float:
            against = _taken(odds, self.met(rows))
            return float(np.dot(np.log1p(against, out=against), self.weight[rows]))

        odds = _odds(theta)
        return -math.fsum(_in_order(of_block, self.blocks())) / _WEIGHT_UNIT

    def curvature(self, theta: Floats) -> tuple[float, Floats]:
        """Log-likelihood, and its negative Hessian (M, M): Σ w P (1 - P) and Σ -w P P'."""

        def of_block(rows: slice) -> tuple[float, Floats]:
            cells = self.met(rows)
            total = _taken(parts, cells)
            share = self.weight[rows] / _WEIGHT_UNIT
            lost = np.log(total / gamma.take(self.slots[0][rows])) @ share
            share /= total
            share /= total
            for a in range(1, len(self.slots) - 1):
                cells += _cells(self.slots[a:], rows, self.size)
            return float(lost), _sums_by_pair(cells, share, len(gamma))

        gamma = _gamma(theta)
        # The strengths in a set add up when each other model brings its share of the best pick's.
        parts = gamma[:, None] / (len(self.slots) - 1) + gamma
        lost, shared = [], np.zeros((len(gamma), len(gamma)))
        for lost_here, shared_here in _in_order(of_block, self.blocks()):
            lost.append(lost_here)
            shared += shared_here
        shared *= gamma[:, None] * gamma
        return -math.fsum(lost), _laplacian((shared + shared.T)[:-1, :-1])

    def by_voters(self, theta: Floats) -> tuple[Floats, Floats]:
        """Sum over voters of their scores w (y - P): the gradient; and of their outer products."""
        gamma, gradient = _gamma(theta), np.zeros(self.size)
        products = np.zeros((self.size, self.size))
        for votes in self.by_voter():
            for scores, squares in _in_order(partial(votes.scores, gamma), votes.blocks()):
                gradient += scores
                products += squares
        return gradient / _WEIGHT_UNIT, products / _WEIGHT_UNIT**2

    def by_voter(self) -> Iterator[_Sorted]:
        """The votes in the order of their voters, no voter in two parts."""
        until = np.zeros(self.voters + 1, dtype=np.int64)
        for block in _blocks(len(self.voter)):
            until[1:] += np.bincount(self.voter[block], minlength=self.voters)
        until.cumsum(out=until)
        start = 0
        while start < self.voters:
            # As many voters as have votes that can be sorted at once, and at least one.
            end = int(np.searchsorted(until, until[start] + _SORTED_VOTES, side="right")) - 1
            end = max(start + 1, end)
            rows: slice | Ints = slice(None)
            if end - start < self.voters:
                rows = self._rows_of(start, end)
            yield self._sorted(rows, start, until[start : end + 1] - until[start])
            start = end

    def _rows_of(self, first: int, after: int) -> Ints:
        """The votes of some voters."""
        found = []
        for block in _blocks(len(self.voter)):
            voter = self.voter[block]
            found.append(np.flatnonzero((voter >= first) & (voter < after)) + block.start)
        return np.concatenate(found)

    def _sorted(self, rows: slice | Ints, first: int, until: Ints) -> _Sorted:
        # Voter and place in one number: sorting numbers is much faster than an argsort.
        order = self.voter[rows].astype(np.int64)
        order <<= _PLACE_BITS
        order |= np.arange(len(order))
        order.sort()
        voter = order >> _PLACE_BITS
        voter -= first
        order &= (1 << _PLACE_BITS) - 1
        with ThreadPoolExecutor(_THREADS) as pool:
            columns = (self.weight, *self.slots)
            weight, *slots = pool.map(lambda column: column[rows].take(order), columns)
        return _Sorted(self.size, tuple(slots), weight, voter, until)


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """Votes in the order of their voters; those of voter v stand from until[v] to until[v + 1]."""

    size: int
    slots: tuple[Ints, ...]
    weight: Ints
    voter: Ints
    until: Ints

    def blocks(self) -> list[slice]:
        """The voters in blocks."""
        # A table of models by models comes of each: with many models, fewer and larger blocks.
        step = max(1, _VOTER_CELLS // (self.size + 1), _VOTERS_PER_MODEL * self.size)
        voters = len(self.until) - 1
        return [slice(i, min(i + step, voters)) for i in range(0, voters, step)]

    def scores(self, gamma: Floats, voters: slice) -> tuple[Floats, Floats]:
        """Sum over some voters of their scores (M,), and of the outer products of these."""
        rows = slice(self.until[voters.start], self.until[voters.stop])
        slots, weight = [slot[rows] for slot in self.slots], self.weight[rows]
        scores, cells = (
            np.empty((len(slots), len(weight))),
            np.empty((len(slots), len(weight)), int),
        )
        for slot, score in zip(slots, scores, strict=True):
            gamma.take(slot, out=score, mode="clip")
        others = scores[1:].sum(axis=0)
        share = weight / (scores[0] + others)
        np.multiply(others, share, out=scores[0])
        scores[1:] *= np.negative(share, out=share)
        first = self.voter[rows] - voters.start
        first *= self.size + 1
        for slot, cell in zip(slots, cells, strict=True):
            np.add(first, slot, out=cell)
        count = (voters.stop - voters.start) * (self.size + 1)
        table = _sums(cells, scores, count).reshape(-1, self.size + 1)[:, :-1]
        return table.sum(axis=0), table.T @ table


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Bradley-Terry on the wins (M, M) of each model over each other."""

    wins: Floats

    def climb(self, theta: Floats) -> tuple[Floats, Floats]:
        """Gradient and information."""
        gamma = _gamma(theta)[:-1]
        lost = gamma / (gamma + gamma[:, None])
        met = (self.wins + self.wins.T) * lost * lost.T
        return _balance(self.wins * lost), _laplacian(met)

    def value(self, theta: Floats) -> float:
        """Log-likelihood."""
        return -float((self.wins * np.logaddexp(0, theta - theta[:, None])).sum())

    def curvature(self, theta: Floats) -> tuple[float, Floats]:
        """Log-likelihood, and its negative Hessian."""
        return self.value(theta), self.climb(theta)[1]


def _cells(slots: Sequence[Ints], rows: slice, size: int) -> list[Ints]:
    """Where the model in the first place meets those in the others in a flat table."""
    first = slots[0][rows].astype(np.intp)
    first *= size + 1
    return [first + slot[rows] for slot in slots[1:]]


def _sums_by_pair(cells: Sequence[Ints], values: Floats, side: int) -> Floats:
    """Sum the values by cell of a square table, for each of the columns of cells."""
    table = np.zeros(side * side)
    for column in cells:
        table += np.bincount(column, values, side * side)
    return table.reshape(side, side)


def _taken(table: Floats, cells: Sequence[Ints]) -> Floats:
    """What the cells hold, added up over the columns."""
    total = table.take(cells[0])
    for column in cells[1:]:
        total += table.take(column)
    return total


def _gamma(theta: Floats) -> Floats:
    """Strengths (M + 1,), PAD's 0 last, scaled to the middle of their range: ratios matter."""
    lowest, highest = theta.min(initial=0.0), theta.max(initial=0.0)
    if not highest - lowest < _RANGE_LIMIT:
        raise NotConvergedError("the strengths are too far apart to be computed")
    return np.append(np.exp(theta - (lowest + highest) / 2), 0.0)


def _odds(theta: Floats) -> Floats:
    """(M + 1, M + 1) odds γ_j / γ_i of j against i; none of or against PAD."""
    gamma = _gamma(theta)
    return np.divide(
        gamma, gamma[:, None], out=np.zeros((len(gamma),) * 2), where=gamma[:, None] > 0
    )


def _balance(flow: Floats) -> Floats:
    """What each model wins less what it loses."""
    balance: Floats = flow.sum(axis=1) - flow.sum(axis=0)
    return balance


def _laplacian(shared: Floats) -> Floats:
    """Information from Σ w P P': P (1 - P) is the sum of its products with the other chances."""
    return np.diag(shared.sum(axis=1)) - shared


def _in_order(work: Callable[[slice], Made], parts: Sequence[slice]) -> Iterator[Made]:
    """What the work makes of each part, in their order; two threads share it, as numpy allows."""
    if len(parts) <= 1:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(_THREADS) as pool:
        yield from pool.map(work, parts)


def _added(work: Callable[[slice], Floats], parts: Sequence[slice], side: int) -> Floats:
    """The sum of square tables, always in the same order."""
    total = np.zeros((side, side))
    for table in _in_order(work, parts):
        total += table
    return total


def _best_first(sets: Ints, best: Ints, size: int) -> tuple[Ints, ...]:
    """Columns of small integers, with the best pick in the first place and PAD as `size`."""
    small = sets.dtype.itemsize <= _SMALL_BYTES
    kind = sets.dtype if small and size <= np.iinfo(sets.dtype).max else np.dtype(np.int32)
    slots = [np.ascontiguousarray(column, dtype=kind) for column in sets.T]
    if not np.array_equal(slots[0], best):
        first = slots[0]
        slots[1:] = [np.where(slot == best, first, slot) for slot in slots[1:]]
        slots[0] = best.astype(kind)
    padded = sets.min(initial=0) == PAD
    return tuple(np.where(slot == PAD, kind.type(size), slot) if padded else slot for slot in slots)


def numbered(cluster: Ints) -> tuple[Ints, int]:
    """Labels of voters as numbers from 0, and how many there are."""
    lowest, highest = int(cluster.min(initial=0)), int(cluster.max(initial=-1))
    if lowest < 0 or highest > _LABELS_PER_VOTE * len(cluster):
        labels, cluster = np.unique(cluster, return_inverse=True)
        return cluster, len(labels)
    seen = np.zeros(highest + 1, dtype=np.bool_)
    for block in _blocks(len(cluster)):
        seen[cluster[block]] = True
    voters = int(seen.sum())
    if voters == len(seen):
        return cluster, voters
    return (np.cumsum(seen, dtype=np.int32) - 1)[cluster], voters


def _blocks(votes: int) -> Iterator[slice]:
    """All votes, so many at once that what is computed of them takes little memory."""
    return (slice(i, i + _MANY_VOTES) for i in range(0, max(1, votes), _MANY_VOTES))


# --- Likelihood of `pl.extended.1` ---
# Two stages. The best answer, "About the same" (Davidson 1970) or "Both bad" (an outside option):
# weights γ of the models, δ (Π γ)^(1/k) and γ0. Then the worst of the models left, if one was
# named: weights 1/γ (sequential best-worst). All weights are log-linear, so ℓ is concave.


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Choices of one of A alternatives whose log-weights are `design` @ the L parameters named.

    Args:
        places: (n, L) parameters that matter in each choice, each at most once.
        design: (A, L) log-weights of the alternatives are linear in the parameters.
        chosen: (n,) alternative.
        weight: (n,) weight, 0 or more.
        voter: (n,) numbers from 0.
    """

    places: Ints
    design: Floats
    chosen: Ints
    weight: Floats
    voter: Ints

    def chances(self, parameters: Floats) -> tuple[Floats, float]:
        """Chances (n, A) of the alternatives, and the log-likelihood."""
        worth = parameters[self.places] @ self.design.T
        worth -= worth.max(axis=1, keepdims=True)
        odds = np.exp(worth)
        total = odds.sum(axis=1, keepdims=True)
        picked = np.take_along_axis(worth, self.chosen[:, None], axis=1)
        return odds / total, float(self.weight @ (picked - np.log(total))[:, 0])

    def scores(self, chance: Floats) -> Floats:
        """(n, L) scores w (x_chosen - Σ P x), x the rows of the design."""
        picked = self.chosen[:, None] == np.arange(len(self.design))
        # The chance missed as the sum of the other chances: no digit is lost when P is near 1.
        others = np.where(picked, 0.0, chance)
        missed = np.where(picked, others.sum(axis=1, keepdims=True), -others)
        return (missed @ self.design) * self.weight[:, None]

    def products(self, chance: Floats) -> Floats:
        """(n, L, L) negative second derivatives w [Σ P x xᵀ - (Σ P x) (Σ P x)ᵀ]."""
        width = self.places.shape[1]
        squares = (self.design[:, :, None] * self.design[:, None, :]).reshape(-1, width**2)
        mean = chance @ self.design
        spread = (chance @ squares).reshape(-1, width, width)
        spread -= mean[:, :, None] * mean[:, None, :]
        return spread * self.weight[:, None, None]

    def parts(self) -> Iterator[Stage]:
        """The same choices in blocks."""
        step = max(1, _BLOCK_CELLS // self.places.shape[1] ** 2)
        for i in range(0, len(self.chosen), step):
            rows = slice(i, i + step)
            chosen, weight, voter = self.chosen[rows], self.weight[rows], self.voter[rows]
            yield Stage(self.places[rows], self.design, chosen, weight, voter)


@dataclass(frozen=True, slots=True, eq=False)
class _Staged:
    """Any number of stages over the same parameters and voters."""

    size: int
    stages: tuple[Stage, ...]
    voters: int

    def parts(self) -> Iterator[Stage]:
        """All stages in blocks."""
        return (part for stage in self.stages for part in stage.parts())

    def climb(self, parameters: Floats) -> tuple[Floats, None]:
        """Gradient; the information is not known with it."""
        gradient = np.zeros(self.size)
        for part in self.parts():
            gradient += _sums(part.places, part.scores(part.chances(parameters)[0]), self.size)
        return gradient, None

    def value(self, parameters: Floats) -> float:
        """Log-likelihood."""
        return math.fsum(part.chances(parameters)[1] for part in self.parts())

    def curvature(self, parameters: Floats) -> tuple[float, Floats]:
        """Log-likelihood, and its negative Hessian."""
        value, met = 0.0, np.zeros(self.size**2)
        for part in self.parts():
            chance, gained = part.chances(parameters)
            cells = part.places[:, :, None] * self.size + part.places[:, None, :]
            met += _sums(cells, part.products(chance), len(met))
            value += gained
        return value, met.reshape(self.size, self.size)

    def by_voters(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Sum over voters of their scores, and of the outer products of these."""
        scores = [stage.scores(stage.chances(parameters)[0]) for stage in self.stages]
        gradient, products = np.zeros(self.size), np.zeros((self.size, self.size))
        step = max(1, _VOTER_CELLS // max(1, self.size))
        for first in range(0, self.voters, step):
            summed = np.zeros(step * self.size)
            for stage, score in zip(self.stages, scores, strict=True):
                rows = np.flatnonzero((stage.voter >= first) & (stage.voter < first + step))
                cells = (stage.voter[rows, None] - first) * self.size + stage.places[rows]
                summed += _sums(cells, score[rows], len(summed))
            table = summed.reshape(step, self.size)
            gradient += table.sum(axis=0)
            products += table.T @ table
        return gradient, products


def _sums(cells: Ints, values: Floats, size: int) -> Floats:
    """Sum the values by cell, 0 to size - 1."""
    return np.bincount(cells.ravel(), values.ravel(), size).astype(np.float64, copy=False)


def _best_stages(choices: Choices, voter: Ints, extra: Sequence[int]) -> list[Stage]:
    """The best stage for each size of set; `extra` are the verdicts that are alternatives too."""
    size, stages = len(choices.models), []
    for rows, sets in _by_size(choices.sets, choices.best >= min([0, *extra]), voter):
        k, best = sets.shape[1], choices.best[rows]
        design = np.eye(k + len(extra))
        chosen = (sets == best[:, None]).argmax(axis=1)
        for place, verdict in enumerate(extra, start=k):
            design[place, :k] = 1 / k if verdict == SAME else 0
            chosen[best == verdict] = place
        of_extra = np.broadcast_to(size + np.arange(len(extra)), (len(rows), len(extra)))
        places = np.concatenate([sets, of_extra], axis=1)
        stages.append(
            Stage(places, design, chosen, choices.weight[rows] / _WEIGHT_UNIT, voter[rows])
        )
    return stages


def _worst_stages(choices: Choices, voter: Ints) -> list[Stage]:
    """The worst stage for each size of set; with one model left there is nothing to choose."""
    stages = []
    for rows, sets in _by_size(choices.sets, choices.worst >= 0, voter):
        left = sets[sets != choices.best[rows, None]].reshape(len(rows), -1)
        chosen = (left == choices.worst[rows, None]).argmax(axis=1)
        weight = choices.weight[rows] / _WEIGHT_UNIT
        if left.shape[1] > 1:
            stages.append(Stage(left, -np.eye(left.shape[1]), chosen, weight, voter[rows]))
    return stages


def _by_size(sets: Ints, chosen: Flags, voter: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Rows with a voter and their sets, for each size of set."""
    sizes = np.where(chosen & (voter >= 0), (sets != PAD).sum(axis=1), 0)
    for k in np.unique(sizes[sizes > 0]):
        rows = np.flatnonzero(sizes == k)
        yield rows, sets[rows, :k].astype(np.int64)


# --- Fit ---
# Maximise ℓ + ghost × Σ [ln σ(θ) + ln σ(-θ)] over the parameters, σ the logistic function.


class _Likelihood(Protocol):
    """A concave log-likelihood; `climb` gives its gradient, and about its information if known."""

    def climb(self, theta: Floats, /) -> tuple[Floats, Floats | None]: ...
    def value(self, theta: Floats, /) -> float: ...
    def curvature(self, theta: Floats, /) -> tuple[float, Floats]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """One maximum-likelihood fit of M models, with what errors and boards need.

    `theta` (M,) is in natural logs with the ghost at 0; without ghost its mean is 0. `extra` (E,)
    holds ln δ and ln γ0 of the verdicts in `verdicts`, in `pl.extended.1` alone. The tallies (M,)
    are weighted: `exposures`, `best` and `worst` over votes with a best pick, `same` and `bad`
    over those two verdicts; `wins` (M, M) is the weight of the votes that picked i best where j
    was shown. `comparable` marks the largest group tied by ballots with a best pick. `inverse` is
    H⁻¹; `middle` is B, or None with fewer than two clusters; both (M + E, M + E).
    """

    board: str
    models: tuple[str, ...]
    ghost: float
    theta: Floats
    verdicts: tuple[int, ...]
    extra: Floats
    iterations: int
    log_likelihood: float
    penalised_log_likelihood: float
    votes: int
    clusters: int
    same_votes: int
    bad_votes: int
    wins: Floats
    worst: Floats
    same: Floats
    bad: Floats
    inverse: Floats
    middle: Floats | None

    @property
    def exposures(self) -> Floats:
        """(M,) weight of the votes with a best pick that showed each model."""
        shown: Floats = self.wins.sum(axis=0)
        return shown

    @property
    def best(self) -> Floats:
        """(M,) weight of the best picks."""
        return np.diag(self.wins).copy()

    @property
    def comparable(self) -> Flags:
        """(M,) whether each model belongs to the largest group tied by shared ballots."""
        beaten = self.wins > 0
        return _largest_group(beaten | beaten.T, self.exposures)


def fit(choices: Choices, *, ghost: float = GHOST, start: Mapping[str, float] | None = None) -> Fit:
    """Fit the strengths of `pl.1` by Newton's method with limited steps; the maximum is unique.

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
    votes, wins, top = _strengths(choices, ghost, start, about=_NEARLY_SETTLED)
    return _fitted(BOARD, choices, wins, votes, ghost, top, ())


def strengths(
    choices: Choices, *, ghost: float = GHOST, start: Mapping[str, float] | None = None
) -> Floats:
    """Only the log-strengths (M,) that `fit` finds, without what errors need."""
    theta = _strengths(choices, ghost, start)[2].parameters
    return theta - theta.mean() if ghost == 0 and len(theta) else theta


def fit_extended(choices: Choices, *, ghost: float = GHOST) -> Fit:
    """Fit `pl.extended.1`: best, "About the same", "Both bad" and worst on one scale.

    The ghost also meets δ and γ0. Without it, a verdict that no vote gives is no alternative.

    Raises:
        LobsterError: as `fit`.
    """
    _, wins, official = _strengths(choices, ghost, None)
    given = {*choices.best[choices.weight > 0].tolist()} if ghost == 0 else {SAME, BAD}
    verdicts = tuple(verdict for verdict in (SAME, BAD) if verdict in given)
    voter, voters = _voters(choices, verdicts)
    stages = (*_best_stages(choices, voter, verdicts), *_worst_stages(choices, voter))
    both = _Staged(len(choices.models) + len(verdicts), stages, voters)
    start = np.append(official.parameters, np.zeros(len(verdicts)))
    return _fitted(EXTENDED, choices, wins, both, ghost, _maximise(both, ghost, start), verdicts)


def _voters(choices: Choices, verdicts: Sequence[int]) -> tuple[Ints, int]:
    """Each vote's voter, -1 for votes that do not count, and the number of voters."""
    counted = (choices.weight > 0) & (choices.best >= min([0, *verdicts]))
    voter = np.full(len(counted), -1, dtype=np.int64)
    voter[counted], voters = numbered(choices.cluster[counted])
    return voter, voters


def _strengths(
    choices: Choices,
    ghost: float,
    start: Mapping[str, float] | None,
    *,
    about: float = _ABOUT_SETTLED,
) -> tuple[_Counted, Floats, _Maximum]:
    """The votes that count, their wins, and the maximum."""
    if not (math.isfinite(ghost) and ghost >= 0):
        raise WrongUseError("the ghost must be 0 or a positive number")
    votes = _Counted.of(choices)
    wins = votes.wins()
    if ghost == 0:
        _require_finite_maximum(wins > 0, choices.models)
    if start is None:
        # i's wins where j was shown, and j's where i was, are pairs of Bradley-Terry; their fit
        # is consistent too, and costs nothing beside a look at all votes.
        pairs = _Pairs(wins * (1 - np.eye(votes.size)))
        near = _maximise(pairs, ghost, np.zeros(votes.size), tolerance=_NEAR).parameters
    else:
        near = _start(choices.models, start, wins.sum(axis=0) > 0)
    return votes, wins, _maximise(votes, ghost, near, about=about)


def _start(models: Sequence[str], start: Mapping[str, float], shown: Flags) -> Floats:
    """The start, kept within the printed scale: far outside it the likelihood is all but flat."""
    given = np.array([start.get(model, 0.0) for model in models], dtype=np.float64)
    if not np.isfinite(given).all():
        raise WrongUseError("a start value is not a finite number")
    return np.where(shown, np.clip(given, -_START_LIMIT, _START_LIMIT), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Maximum:
    """Where it is, and the steps it took."""

    parameters: Floats
    iterations: int


def _maximise(
    likelihood: _Likelihood,
    ghost: float,
    theta: Floats,
    *,
    tolerance: float = TOLERANCE,
    about: float = _ABOUT_SETTLED,
) -> _Maximum:
    """The maximum of the penalised log-likelihood, to a small part of the tolerance.

    The information costs as much as two gradients. Near the maximum about the right one does: each
    step then leaves a small share of its length, which is seen from the next. Where steps shrink
    too slowly the exact one is used, and renewed after a long way only: x out of date, it leaves
    at most 2 x of a step, for no chance changes by more than a factor exp(2 x). `about` is the
    share of the tolerance that may be left with the information about right.
    """
    gradient, near = _slope(likelihood, ghost, theta)
    exact, way, last, share = np.empty(0), math.inf, math.inf, 0.0
    for iteration in range(1, MAX_ITERATIONS + 1):
        if near is None and way > _RENEW:
            exact, way = likelihood.curvature(theta)[1] + _ghost_information(ghost, theta), 0.0
        step = _step(exact if near is None else near, gradient, ghost)
        length = float(np.abs(step).max(initial=0.0))
        way += length
        if near is None:
            left = 2 * way * length / _SETTLED
        elif length > _SHRINK * last:
            near = None
            continue
        else:
            share = max(share, length / last)
            left = (share or 1.0) * length / about
        if left <= tolerance:
            return _Maximum(theta + step, iteration)
        if length > STEP_LIMIT:
            step *= STEP_LIMIT / length
        while True:
            slope, nearby = _slope(likelihood, ghost, theta + step)
            if _climbs(likelihood, ghost, theta, step, float(gradient @ step), float(slope @ step)):
                break
            # The objective is concave: a step that loses has overshot, and half of it is closer.
            step /= 2
        theta, gradient, last = theta + step, slope, float(np.abs(step).max())
        near = None if near is None else nearby
    raise NotConvergedError(f"no convergence after {MAX_ITERATIONS} steps")


def _climbs(
    likelihood: _Likelihood, ghost: float, theta: Floats, step: Floats, start: float, end: float
) -> bool:
    """Whether the objective rises along a step, given its slopes at both ends.

    It does if it still rises at the end. On a short way the slope falls evenly, so the top lies
    beyond the middle if at the end it falls by less than it rose at the start.
    """
    length = np.abs(step).max(initial=0.0)
    if end >= 0 or length < TOLERANCE or (length < _SHORT and end >= -start / 2):
        return True
    before, after = (
        likelihood.value(place) + _ghost_value(ghost, place) for place in (theta, theta + step)
    )
    return after >= before - abs(before) * _ROUNDING


def _slope(likelihood: _Likelihood, ghost: float, theta: Floats) -> tuple[Floats, Floats | None]:
    """Gradient of the penalised log-likelihood, and about its information if known."""
    gradient, near = likelihood.climb(theta)
    gradient = gradient + _ghost_gradient(ghost, theta)
    return gradient, None if near is None else near + _ghost_information(ghost, theta)


def _step(information: Floats, gradient: Floats, ghost: float) -> Floats:
    """H⁻¹ g; without ghost the first model stays where it is."""
    first = 0 if ghost > 0 or len(information) == 0 else 1
    step = np.zeros_like(gradient)
    step[first:] = np.linalg.solve(information[first:, first:], gradient[first:])
    return step


def _inverse(information: Floats, ghost: float) -> Floats:
    """H⁻¹; without ghost the first model is held fixed, which leaves every contrast as it is."""
    if ghost > 0 or len(information) == 0:
        return np.linalg.inv(information).astype(np.float64, copy=False)
    inverse: Floats = np.zeros_like(information)
    inverse[1:, 1:] = np.linalg.inv(information[1:, 1:])
    return inverse


def _ghost_value(ghost: float, theta: Floats) -> float:
    return -ghost * float((np.logaddexp(0, theta) + np.logaddexp(0, -theta)).sum())


def _ghost_gradient(ghost: float, theta: Floats) -> Floats:
    return ghost * (1 - 2 * _logistic(theta))


def _ghost_information(ghost: float, theta: Floats) -> Floats:
    q = _logistic(theta)
    return np.diag(2 * ghost * q * (1 - q))


def _logistic(theta: Floats) -> Floats:
    values: Floats = np.exp(-np.logaddexp(0, -theta))
    return values


def _fitted(
    board: str,
    choices: Choices,
    wins: Floats,
    likelihood: _Counted | _Staged,
    ghost: float,
    top: _Maximum,
    verdicts: tuple[int, ...],
) -> Fit:
    parameters, size = top.parameters, len(choices.models)
    with ThreadPoolExecutor(1) as pool:
        # While the votes are sorted by voter, the other thread has something to do.
        summed = pool.submit(likelihood.by_voters, parameters)
        value, information = likelihood.curvature(parameters)
        inverse = _inverse(information + _ghost_information(ghost, parameters), ghost)
    gradient, products = summed.result()
    middle = _middle(products, likelihood.voters, ghost, parameters)
    # The gradient has come by the way: one step more, with the exact information.
    parameters = parameters + inverse @ (gradient + _ghost_gradient(ghost, parameters))
    if ghost == 0 and size:
        # Only differences are known: models, and γ0 with them, but not δ.
        moved = np.append(np.ones(size), [verdict == BAD for verdict in verdicts])
        parameters = parameters - parameters[:size].mean() * moved
    weighing = choices.weight > 0
    without = np.flatnonzero((choices.best < 0) & weighing)
    same, bad = (without[choices.best[without] == verdict] for verdict in (SAME, BAD))
    return Fit(
        board=board,
        models=choices.models,
        ghost=ghost,
        theta=parameters[:size],
        verdicts=verdicts,
        extra=parameters[size:],
        iterations=top.iterations,
        log_likelihood=value,
        penalised_log_likelihood=value + _shown_ghosts(ghost, parameters, wins),
        votes=int(np.count_nonzero(weighing)) - len(without),
        clusters=likelihood.voters,
        same_votes=len(same),
        bad_votes=len(bad),
        wins=wins,
        worst=_shown(choices.worst[:, None], np.flatnonzero(choices.worst >= 0), choices),
        same=_shown(choices.sets, same, choices),
        bad=_shown(choices.sets, bad, choices),
        inverse=inverse,
        middle=middle,
    )


def _shown_ghosts(ghost: float, parameters: Floats, wins: Floats) -> float:
    """The ghost's part of the log-likelihood, without models that were never shown."""
    shown = np.ones(len(parameters), dtype=np.bool_)
    shown[: len(wins)] = wins.sum(axis=0) > 0
    return _ghost_value(ghost, parameters[shown])


def _shown(models: Ints, rows: Ints, choices: Choices) -> Floats:
    """(M,) weight of the votes of some rows that name each model in a table (n, k)."""
    size = len(choices.models)
    total = np.zeros(size + 1)
    for block in _blocks(len(rows)):
        weight = choices.weight[rows[block]]
        for column in models.T:
            named = column[rows[block]]
            total += np.bincount(np.where(named == PAD, size, named), weight, size + 1)
    return total[:size] / _WEIGHT_UNIT


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


def _middle(products: Floats, voters: int, ghost: float, parameters: Floats) -> Floats | None:
    """B: outer products of each voter's summed scores w (y - P), times G / (G - 1), plus ghosts.

    None with fewer than two voters.
    """
    if voters <= 1:
        return None
    return products * (voters / (voters - 1)) + _ghost_rows(ghost, parameters)


def _ghost_rows(ghost: float, parameters: Floats) -> Floats:
    q = _logistic(parameters)
    return np.diag(ghost * ((1 - q) ** 2 + q**2))


@dataclass(frozen=True, slots=True, eq=False)
class Covariance:
    """Covariance (P, P) of contrasts: clustered by voter, and from the model alone.

    P = M, or in `pl.extended.1` M + E. `clustered` is None with fewer than two clusters.
    `few_voters` (P,) says where the larger of the two is used.
    """

    clustered: Floats | None
    model: Floats
    few_voters: Flags

    @classmethod
    def of(cls, fitted: Fit, mean_of: Flags | None) -> Covariance:
        """Covariance of each log-strength less the mean of some models, or less nothing."""
        size = len(fitted.models)
        contrast = np.eye(len(fitted.inverse))
        if mean_of is not None and mean_of.any():
            contrast[_moved(fitted), :size] -= mean_of / mean_of.sum()
        side = contrast @ fitted.inverse
        clustered = None if fitted.middle is None else side @ fitted.middle @ side.T
        given = {SAME: fitted.same_votes, BAD: fitted.bad_votes}
        picks = np.append(fitted.best, [given[verdict] for verdict in fitted.verdicts])
        few = (picks < FEW_BEST_PICKS) | (fitted.clusters < FEW_CLUSTERS)
        return cls(clustered, side @ contrast.T, few)

    def errors(self) -> Floats:
        """(P,) standard errors, natural logs."""
        model = np.diag(self.model)
        clustered = model if self.clustered is None else np.diag(self.clustered)
        return _root(self._chosen(clustered, model, self.few_voters))

    def error_of_differences(self) -> Floats:
        """(P, P) standard errors of θ_i - θ_j, natural logs."""
        model = _variance_of_differences(self.model)
        clustered = model if self.clustered is None else _variance_of_differences(self.clustered)
        return _root(self._chosen(clustered, model, self.few_voters[:, None] | self.few_voters))

    @staticmethod
    def _chosen(clustered: Floats, model: Floats, few: Flags) -> Floats:
        # With few voters the clustered error is itself too noisy, mostly too small.
        return np.where(few, np.maximum(clustered, model), clustered)


def _moved(fitted: Fit) -> Flags:
    """Parameters whose zero is that of the strengths: all but δ, which no shift of them changes."""
    of_models = np.ones(len(fitted.models), dtype=np.bool_)
    return np.append(of_models, [verdict == BAD for verdict in fitted.verdicts]).astype(np.bool_)


def _variance_of_differences(covariance: Floats) -> Floats:
    variance = np.diag(covariance)
    return variance[:, None] + variance - covariance - covariance.T


def _root(variance: Floats) -> Floats:
    # Rounding may leave -1e-18 where a model is compared with itself.
    return np.sqrt(np.maximum(variance, 0.0))


# --- One scale or two ---


@dataclass(frozen=True, slots=True)
class OneScale:
    """Likelihood-ratio test of one scale for best and worst against one for each.

    `statistic` is twice the gain of separate worths, chi-square with `df` degrees of freedom if
    one scale holds. Votes count as independent: voters are not clustered.
    """

    statistic: float
    df: int
    p: float


def one_scale(choices: Choices, fitted: Fit) -> OneScale | None:
    """Test whether best and worst picks lie on one scale; None without worst picks to compare.

    Args:
        choices: the votes.
        fitted: their fit by `fit_extended`.

    Raises:
        LobsterError: as `fit`.
    """
    size, ghost = len(choices.models), fitted.ghost
    voter, voters = _voters(choices, fitted.verdicts)
    best, worst = _best_stages(choices, voter, fitted.verdicts), _worst_stages(choices, voter)
    left = np.unique(np.concatenate([[0], *(stage.places.ravel() for stage in worst)])).astype(int)
    if not worst:
        return None
    if ghost == 0:
        _require_finite_maximum(_worse(worst, size), choices.models)
    gain = -fitted.log_likelihood
    for stages, extra in ((best, fitted.extra), (worst, fitted.extra[:0])):
        alone = _Staged(size + len(extra), tuple(stages), voters)
        gain += alone.value(_maximise(alone, ghost, np.append(fitted.theta, extra)).parameters)
    statistic, df = max(0.0, 2 * gain), len(left) - 1
    return OneScale(statistic, df, chi_square_tail(statistic, df))


def _worse(stages: Sequence[Stage], size: int) -> Flags:
    """worse[i, j]: i was picked worst at least once where j was left too."""
    table = np.zeros((size, size), dtype=np.bool_)
    for stage in stages:
        picked = np.take_along_axis(stage.places, stage.chosen[:, None], axis=1)
        table[picked, stage.places] = True
    return table


def chi_square_tail(statistic: float, df: int) -> float:
    """Chance that a chi-square of `df` ≥ 1 degrees of freedom is at least this large.

    Abramowitz and Stegun 26.4.4 and 26.4.5.
    """
    half = statistic / 2
    if half == 0:
        return 1.0
    first = (df % 2) / 2
    tail = math.erfc(math.sqrt(half)) if first else 0.0
    powers = (first + i for i in range(df // 2))
    terms = (math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers)
    return min(1.0, tail + math.fsum(terms))


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
class Extra:
    """Weight of a verdict as an alternative in `pl.extended.1`: δ of "same", γ0 of "bad".

    `log_weight` and its `se` are in natural logs; γ0 has the board's zero, δ needs none.
    """

    verdict: Verdict
    weight: float
    log_weight: float
    se: float


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
    extra: tuple[Extra, ...]
    one_scale: OneScale | None
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
    fitted: Fit,
    *,
    basket: Sequence[str] | None = None,
    reference: str | None = None,
    scale: OneScale | None = None,
) -> Board:
    """Turn a fit into scores, intervals and ranks.

    Args:
        fitted: the fit.
        basket: models whose mean log-strength is put at 0, taken as they are (see `basket_of`).
        reference: one model to be put at 0 instead. With neither, the ghost is at 0 and errors are
            of contrasts with the mean of all models in the fit; without ghost, that mean is at 0.
        scale: the test of one scale, to be shown with the board.

    Raises:
        WrongUseError: both are given, or a model is not in the fit.
    """
    if basket is not None and reference is not None:
        raise WrongUseError("give a basket or a reference, not both")
    named = basket if reference is None else (reference,)
    mean_of = _members(fitted.models, named) if named is not None else fitted.exposures > 0
    zero = 0.0
    if (named is not None or fitted.ghost == 0) and mean_of.any():
        zero = float(fitted.theta[mean_of].mean())
    theta = np.append(fitted.theta, fitted.extra) - zero * _moved(fitted)
    covariance = Covariance.of(fitted, mean_of)
    ranked = fitted.comparable & (fitted.exposures >= PROVISIONAL_BELOW)
    places = _places(theta, covariance.error_of_differences(), ranked)
    few, errors, size = covariance.few_voters, covariance.errors().tolist(), len(fitted.models)
    rows = [
        _row(fitted, i, float(theta[i]), errors[i], places.get(i), few=bool(few[i]))
        for i in range(size)
    ]
    return Board(
        board=fitted.board,
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
        extra=tuple(
            Extra(_VERDICTS[verdict], math.exp(value), float(value), se)
            for verdict, value, se in zip(fitted.verdicts, theta[size:], errors[size:], strict=True)
        ),
        one_scale=scale,
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
    parser.add_argument("--board", choices=(BOARD, EXTENDED), default=BOARD, help="which board")
    return parser


def _chosen(options: argparse.Namespace) -> dict[str, Choices]:
    found = read_choices(options.votes, cluster=options.cluster)
    if options.mode is None:
        return found
    if options.mode not in found:
        raise VotesError(f"{options.votes.name} holds no vote of mode {options.mode}")
    return {options.mode: found[options.mode]}


def _board_of(choices: Choices, mode: str, options: argparse.Namespace) -> Board:
    extended = options.board == EXTENDED
    fitted = (fit_extended if extended else fit)(choices, ghost=options.ghost)
    scale = one_scale(choices, fitted) if extended else None
    if options.reference is not None:
        return board(fitted, reference=options.reference, scale=scale)
    if options.basket is not None:
        named = [slug.strip() for slug in options.basket.split(",")]
        return board(fitted, basket=named, scale=scale)
    basket = basket_of(fitted, _month_basket(options.votes, mode))
    return board(fitted, basket=basket, scale=scale)


def _table(mode: str, made: Board) -> str:
    lines = [
        f"{made.board} {mode}: {made.votes} votes by {made.voters} voters",
        f"about the same {made.same}, both bad {made.bad}, steps {made.iterations}",
        f"log-likelihood {made.log_likelihood:.6f}, with ghost {made.penalised_log_likelihood:.6f}",
        *_extended_lines(made),
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


def _extended_lines(made: Board) -> Iterator[str]:
    for extra in made.extra:
        error = f"ln {extra.log_weight:.6f} ± {extra.se:.6f}"
        yield f"weight of {extra.verdict!r} {extra.weight:.6f}, {error}"
    if made.one_scale is not None:
        scale = made.one_scale
        yield (
            f"one scale for best and worst: chi-square {scale.statistic:.3f}, df {scale.df}, "
            f"p {scale.p:.3g}, voters not clustered"
        )


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
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # names of models know no narrower one
        print("\n\n".join(_table(mode, made) for mode, made in boards.items()) or "no votes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
