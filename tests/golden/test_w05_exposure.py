"""W-5: indices and set probabilities of UCB-E for a pool of eight."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from ranking import rules
from ranking.ucbe import Indices, Standing, indices, set_probability

RULES = replace(rules.current(), exposure_budget=4_000)
MULTIPLIER = {
    "A": RULES.multiplier_active,
    "O": RULES.multiplier_observing,
    "P": RULES.multiplier_probation,
    "E": RULES.multiplier_eliminated,
}
POOL = [
    (2, 200, "A"),
    (1.5, 150, "A"),
    (1, 120, "A"),
    (0.8, 20, "A"),
    (1, 1, "A"),
    (0.5, 30, "O"),
    (0.6, 45, "P"),
    (0.3, 60, "E"),
]
NAMES = [str(number) for number in range(1, 9)]


@pytest.fixture
def known() -> Indices:
    """The indices of W-5's pool."""
    standings = [
        Standing(name, gamma, showings, MULTIPLIER[state])
        for name, (gamma, showings, state) in zip(NAMES, POOL, strict=True)
    ]
    return indices(standings, RULES)


def test_chances_and_indices_of_w5(known: Indices) -> None:
    """Chances to be picked best, H1, a and the index of the seven eligible models."""
    p = (0.429296, 0.344731, 0.245331, 0.201072, 0.245331, 0.129963, 0.154276)
    b = (0.668401, 0.620825, 0.554014, 0.701072, 0.745331, 0.629963, 0.654276)

    assert list(known.chance) == list(known.index) == NAMES[:7]
    assert list(known.chance.values()) == pytest.approx(p, abs=6e-7)
    assert known.hardness == pytest.approx(242.5105, abs=6e-5)
    assert known.exploration == pytest.approx(11.434212, abs=6e-7)
    assert list(known.index.values()) == pytest.approx(b, abs=6e-7)


def test_set_probabilities_of_w5(known: Indices) -> None:
    """P(S) of two sets, the chance of each model to be shown, and the sum over all sets."""
    sets = {four: set_probability(four, NAMES, known, RULES) for four in combinations("1234567", 4)}
    shown = [sum(p for four, p in sets.items() if name in four) for name in NAMES]

    assert sets["1", "2", "3", "5"] == pytest.approx(0.035093, abs=6e-7)
    assert sets["3", "4", "6", "7"] == pytest.approx(0.00072099, abs=6e-9)
    assert shown == pytest.approx(
        (0.8333, 0.6141, 0.3046, 0.8999, 0.9248, 0.2443, 0.1789, 0), abs=6e-5
    )
    assert len(sets) == 35
    assert sum(sets.values()) == pytest.approx(1, abs=1e-12)
