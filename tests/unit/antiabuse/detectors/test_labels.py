"""A label picked ten times in a row, wherever the answers stood."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.evidence import NO_PICK
from antiabuse.detectors.finding import Detector, Finding
from antiabuse.detectors.labels import repetitive_labels

RULES = rules.current()


def run(best: list[int], with_rules: rules.DetectorRules = RULES) -> Finding | None:
    """Look at picks of labels 0 to 3."""
    return repetitive_labels("v", [f"vote-{n}" for n in range(len(best))], best, 4, with_rules)


def test_ten_equal_labels_have_the_rulebooks_chance() -> None:
    """The chance of ten equal labels is 3.8e-6, and nine are not reported."""
    found = run([2] * 10)

    assert found is not None
    assert found.p_value is not None
    assert float(found.p_value) == pytest.approx(3.8e-6, rel=0.005)
    assert found.statistic == found.threshold == "10"
    assert found.numbers["label"] == "2"
    assert run([2] * 9 + [1] + [2] * 9) is None


def test_verdicts_without_a_pick_do_not_break_a_run() -> None:
    """Ten best picks in a row are in a row, whatever was the same in between."""
    found = run([1, *[0, NO_PICK] * 10])

    assert found is not None
    assert found.votes == tuple(f"vote-{n}" for n in range(1, 20, 2))


def test_more_runs_and_longer_ones_are_a_look_of_their_own() -> None:
    """At the strict line and at twice as many, also where each run is broken off early."""
    looks = [run([0] * n).look for n in (10, 14, 15, 20, 40)]  # type: ignore[union-attr]
    broken = run([*[0] * 10, 1, *[0] * 12])

    assert looks == [0, 0, 1, 3, 5]
    assert broken is not None
    assert (broken.statistic, broken.look, len(broken.votes)) == ("12", 2, 22)


def test_only_a_listed_detector_discounts_and_from_its_stricter_run() -> None:
    """Fifteen in a row take weight only under a ruleset that says so."""
    listed = replace(RULES, discounting=(Detector.REPETITIVE_LABELS,))

    assert [run([0] * n, r).discounts for n, r in ((15, RULES), (14, listed), (15, listed))] == [  # type: ignore[union-attr]
        False,
        False,
        True,
    ]


def test_nobody_without_votes_is_found() -> None:
    """No votes are no run."""
    assert run([]) is None
