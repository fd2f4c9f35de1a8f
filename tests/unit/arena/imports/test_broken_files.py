"""Broken files of every format: each fault is an error with its place, and never an exception."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena import rules
from arena.errors import UnknownFormat
from arena.imports import Code, Format, Place, Severity
from tests.fixtures.import_files import (
    PACK_TOML,
    a_pack,
    flat,
    found,
    hard,
    mt_bench,
    output,
    read,
    said,
    write_lines,
)

GOOD_JSON = json.dumps(output("Why?", "So."))
GOOD_LINE = json.dumps(flat("Why?", "m1", "So."))
LONG = "x" * (rules.current().max_line_bytes + 1)

BROKEN_FILES: list[tuple[str, bytes, Code, int]] = [
    ("a.json", b"", Code.EMPTY_FILE, 0),
    ("a.json", f"[{GOOD_JSON},\n{GOOD_JSON[:-9]}".encode(), Code.BAD_JSON, 2),
    ("a.json", f"[{GOOD_JSON}".encode(), Code.BAD_JSON, 1),
    ("a.json", f"[{GOOD_JSON},\n".encode(), Code.BAD_JSON, 2),
    ("a.json", f"[{GOOD_JSON}]\nmore".encode(), Code.BAD_JSON, 1),
    ("a.json", GOOD_JSON.encode(), Code.WRONG_TYPE, 1),
    ("a.json", b"[\n1]", Code.WRONG_TYPE, 2),
    ("a.json", b"[\n" + b"[" * 100_000, Code.BAD_JSON, 2),
    ("a.json", b'[\n{"instruction": "\xff"}]', Code.NOT_UTF8, 2),
    ("a.json", json.dumps([output(1, "So.")]).encode(), Code.WRONG_TYPE, 1),
    ("a.json", json.dumps([output("Why?", None)]).encode(), Code.WRONG_TYPE, 1),
    ("a.json", json.dumps([output("Why?", "So.", ["m"])]).encode(), Code.WRONG_TYPE, 1),
    ("a.json", b'[{"instruction": "Why?"}]', Code.MISSING_FIELD, 1),
    ("a.json", json.dumps([output(" ", "So.")]).encode(), Code.EMPTY_QUESTION, 1),
    ("a.json", b"[]", Code.NO_ANSWERS, 0),
    ("a.jsonl", b"", Code.EMPTY_FILE, 0),
    ("a.jsonl", b"\n\n", Code.NO_ANSWERS, 0),
    ("a.jsonl", f"{GOOD_LINE}\n{GOOD_LINE[:-3]}".encode(), Code.BAD_JSON, 2),
    ("a.jsonl", f"{GOOD_LINE}\n[1]\n".encode(), Code.WRONG_TYPE, 2),
    ("a.jsonl", GOOD_LINE.encode() + b"\n\xff\xfe\n", Code.NOT_UTF8, 2),
    ("a.jsonl", GOOD_LINE.encode("utf-16"), Code.NOT_UTF8, 1),
    ("a.jsonl", f"{LONG}\n{GOOD_LINE}\n".encode(), Code.OVER_LONG_LINE, 1),
    ("a.jsonl", b"1" * 5_000, Code.BAD_JSON, 1),
    (
        "a.jsonl",
        json.dumps(flat("Why?", "m1", "a", latency_ms="soon")).encode(),
        Code.WRONG_TYPE,
        1,
    ),
    ("a.jsonl", json.dumps(flat("Why?", "m1", "a", latency_ms=-1)).encode(), Code.WRONG_TYPE, 1),
    ("a.jsonl", json.dumps(flat("Why?", "m1", "a", latency_ms=True)).encode(), Code.WRONG_TYPE, 1),
    ("a.jsonl", json.dumps(flat("Why?", "m" * 200, "a")).encode(), Code.OVER_LONG_NAME, 1),
    ("a.jsonl", json.dumps(flat("Why?", "…", "a")).encode(), Code.WRONG_TYPE, 1),
    ("a.jsonl", json.dumps(flat("Why?", "a\u202eb", "a")).encode(), Code.WRONG_TYPE, 1),
    ("a.csv", b"", Code.EMPTY_FILE, 0),
    ("a.csv", b"question,model\nWhy?,m1\n", Code.BAD_HEADER, 1),
    ("a.csv", b"question,model,answer,answer\nWhy?,m1,a,b\n", Code.BAD_HEADER, 1),
    ("a.csv", b"question;model;answer\nWhy?;m1;a\n", Code.BAD_HEADER, 1),
    ("a.csv", b"question,model,answer\nWhy?,m1\n", Code.BAD_CSV, 2),
    ("a.csv", b"question,model,answer\nWhy?,m1,a,b\n", Code.BAD_CSV, 2),
    ("a.csv", b'question,model,answer\nWhy?,m1,"open\n', Code.BAD_CSV, 2),
    ("a.csv", b"question,model,answer\nWhy?,m1,\xe9\n", Code.NOT_UTF8, 2),
    ("a.csv", b"question,model,answer\nWhy?,m1," + LONG.encode(), Code.OVER_LONG_LINE, 2),
    ("a.csv", b"question,model,answer\nWhy?,m1," + b"x" * 200_000, Code.BAD_CSV, 2),
    ("a.csv", b"question,model,answer\n", Code.NO_ANSWERS, 0),
]


Damage = Callable[[Path], object]

BROKEN_MT_BENCH: dict[str, tuple[Damage, Code]] = {
    "no questions": (lambda f: (f / "question.jsonl").write_bytes(b""), Code.EMPTY_FILE),
    "truncated": (
        lambda f: (f / "question.jsonl").write_bytes(b'{"question_id": 1'),
        Code.BAD_JSON,
    ),
    "not UTF-8": (lambda f: (f / "question.jsonl").write_bytes(b"\xff\n"), Code.NOT_UTF8),
    "no id": (lambda f: write_lines(f / "question.jsonl", {"turns": ["a"]}), Code.MISSING_FIELD),
    "turns are text": (
        lambda f: write_lines(f / "question.jsonl", {"question_id": 1, "turns": "a"}),
        Code.WRONG_TYPE,
    ),
    "no turns": (
        lambda f: write_lines(f / "question.jsonl", {"question_id": 1, "turns": []}),
        Code.WRONG_TYPE,
    ),
    "no answer file": (lambda f: (f / "model_answer" / "m1.jsonl").unlink(), Code.MISSING_FILE),
    "no answers": (
        lambda f: (f / "model_answer" / "m1.jsonl").write_bytes(b""),
        Code.EMPTY_FILE,
    ),
    "no choices": (
        lambda f: write_lines(
            f / "model_answer" / "m1.jsonl", {"question_id": 1, "model_id": "m1", "choices": []}
        ),
        Code.WRONG_TYPE,
    ),
    "a number for a turn": (
        lambda f: write_lines(f / "model_answer" / "m1.jsonl", said(1, "m1", 7)),
        Code.WRONG_TYPE,
    ),
    "a list for an id": (
        lambda f: write_lines(f / "model_answer" / "m1.jsonl", said([1], "m1", "a")),
        Code.WRONG_TYPE,
    ),
}
BROKEN_ARENA_HARD: dict[str, tuple[object, Code]] = {
    "messages are text": ({**hard("u1", "m1", "a"), "messages": "none"}, Code.WRONG_TYPE),
    "no message": ({**hard("u1", "m1", "a"), "messages": []}, Code.MISSING_FIELD),
    "null for an answer": (hard("u1", "m1", None), Code.WRONG_TYPE),
    "null for an id": ({**hard("u1", "m1", "a"), "uid": None}, Code.WRONG_TYPE),
    "no model": ({"uid": "u1", "messages": []}, Code.MISSING_FIELD),
}
BROKEN_PACK: dict[str, tuple[Damage, Code]] = {
    "no TOML": (lambda f: (f / "pack.toml").write_text("format = "), Code.BAD_TOML),
    "not UTF-8": (lambda f: (f / "pack.toml").write_bytes(b"\xff\xfe"), Code.NOT_UTF8),
    "another format": (
        lambda f: (f / "pack.toml").write_text('format = "other.1"'),
        Code.BAD_HEADER,
    ),
    "a number for a name": (
        lambda f: a_pack(f, PACK_TOML.replace('"A pack"', "7")),
        Code.WRONG_TYPE,
    ),
    "text for a flag": (
        lambda f: a_pack(f, PACK_TOML.replace("= true", '= "yes"')),
        Code.WRONG_TYPE,
    ),
    "no models": (lambda f: a_pack(f, PACK_TOML.split("[[models]]")[0]), Code.MISSING_FIELD),
    "a bad slug": (lambda f: a_pack(f, PACK_TOML.replace('"m1"', '"M 1"')), Code.WRONG_TYPE),
    "a script for a link": (
        lambda f: a_pack(f, PACK_TOML.replace("https", "javascript")),
        Code.WRONG_TYPE,
    ),
    "a model twice": (
        lambda f: a_pack(f, PACK_TOML + PACK_TOML[PACK_TOML.index("[[") :]),
        Code.CONFLICTING_MODEL,
    ),
    "no questions": (lambda f: (f / "questions.jsonl").unlink(), Code.MISSING_FILE),
    "no answers": (lambda f: (f / "answers.jsonl").unlink(), Code.MISSING_FILE),
    "an unknown model": (
        lambda f: write_lines(
            f / "answers.jsonl", {"question": "q1", "model": "other", "text": "So."}
        ),
        Code.UNKNOWN_MODEL,
    ),
}


class TestBrokenFiles:
    """Each fault of a file is an error with its place, and never an exception."""

    @pytest.mark.parametrize(
        "name,content,code,line",
        BROKEN_FILES,
        ids=[f"{name}-{code}-{n}" for n, (name, _, code, _) in enumerate(BROKEN_FILES)],
    )
    def test_broken_file(
        self, tmp_path: Path, name: str, content: bytes, code: Code, line: int
    ) -> None:
        """The fault is named with file and line, and the plan cannot be applied."""
        (tmp_path / name).write_bytes(content)
        made = read(tmp_path / name)
        assert not made.is_sound
        assert made.report.errors[0].code is code
        assert made.report.errors[0].severity is Severity.ERROR
        assert made.report.errors[0].place.line == line

    def test_over_long_file_is_not_read_into_memory(self, tmp_path: Path) -> None:
        """A file of 2 GB in one line is refused by its size."""
        path = tmp_path / "a.json"
        with path.open("wb") as file:
            file.truncate(2 * 1024**3)
        assert found(read(path), Code.OVER_LONG_FILE) == [Place("a.json")]

    @pytest.mark.parametrize("name", BROKEN_MT_BENCH)
    def test_broken_mt_bench(self, tmp_path: Path, name: str) -> None:
        """Questions and answers are checked field by field."""
        damage, code = BROKEN_MT_BENCH[name]
        question = {"question_id": 1, "category": "c", "turns": ["One?"]}
        folder = mt_bench(tmp_path, [question], {"m1": [said(1, "m1", "A")]})
        assert read(folder, format="mt_bench").is_sound
        damage(folder)
        assert read(folder, format="mt_bench").report.errors[0].code is code

    @pytest.mark.parametrize("name", BROKEN_ARENA_HARD)
    def test_broken_arena_hard(self, tmp_path: Path, name: str) -> None:
        """Answers are checked down to the nested text."""
        answer, code = BROKEN_ARENA_HARD[name]
        folder = mt_bench(tmp_path, [{"uid": "u1", "prompt": "Why?"}], {"m1": [answer]})
        assert read(folder, format="arena_hard").report.errors[0].code is code

    @pytest.mark.parametrize("name", BROKEN_PACK)
    def test_broken_pack(self, tmp_path: Path, name: str) -> None:
        """Header, models, questions and answers are checked."""
        damage, code = BROKEN_PACK[name]
        folder = a_pack(tmp_path)
        damage(folder)
        made = read(folder, mode="expert", origin="here")
        assert made.report.errors[0].code is code

    def test_missing_path_and_unknown_format_are_said(self, tmp_path: Path) -> None:
        """A wrong path and a file of another kind are refused with a sentence."""
        with pytest.raises(UnknownFormat, match="no file or folder"):
            read(tmp_path / "nothing")
        (tmp_path / "a.txt").write_text("x")
        with pytest.raises(UnknownFormat, match="name the format"):
            read(tmp_path / "a.txt")
        (tmp_path / "empty").mkdir()
        with pytest.raises(UnknownFormat, match="holds no"):
            read(tmp_path / "empty")

    @pytest.mark.parametrize("chosen", ["alpacaeval", "mt_bench", "arena_hard", "csv", "jsonl"])
    def test_format_that_does_not_fit_the_path_is_a_finding(
        self, tmp_path: Path, chosen: Format
    ) -> None:
        """An empty folder read as any format gives an error and no exception."""
        made = read(tmp_path, format=chosen)
        assert made.report.errors[0].code is Code.MISSING_FILE
