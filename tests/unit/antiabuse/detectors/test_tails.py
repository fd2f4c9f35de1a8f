"""Exact tails against enumeration of everything that can happen."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiabuse.detectors.tails import count_tails, normal_bound, overlap_tail


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.data())
def test_tails_of_a_count_equal_enumeration(chances: list[float], data: st.DataObject) -> None:
    """Both tails are the summed chances of all outcomes with as few, or as many, events."""
    count = data.draw(st.integers(0, len(chances)))
    low = high = 0.0
    for outcome in product((0, 1), repeat=len(chances)):
        chance = float(
            np.prod([p if hit else 1 - p for p, hit in zip(chances, outcome, strict=True)])
        )
        low += chance if sum(outcome) <= count else 0
        high += chance if sum(outcome) >= count else 0

    assert count_tails(np.array(chances), count) == pytest.approx((low, high), rel=1e-9, abs=1e-300)


def test_a_tiny_tail_keeps_its_digits() -> None:
    """Forty events of one in a hundred all happening is 1e-80, not 0."""
    assert count_tails(np.full(40, 0.01), 40)[1] == pytest.approx(1e-80, rel=1e-9)


@given(st.integers(1, 7), st.data())
def test_the_overlap_tail_equals_enumeration(total: int, data: st.DataObject) -> None:
    """Of all ways to draw, those with so many marked ones are counted."""
    marked, drawn = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    overlap = data.draw(st.integers(0, min(marked, drawn)))
    ways = [
        len([item for item in way if item < marked]) for way in combinations(range(total), drawn)
    ]

    expected = sum(hits >= overlap for hits in ways) / len(ways)
    assert overlap_tail(marked, drawn, total, overlap) == pytest.approx(expected)


def test_the_normal_bound_is_the_tables() -> None:
    """Two-sided five per cent lie beyond 1.96, one per cent beyond 2.576."""
    assert normal_bound(0.05) == pytest.approx(1.959964, abs=1e-6)
    assert normal_bound(0.01) == pytest.approx(2.575829, abs=1e-6)
