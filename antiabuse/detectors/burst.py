"""Many voters who pick one model within hours far more often than at other times.

Only showings count, so a wave of honest visitors is no burst: the exact tail (Poisson-binomial) of
the picks among the window's showings, against their chances under the fit of all votes. Of each
voter the first showing in a window counts, so that one eager voter is no burst either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from antiabuse.detectors.evidence import NO_PICK, worst_chances
from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.tails import SCREEN_SD, Floats, Ints, count_tails

__all__ = ["TimedPicks", "bursts"]

_Kind = Literal["best", "worst"]

_DAY_HOURS: Final = 24


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TimedPicks:
    """All n votes with a best pick of a mode and month, over all voters.

    `hour` (n,) counts hours from the month's first midnight UTC; `voter` (n,) are names by vote;
    the other fields are as in `VoterPicks`, the chances from the fit of all votes.
    """

    votes: tuple[str, ...]
    voters: tuple[str, ...]
    hour: Ints
    models: tuple[str, ...]
    sets: Ints
    best: Ints
    worst: Ints
    chances: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Cell:
    """One model in one window: places of the votes that picked it, and how likely so many are."""

    kind: _Kind
    model: int
    window: int
    picked: Ints
    shown: int
    expected: float
    sd: float
    p: float


def bursts(picks: TimedPicks, rules: DetectorRules) -> list[Finding]:
    """Report windows in which a model was picked best, or worst, far beyond its chances.

    The level is shared among all windows, models and both picks in which the model was shown.

    Args:
        picks: of the month; windows of `burst_hours` follow each other from its start.
        rules: thresholds.
    """
    cells, tests = [], 0
    with_worst = picks.worst != NO_PICK
    left = np.zeros_like(picks.chances)
    left[with_worst] = worst_chances(picks.chances[with_worst], picks.best[with_worst])
    window = picks.hour // rules.burst_hours
    place = {name: place for place, name in enumerate(dict.fromkeys(picks.voters))}
    voter = np.fromiter((place[name] for name in picks.voters), np.int64, len(picks.voters))
    statistics: tuple[tuple[_Kind, Ints, Floats], ...] = (
        ("best", picks.best, picks.chances),
        ("worst", picks.worst, left),
    )
    for kind, picked, chances in statistics:
        for shown in _shown(picks.sets, voter, window, chances):
            tests += 1
            cell = _cell(kind, picks, window, shown, picked, chances)
            if cell is not None and len(cell.picked) >= rules.burst_voters:
                cells.append(cell)
    level = float(rules.burst_level) / max(1, tests)
    return [_finding(picks, cell, tests, rules) for cell in cells if cell.p <= level]


def _shown(sets: Ints, voter: Ints, window: Ints, chances: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield, for each model and window, the votes and slots that showed it to a voter first."""
    vote, slot = np.nonzero(chances > 0)
    models, voters = int(sets.max(initial=0)) + 1, int(voter.max(initial=0)) + 1
    cell = window[vote].astype(np.int64) * models + sets[vote, slot]
    keys, first = np.unique(cell * voters + voter[vote], return_index=True)
    edges = np.flatnonzero(np.diff(keys // voters)) + 1
    for part in np.split(first, edges):
        if len(part):
            yield vote[part], slot[part]


def _cell(
    kind: _Kind,
    picks: TimedPicks,
    window: Ints,
    shown: tuple[Ints, Ints],
    picked: Ints,
    chances: Floats,
) -> _Cell | None:
    """Compare a model's picks in a window with their chances; None where they are not many."""
    vote, slot = shown
    hit: NDArray[np.bool_] = picked[vote] == slot
    chance = chances[vote, slot]
    expected = float(chance.sum())
    sd = float(np.sqrt((chance * (1 - chance)).sum()))
    count = int(hit.sum())
    if count - expected < SCREEN_SD * sd or count <= expected:
        return None
    return _Cell(
        kind=kind,
        model=int(picks.sets[vote[0], slot[0]]),
        window=int(window[vote[0]]),
        picked=vote[hit],
        shown=len(vote),
        expected=expected,
        sd=sd,
        p=count_tails(chance, count)[1],
    )


def _finding(picks: TimedPicks, cell: _Cell, tests: int, rules: DetectorRules) -> Finding:
    level = float(rules.burst_level) / tests
    strict = cell.p <= float(rules.burst_level_discount) / tests
    name = f"{cell.kind}:{picks.models[cell.model]}"
    hours = cell.window * rules.burst_hours
    return Finding(
        detector=Detector.BURST,
        subjects=tuple(sorted({picks.voters[vote] for vote in cell.picked.tolist()})),
        votes=tuple(picks.votes[vote] for vote in cell.picked.tolist()),
        statistic=number_text(cell.p),
        threshold=number_text(level),
        p_value=number_text(cell.p),
        look=hours // _DAY_HOURS + 1,
        numbers={
            "kind": cell.kind,
            "model": picks.models[cell.model],
            "hour": str(hours % _DAY_HOURS),
            "hours": str(rules.burst_hours),
            "tests": str(tests),
            f"seen:{name}": str(cell.shown),
            f"picked:{name}": str(len(cell.picked)),
            f"expected:{name}": number_text(cell.expected),
            f"sd:{name}": number_text(cell.sd),
        },
        discounts=strict and Detector.BURST in rules.discounting,
    )
