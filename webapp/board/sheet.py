"""What a page shows, as a table for CSV and JSON: the same numbers, unrounded, in its order."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Response, make_response

from arena.audit_files import safe_cell
from arena.boards import PublishedBoard

__all__ = ["Cell", "Sheet", "as_file"]

_WITH_FACTS: Final = frozenset({"official", "style", "extended", "makers"})
Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """Named columns and rows; `beside` is what a page says beyond them, for JSON alone."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    beside: Mapping[str, Any] = field(default_factory=dict)

    def records(self) -> list[dict[str, Cell]]:
        """Return each row by its columns' names."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def as_file(board: PublishedBoard | None, view: str, sheet: Sheet, kind: str) -> Response:
    """Return a page's numbers as CSV or JSON; an empty table before the month's first board."""
    if kind == "json":
        head: dict[str, Any] = {} if board is None else _head(board)
        if board is not None and board.view in _WITH_FACTS:
            head["facts"] = dict(board.facts)
        body = {**head, **sheet.beside, "view": view, "rows": sheet.records()}
        response = make_response(json.dumps(body, ensure_ascii=False, indent=1))
        response.mimetype = "application/json"
        return response
    # A file leaves the page that says so: the demo's rows carry the mark themselves.
    mark: tuple[str, ...] = ("demo",) if board is not None and board.demo else ()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*sheet.columns, *mark])
    writer.writerows([[*_csv_row(row), *("true" for _ in mark)] for row in sheet.rows])
    response = make_response(text.getvalue())
    response.mimetype = "text/csv"
    return response


def _csv_row(row: Sequence[Cell]) -> list[str]:
    return [str(cell).lower() if isinstance(cell, bool) else safe_cell(cell) for cell in row]


def _head(board: PublishedBoard) -> dict[str, Any]:
    return {
        "board": board.id,
        "mode": board.mode,
        "month": board.month,
        "kind": board.view,
        "category": board.category,
        "computed_us": board.computed_us,
        "log_size": board.log_size,
        "code_version": board.code_version,
        "output_sha256": board.output_sha256,
        "demo": board.demo,
        "votes": board.votes,
        "voters": board.voters,
        "verdicts": dict(board.verdicts),
        "excluded": dict(board.excluded),
        "basket": list(board.basket),
    }
