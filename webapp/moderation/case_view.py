"""What a case file shows beside the case itself: names of models, the charts, whom one may join."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from arena.case_picks import Picks, Tally
from arena.cases import Case
from webapp.charts.figures import Dots, Range

__all__ = [
    "JoinRow",
    "PickRow",
    "Statistic",
    "StatisticKind",
    "figure_key",
    "join_rows",
    "picks_figure",
    "statistics_of",
]

StatisticKind = Literal["best", "worst", "decided"]

_MOST_ROWS: Final = 14
_REACH: Final = 2.0
"""Standard deviations: about nineteen of twenty honest voters lie within."""

_AXES: Final[Mapping[StatisticKind, str]] = {
    "best": "Times picked best",
    "worst": "Times picked worst",
    "decided": "Votes with a best pick where it was shown",
}


@dataclass(frozen=True, slots=True)
class PickRow:
    """How often a model was picked, and where an honest voter's count would lie."""

    model: str
    name: str
    shown: int
    picked: float
    expected: float
    sd: float

    @property
    def low(self) -> float:
        """The lower end of where it would lie."""
        return max(0.0, self.expected - _REACH * self.sd)

    @property
    def high(self) -> float:
        """The upper end."""
        return min(float(self.shown), self.expected + _REACH * self.sd)

    @property
    def outside(self) -> bool:
        """Whether the count lies outside."""
        return not self.low <= self.picked <= self.high

    @property
    def distance(self) -> float:
        """Standard deviations between the count and what was to be expected."""
        return abs(self.picked - self.expected) / self.sd if self.sd > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Statistic:
    """Counts of one kind of pick by model, the largest count first.

    `by_detector` says that they are the detector's, from the votes that it looked at; the others
    are of all votes of the case's voters in the mode and month.
    """

    kind: StatisticKind
    rows: tuple[PickRow, ...]
    by_detector: bool


@dataclass(frozen=True, slots=True)
class JoinRow:
    """A voter who may be taken for one person with others of the case.

    Attributes:
        voter: pseudonym of the month.
        own: whether the case is about them; the others are neighbours.
        via: what a neighbour shares with the case's voters.
        votes: of an own voter all of the month, of a neighbour the most from one shared trace.
    """

    voter: str
    own: bool
    via: tuple[str, ...]
    votes: int


def join_rows(case: Case) -> list[JoinRow]:
    """Return the case's voters who have votes, then each neighbour once, closest first.

    Empty where there are not two of them, or all are one by an earlier decision.
    """
    near: dict[str, tuple[str, ...]] = {}
    votes: dict[str, int] = {}
    for each in case.neighbours:
        near[each.voter] = (*near.get(each.voter, ()), each.via)
        votes[each.voter] = max(votes.get(each.voter, 0), each.votes)
    closest = sorted(near, key=lambda name: (-len(near[name]), -votes[name], name))
    rows = [
        *(JoinRow(each.voter, own=True, via=(), votes=each.votes) for each in case.voting),
        *(JoinRow(name, own=False, via=near[name], votes=votes[name]) for name in closest),
    ]
    persons = {case.joined.get(row.voter, row.voter) for row in rows}
    return rows if len(persons) > 1 else []


def statistics_of(case: Case, names: Mapping[str, str]) -> tuple[Statistic, ...]:
    """Return the counts that a case is about, then those of best picks.

    A flag about worst picks or verdicts bears counts of its own; where it bears none of other
    models to compare with, worst picks are counted from the votes.
    """
    found = []
    kind = _kind_of(case)
    if case.flag is not None and kind != "best":
        own = _of_flag(case.flag.numbers, kind, names)
        if len(own) > 1:
            found.append(Statistic(kind, own, by_detector=True))
        elif kind == "worst":
            found.append(_of_votes("worst", case.picks, names))
    found.append(_of_votes("best", case.picks, names))
    return tuple(each for each in found if each.rows)


def _kind_of(case: Case) -> StatisticKind:
    match None if case.flag is None else case.flag.numbers.get("kind"):
        case "worst":
            return "worst"
        case "decided":
            return "decided"
        case None | "best":
            return "best"
        case other:
            raise ValueError(f"a flag about picks of the kind {other!r}")


def _of_flag(
    numbers: Mapping[str, str], kind: StatisticKind, names: Mapping[str, str]
) -> tuple[PickRow, ...]:
    begins = f"seen:{kind}:"
    slugs = [name.removeprefix(begins) for name in numbers if name.startswith(begins)]
    rows = (
        PickRow(
            model=slug,
            name=names.get(slug, slug),
            shown=int(numbers[f"seen:{kind}:{slug}"]),
            picked=float(numbers[f"picked:{kind}:{slug}"]),
            expected=float(numbers[f"expected:{kind}:{slug}"]),
            sd=float(numbers[f"sd:{kind}:{slug}"]),
        )
        for slug in slugs
    )
    return _sorted(rows)


def _of_votes(
    kind: Literal["best", "worst"], picks: tuple[Picks, ...], names: Mapping[str, str]
) -> Statistic:
    tallies = ((each.model, each.best if kind == "best" else each.worst) for each in picks)
    rows = [_row(model, tally, names) for model, tally in tallies if tally.shown]
    return Statistic(kind, _sorted(rows), by_detector=False)


def _row(model: str, tally: Tally, names: Mapping[str, str]) -> PickRow:
    return PickRow(
        model=model,
        name=names.get(model, model),
        shown=tally.shown,
        picked=float(tally.picked),
        expected=tally.expected,
        sd=math.sqrt(tally.variance),
    )


def _sorted(rows: Iterable[PickRow]) -> tuple[PickRow, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.picked, row.name)))


def picks_figure(statistic: Statistic) -> Dots:
    """Return the plot: a bar where honest voters lie, a dot where these do; at most 14."""
    farthest = sorted(statistic.rows, key=lambda row: -row.distance)[:_MOST_ROWS]
    axis = _AXES[statistic.kind]
    return Dots(
        title=f"{axis}, against the counts expected from all votes",
        axis=axis,
        rows=tuple(
            Range(row.name, round(row.low, 2), row.picked, round(row.high, 2))
            for row in statistic.rows
            if row in farthest
        ),
        middle=None,
    )


def figure_key(figure: Dots) -> str:
    """Return a name for a drawing that changes whenever its numbers do."""
    return "case:" + hashlib.sha256(repr(figure).encode()).hexdigest()
