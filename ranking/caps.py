"""The influence cap: no voter cluster and no address supplies too much of a model's evidence.

All factors come from the uncapped weights in one pass, so their order cannot matter.
"""

from __future__ import annotations

import dataclasses
from typing import Final

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Flags, Floats, Ints, WrongUseError
from ranking.picks import sums
from ranking.rules import RankingRules

__all__ = ["cap_factors", "capped"]

_WEIGHT_UNIT: Final = 10**lobster.WEIGHT_DIGITS


def cap_factors(choices: Choices, address: Ints | None, rules: RankingRules) -> Floats:
    """The factor (n,), 0 to 1, that each vote's weight is to be multiplied by.

    A supplier (voter cluster or address) of weight X on a model, where all others together have R,
    gets min(1, c R / ((1 - c) X)): with the others unchanged it then supplies the share c. c is
    the larger of the cap and twice an even share of the model's voter clusters. A vote takes the
    smallest factor of its models, by voter or by address. A model with few voter clusters caps
    nobody; one whose whole weight comes from one address keeps none of it.

    Args:
        choices: the votes with uncapped weights.
        address: (n,) label of the network (/24 or /64) each vote came from, or None when no vote's
            is known; a label below 0 is one that is not known and caps nobody.
        rules: hold the cap.

    Raises:
        WrongUseError: `address` does not have one label a vote.
    """
    if address is not None and address.shape != choices.best.shape:
        raise WrongUseError("addresses need one label a vote")
    size = len(choices.models)
    sets = np.where(choices.sets == lobster.PAD, size, choices.sets)
    counted = (choices.best >= 0) & (choices.weight > 0)
    voter = np.unique(choices.cluster, return_inverse=True)[1]
    supplied = _supplied(sets, voter, np.where(counted, choices.weight, 0), size)
    share = _caps((supplied > 0).sum(axis=0), rules)
    factors = _smallest(sets, voter, _factors(supplied, share))
    if address is not None:
        known = address >= 0
        network = np.unique(address, return_inverse=True)[1]
        weight = np.where(counted & known, choices.weight, 0)
        total = supplied.sum(axis=0)
        by_network = _factors(_supplied(sets, network, weight, size), share, total)
        factors = np.minimum(factors, np.where(known, _smallest(sets, network, by_network), 1.0))
    return factors


def _supplied(sets: Ints, supplier: Ints, weight: Ints, size: int) -> Floats:
    """Weighted exposures (suppliers, M) in votes."""
    side, count = size + 1, int(supplier.max(initial=-1)) + 1
    places = np.broadcast_to(weight[:, None] / _WEIGHT_UNIT, sets.shape)
    return sums(supplier[:, None] * side + sets, places, count * side).reshape(count, side)[
        :, :size
    ]


def _caps(clusters: Ints, rules: RankingRules) -> Floats:
    """The largest share (M,) one supplier may have; 1 where nobody is capped."""
    even = rules.cap_even_shares / np.maximum(clusters, 1)
    caps: Floats = np.where(clusters >= rules.cap_clusters, np.maximum(rules.cap_share, even), 1.0)
    return caps


def _factors(supplied: Floats, share: Floats, total: Floats | None = None) -> Floats:
    """Factor of each supplier on each model."""
    others = (supplied.sum(axis=0) if total is None else total) - supplied
    allowed = np.divide(
        share * others, 1 - share, out=np.full_like(others, np.inf), where=share < 1
    )
    ratio = np.divide(allowed, supplied, out=np.ones_like(supplied), where=supplied > 0)
    return np.minimum(1.0, ratio)


def _smallest(sets: Ints, supplier: Ints, factors: Floats) -> Floats:
    past = np.ones((len(factors), 1))
    smallest: Floats = np.hstack([factors, past])[supplier[:, None], sets].min(axis=1)
    return smallest


def capped(choices: Choices, factors: Floats) -> tuple[Choices, Flags]:
    """The votes with their factors applied, to a millionth, and which (n,) of them were lowered.

    Args:
        choices: the votes with uncapped weights.
        factors: (n,) from `cap_factors`.
    """
    weight = np.rint(choices.weight * factors).astype(np.int64)
    return dataclasses.replace(choices, weight=weight), weight < choices.weight
