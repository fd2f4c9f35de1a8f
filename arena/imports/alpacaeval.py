"""AlpacaEval answers: a `model_outputs.json`, a folder of such files, or one folder per model.

Rows: `instruction`, `output`, `generator`. `dataset` and `datasplit` are not read: they name the
source of a question and no category, and some of its values are names of models.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from arena import rules
from arena.imports.findings import Code, Finding, Place
from arena.imports.reading import json_array
from arena.imports.rows import (
    AnswerRow,
    BadRow,
    Parsed,
    QuestionRow,
    required_text,
)

__all__ = ["answer_files", "parse"]

FILE_NAME: Final = "model_outputs.json"


def answer_files(path: Path) -> Sequence[Path]:
    """Return the answer files in order of name: the file itself, or those of a folder."""
    if not path.is_dir():
        return [path]
    return sorted(path.glob(f"*/{FILE_NAME}")) or sorted(path.glob("*.json"))


def parse(path: Path) -> Parsed:
    """Yield questions and answers, the question's text being its id."""
    files = answer_files(path)
    if not files:
        yield Finding(Code.MISSING_FILE, Place(path.name), "the folder holds no answer file")
    for file in files:
        shown = file.relative_to(path).as_posix() if path.is_dir() else file.name
        said = False
        for item in json_array(file, shown):
            if isinstance(item, Finding):
                yield item
                continue
            place, row = item
            try:
                question, answer = _rows(place, row)
            except BadRow as bad:
                yield bad.finding
                continue
            if answer.model.casefold() in rules.current().placeholder_names:
                named = _name_of(file)
                if not said:
                    text = f"the model is called {answer.model!r} here: taken as {named!r}"
                    yield Finding(Code.PLACEHOLDER_NAME, place, text)
                    said = True
                answer = AnswerRow(place, answer.question, named, answer.text)
            yield question
            yield answer


def _rows(place: Place, row: dict[str, Any]) -> tuple[QuestionRow, AnswerRow]:
    text = required_text(row, "instruction", place)
    question = QuestionRow(place, text, text, implied=True)
    model = required_text(row, "generator", place)
    return question, AnswerRow(place, text, model, required_text(row, "output", place))


def _name_of(file: Path) -> str:
    return file.parent.name if file.name == FILE_NAME else file.stem
