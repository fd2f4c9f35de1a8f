"""The ruleset of this room: each number explained, and fixed."""

from __future__ import annotations

import hashlib
from dataclasses import FrozenInstanceError, asdict, fields

import pytest

from antiabuse.rules import RULESETS, AntiabuseRules, current
from ledger.canonical import canonical

DIGESTS = {"arena.2026.1": "3c80476dde2ba4bc8149c74e2d8dc9259bdbdad48844f25304c673649257f65e"}


def test_every_number_has_unit_and_reason() -> None:
    """The rules page can say of each field what it measures and why it is so."""
    for field in fields(AntiabuseRules):
        if field.name != "id":
            assert set(field.metadata) == {"unit", "reason"}, field.name
            assert field.metadata["reason"].endswith("."), field.name


def test_the_current_ruleset_is_the_arenas() -> None:
    """Votes are weighed under the rulebook that the arena names."""
    assert current().id == "arena.2026.1"
    assert RULESETS[current().id] is current()


def test_a_published_ruleset_never_changes() -> None:
    """The digest of each ruleset is the one it was published with; a change needs a new id."""
    digests = {}
    for name, rules in RULESETS.items():
        values = {
            key: value if isinstance(value, int | str) else str(value)
            for key, value in asdict(rules).items()
        }
        digests[name] = hashlib.sha256(canonical(values)).hexdigest()

    assert digests == DIGESTS


def test_rules_cannot_be_altered_while_running() -> None:
    """A ruleset in memory is frozen."""
    with pytest.raises(FrozenInstanceError):
        current().daily_votes = 51  # type: ignore[misc]
