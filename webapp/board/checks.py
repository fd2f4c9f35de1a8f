"""What the checks say of a board: how few voters decide, weighted-back scores, the month before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.boards import PublishedBoard
from ranking import rules

__all__ = ["ChecksView", "MonthLink", "Reweighted", "Tipping", "checks_view", "reweighted_scores"]


@dataclass(frozen=True, slots=True)
class Tipping:
    """At most so many voters hold the first place; without them another model has it (V-164)."""

    voters: int
    first: str
    instead: str


@dataclass(frozen=True, slots=True)
class Reweighted:
    """A model's score when draws are weighted back, and its distance in official errors (V-163)."""

    model: str
    official: float
    reweighted: float
    errors: float
    marked: bool


@dataclass(frozen=True, slots=True)
class MonthLink:
    """How much higher the models of both months' baskets stand than in the month before.

    `error` is half of the 95 % interval; both are in points.
    """

    month: str
    constant: float
    error: float
    models: int


@dataclass(frozen=True, slots=True)
class ChecksView:
    """The checks beside a board; `computed_us` and `log_size` are their own."""

    computed_us: int
    log_size: int
    tipping: Tipping | None
    reweighted: Mapping[str, Reweighted]
    link: MonthLink | None

    @property
    def marked(self) -> tuple[Reweighted, ...]:
        """Return the models whose two scores differ by more than the rules allow."""
        return tuple(row for row in self.reweighted.values() if row.marked)


def checks_view(checks: PublishedBoard) -> ChecksView:
    """Return a board of checks for the page of the board it belongs to."""
    facts = checks.facts
    return ChecksView(
        computed_us=checks.computed_us,
        log_size=checks.log_size,
        tipping=_tipping(facts["fragility"]),
        reweighted=reweighted_scores(checks),
        link=_link(facts["link"]),
    )


def reweighted_scores(checks: PublishedBoard) -> dict[str, Reweighted]:
    """Return the scores by model when draws are weighted back."""
    return {
        row["model"]: Reweighted(
            model=row["model"],
            official=float(row["official"]),
            reweighted=float(row["reweighted"]),
            errors=float(row["errors"]),
            marked=row["marked"],
        )
        for row in checks.facts["propensity"]["models"]
    }


def _tipping(found: Mapping[str, Any] | None) -> Tipping | None:
    return None if found is None else Tipping(found["voters"], found["first"], found["instead"])


def _link(found: Mapping[str, Any] | None) -> MonthLink | None:
    if found is None:
        return None
    return MonthLink(
        month=found["month"],
        constant=float(found["constant"]),
        error=rules.current().interval_z * float(found["se"]),
        models=len(found["models"]),
    )
