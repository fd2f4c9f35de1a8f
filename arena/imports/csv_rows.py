"""CSV with a header of `question,model,answer`, and optionally `category,language,latency_ms`."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.imports.findings import Code, Finding, Place
from arena.imports.jsonl_rows import row_of
from arena.imports.reading import text_lines
from arena.imports.rows import BadRow, Parsed

__all__ = ["parse"]

REQUIRED: Final = ("question", "model", "answer")
OPTIONAL: Final = ("category", "language", "latency_ms")


class _Lines:
    """Lines for the CSV reader, which cannot pass a finding on: it is kept, and reading ends."""

    def __init__(self, path: Path) -> None:
        self._items = text_lines(path, path.name)
        self.finding: Finding | None = None
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        for item in self._items:
            if isinstance(item, Finding):
                self.finding = item
                return
            self.read += 1
            yield item[1]


def parse(path: Path) -> Parsed:
    """Yield a question and an answer for each record; the line is where its record begins."""
    lines = _Lines(path)
    reader = csv.reader(lines, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        faults = [] if lines.finding else list(_header_faults(header, path.name))
        yield from faults
        if all(fault.code is Code.UNKNOWN_COLUMN for fault in faults):
            yield from _records(reader, lines, header, path.name)
    except csv.Error as error:
        # A line that is no UTF-8 or too long ends the input, and may leave a quote open.
        if lines.finding is None:
            place = Place(path.name, reader.line_num)
            yield Finding(Code.BAD_CSV, place, f"no CSV: {error}")
    if lines.finding is not None:
        yield lines.finding


def _header_faults(header: list[str], shown: str) -> Iterator[Finding]:
    place = Place(shown, 1)
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        yield Finding(Code.BAD_HEADER, place, f"the column {doubled[0]!r} stands there twice")
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        text = f"the header lacks {', '.join(missing)}: it must be question,model,answer"
        yield Finding(Code.BAD_HEADER, place, text)
    for name in header:
        if name not in (*REQUIRED, *OPTIONAL):
            yield Finding(Code.UNKNOWN_COLUMN, place, f"the column {name!r} is not read")


def _records(reader: Iterator[list[str]], lines: _Lines, header: list[str], shown: str) -> Parsed:
    begins = lines.read + 1
    for record in reader:
        place, begins = Place(shown, begins), lines.read + 1
        if not record:
            continue
        if len(record) != len(header):
            text = f"{len(record)} fields, but the header has {len(header)}"
            yield Finding(Code.BAD_CSV, place, text)
            continue
        try:
            yield from row_of(dict(zip(header, record, strict=True)), place)
        except BadRow as bad:
            yield bad.finding
