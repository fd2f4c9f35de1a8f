"""Digest keys in files: one for all processes, whole under races, gone after their time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from antiabuse.errors import DigestKeyUnusable
from webapp.digest_keys import KeyFolder

DAY = "2026-11-30"
MONTH = "2026-11"


def test_a_key_is_made_once_and_then_shared(tmp_path: Path) -> None:
    """A second process reads the first one's key; periods and kinds have keys of their own."""
    first, second = KeyFolder(tmp_path / "keys"), KeyFolder(tmp_path / "keys")

    assert first.of_day(DAY) == second.of_day(DAY) == first.of_day(DAY)
    assert first.of_month(MONTH) == second.of_month(MONTH)
    assert len({first.of_day(DAY), first.of_day("2026-12-01"), first.of_month(MONTH)}) == 3
    assert len(first.of_day(DAY)) == 32


def test_keys_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    """Folder and files are closed to others, and no draft is left."""
    folder = tmp_path / "keys"
    KeyFolder(folder).of_day(DAY)

    (made,) = folder.iterdir()
    assert made.stat().st_mode & 0o077 == 0
    assert folder.stat().st_mode & 0o077 == 0


def ask(folder: Path) -> bytes:
    """Ask for a key as a new process does."""
    return KeyFolder(folder).of_day(DAY)


@pytest.mark.parametrize("attempt", range(3))
def test_racing_threads_get_one_key(tmp_path: Path, attempt: int) -> None:
    """Whoever comes at the same moment gets the same key, whole."""
    with ThreadPoolExecutor(16) as threads:
        keys = set(threads.map(ask, [tmp_path / str(attempt)] * 16))
    assert len(keys) == 1


def test_racing_processes_get_one_key(tmp_path: Path) -> None:
    """The same holds over processes."""
    with get_context("spawn").Pool(3) as processes:
        keys: Sequence[bytes] = processes.map(ask, [tmp_path / "keys"] * 9, chunksize=1)
    assert len(set(keys)) == 1


def test_destroyed_keys_never_come_back(tmp_path: Path) -> None:
    """Old periods lose their files and memory; asked again, they get another key."""
    folder = KeyFolder(tmp_path)
    days = ["2026-11-27", "2026-11-28", "2026-11-29", DAY]
    before = {day: folder.of_day(day) for day in days}
    months = {month: folder.of_month(month) for month in ("2026-08", "2026-09")}

    gone = folder.destroy_before(day="2026-11-29", month="2026-09")

    assert gone == ["2026-11-27", "2026-11-28", "2026-08"]
    left = b" ".join(path.read_bytes() for path in tmp_path.iterdir())
    for key in (before["2026-11-27"], before["2026-11-28"], months["2026-08"]):
        assert key.hex().encode() not in left
    assert folder.of_day("2026-11-28") != before["2026-11-28"]
    assert folder.of_day("2026-11-29") == before["2026-11-29"]
    assert folder.of_month("2026-09") == months["2026-09"]
    assert folder.destroy_before(day="2026-11-28", month="2026-09") == []


def test_memory_holds_only_the_last_two(tmp_path: Path) -> None:
    """A process that runs for weeks does not keep the keys of all its days."""
    folder = KeyFolder(tmp_path)
    first = folder.of_day("2026-11-01")
    for day in ("2026-11-02", "2026-11-03"):
        folder.of_day(day)
    (tmp_path / "day-2026-11-01.key").unlink()  # as another process's retention does
    assert folder.of_day("2026-11-01") != first


def test_memory_drops_what_another_process_destroyed(tmp_path: Path) -> None:
    """The first request of the next day lets go of a month's key whose file is gone."""
    folder = KeyFolder(tmp_path)
    november = folder.of_month("2026-11")
    folder.of_month("2026-12")
    KeyFolder(tmp_path).destroy_before(day="2026-12-01", month="2026-12")

    folder.of_day("2026-12-03")

    assert folder.of_month("2026-11") != november


@pytest.mark.parametrize("content", ["", "no key", "ab" * 31, "ab" * 33])
def test_a_damaged_key_is_told(tmp_path: Path, content: str) -> None:
    """A file that holds no key is an error that names it, and no key of another length is used."""
    (tmp_path / f"day-{DAY}.key").write_text(content, encoding="ascii")
    with pytest.raises(DigestKeyUnusable, match=DAY):
        KeyFolder(tmp_path).of_day(DAY)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Where the folder's place is taken by a file there is no key."""
    (tmp_path / "keys").write_text("", encoding="ascii")
    with pytest.raises(DigestKeyUnusable):
        KeyFolder(tmp_path / "keys").of_month(MONTH)
