"""Twenty votes of a day under three seconds."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from antiabuse.detectors import rules
from antiabuse.detectors.dwell import fast_dwell
from antiabuse.detectors.finding import Detector

RULES = rules.current()


def day_of(*dwells: str | None) -> list[tuple[str, Decimal | None]]:
    """Votes of a day with such dwells."""
    return [
        (f"vote-{place}", None if dwell is None else Decimal(dwell))
        for place, dwell in enumerate(dwells)
    ]


def test_twenty_fast_votes_are_reported_for_their_day() -> None:
    """The twentieth vote under three seconds opens a review of that day."""
    found = fast_dwell("v", "2026-11-30", day_of(*["2.999"] * 20, "9"), RULES)

    assert found is not None
    assert (found.statistic, found.threshold, found.look) == ("20", "20", 30)
    assert found.votes == tuple(f"vote-{place}" for place in range(20))


def test_nineteen_or_slower_ones_are_not() -> None:
    """Three seconds are not under three seconds; what was not measured is no fault."""
    assert fast_dwell("v", "2026-11-30", day_of(*["2.999"] * 19, "3.000"), RULES) is None
    assert fast_dwell("v", "2026-11-30", day_of(*["1"] * 19, *[None] * 9), RULES) is None


def test_only_twice_as_many_take_weight_where_the_detector_is_listed() -> None:
    """Forty fast votes of a day, in a look of their own; thirty-nine are for a person."""
    listed = replace(RULES, discounting=(Detector.FAST_DWELL,))
    found = [
        fast_dwell("v", "2026-11-30", day_of(*["2"] * number), rules)
        for number, rules in ((40, RULES), (39, listed), (40, listed))
    ]

    assert [each.discounts for each in found if each] == [False, False, True]
    assert [each.look for each in found if each] == [30, 30, 130]
