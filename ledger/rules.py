"""The numbers of the public log: what its indices may tell, and how its keys change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

__all__ = ["RULESETS", "LedgerRules", "current"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRules:
    """When events get their places, and how long two keys sign (V-158, X-022)."""

    id: str

    shuffle_s: int = field(
        default=60,
        metadata={
            "unit": "seconds between two shuffled batches",
            "reason": "An index tells the minute of a ballot, vote, flag or refusal and no more.",
        },
    )
    key_overlap_days: int = field(
        default=90,
        metadata={
            "unit": "days",
            "reason": "The old key signs along, so that checkers have a season to learn the new "
            "one.",
        },
    )


RULESETS: Final[dict[str, LedgerRules]] = {
    rules.id: rules for rules in (LedgerRules(id="log.2026.1"),)
}


def current() -> LedgerRules:
    """Return the numbers in force."""
    return RULESETS["log.2026.1"]
