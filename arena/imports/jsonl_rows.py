"""JSON lines of `question`, `model`, `answer`, and may be `category`, `language`, `latency_ms`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.imports.findings import Finding, Place
from arena.imports.reading import json_lines
from arena.imports.rows import (
    AnswerRow,
    BadRow,
    Parsed,
    QuestionRow,
    optional_latency,
    optional_text,
    required_text,
)

__all__ = ["parse", "row_of"]


def parse(path: Path) -> Parsed:
    """Yield a question and an answer for each line."""
    for item in json_lines(path, path.name):
        if isinstance(item, Finding):
            yield item
            continue
        place, row = item
        try:
            yield from row_of(row, place)
        except BadRow as bad:
            yield bad.finding


def row_of(row: Mapping[str, Any], place: Place) -> tuple[QuestionRow, AnswerRow]:
    """Return question and answer of a flat row, the question's text being its id.

    Raises:
        BadRow: a field is missing or of a wrong type.
    """
    text = required_text(row, "question", place)
    question = QuestionRow(
        place,
        text,
        text,
        category=optional_text(row, "category", place),
        language=optional_text(row, "language", place),
        implied=True,
    )
    answer = AnswerRow(
        place,
        text,
        required_text(row, "model", place),
        required_text(row, "answer", place),
        optional_latency(row, place),
    )
    return question, answer
