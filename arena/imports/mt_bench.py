"""MT-bench: `question.jsonl`, `model_answer/*.jsonl`; first turn, or the dialogue as one text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

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

__all__ = ["Turns", "parse"]

Turns = Literal["first", "all"]


def parse(path: Path, turns: Turns) -> Parsed:
    """Yield the questions, then each model's answers."""
    asked: dict[str, int] = {}
    for item in json_lines(path / "question.jsonl", "question.jsonl"):
        if isinstance(item, Finding):
            yield item
            continue
        place, row = item
        try:
            key = required_text(row, "question_id", place)
            asks = _texts(row.get("turns"), "turns", place)
            asked[key] = len(asks)
            category = optional_text(row, "category", place)
            yield QuestionRow(place, key, _asked(asks, turns), category=category)
        except BadRow as bad:
            yield bad.finding
    files = sorted((path / "model_answer").glob("*.jsonl"))
    if not files:
        yield Finding(Code.MISSING_FILE, Place("model_answer"), "the folder holds no answer file")
    for file in files:
        yield from _answers(file, turns, asked)


def _answers(file: Path, turns: Turns, asked: dict[str, int]) -> Parsed:
    for item in json_lines(file, f"model_answer/{file.name}"):
        if isinstance(item, Finding):
            yield item
            continue
        place, row = item
        try:
            key = required_text(row, "question_id", place)
            model = required_text(row, "model_id", place)
            said = _said(row, place)
            text = _answered(said, turns, asked.get(key, 1))
            yield AnswerRow(place, key, model, text)
        except BadRow as bad:
            yield bad.finding


def _said(row: dict[str, Any], place: Place) -> list[str]:
    choices = row.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadRow(Finding(Code.WRONG_TYPE, place, "'choices' must be a list of objects"))
    return _texts(choices[0].get("turns"), "choices[0].turns", place)


def _texts(value: object, field: str, place: Place) -> list[str]:
    """Return a list of texts; a turn may also be an object with `content`."""
    if not isinstance(value, list) or not value:
        raise BadRow(Finding(Code.WRONG_TYPE, place, f"{field!r} must be a list of texts"))
    texts = [turn.get("content") if isinstance(turn, dict) else turn for turn in value]
    found = [text for text in texts if isinstance(text, str)]
    if len(found) != len(texts):
        raise BadRow(Finding(Code.WRONG_TYPE, place, f"{field!r} must be a list of texts"))
    return found


def _asked(texts: list[str], turns: Turns) -> str:
    if turns == "first" or len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"Turn {number}: {text}" for number, text in enumerate(texts, start=1))


def _answered(texts: list[str], turns: Turns, asked: int) -> str:
    """Return the answer; an answer that lacks a turn holds no text for our purpose."""
    if turns == "first" or asked == 1:
        return texts[0]
    if len(texts) < asked or not all(text.strip() for text in texts[:asked]):
        return ""
    return "\n\n".join(
        f"**Turn {number}**\n\n{text}" for number, text in enumerate(texts[:asked], start=1)
    )
