"""Numbers of the rulesets as pages print them, beside their units and reasons."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

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

    def __init__(self, room: str, ruleset: Any) -> None:  # noqa: ANN401 - any of the rulesets
        self.room = room
        self._ruleset = ruleset
        self._fields = type(ruleset).__dataclass_fields__

    def value(self, name: str) -> str:
        """Return a number as it is written for people."""
        return written(getattr(self._ruleset, name))

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
