"""The checks of the list of leaks can fail: each leak that is put in is found."""

from __future__ import annotations

import pytest

from tests.fixtures.arena_site import ArenaSite
from tests.web.blindness.checklist import CHECKS
from tests.web.blindness.planting import Plant
from tests.web.blindness.plants import PLANTS


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: f"{plant.point}: {plant.name}")
def test_a_leak_put_in_is_found(
    arena: ArenaSite, monkeypatch: pytest.MonkeyPatch, plant: Plant
) -> None:
    """With the leak in, the check of its point says so."""
    plant.put(arena, monkeypatch)

    assert next(iter(CHECKS[plant.point](arena)), None) is not None


def test_every_check_has_a_leak_to_find() -> None:
    """No check stands in the list that has not been seen to fail."""
    assert {plant.point for plant in PLANTS} == set(CHECKS)
