"""Numbers of a finding are decimal text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiabuse.detectors.finding import number_text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_to_six_digits(value: float) -> None:
    """What is written is what was measured."""
    assert float(Decimal(number_text(value))) == pytest.approx(value, rel=1e-5)


def test_nothing_is_written_twice_in_two_ways() -> None:
    """Zero has no sign."""
    assert number_text(-0.0) == number_text(0.0) == "0"


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_no_finding_without_a_number(value: float) -> None:
    """A statistic that is no number is a fault, not a finding."""
    with pytest.raises(ValueError, match="finite"):
        number_text(value)
