"""Reading an import into a plan: what would be stored, and what was found. Stores nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, Literal, get_args

from arena import rules
from arena.errors import ImportRefused, UnknownFormat
from arena.events import Mode
from arena.imports import alpacaeval, arena_hard, csv_rows, jsonl_rows, mt_bench, pack
from arena.imports.assembly import Assembly, PlannedAnswer, PlannedModel, PlannedQuestion
from arena.imports.findings import Finding, Report
from arena.imports.mt_bench import Turns
from arena.imports.reading import json_lines
from arena.imports.rows import ModelRow, Parsed

__all__ = [
    "Format",
    "ImportPlan",
    "Turns",
    "detect",
    "is_noncommercial",
    "may_redistribute",
    "plan",
]

Format = Literal["alpacaeval", "mt_bench", "arena_hard", "csv", "jsonl", "pack"]

_NONCOMMERCIAL: Final = re.compile(r"(?i)(?<![A-Z0-9])NC(?![A-Z0-9])|non-?\s?commercial")
_NO_DERIVATIVES: Final = re.compile(r"(?i)(?<![A-Z0-9])ND(?![A-Z0-9])|no-?\s?deriv")
_SUFFIXES: Final[dict[str, Format]] = {".csv": "csv", ".jsonl": "jsonl", ".json": "alpacaeval"}


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import holds, joined and checked; `report` says what was found on the way.

    `noncommercial` is drawn from the licence; `redistribute` says whether question texts may stand
    in archives (V-171).
    """

    name: str
    format: Format
    mode: Mode
    origin: str
    licence: str
    language: str
    redistribute: bool
    noncommercial: bool
    demo: bool
    models: tuple[PlannedModel, ...]
    questions: tuple[PlannedQuestion, ...]
    answers: tuple[PlannedAnswer, ...]
    report: Report

    @property
    def is_sound(self) -> bool:
        """Whether it holds no error, so that it may be applied."""
        return not self.report.errors


@dataclass(frozen=True, slots=True)
class _Terms:
    name: str
    mode: Mode
    origin: str
    licence: str
    language: str
    redistribute: bool
    demo: bool


def is_noncommercial(licence: str) -> bool:
    """Say whether a licence's name forbids commercial use."""
    return bool(_NONCOMMERCIAL.search(licence))


def may_redistribute(licence: str) -> bool:
    """Say whether a licence is one of the free ones under which texts may stand in archives."""
    free = licence.upper().startswith(rules.current().free_licences)
    return free and not is_noncommercial(licence) and not _NO_DERIVATIVES.search(licence)


def detect(path: Path) -> Format:
    """Return the format of a file or folder, by its names and its first answer.

    Raises:
        UnknownFormat: it is none of the known ones.
    """
    if not path.exists():
        raise UnknownFormat(f"there is no file or folder {path}")
    if path.is_file():
        if path.suffix.lower() not in _SUFFIXES:
            raise UnknownFormat(f"{path.name}: name the format, for its ending tells none")
        return _SUFFIXES[path.suffix.lower()]
    if (path / "pack.toml").exists():
        return "pack"
    if (path / "question.jsonl").exists():
        return "arena_hard" if _has_messages(path) else "mt_bench"
    if alpacaeval.answer_files(path):
        return "alpacaeval"
    raise UnknownFormat(
        f"{path.name}: the folder holds no pack.toml, no question.jsonl and no answer files"
    )


def _has_messages(path: Path) -> bool:
    for file in sorted((path / "model_answer").glob("*.jsonl")):
        for item in json_lines(file, file.name):
            if not isinstance(item, Finding):
                return "messages" in item[1]
    return False


def plan(  # noqa: PLR0913 - the options of the command
    path: Path,
    *,
    format: Format | None = None,  # noqa: A002 - the option's name
    mode: Mode | None = None,
    origin: str | None = None,
    licence: str | None = None,
    language: str | None = None,
    redistribute: bool | None = None,
    models_file: Path | None = None,
    turns: Turns = "first",
) -> ImportPlan:
    """Read a file or folder into a plan.

    Args:
        path: the file or folder.
        format: one of the formats; None to tell it from the path.
        mode: the mode the questions are for; a pack may state its own.
        origin: where the content comes from; required unless a pack states it.
        licence: SPDX or plain words; required likewise.
        language: language of the questions whose rows name none; "en" unless given or stated.
        redistribute: whether question texts may stand in archives; None: only under the free
            licences that the rules list.
        models_file: TOML file of `[[models]]`; then other models are errors.
        turns: MT-bench only: the first turn, or the whole dialogue as one question.

    Raises:
        UnknownFormat: the format cannot be told.
        ImportRefused: mode, origin or licence is missing, or contradicts the pack.
    """
    chosen = format or detect(path)
    if chosen not in get_args(Format):
        raise UnknownFormat(f"{chosen!r} is none of {', '.join(get_args(Format))}")
    if not path.exists():
        raise UnknownFormat(f"there is no file or folder {path}")
    if turns == "all" and chosen != "mt_bench":
        raise ImportRefused("only MT-bench has dialogues: leave the option for all turns out")
    header = pack.read_header(path) if chosen == "pack" else None
    report = Report()
    if isinstance(header, Finding):
        report.add(header)
        header = None
    terms = _terms(path, header, mode, origin, licence, language, redistribute)
    assembly = Assembly(
        report, language=terms.language, registry=chosen == "pack" or models_file is not None
    )
    if not report.errors:
        for row in chain(_declared(models_file), _rows(path, chosen, turns)):
            assembly.take(row)
        assembly.finish()
    return ImportPlan(
        name=terms.name,
        format=chosen,
        mode=terms.mode,
        origin=terms.origin,
        licence=terms.licence,
        language=terms.language,
        redistribute=terms.redistribute,
        noncommercial=is_noncommercial(terms.licence),
        demo=terms.demo,
        models=assembly.models,
        questions=assembly.questions,
        answers=assembly.answers,
        report=report,
    )


def _declared(models_file: Path | None) -> Iterator[ModelRow | Finding]:
    if models_file is not None:
        yield from pack.read_models(models_file, models_file.name)


def _rows(path: Path, chosen: Format, turns: Turns) -> Parsed:
    match chosen:
        case "alpacaeval":
            return alpacaeval.parse(path)
        case "mt_bench":
            return mt_bench.parse(path, turns)
        case "arena_hard":
            return arena_hard.parse(path)
        case "csv":
            return csv_rows.parse(path)
        case "jsonl":
            return jsonl_rows.parse(path)
        case "pack":
            return pack.parse(path)


def _terms(
    path: Path,
    header: pack.PackHeader | None,
    mode: Mode | None,
    origin: str | None,
    licence: str | None,
    language: str | None,
    redistribute: bool | None,  # noqa: FBT001 - as given, None for not given
) -> _Terms:
    stated_mode = _agreed("mode", mode, header.mode if header else None)
    if stated_mode not in get_args(Mode):
        raise ImportRefused(f"the mode must be speed or expert, not {stated_mode!r}")
    stated_licence = _agreed("licence", licence, header.licence if header else None)
    if redistribute is None and header is not None:
        redistribute = header.redistribute
    return _Terms(
        name=header.name if header else path.stem,
        mode="expert" if stated_mode == "expert" else "speed",
        origin=_agreed("origin", origin, header.origin if header else None),
        licence=stated_licence,
        language=language or (header.language if header else None) or "en",
        redistribute=may_redistribute(stated_licence) if redistribute is None else redistribute,
        demo=header.demo if header else False,
    )


def _agreed(what: str, given: str | None, stated: str | None) -> str:
    """Return what the caller gave or the pack states.

    Raises:
        ImportRefused: both are missing, or they differ.
    """
    given, stated = (given or "").strip(), (stated or "").strip()
    if given and stated and given != stated:
        raise ImportRefused(f"the pack states the {what} {stated!r}, not {given!r}")
    if not given and not stated:
        raise ImportRefused(f"the {what} is required and no pack states it: give it with --{what}")
    return given or stated
