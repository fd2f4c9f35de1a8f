"""What the extended board knows beside its scores: weights of the two ties, one scale or two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from arena.boards import PublishedBoard
from ranking import lobster, rules

__all__ = ["ExtendedFacts", "ScaleTest", "VerdictWeight", "extended_facts"]

_LEVEL: Final = 0.05  # of the test in words, as intervals are of 95 %


@dataclass(frozen=True, slots=True)
class VerdictWeight:
    """The weight of "About the same" or "Both bad"; `log_weight` and `se` are in natural logs.

    `score` is where a model of that strength would stand; it means something for "Both bad" alone.
    """

    verdict: str
    weight: float
    low: float
    high: float
    log_weight: float
    se: float
    score: float


@dataclass(frozen=True, slots=True)
class ScaleTest:
    """Twice the gain of separate worths for best and worst; votes count as independent."""

    statistic: float
    df: int
    p: float

    @property
    def rejected(self) -> bool:
        """Tell whether one scale does not fit best and worst."""
        return self.p < _LEVEL


@dataclass(frozen=True, slots=True)
class ExtendedFacts:
    """The facts of one extended board; without worst picks there is nothing to test."""

    weights: tuple[VerdictWeight, ...]
    scale: ScaleTest | None
    log_likelihood: float
    iterations: int


def extended_facts(board: PublishedBoard) -> ExtendedFacts:
    """Return what an extended board knows beside its rows."""
    facts, test = board.facts, board.facts["one_scale"]
    return ExtendedFacts(
        weights=tuple(
            _weight(
                each["verdict"], float(each["weight"]), float(each["log_weight"]), float(each["se"])
            )
            for each in facts["weights"]
        ),
        scale=test and ScaleTest(float(test["statistic"]), test["df"], float(test["p"])),
        log_likelihood=float(facts["log_likelihood"]),
        iterations=facts["iterations"],
    )


def _weight(verdict: str, weight: float, log_weight: float, se: float) -> VerdictWeight:
    reach = rules.current().interval_z * se
    return VerdictWeight(
        verdict=verdict,
        weight=weight,
        low=math.exp(log_weight - reach),
        high=math.exp(log_weight + reach),
        log_weight=log_weight,
        se=se,
        score=lobster.arena_score(weight),
    )
