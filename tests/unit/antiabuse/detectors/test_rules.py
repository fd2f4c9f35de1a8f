"""The detectors' ruleset: each number explained, fixed, and nothing discounted by itself."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, fields

from antiabuse.detectors.rules import RULESETS, DetectorRules, current
from ledger.canonical import canonical

DIGESTS = {"arena.2026.1": "bf32e353a0ef47bd859e4c3e6db684277d44811b5d484d9705b964d8b8380a95"}


def test_every_number_has_unit_and_reason() -> None:
    """The rules page can say of each field what it measures and why it is so."""
    for field in fields(DetectorRules):
        if field.name != "id":
            assert set(field.metadata) == {"unit", "reason"}, field.name
            assert field.metadata["reason"].endswith("."), field.name


def test_nothing_takes_weight_by_itself() -> None:
    """No detector discounts until its false alarms were measured (V-126)."""
    assert current().discounting == ()


def test_the_stricter_threshold_is_stricter() -> None:
    """What takes weight must be rarer than what is only reported."""
    rules = current()
    levels = ("agenda_level", "careless_level", "pair_level", "burst_level", "campaign_level")
    heights = ("label_run", "favourite_deviations", "influence_errors")

    assert all(getattr(rules, f"{name}_discount") < getattr(rules, name) for name in levels)
    assert all(getattr(rules, f"{name}_discount") > getattr(rules, name) for name in heights)


def test_a_published_ruleset_never_changes() -> None:
    """The digest of each ruleset is the one it was published with; a change needs a new id."""
    digests = {
        name: hashlib.sha256(
            canonical({key: str(value) for key, value in asdict(rules).items()})
        ).hexdigest()
        for name, rules in RULESETS.items()
    }

    assert digests == DIGESTS
