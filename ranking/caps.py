"""The influence cap: no voter cluster and no address supplies too much of a model's evidence.

All factors come from the uncapped weights in one pass, so their order cannot matter.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Flags, Floats, Ints, WrongUseError
from ranking.picks import sums
from ranking.rules import RankingRules

__all__ = ["address_factors", "by_address", "cap_factors", "capped"]

_WEIGHT_UNIT: Final = 10**lobster.WEIGHT_DIGITS
_MARGIN: Final = 1 - 1e-9  # sums in another order may differ by this share


def cap_factors(choices: Choices, address: Ints | None, rules: RankingRules) -> Floats:
    """The factor (n,), 0 to 1, that each vote's weight is to be multiplied by.

    A supplier (voter cluster or address) of weight X on a model, where all others together have R,
    gets min(1, c R / ((1 - c) X)): with the others unchanged it then supplies the share c. c is
    the larger of the cap and twice an even share of the model's suppliers of that kind. A vote
    takes the smallest factor of its models, by voter or by address. A model with few suppliers of
    a kind caps nobody: one office behind one address is no attack. Where addresses are counted, a
    voter whose address is not known is a supplier of its own.

    Args:
        choices: the votes with uncapped weights.
        address: (n,) label of the network (/24 or /64) each vote came from, or None when no vote's
            is known; a label below 0 is one that is not known and caps nobody.
        rules: hold the cap.

    Raises:
        WrongUseError: `address` does not have one label a vote.
    """
    shown = _Shown.of(choices, rules)
    factors = shown.factors(*shown.voter)
    return factors if address is None else np.minimum(factors, _by_address(shown, address))


def address_factors(choices: Choices, address: Ints, rules: RankingRules) -> Floats:
    """The same (n,) for addresses alone.

    Raises:
        WrongUseError: `address` does not have one label a vote.
    """
    return _by_address(_Shown.of(choices, rules), address)


def _by_address(shown: _Shown, address: Ints) -> Floats:
    if address.shape != shown.weight.shape:
        raise WrongUseError("addresses need one label a vote")
    number, count = by_address(address, shown.voter[0])
    return shown.factors(number, count, unknown=address < 0)


def by_address(address: Ints, voter: Ints) -> tuple[Ints, int]:
    """Number the suppliers from 0 where addresses supply, and say how many there are.

    A voter, numbered from 0, whose address is below 0 and so not known is a supplier of its own.
    """
    return lobster.numbered(np.where(address >= 0, address.astype(np.int64), -1 - voter))


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """What each vote shows, and the weight (n,) in millionths that it brings to each model of it.

    `voter` are the voter clusters numbered from 0, and how many there are; `total` (M,) is in
    votes.
    """

    sets: Ints
    weight: Ints
    voter: tuple[Ints, int]
    total: Floats
    rules: RankingRules

    @classmethod
    def of(cls, choices: Choices, rules: RankingRules) -> _Shown:
        size = len(choices.models)
        sets = choices.sets
        if sets.min(initial=0) == lobster.PAD:
            sets = np.where(sets == lobster.PAD, size, sets)
        weight = np.where(choices.best >= 0, choices.weight, 0)
        total = np.zeros(size + 1)
        for column in sets.T:
            total += np.bincount(column, weight, size + 1)
        voter = lobster.numbered(choices.cluster)
        return cls(sets, weight, voter, total[:size] / _WEIGHT_UNIT, rules)

    def factors(self, supplier: Ints, count: int, unknown: Flags | None = None) -> Floats:
        """The factor (n,) of each vote by its supplier, numbered from 0; unknown ones cap nobody.

        Nobody supplies more of a model than of all models together, so most are seen to be below
        every cap at once.
        """
        weight = self.weight if unknown is None else np.where(unknown, 0, self.weight)
        least = self.rules.cap_share * self.total.min(initial=np.inf, where=self.total > 0)
        much = np.bincount(supplier, weight / _WEIGHT_UNIT, count) > least * _MARGIN
        factors, rows = np.ones(len(weight)), np.flatnonzero(much[supplier])
        if unknown is not None:
            rows = rows[~unknown[rows]]
        if len(rows):
            number, sets = (np.cumsum(much) - 1)[supplier[rows]], self.sets[rows]
            supplied = _supplied(sets, number, weight[rows], len(self.total))
            suppliers = self._suppliers(supplier, count)
            by_model = _factors(supplied, self.total, _caps(suppliers, self.rules))
            factors[rows] = np.hstack([by_model, np.ones((len(by_model), 1))])[
                number[:, None], sets
            ].min(axis=1)
        return factors

    def _suppliers(self, supplier: Ints, count: int) -> Ints:
        """How many of the suppliers, numbered from 0, each model (M,) has."""
        side = len(self.total) + 1
        met = np.zeros(count * side, dtype=np.bool_)
        first = supplier[self.weight > 0].astype(np.int64) * side
        for column in self.sets.T:
            met[first + column[self.weight > 0]] = True
        suppliers: Ints = met.reshape(count, side)[:, :-1].sum(axis=0)
        return suppliers


def _supplied(sets: Ints, supplier: Ints, weight: Ints, size: int) -> Floats:
    """Weighted exposures (suppliers, M) in votes."""
    side, count = size + 1, int(supplier.max(initial=-1)) + 1
    places = np.broadcast_to(weight[:, None] / _WEIGHT_UNIT, sets.shape)
    table = sums(supplier[:, None] * side + sets, places, count * side)
    return table.reshape(count, side)[:, :size]


def _caps(suppliers: Ints, rules: RankingRules) -> Floats:
    """The largest share (M,) one supplier may have; 1 where nobody is capped."""
    even = rules.cap_even_shares / np.maximum(suppliers, 1)
    caps: Floats = np.where(suppliers >= rules.cap_clusters, np.maximum(rules.cap_share, even), 1.0)
    return caps


def _factors(supplied: Floats, total: Floats, share: Floats) -> Floats:
    """Factor of each supplier on each model."""
    others = total - supplied
    allowed = np.divide(
        share * others, 1 - share, out=np.full_like(others, np.inf), where=share < 1
    )
    ratio = np.divide(allowed, supplied, out=np.ones_like(supplied), where=supplied > 0)
    return np.clip(ratio, 0.0, 1.0)


def capped(choices: Choices, factors: Floats) -> tuple[Choices, Flags]:
    """The votes with their factors applied, to a millionth, and which (n,) of them were lowered.

    Args:
        choices: the votes with uncapped weights.
        factors: (n,) from `cap_factors`.
    """
    low = factors < 1
    if not low.any():
        return choices, low
    weight = np.rint(choices.weight * factors).astype(np.int64)
    return dataclasses.replace(choices, weight=weight), weight < choices.weight
