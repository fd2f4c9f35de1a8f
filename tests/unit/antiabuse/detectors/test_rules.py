"""The detectors' ruleset: each number explained, fixed, and nothing discounted by itself."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, fields, replace

import pytest

from antiabuse.detectors.alarms import MAY_DISCOUNT
from antiabuse.detectors.finding import Detector
from antiabuse.detectors.rules import RULESETS, DetectorRules, current
from ledger.canonical import canonical

DIGESTS = {"arena.2026.1": "781f587849baea8f36febdbd02a7ee162ecea397c81aa14a423681712a0ad4c2"}


def test_every_number_has_unit_and_reason() -> None:
    """The rules page can say of each field what it measures and why it is so."""
    for field in fields(DetectorRules):
        if field.name != "id":
            assert set(field.metadata) == {"unit", "reason"}, field.name
            assert field.metadata["reason"].endswith("."), field.name


def test_nothing_takes_weight_by_itself() -> None:
    """No detector discounts until its false alarms were measured (V-126)."""
    assert current().discounting == ()


@pytest.mark.parametrize("detector", sorted(set(Detector) - MAY_DISCOUNT))
def test_what_was_not_measured_cannot_be_listed(detector: Detector) -> None:
    """No ruleset lets a detector without a stricter threshold take weight, and it says which."""
    with pytest.raises(ValueError, match=f"{detector}: without a stricter threshold"):
        replace(current(), discounting=(Detector.CARELESS, detector))


def test_what_people_share_and_who_was_joined_never_take_weight() -> None:
    """Devices, addresses and what follows from joining accounts are for people."""
    assert set(Detector) - MAY_DISCOUNT == {
        Detector.SHARED_DEVICE,
        Detector.SHARED_ADDRESS,
        Detector.REPEATED_QUESTION,
        Detector.SEEN_ANSWER,
    }
    assert replace(current(), discounting=tuple(sorted(MAY_DISCOUNT))).discounting


def test_the_stricter_threshold_is_stricter() -> None:
    """What takes weight must be rarer than what is only reported."""
    rules = current()
    levels = ("agenda_level", "careless_level", "pair_level", "burst_level", "campaign_level")
    heights = ("label_run", "fast_votes", "favourite_deviations", "influence_errors")

    assert all(getattr(rules, f"{name}_discount") < getattr(rules, name) for name in levels)
    assert all(getattr(rules, f"{name}_discount") > getattr(rules, name) for name in heights)


def test_late_looks_come_after_the_others_and_are_stricter() -> None:
    """Tastes show in many votes, so a late look asks for more (V-153)."""
    rules = current()

    assert list(rules.looks + rules.late_looks) == sorted({*rules.looks, *rules.late_looks})
    assert rules.agenda_late_level < rules.agenda_level_discount


def test_a_favourite_is_looked_for_from_the_least_number_of_appearances_on() -> None:
    """The rule says twelve, so a voter with twelve votes of one model is looked at (V-124)."""
    rules = current()

    assert min(rules.favourite_looks) == rules.favourite_appearances
    assert set(rules.favourite_looks).isdisjoint(rules.looks)


def test_a_published_ruleset_never_changes() -> None:
    """The digest of each ruleset is the one it was published with; a change needs a new id."""
    digests = {
        name: hashlib.sha256(
            canonical({key: str(value) for key, value in asdict(rules).items()})
        ).hexdigest()
        for name, rules in RULESETS.items()
    }

    assert digests == DIGESTS
