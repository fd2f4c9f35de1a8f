"""The four states of a model in a mode, and one look over all its models.

Pure: what a look knows of each model comes in, transitions with the numbers that caused them come
out. Nothing else moves a state; one win, one day or a new month never revives or eliminates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ranking.rules import RankingRules

__all__ = [
    "Cause",
    "Look",
    "Standing",
    "State",
    "Transition",
    "Withheld",
    "carry_over",
    "look",
    "multiplier",
]

_MICROSECONDS_PER_DAY: Final = 86_400_000_000


class State(StrEnum):
    """Where a model stands in a mode; it enters Active with its first showable answer."""

    ACTIVE = "active"
    OBSERVING = "observing"
    ELIMINATED = "eliminated"
    PROBATION = "probation"


class Cause(StrEnum):
    """Why a model changes its state, in the order in which a look goes through them."""

    WAITED = "waited"  # eliminated long enough: Probation
    REVIVED = "revived"  # Probation, lower bound above the line: Active
    RECOVERED = "recovered"  # Observing, score above the line: Active
    WEAK = "weak"  # Active, score below the line: Observing
    BELOW = "below"  # Observing, upper bound below the line at looks in a row: Eliminated
    HOPELESS = "hopeless"  # Probation, upper bound below the line: Eliminated
    USED_UP = "used_up"  # Probation, its exposures spent without revival: Eliminated


_AFTER: Final = {
    Cause.WAITED: State.PROBATION,
    Cause.REVIVED: State.ACTIVE,
    Cause.RECOVERED: State.ACTIVE,
    Cause.WEAK: State.OBSERVING,
    Cause.BELOW: State.ELIMINATED,
    Cause.HOPELESS: State.ELIMINATED,
    Cause.USED_UP: State.ELIMINATED,
}
# All falls are one group, by slug.
_TURN: Final = {Cause.WAITED: 0, Cause.REVIVED: 1, Cause.RECOVERED: 2}
_FALLS: Final = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """What a look knows of one model of a mode that is released and not retired.

    `entered_us` is when it entered its state, microseconds UTC. `exposures` are the month's
    weighted exposures; `exposures_in_state` and `clusters_in_state` those since it entered the
    state, and the voter clusters they came from. `score` and its error `score_se` are the last
    board's, in points, both None when the model is not on it. `looks_below` counts the looks in a
    row, before this one, that found it Observing with its upper bound below the line.

    Raises:
        ValueError: a number is negative, or one of score and error is missing.
    """

    model: str
    state: State
    entered_us: int
    exposures: float
    exposures_in_state: float
    clusters_in_state: int
    score: float | None
    score_se: float | None
    looks_below: int

    def __post_init__(self) -> None:
        counts = (self.exposures, self.exposures_in_state, self.clusters_in_state, self.looks_below)
        if not all(count >= 0 for count in (*counts, self.score_se or 0)):
            raise ValueError(f"{self.model}: a count or error is negative")
        if (self.score is None) != (self.score_se is None):
            raise ValueError(f"{self.model}: a score needs its error")

    def bound(self, z: float) -> float:
        """The score and z standard errors, in points; infinite when nothing is known yet."""
        if self.score is None or self.score_se is None:
            return math.copysign(math.inf, z)
        return self.score + z * self.score_se


@dataclass(frozen=True, slots=True)
class Transition:
    """A model changes its state; `standing` holds the numbers that caused it.

    `lower` and `upper` are the bounds looked at, in points, and `looks_below` the count with this
    look.
    """

    model: str
    before: State
    after: State
    cause: Cause
    standing: Standing
    lower: float
    upper: float
    looks_below: int


@dataclass(frozen=True, slots=True)
class Withheld:
    """A fall to Eliminated that did not happen: too few models could be shown without this one."""

    transition: Transition
    eligible: int


@dataclass(frozen=True, slots=True)
class Look:
    """One look: what happened, in order, and the looks in a row below the line, by slug.

    `states` are those after the look.
    """

    happened: tuple[Transition | Withheld, ...]
    looks_below: Mapping[str, int]
    states: Mapping[str, State]


def look(standings: Sequence[Standing], now_us: int, rules: RankingRules) -> Look:
    """Look once over all models of a mode that are released and not retired.

    Each model moves at most once, by the numbers it came with. Time moves go first, then revivals,
    recoveries and falls, each by slug. Where falls to Eliminated would leave too few models to
    show, those of the highest upper bound are withheld.

    Args:
        standings: every such model of the mode, in any order.
        now_us: time of the look, microseconds UTC.
        rules: the thresholds.

    Raises:
        ValueError: a model is named twice.
    """
    if len({standing.model for standing in standings}) < len(standings):
        raise ValueError("a model is named twice")
    below = {standing.model: _looks_below(standing, rules) for standing in standings}
    moves = [
        _transition(standing, cause, below[standing.model], rules)
        for standing in standings
        if (cause := _cause(standing, below[standing.model], now_us, rules)) is not None
    ]
    moves.sort(key=lambda move: (_TURN.get(move.cause, _FALLS), move.model))
    states = {standing.model: standing.state for standing in standings}
    states |= {move.model: move.after for move in moves if move.after is not State.ELIMINATED}
    eligible = sum(state is not State.ELIMINATED for state in states.values())
    withheld = _withheld(moves, eligible, rules)
    states |= {move.model: move.after for move in moves if move.model not in withheld}
    kept = sum(state is not State.ELIMINATED for state in states.values())
    happened = tuple(Withheld(move, kept) if move.model in withheld else move for move in moves)
    left = {move.model for move in moves} - withheld
    counts = {model: 0 if model in left else count for model, count in below.items()}
    return Look(happened, dict(sorted(counts.items())), dict(sorted(states.items())))


def _looks_below(standing: Standing, rules: RankingRules) -> int:
    """Looks in a row below the line with this one: the bound alone decides, and only Observing."""
    if standing.state is not State.OBSERVING or not _hopeless(standing, rules):
        return 0
    return standing.looks_below + 1


def _hopeless(standing: Standing, rules: RankingRules) -> bool:
    return standing.bound(rules.elimination_z) < rules.recovery_from


def _cause(standing: Standing, looks_below: int, now_us: int, rules: RankingRules) -> Cause | None:
    match standing.state:
        case State.ACTIVE:
            return _cause_active(standing, rules)
        case State.OBSERVING:
            return _cause_observing(standing, looks_below, rules)
        case State.ELIMINATED:
            wait_us = rules.probation_after_days * _MICROSECONDS_PER_DAY
            return Cause.WAITED if now_us - standing.entered_us >= wait_us else None
        case State.PROBATION:
            return _cause_probation(standing, rules)


def _cause_active(standing: Standing, rules: RankingRules) -> Cause | None:
    known = standing.exposures >= rules.observing_exposures
    weak = standing.score is not None and standing.score < rules.observing_below
    return Cause.WEAK if known and weak else None


def _cause_observing(standing: Standing, looks_below: int, rules: RankingRules) -> Cause | None:
    score, shown = standing.score, standing.exposures_in_state
    if score is not None and score >= rules.recovery_from and shown >= rules.recovery_exposures:
        return Cause.RECOVERED
    known = (
        standing.exposures >= rules.elimination_exposures
        and shown >= rules.elimination_exposures_observing
        and standing.clusters_in_state >= rules.lifecycle_clusters
    )
    return Cause.BELOW if known and looks_below >= rules.elimination_looks else None


def _cause_probation(standing: Standing, rules: RankingRules) -> Cause | None:
    shown = standing.exposures_in_state
    if shown < rules.probation_verdict_exposures:
        return None
    many = standing.clusters_in_state >= rules.lifecycle_clusters
    if many and standing.bound(-rules.revival_z) >= rules.recovery_from:
        return Cause.REVIVED
    if _hopeless(standing, rules):
        return Cause.HOPELESS
    return Cause.USED_UP if shown >= rules.probation_exposures else None


def _transition(
    standing: Standing, cause: Cause, looks_below: int, rules: RankingRules
) -> Transition:
    return Transition(
        model=standing.model,
        before=standing.state,
        after=_AFTER[cause],
        cause=cause,
        standing=standing,
        lower=standing.bound(-rules.revival_z),
        upper=standing.bound(rules.elimination_z),
        looks_below=looks_below,
    )


def _withheld(moves: Iterable[Transition], eligible: int, rules: RankingRules) -> set[str]:
    """The models that must not be eliminated at this look."""
    falling = [move for move in moves if move.after is State.ELIMINATED]
    short = rules.eligible_models - (eligible - len(falling))
    falling.sort(key=lambda move: (-move.upper, move.model))
    return {move.model for move in falling[: max(0, short)]}


def carry_over(state: State) -> State:
    """The state in which a model opens a new month; the calendar is no revival."""
    match state:
        case State.ACTIVE | State.OBSERVING:
            return State.ACTIVE
        case State.ELIMINATED | State.PROBATION:
            return State.PROBATION


def multiplier(state: State, rules: RankingRules) -> float:
    """The share of exposure that a model of this state gets."""
    match state:
        case State.ACTIVE:
            return rules.multiplier_active
        case State.OBSERVING:
            return rules.multiplier_observing
        case State.ELIMINATED:
            return rules.multiplier_eliminated
        case State.PROBATION:
            return rules.multiplier_probation
