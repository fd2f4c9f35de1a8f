"""Arena-Hard: `question.jsonl` (`uid`, `prompt`) and `model_answer/*.jsonl` (`messages`).

The older form, with `question_id`, `turns` and `choices`, is MT-bench's and is read by that parser.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.imports.findings import Code, Finding, Place
from arena.imports.reading import json_lines
from arena.imports.rows import (
    AnswerRow,
    BadRow,
    Parsed,
    QuestionRow,
    optional_text,
    required_text,
)

__all__ = ["parse"]


def parse(path: Path) -> Parsed:
    """Yield the questions, then each model's answers."""
    for item in json_lines(path / "question.jsonl", "question.jsonl"):
        if isinstance(item, Finding):
            yield item
            continue
        place, row = item
        try:
            yield QuestionRow(
                place,
                required_text(row, "uid", place),
                _prompt(row, place),
                category=optional_text(row, "category", place),
                language=optional_text(row, "language", place),
            )
        except BadRow as bad:
            yield bad.finding
    files = sorted((path / "model_answer").glob("*.jsonl"))
    if not files:
        yield Finding(Code.MISSING_FILE, Place("model_answer"), "the folder holds no answer file")
    for file in files:
        yield from _answers(file)


def _answers(file: Path) -> Parsed:
    for item in json_lines(file, f"model_answer/{file.name}"):
        if isinstance(item, Finding):
            yield item
            continue
        place, row = item
        try:
            yield AnswerRow(
                place,
                required_text(row, "uid", place),
                required_text(row, "model", place),
                _first_answer(row, place),
            )
        except BadRow as bad:
            yield bad.finding


def _prompt(row: dict[str, Any], place: Place) -> str:
    turns = row.get("turns")
    if "prompt" in row or not isinstance(turns, list) or not turns:
        return required_text(row, "prompt", place)
    first = turns[0]
    return required_text(first if isinstance(first, dict) else {"content": first}, "content", place)


def _first_answer(row: dict[str, Any], place: Place) -> str:
    messages = row.get("messages")
    if not isinstance(messages, list):
        raise BadRow(Finding(Code.WRONG_TYPE, place, "'messages' must be a list"))
    for message in messages:
        if isinstance(message, dict) and message.get("role") == "assistant":
            content = message.get("content")
            if isinstance(content, dict):
                return required_text(content, "answer", place)
            return required_text(message, "content", place)
    raise BadRow(Finding(Code.MISSING_FIELD, place, "no message of the role 'assistant'"))
