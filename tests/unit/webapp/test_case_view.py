"""Which counts a case file shows, by the kind of pick that its flag is about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from arena.case_picks import Picks, Tally
from arena.cases import Case
from webapp.moderation.case_view import statistics_of


def case_about(**numbers: str) -> Case:
    """Return as much of a flag's case as the counts are made of."""
    tally = Tally(shown=10, picked=4, expected=2.5, variance=1.9)
    flag = SimpleNamespace(numbers=numbers)
    return cast("Case", SimpleNamespace(flag=flag, picks=(Picks("heron", tally, tally),)))


@pytest.mark.parametrize("numbers", [{}, {"kind": "best"}])
def test_a_flag_about_best_picks_or_none_shows_best(numbers: dict[str, str]) -> None:
    """Detectors that are not about picks bear no kind."""
    assert [each.kind for each in statistics_of(case_about(**numbers), {})] == ["best"]


def test_a_flag_about_worst_picks_shows_them_first() -> None:
    """Without counts of other models they are counted from the votes."""
    assert [each.kind for each in statistics_of(case_about(kind="worst"), {})] == ["worst", "best"]


def test_an_unknown_kind_is_no_other_kind() -> None:
    """What no detector writes is an error, not best picks."""
    with pytest.raises(ValueError, match="middling"):
        statistics_of(case_about(kind="middling"), {})
