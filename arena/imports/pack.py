"""Our own pack: folder of `pack.toml`, `questions.jsonl`, `answers.jsonl`; and lists of models."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arena.imports.findings import Code, Finding, Place
from arena.imports.reading import json_lines
from arena.imports.rows import (
    AnswerRow,
    BadRow,
    ModelRow,
    Parsed,
    QuestionRow,
    optional_latency,
    optional_text,
    required_text,
)

__all__ = ["FORMAT", "PackHeader", "parse", "read_header", "read_models"]

FORMAT: Final = "evidence-arena-pack.1"
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
_MAX_TOML_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class PackHeader:
    """What a pack says about itself; None where it says nothing."""

    name: str
    mode: str | None
    language: str | None
    origin: str | None
    licence: str | None
    redistribute: bool | None
    demo: bool


def read_header(path: Path) -> PackHeader | Finding:
    """Read what `pack.toml` says, without its models."""
    place = Place("pack.toml")
    table = _toml(path / "pack.toml", place)
    if isinstance(table, Finding):
        return table
    if table.get("format") != FORMAT:
        return Finding(Code.BAD_HEADER, place, f"'format' must be {FORMAT!r}")
    try:
        return PackHeader(
            name=required_text(table, "name", place),
            mode=optional_text(table, "mode", place),
            language=optional_text(table, "language", place),
            origin=optional_text(table, "origin", place),
            licence=optional_text(table, "licence", place),
            redistribute=_flag(table, "redistribute", place),
            demo=_flag(table, "demo", place) or False,
        )
    except BadRow as bad:
        return bad.finding


def read_models(path: Path, shown: str) -> Iterator[ModelRow | Finding]:
    """Yield the `[[models]]` of a TOML file: slug, name, maker, licence, link, also."""
    place = Place(shown)
    table = _toml(path, place)
    if isinstance(table, Finding):
        yield table
        return
    models = table.get("models")
    if not isinstance(models, list) or not models:
        yield Finding(Code.MISSING_FIELD, place, "there is no [[models]]")
        return
    for model in models:
        try:
            yield _model(model, place)
        except BadRow as bad:
            yield bad.finding


def parse(path: Path) -> Parsed:
    """Yield models, questions and answers."""
    yield from read_models(path / "pack.toml", "pack.toml")
    for item in json_lines(path / "questions.jsonl", "questions.jsonl"):
        yield item if isinstance(item, Finding) else _row(_question, *item)
    for item in json_lines(path / "answers.jsonl", "answers.jsonl"):
        yield item if isinstance(item, Finding) else _row(_answer, *item)


def _row(
    make: Callable[[Place, dict[str, Any]], QuestionRow | AnswerRow],
    place: Place,
    row: dict[str, Any],
) -> QuestionRow | AnswerRow | Finding:
    try:
        return make(place, row)
    except BadRow as bad:
        return bad.finding


def _question(place: Place, row: dict[str, Any]) -> QuestionRow:
    return QuestionRow(
        place,
        required_text(row, "id", place),
        required_text(row, "text", place),
        category=optional_text(row, "category", place),
        language=optional_text(row, "language", place),
    )


def _answer(place: Place, row: dict[str, Any]) -> AnswerRow:
    return AnswerRow(
        place,
        required_text(row, "question", place),
        required_text(row, "model", place),
        required_text(row, "text", place),
        optional_latency(row, place),
    )


def _model(table: object, place: Place) -> ModelRow:
    if not isinstance(table, dict):
        raise BadRow(Finding(Code.WRONG_TYPE, place, "each of [[models]] must be a table"))
    slug = required_text(table, "slug", place)
    if not _SLUG.fullmatch(slug):
        text = f"the slug {slug!r} may hold only a-z, 0-9, dots and hyphens"
        raise BadRow(Finding(Code.WRONG_TYPE, place, text))
    also = table.get("also", [])
    if not isinstance(also, list) or not all(isinstance(name, str) for name in also):
        raise BadRow(Finding(Code.WRONG_TYPE, place, "'also' must be a list of texts"))
    return ModelRow(
        place,
        slug,
        required_text(table, "name", place),
        required_text(table, "maker", place),
        required_text(table, "licence", place),
        _link(optional_text(table, "link", place) or "", place),
        tuple(also),
    )


def _link(link: str, place: Place) -> str:
    """Return a link that a page may show: on the web, or none."""
    if link and not link.startswith(("https://", "http://")):
        text = f"the link {link!r} must begin with https://"
        raise BadRow(Finding(Code.WRONG_TYPE, place, text))
    return link


def _flag(table: Mapping[str, Any], field: str, place: Place) -> bool | None:
    value = table.get(field)
    if value is not None and not isinstance(value, bool):
        raise BadRow(Finding(Code.WRONG_TYPE, place, f"{field!r} must be true or false"))
    return value


def _toml(path: Path, place: Place) -> dict[str, Any] | Finding:
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_TOML_BYTES + 1)
    except OSError:
        return Finding(Code.MISSING_FILE, place, "the file is missing or cannot be read")
    if len(raw) > _MAX_TOML_BYTES:
        return Finding(Code.OVER_LONG_FILE, place, "the file is too long for a list of models")
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Finding(Code.NOT_UTF8, place, "the file is not UTF-8")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Finding(Code.BAD_TOML, place, f"no TOML: {error}")
