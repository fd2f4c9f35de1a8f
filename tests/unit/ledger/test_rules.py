"""The log's own numbers: each explained, and no other than V-158 and X-022 ask for."""

from __future__ import annotations

from dataclasses import fields

from ledger.rules import RULESETS, LedgerRules, current


def test_every_number_has_unit_and_reason() -> None:
    """The rules page can say of each field what it measures and why it is so."""
    for field in fields(LedgerRules):
        if field.name != "id":
            assert set(field.metadata) == {"unit", "reason"}, field.name
            assert field.metadata["reason"].endswith("."), field.name


def test_batches_are_a_minute_apart_and_keys_overlap_a_season() -> None:
    """An index tells no more than the minute; checkers have ninety days for a new key."""
    rules = current()

    assert RULESETS[rules.id] is rules
    assert (rules.shuffle_s, rules.key_overlap_days) == (60, 90)
