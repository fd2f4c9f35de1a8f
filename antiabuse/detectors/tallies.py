"""Picks of each model against their expectation, and which of them pass a shared level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from antiabuse.detectors.evidence import Showings
from antiabuse.detectors.finding import number_text
from antiabuse.detectors.tails import Floats, Ints, count_tails

__all__ = ["Tally", "exact_p"]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sums of showings by model, (M,) each; `sd` is the root of the summed variances."""

    seen: Ints
    picked: Floats
    expected: Floats
    sd: Floats

    @classmethod
    def of(cls, showings: Showings, size: int) -> Tally:
        """Sum the showings of models 0 to size - 1."""
        model = showings.model
        return cls(
            seen=np.bincount(model, minlength=size),
            picked=_sums(model, showings.result, size),
            expected=_sums(model, showings.expected, size),
            sd=np.sqrt(_sums(model, showings.variance, size)),
        )

    @property
    def z(self) -> Floats:
        """(M,) standard deviations above expectation; 0 where nothing else was possible."""
        missing = np.zeros_like(self.sd)
        made: Floats = np.divide(
            self.picked - self.expected, self.sd, out=missing, where=self.sd > 0
        )
        return made

    def numbers(self, kind: str, models: Sequence[str], which: Iterable[int]) -> dict[str, str]:
        """Lay out the sums of some models as a finding holds them."""
        made = {}
        for place in which:
            name = f"{kind}:{models[place]}"
            made[f"seen:{name}"] = str(int(self.seen[place]))
            made[f"picked:{name}"] = number_text(float(self.picked[place]))
            made[f"expected:{name}"] = number_text(float(self.expected[place]))
            made[f"sd:{name}"] = number_text(float(self.sd[place]))
        return made


def exact_p(showings: Showings, model: int) -> float:
    """Two-sided chance of a number of picks of a model as far out as the one seen, or further."""
    mine = showings.model == model
    return min(1.0, 2 * min(count_tails(showings.expected[mine], int(showings.result[mine].sum()))))


def _sums(cells: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(cells, values, size).astype(np.float64, copy=False)
