"""Numbers of the rulesets as pages print them, beside their units and reasons."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from webapp.settings import Settings

__all__ = ["RuleText", "written"]


def written(value: object) -> str:
    """Write a rule's value for people."""
    match value:
        case tuple():
            return ", ".join(str(item) for item in value) or "none"
        case Decimal():
            return f"{value:f}"
        case Fraction():
            return f"{value.numerator}/{value.denominator}"
        case float():
            return f"{value:g}"
        case int():
            return f"{value:,}"
        case _:
            return str(value)


class RuleText:
    """Numbers of a ruleset by name, each with its reason; `room` is where its labels stand."""

    def __init__(self, room: str, ruleset: Any, settings: Settings) -> None:  # noqa: ANN401
        """Take a ruleset, of any kind, and the settings, some of which stand in for its numbers."""
        self.room = room
        self._ruleset = ruleset
        self._fields = type(ruleset).__dataclass_fields__
        self._chosen: dict[str, int] = {
            "votes": {"ballot_requests": settings.rate_limit},
            "ranking": {"refit_min_votes": settings.refit_min_votes},
        }.get(room, {})

    def value(self, name: str) -> str:
        """Return the number in force as it is written for people."""
        return written(self._chosen.get(name, getattr(self._ruleset, name)))

    def by_rule(self, name: str) -> str | None:
        """Return the ruleset's own number where the operator set another one."""
        own = getattr(self._ruleset, name)
        return None if self._chosen.get(name, own) == own else written(own)

    def listed(self, name: str) -> int:
        """Return how many items a list has; 0 for a number."""
        value = getattr(self._ruleset, name)
        return len(value) if isinstance(value, tuple) else 0

    def names(self) -> tuple[str, ...]:
        """Return the names of all its numbers."""
        return tuple(name for name in self._fields if name != "id")

    def unit(self, name: str) -> str:
        """Return its unit."""
        return str(self._fields[name].metadata["unit"])

    def reason(self, name: str) -> str:
        """Return why it is so."""
        return str(self._fields[name].metadata["reason"])
