"""The votes of a simulated month as columns that grow, in the engine's form when it asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.ballot_events import Verdict
from ranking import lobster
from ranking.lobster import Choices, Flags, Floats, Ints

__all__ = ["ROW", "VoteLog"]

ROW: Final = np.dtype(
    [
        ("sets", "<i8", (4,)),
        ("best", "<i8"),  # slot, or the engine's mark of "same" and "bad"
        ("worst", "<i8"),  # slot, or none
        ("weight", "<i8"),  # millionths, as cast
        ("voter", "<i8"),
        ("cluster", "<i8"),
        ("network", "<i8"),  # the /24 or /64; below 0 unknown
        ("device", "<i8"),  # below 0 unknown
        ("question", "<i8"),
        ("time_us", "<i8"),
        ("dwell_ms", "<i8"),
    ]
)
_MARKS: Final[dict[Verdict, int]] = {"same": lobster.SAME, "bad": lobster.BAD}
_FIRST_SIZE: Final = 1024

Table = NDArray[np.void]


@dataclass(slots=True)
class VoteLog:
    """Votes in the order of casting; `models` are the names that sets number."""

    models: tuple[str, ...]
    count: int = 0
    _table: Table = field(default_factory=lambda: np.zeros(_FIRST_SIZE, dtype=ROW))

    def add(self, **values: Any) -> None:  # noqa: ANN401 - the columns of ROW
        """Store a vote."""
        if self.count == len(self._table):
            self._table = np.concatenate([self._table, np.zeros(self.count, dtype=ROW)])
        row = self._table[self.count]
        for name, value in values.items():
            row[name] = value
        self.count += 1

    @property
    def rows(self) -> Table:
        """Return all votes; changes reach the log."""
        return self._table[: self.count]

    def copy(self) -> VoteLog:
        """Return a log of its own."""
        return VoteLog(self.models, self.count, self.rows.copy())

    def choices(self, *, without: Flags | None = None) -> Choices:
        """Lay the votes out for the engine; those of a mask (n,) weigh nothing."""
        rows = self.rows
        every = np.arange(len(rows))
        best, worst, sets = rows["best"], rows["worst"], rows["sets"]
        weight = rows["weight"].copy()
        if without is not None:
            weight[without] = 0
        return Choices(
            models=self.models,
            sets=sets.copy(),
            best=np.where(best >= 0, sets[every, np.maximum(best, 0)], best),
            worst=np.where(worst >= 0, sets[every, np.maximum(worst, 0)], lobster.NO_WORST),
            weight=weight,
            cluster=rows["cluster"].copy(),
        )

    def of_voter(self, voter: int) -> Ints:
        """Return the places of a voter's votes."""
        return np.flatnonzero(self.rows["voter"] == voter)


def mark_of(verdict: Verdict, best: int | None) -> int:
    """Return how a log keeps a verdict and its best slot."""
    return _MARKS[verdict] if best is None else best


def chances(theta: Floats, sets: Ints) -> Floats:
    """Chance (n, 4) of each slot to be picked best, from log-strengths."""
    odds = np.exp(theta[sets])
    made: Floats = odds / odds.sum(axis=1, keepdims=True)
    return made
