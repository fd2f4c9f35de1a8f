"""Every two voters' best picks on the same questions, in blocks that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from antiabuse.detectors.evidence import PAD
from antiabuse.detectors.tails import Floats, Ints

__all__ = ["Meetings", "SharedPicks", "meetings", "scale_of", "scaled"]

_BLOCK_ROWS: Final = 1_000_000
_BINS: Final = 1_000  # of chances, when the common scale is sought
_HALVINGS: Final = 60
_MOST_SCALE: Final = 1e9


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SharedPicks:
    """The n votes with a best pick of a mode and month.

    `voter` (n,) is a place in `voters`; `question` (n,) is any number of a question text, on which
    a voter has at most one vote here; `votes`, `sets`, `best` and `chances` as in `VoterPicks`, the
    chances from the fit of all votes.
    """

    votes: tuple[str, ...]
    voters: tuple[str, ...]
    voter: Ints
    question: Ints
    sets: Ints
    best: Ints
    chances: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Votes of two voters on one question that could agree, (r,) each.

    `first` and `second` are places of the votes, `pair` is one number for each two voters, `agree`
    is 1 where both picked the same model, and `chance` how likely that was by the strengths alone.
    """

    first: Ints
    second: Ints
    pair: Ints
    agree: Floats
    chance: Floats


def meetings(picks: SharedPicks, kept: Ints) -> Iterator[Meetings]:
    """Yield all meetings among some votes; those of a pair of voters are in one block.

    Args:
        picks: the votes.
        kept: places of the votes to compare.
    """
    kept = kept[np.lexsort((picks.voter[kept], picks.question[kept]))]
    question, voter = picks.question[kept], picks.voter[kept]
    # In this order the others on a question, with a higher number, follow each vote at once.
    others = np.searchsorted(question, question, side="right") - np.arange(len(kept)) - 1
    by_voter = np.argsort(voter, kind="stable")
    ends = np.flatnonzero(np.diff(voter[by_voter], append=-1)) + 1
    rows = np.cumsum(others[by_voter])
    begin = 0
    while begin < len(kept):
        before = rows[begin - 1] if begin else 0
        fits = ends[(ends > begin) & (rows[ends - 1] - before <= _BLOCK_ROWS)]
        end = int(fits[-1]) if len(fits) else int(ends[ends > begin][0])
        yield _block(picks, kept, by_voter[begin:end], others)
        begin = end


def _block(picks: SharedPicks, kept: Ints, ours: Ints, others: Ints) -> Meetings:
    """Meet some votes with those that follow them on their questions."""
    count = others[ours]
    first = np.repeat(ours, count)
    step = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    a, b = kept[first], kept[first + 1 + step]
    sets, chances = picks.sets, picks.chances
    chance = np.zeros(len(a))
    for slot in range(sets.shape[1]):
        mine, likely = sets[a, slot], chances[a, slot]
        for other in range(sets.shape[1]):
            same = (mine == sets[b, other]) & (mine != PAD)
            chance += np.where(same, likely * chances[b, other], 0.0)
    agree = sets[a, picks.best[a]] == sets[b, picks.best[b]]
    pair = picks.voter[a].astype(np.int64) * len(picks.voters) + picks.voter[b]
    possible = chance > 0
    return Meetings(
        a[possible],
        b[possible],
        pair[possible],
        agree[possible].astype(np.float64),
        chance[possible],
    )


def scale_of(blocks: Iterator[Meetings]) -> float:
    """Factor on the odds of agreeing with which all meetings agree as often as they did; 1 or more.

    Chances are gathered in bins first, so that nothing need be kept.
    """
    agreed, number, total = 0.0, np.zeros(_BINS), np.zeros(_BINS)
    for block in blocks:
        place = np.minimum((block.chance * _BINS).astype(np.int64), _BINS - 1)
        number += np.bincount(place, minlength=_BINS)
        total += np.bincount(place, block.chance, _BINS)
        agreed += float(block.agree.sum())
    chance = total[number > 0] / number[number > 0]
    low, high = 0.0, float(np.log(_MOST_SCALE))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        expected = float(number[number > 0] @ scaled(chance, float(np.exp(middle))))
        low, high = (middle, high) if expected < agreed else (low, middle)
    return float(np.exp(low))


def scaled(chance: Floats, scale: float) -> Floats:
    """Return chances with their odds multiplied."""
    made: Floats = scale * chance / (1 - chance + scale * chance)
    return made
