"""What the tests of picks take: one voter's votes as arrays, and the chances of each pick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from antiabuse.detectors.tails import Floats, Ints

__all__ = ["NO_PICK", "PAD", "Showings", "VoterPicks", "any_worst_chances", "worst_chances"]

NO_PICK: Final = -1  # in `best` and `worst`: none was picked
PAD: Final = -1  # in `sets`: no model in this slot
_SMALLEST_SET: Final = 2
_SUM_ERROR: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VoterPicks:
    """A voter's n votes in the order of casting, on sets of at most k models.

    Args:
        voter: the voter's name.
        votes: (n) ids.
        models: names; `sets` names a model by its place here.
        sets: (n, k) the models shown; smaller sets end in PAD.
        best: (n,) slot picked best, or NO_PICK after "About the same" and "Both bad".
        worst: (n,) slot picked worst, or NO_PICK.
        chances: (n, k) chance of each slot to be picked best, given that one is, from the fit
            without this voter; each row sums to 1, and is 0 where `sets` is PAD.

    Raises:
        ValueError: the arrays contradict each other.
    """

    voter: str
    votes: tuple[str, ...]
    models: tuple[str, ...]
    sets: Ints
    best: Ints
    worst: Ints
    chances: Floats

    def __post_init__(self) -> None:
        n = len(self.votes)
        if not (self.sets.shape[:1] == self.best.shape == self.worst.shape == (n,)):
            raise ValueError("all fields need one entry a vote")
        if self.chances.shape != self.sets.shape:
            raise ValueError("each slot needs its chance")
        shown = self.sets != PAD
        if (shown.sum(axis=1) < _SMALLEST_SET).any():
            raise ValueError("a set has at least two models")
        if ((self.chances > 0) != shown).any():
            raise ValueError("a model that is shown has a chance above 0, an empty slot none")
        if (np.abs(self.chances.sum(axis=1) - 1) > _SUM_ERROR).any():
            raise ValueError("the chances of a vote sum to 1")
        if ((self.worst != NO_PICK) & ((self.best == NO_PICK) | (self.worst == self.best))).any():
            raise ValueError("a worst pick needs another slot as best pick")

    def first(self, count: int) -> VoterPicks:
        """Return the voter's first votes."""
        return self.only(np.arange(len(self.votes)) < count)

    def since(self, count: int) -> VoterPicks:
        """Return the voter's votes after the first ones."""
        return self.only(np.arange(len(self.votes)) >= count)

    def decided(self) -> VoterPicks:
        """Return the votes with a best pick: the only ones of which the fit knows chances."""
        return self.only(self.best != NO_PICK)

    def showing(self, models: Sequence[int]) -> VoterPicks:
        """Return the votes that showed any of some models."""
        return self.only(np.logical_or.reduce(np.isin(self.sets, models), axis=1))

    def only(self, kept: NDArray[np.bool_]) -> VoterPicks:
        """Return the votes that a mask (n,) keeps."""
        return VoterPicks(
            voter=self.voter,
            votes=tuple(vote for vote, keep in zip(self.votes, kept, strict=True) if keep),
            models=self.models,
            sets=self.sets[kept],
            best=self.best[kept],
            worst=self.worst[kept],
            chances=self.chances[kept],
        )


def worst_chances(chances: Floats, best: Ints) -> Floats:
    """Chance (n, k) of each slot to be picked worst, given the best pick; 0 for that one.

    Sequential best-worst choice: (1/γ) over the sum of those left. With Plackett-Luce the chances
    of the best pick are in proportion to γ, so nothing else is needed.

    Args:
        chances: (n, k) of the best pick, as in `VoterPicks`.
        best: (n,) slot picked best.
    """
    inverse = np.divide(1.0, chances, out=np.zeros_like(chances), where=chances > 0)
    inverse[np.arange(len(best)), best] = 0.0
    made: Floats = inverse / inverse.sum(axis=1, keepdims=True)
    return made


def any_worst_chances(chances: Floats) -> Floats:
    """Chance (n, k) of each slot to be picked worst, whatever is picked best.

    Args:
        chances: (n, k) of the best pick, as in `VoterPicks`.
    """
    total = np.zeros_like(chances)
    for best in range(chances.shape[1]):
        there = chances[:, best] > 0
        slot = np.full(int(there.sum()), best)
        total[there] += chances[there, best, None] * worst_chances(chances[there], slot)
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Showings:
    """Showings of models to one voter, one row each, in any order.

    `model` (r,) is the place of the model among the names; `result`, `expected` and `variance`
    (r,) say what came of the showing and what the votes of all others made expect.
    """

    model: Ints
    result: Floats
    expected: Floats
    variance: Floats

    @classmethod
    def of_picks(cls, sets: Ints, picked: Ints, chances: Floats) -> Showings:
        """Return one row for each slot that could be picked: 1 if it was, 0 if not."""
        open_slots = chances > 0
        hits = np.arange(sets.shape[1]) == picked[:, None]
        expected = chances[open_slots]
        return cls(
            model=sets[open_slots],
            result=hits[open_slots].astype(np.float64),
            expected=expected,
            variance=expected * (1 - expected),
        )
