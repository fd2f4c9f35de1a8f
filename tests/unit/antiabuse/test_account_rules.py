"""The numbers of accounts: each explained."""

from __future__ import annotations

from dataclasses import fields

from antiabuse.account_rules import RULESETS, AccountRules, current


def test_every_number_has_unit_and_reason() -> None:
    """Each number says what it measures and why it is so."""
    for field in fields(AccountRules):
        if field.name != "id":
            assert set(field.metadata) == {"unit", "reason"}, field.name
            assert field.metadata["reason"].endswith("."), field.name


def test_the_ruleset_in_force_is_listed() -> None:
    """The current numbers are found under their id."""
    assert RULESETS[current().id] is current()
