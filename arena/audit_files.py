"""The audit log as files: CSV and JSON lines, one line of text at a time."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from arena.audit_rows import AuditRow

__all__ = ["csv_lines", "json_lines", "safe_cell"]

# A spreadsheet takes a cell with one of these first for a formula (OWASP, CSV injection).
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?")

_COLUMNS: Final[dict[str, Callable[[AuditRow], object]]] = {
    "index": lambda row: row.index,
    "event": lambda row: row.event,
    "kind": lambda row: row.kind,
    "mode": lambda row: row.mode,
    "month": lambda row: row.month,
    "hour": lambda row: row.hour,
    "reason": lambda row: row.reason,
    "moderator": lambda row: row.moderator,
    "voter": lambda row: row.voter,
    "ballot": lambda row: row.ballot,
    "question": lambda row: row.question,
    "models": lambda row: " ".join(row.models),
    "votes": lambda row: " ".join(row.votes),
    "flag": lambda row: row.flag,
    "body": lambda row: _text(row.body),
}
_PRIVATE_COLUMNS: Final[dict[str, Callable[[AuditRow], object]]] = {
    "at_us": lambda row: row.at_us,
    "private": lambda row: None if row.private is None else _text(row.private),
}


def csv_lines(rows: Iterable[AuditRow], *, private: bool = False) -> Iterator[str]:
    """Yield a table in CSV (RFC 4180), heading first; no cell is a formula to a spreadsheet.

    Args:
        rows: of the audit log.
        private: whether exact times and private parts have columns; for moderators.
    """
    columns = {**_COLUMNS, **(_PRIVATE_COLUMNS if private else {})}
    yield _csv_line(list(columns))
    for row in rows:
        yield _csv_line([safe_cell(read(row)) for read in columns.values()])


def json_lines(rows: Iterable[AuditRow], *, private: bool = False) -> Iterator[str]:
    """Yield one JSON object a line; arguments as for `csv_lines`."""
    for row in rows:
        record: dict[str, object] = {
            "index": row.index,
            "event": row.event,
            "kind": row.kind,
            "mode": row.mode,
            "month": row.month,
            "hour": row.hour,
            "reason": row.reason,
            "moderator": row.moderator,
            "voter": row.voter,
            "ballot": row.ballot,
            "question": row.question,
            "models": row.models,
            "votes": row.votes,
            "flag": row.flag,
            "body": row.body,
        }
        if private:
            record |= {"at_us": row.at_us, "private": row.private}
        yield _text(record) + "\n"


def safe_cell(value: object) -> str:
    """Return a cell's text, with an apostrophe before what a spreadsheet would calculate."""
    text = "" if value is None else str(value)
    if text.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def _csv_line(cells: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
