"""Labels at the ends of lines keep apart and near their lines."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.charts.lines import spread

HEIGHTS = st.lists(st.floats(0, 1000), max_size=5).map(sorted)


@given(HEIGHTS)
def test_labels_keep_their_distance_and_order(values: list[float]) -> None:
    """Each label stands at least the gap above the one before."""
    placed = spread(values, 20)
    assert len(placed) == len(values)
    assert all(b - a >= 20 - 1e-6 for a, b in pairwise(placed))


@given(HEIGHTS)
def test_labels_stay_around_their_middle(values: list[float]) -> None:
    """As many move up as down."""
    assert sum(spread(values, 20)) == pytest.approx(sum(values), abs=1e-6)


def test_labels_with_room_do_not_move() -> None:
    """Where all have room, each stands at its line's end."""
    assert spread([0, 50, 100], 20) == [0, 50, 100]
