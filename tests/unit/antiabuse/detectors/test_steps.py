"""Evidence that grows is told again at fixed steps."""

from __future__ import annotations

import pytest

from antiabuse.detectors.steps import step


def test_steps_come_as_the_evidence_doubles_and_at_the_strict_line() -> None:
    """Ten, twenty, forty; and each of them once more where the stricter threshold is passed."""
    assert [step(n, 10, strict=False) for n in (10, 19, 20, 39, 40, 80)] == [0, 0, 2, 2, 4, 6]
    assert [step(n, 10, strict=True) for n in (10, 19, 20)] == [1, 1, 3]


def test_steps_never_go_back() -> None:
    """More evidence is the same step or a later one, whatever line it passes."""
    for strict in (False, True):
        steps = [step(n, 3, strict=strict) for n in range(3, 200)]
        assert steps == sorted(steps)


@pytest.mark.parametrize("evidence, least", [(9, 10), (0, 0), (5, -1)])
def test_less_than_a_report_has_no_step(evidence: int, least: int) -> None:
    """Where nothing is reported there is nothing to tell again."""
    with pytest.raises(ValueError, match="evidence"):
        step(evidence, least, strict=False)
