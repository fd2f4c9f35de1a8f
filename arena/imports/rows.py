"""What every format's parser yields: rows with the place they came from, and findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.imports.findings import Code, Finding, Place

__all__ = [
    "AnswerRow",
    "BadRow",
    "ModelRow",
    "Parsed",
    "QuestionRow",
    "optional_latency",
    "optional_text",
    "required_text",
]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model as a registry declares it; `also` are other names that its answers may carry."""

    place: Place
    slug: str
    name: str
    maker: str
    licence: str
    link: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question under the id that its answers name.

    `implied`: not declared by itself but named by an answer's row, so repeating it is no fault.
    """

    place: Place
    key: str
    text: str
    category: str | None = None
    language: str | None = None
    implied: bool = False


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A model's answer; its question comes before it."""

    place: Place
    question: str
    model: str
    text: str
    latency_ms: int | None = None


Parsed = Iterator[ModelRow | QuestionRow | AnswerRow | Finding]


class BadRow(Exception):
    """A row cannot be read; carries the finding to yield."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


def required_text(row: Mapping[str, Any], field: str, place: Place) -> str:
    """Return a field that must be there and be text, or a whole number standing for an id.

    Raises:
        BadRow: it is missing or of another type.
    """
    if field not in row:
        raise BadRow(Finding(Code.MISSING_FIELD, place, f"the field {field!r} is missing"))
    value = row[field]
    # MT-bench writes an id as a number in one file and as text in the other.
    if isinstance(value, int) and not isinstance(value, bool) and field.endswith("id"):
        return str(value)
    if not isinstance(value, str):
        kind = type(value).__name__
        raise BadRow(Finding(Code.WRONG_TYPE, place, f"{field!r} must be text, but is {kind}"))
    return value


def optional_text(row: Mapping[str, Any], field: str, place: Place) -> str | None:
    """Return a field that may be missing, null or blank (then None), else must be text.

    Raises:
        BadRow: it is of another type.
    """
    if row.get(field) is None:
        return None
    return required_text(row, field, place).strip() or None


def optional_latency(row: Mapping[str, Any], place: Place) -> int | None:
    """Return `latency_ms` as whole milliseconds, None when missing, null or blank.

    Raises:
        BadRow: it is no number from 0 to a day.
    """
    value = row.get("latency_ms")
    if value is None or value == "":
        return None
    try:
        number = float(value) if not isinstance(value, bool) else -1.0
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= _DAY_MS:
        raise BadRow(
            Finding(Code.WRONG_TYPE, place, "'latency_ms' must be a number of milliseconds")
        )
    return round(number)


_DAY_MS = 86_400_000
