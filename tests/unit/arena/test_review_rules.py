"""Reasons of moderators: closed lists, and which of them fit which detector."""

from __future__ import annotations

import pytest

from antiabuse.detectors.finding import Detector
from arena.errors import UnknownCode
from arena.review_rules import REASONS, Act, check_flag_reason, flag_reasons


@pytest.mark.parametrize("detector", list(Detector))
def test_every_detector_has_reasons_of_the_published_list(detector: Detector) -> None:
    """At least one, none outside the list, and never the one that is about answers."""
    fitting = flag_reasons(detector)

    assert fitting
    assert fitting.items() <= REASONS[Act.UPHOLD_FLAG].items()
    assert "identity_leak" not in fitting


def test_every_reason_to_uphold_fits_some_detector() -> None:
    """A reason that no flag can be upheld for would be published in vain."""
    fitting = {code for detector in Detector for code in flag_reasons(detector)}

    assert fitting == set(REASONS[Act.UPHOLD_FLAG])


def test_a_reason_that_does_not_fit_is_refused() -> None:
    """Picks like a coin's are no reason where an address is shared."""
    assert check_flag_reason("careless", "careless") == "careless"
    with pytest.raises(UnknownCode, match="no reason to uphold"):
        check_flag_reason("shared_address", "careless")


@pytest.mark.parametrize("reason", ["automated", "coordinated", "one_sided", "careless"])
def test_a_device_says_nothing_of_how_its_voters_vote(reason: str) -> None:
    """A flag of a shared device is upheld for one person under several names, or not at all."""
    assert check_flag_reason("shared_device", "same_person") == "same_person"
    with pytest.raises(UnknownCode, match="no reason to uphold"):
        check_flag_reason("shared_device", reason)
