"""What a case file shows beside the case itself: names of models, and the chart's numbers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.case_evidence import Picks
from arena.cases import Case
from webapp.charts.figures import Dots, Range

__all__ = [
    "FlagWords",
    "NeighbourRow",
    "PickRow",
    "figure_key",
    "flag_words",
    "neighbour_rows",
    "pick_rows",
    "picks_figure",
]

_MOST_ROWS: Final = 14
_REACH: Final = 2.0
"""Standard deviations: about nineteen of twenty honest voters lie within."""


@dataclass(frozen=True, slots=True)
class PickRow:
    """How often a model was picked best, and where an honest voter's count would lie."""

    name: str
    shown: int
    best: int
    worst: int
    expected: float
    low: float
    high: float

    @property
    def outside(self) -> bool:
        """Whether the count lies outside."""
        return not self.low <= self.best <= self.high


@dataclass(frozen=True, slots=True)
class FlagWords:
    """A flag's numbers as its sentences need them."""

    detector: str
    statistic: str
    threshold: str
    p_value: str | None
    numbers: Mapping[str, str]
    voters: int


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """Another voter, what they share with the case's voters, and the most votes from one of it."""

    voter: str
    via: tuple[str, ...]
    votes: int


def neighbour_rows(case: Case) -> list[NeighbourRow]:
    """Return each neighbour once, those who share most first."""
    found: dict[str, NeighbourRow] = {}
    for each in case.neighbours:
        known = found.get(each.voter, NeighbourRow(each.voter, (), 0))
        via = (*known.via, each.via)
        found[each.voter] = NeighbourRow(each.voter, via, max(known.votes, each.votes))
    return sorted(found.values(), key=lambda row: (-len(row.via), -row.votes, row.voter))


def flag_words(case: Case) -> FlagWords | None:
    """Return what the sentences about a flag need; None for other cases."""
    if case.flag is None:
        return None
    flag = case.flag
    return FlagWords(
        flag.detector,
        flag.statistic,
        flag.threshold,
        flag.p_value,
        flag.numbers,
        len(case.voters),
    )


def pick_rows(case: Case, names: Mapping[str, str]) -> tuple[PickRow, ...]:
    """Return the picks of a case's voters, the most picked first."""
    return tuple(_row(each, names) for each in case.picks)


def _row(picks: Picks, names: Mapping[str, str]) -> PickRow:
    share = picks.expected / picks.shown
    reach = _REACH * math.sqrt(picks.shown * share * (1 - share))
    return PickRow(
        name=names.get(picks.model, picks.model),
        shown=picks.shown,
        best=picks.best,
        worst=picks.worst,
        expected=picks.expected,
        low=max(0.0, picks.expected - reach),
        high=min(float(picks.shown), picks.expected + reach),
    )


def picks_figure(rows: tuple[PickRow, ...]) -> Dots:
    """Return the plot: a bar where honest voters lie, a dot where these do."""
    return Dots(
        title="Times picked best, against what all voters' votes let expect",
        axis="Times picked best",
        rows=tuple(
            Range(row.name, round(row.low, 2), float(row.best), round(row.high, 2))
            for row in rows[:_MOST_ROWS]
        ),
        middle=None,
        whole_numbers=True,
    )


def figure_key(figure: Dots) -> str:
    """Return a name for a drawing that changes whenever its numbers do."""
    return "case:" + hashlib.sha256(repr(figure).encode()).hexdigest()
