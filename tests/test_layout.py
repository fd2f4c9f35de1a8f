"""The shape of the source: short files, telling names, nothing that belongs to a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOMS = ("ledger", "ranking", "antiabuse", "providers", "arena", "protocol", "cage", "webapp")
OTHER_CODE = ("tests", "tools", "migrations")
SOURCE_LINES = 300
TEST_LINES = 600
# The public engine is handed out as one file that runs alone.
ONE_FILE_ENGINE = Path("ranking/lobster.py")
EMPTY_NAMES = {"utils", "util", "helpers", "common", "manager", "misc"}
LOCKS = (
    "package-lock.json",
    "requirements/run.txt",
    "requirements/dev.txt",
    "requirements/node.txt",
    "requirements/audit.txt",
)
ADDRESS = re.compile(r"https?://|file://|\"resolved\"|--(?:extra-)?index-url|--find-links")


def python_files(project_root: Path, *folders: str) -> Iterator[Path]:
    """Yield the Python files below some of the project's folders."""
    for folder in folders:
        yield from sorted((project_root / folder).rglob("*.py"))


def too_long(files: Iterator[Path], limit: int) -> list[str]:
    """Return the files with more lines than `limit`, with their lengths."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    return [f"{path}: {lines}" for path, lines in lengths.items() if lines > limit]


def test_source_files_stay_short(project_root: Path) -> None:
    """No source file is so long that it must hold more than one idea."""
    files = python_files(project_root, *ROOMS, "tools", "migrations")
    others = (path for path in files if path != project_root / ONE_FILE_ENGINE)
    assert too_long(others, SOURCE_LINES) == []


def test_test_files_stay_short(project_root: Path) -> None:
    """No test file has grown past what one can read at once."""
    assert too_long(python_files(project_root, "tests"), TEST_LINES) == []


def test_files_are_named_by_their_idea(project_root: Path) -> None:
    """No file has a name that says nothing of what is in it."""
    files = python_files(project_root, *ROOMS, *OTHER_CODE)
    assert [path for path in files if path.stem in EMPTY_NAMES] == []


@pytest.mark.parametrize("name", LOCKS)
def test_locks_name_no_address(project_root: Path, name: str) -> None:
    """A lock holds versions and digests, but no registry's or machine's address."""
    assert ADDRESS.findall((project_root / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_are_typed_packages(project_root: Path, room: str) -> None:
    """Each room says that it is typed, for those who import it."""
    assert (project_root / room / "py.typed").is_file()
