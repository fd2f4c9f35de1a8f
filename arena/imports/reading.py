"""Reading files in bounds: JSON lines, JSON arrays with line numbers, and plain lines of text.

A faulty place becomes a finding and reading goes on where it can.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from arena import rules
from arena.imports.findings import Code, Finding, Place

__all__ = ["json_array", "json_lines", "text_lines"]

_CHUNK: Final = 64 * 1024
_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = " \t\r\n"


def text_lines(path: Path, shown: str) -> Iterator[tuple[Place, str] | Finding]:
    """Yield each line of a UTF-8 file with its end, a byte order mark left out.

    Args:
        path: the file.
        shown: its name in findings.
    """
    try:
        with path.open("rb") as file:
            yield from _decoded(file, shown)
    except FileNotFoundError:
        yield Finding(Code.MISSING_FILE, Place(shown), "the file is missing")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        yield Finding(Code.MISSING_FILE, Place(shown), f"the file cannot be read: {reason}")


def _decoded(file: BinaryIO, shown: str) -> Iterator[tuple[Place, str] | Finding]:
    limit = rules.current().max_line_bytes
    number = 0
    while raw := file.readline(limit + 1):
        number += 1
        place = Place(shown, number)
        if len(raw) > limit:
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(_CHUNK)
            yield Finding(Code.OVER_LONG_LINE, place, f"the line has more than {limit} bytes")
            continue
        try:
            yield place, raw.removeprefix(_BOM if number == 1 else b"").decode("utf-8")
        except UnicodeDecodeError as error:
            yield Finding(Code.NOT_UTF8, place, f"no UTF-8 at byte {error.start + 1} of the line")
    if number == 0:
        yield Finding(Code.EMPTY_FILE, Place(shown), "the file is empty")


def json_lines(path: Path, shown: str) -> Iterator[tuple[Place, dict[str, Any]] | Finding]:
    """Yield the JSON object of each line that is not blank."""
    for item in text_lines(path, shown):
        if isinstance(item, Finding):
            yield item
            continue
        place, line = item
        if line.strip():
            yield _object(place, line)


def _object(place: Place, line: str) -> tuple[Place, dict[str, Any]] | Finding:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Finding(Code.BAD_JSON, place, f"no JSON: {_reason(error)}")
    if not isinstance(value, dict):
        return Finding(Code.WRONG_TYPE, place, "the line must hold a JSON object")
    return place, value


def json_array(path: Path, shown: str) -> Iterator[tuple[Place, dict[str, Any]] | Finding]:
    """Yield the objects of a JSON array with the line at which each begins."""
    text = _whole(path, shown)
    if isinstance(text, Finding):
        yield text
        return
    at = _skip(text, 0)
    if at == len(text):
        yield Finding(Code.EMPTY_FILE, Place(shown), "the file is empty")
        return
    if text[at] != "[":
        yield Finding(Code.WRONG_TYPE, Place(shown, _line(text, 0, at, 1)), "no JSON array")
        return
    yield from _elements(text, at + 1, shown)


def _elements(text: str, at: int, shown: str) -> Iterator[tuple[Place, dict[str, Any]] | Finding]:
    decoder = json.JSONDecoder()
    counted, line, first = 0, 1, True
    while True:
        at = _skip(text, at)
        line, counted = _line(text, counted, at, line), at
        place = Place(shown, line)
        if text.startswith("]", at):
            if _skip(text, at + 1) < len(text):
                yield Finding(Code.BAD_JSON, place, "there is more after the end of the array")
            return
        if not first:
            if not text.startswith(",", at):
                yield Finding(Code.BAD_JSON, place, "no JSON: the array breaks off here")
                return
            at = _skip(text, at + 1)
            line, counted = _line(text, counted, at, line), at
            place = Place(shown, line)
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield Finding(Code.BAD_JSON, _where(error, place), f"no JSON: {_reason(error)}")
            return
        first = False
        if isinstance(value, dict):
            yield place, value
        else:
            yield Finding(Code.WRONG_TYPE, place, "each element must be a JSON object")


def _whole(path: Path, shown: str) -> str | Finding:
    limit = rules.current().max_json_bytes
    place = Place(shown)
    try:
        if path.stat().st_size > limit:
            return Finding(Code.OVER_LONG_FILE, place, f"the file has more than {limit} bytes")
        raw = path.read_bytes()
    except FileNotFoundError:
        return Finding(Code.MISSING_FILE, place, "the file is missing")
    except OSError as error:
        return Finding(Code.MISSING_FILE, place, f"the file cannot be read: {error.strerror}")
    try:
        return raw.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Finding(Code.NOT_UTF8, Place(shown, line), f"no UTF-8 at byte {error.start + 1}")


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _line(text: str, counted: int, at: int, line: int) -> int:
    return line + text.count("\n", counted, at)


def _where(error: Exception, place: Place) -> Place:
    return Place(place.file, error.lineno) if isinstance(error, json.JSONDecodeError) else place


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg[:1].lower()}{error.msg[1:]} (column {error.colno})"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
