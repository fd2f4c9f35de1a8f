"""Nothing is signed when the database is behind what was signed, or differs from it."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger import store
from ledger.checkpoint import Checkpoint
from ledger.database import Database
from ledger.errors import LogForked
from ledger.sequencer import Sequencer
from ledger.signing import Signer, sign_note

from .conftest import ORIGIN, Logbook


@pytest.fixture
def signed(logbook: Logbook) -> Logbook:
    """A log with three entries under a checkpoint."""
    logbook.append(range(3))
    logbook.step()
    return logbook


def refuses(logbook: Logbook, words: str) -> None:
    """Check that a step is refused with these words, adds nothing and signs nothing."""
    kept = logbook.kept.read_bytes() if logbook.kept.exists() else None
    logbook.append([99])
    for _ in range(2):
        with pytest.raises(LogForked, match=words):
            logbook.step()
    with logbook.database.read() as conn:
        newest = store.latest_checkpoint(conn)
        size = store.head(conn).size
    assert size == 3
    assert newest is not None
    assert newest.size == 3
    assert (logbook.kept.read_bytes() if logbook.kept.exists() else None) == kept


def test_database_behind_the_file(signed: Logbook) -> None:
    """A checkpoint of more entries than the database has: a power cut or an old backup."""
    ahead = Checkpoint(ORIGIN, 5, bytes(32))
    signed.kept.write_text(sign_note(ahead.text, [signed.signer]), encoding="utf-8")
    refuses(signed, "holds 3 entries, but 5 were signed")


def test_database_with_another_tree(signed: Logbook) -> None:
    """A checkpoint of other entries than the database has."""
    other = Checkpoint(ORIGIN, 2, bytes(32))
    signed.kept.write_text(sign_note(other.text, [signed.signer]), encoding="utf-8")
    refuses(signed, "first 2 entries are not those signed")


def test_missing_file(signed: Logbook) -> None:
    """A database with checkpoints but no file: which was the last can no longer be told."""
    signed.kept.unlink()
    refuses(signed, "missing")


@pytest.mark.parametrize("content", [b"", b"nothing\n", b"\xff"])
def test_damaged_file(signed: Logbook, content: bytes) -> None:
    """A file that is no checkpoint is not taken for none."""
    signed.kept.write_bytes(content)
    refuses(signed, "no checkpoint by this log's keys")


def test_file_by_another_key(signed: Logbook) -> None:
    """A new key alone cannot go on with an old log."""
    signed.sequencer = signed.new_sequencer([Signer(ORIGIN, bytes(32))])
    refuses(signed, "sign with both")


def test_another_origin(signed: Logbook) -> None:
    """The log's name cannot change under its checkpoints."""
    signed.sequencer = signed.new_sequencer([signed.signer], origin="example.com/log")
    refuses(signed, "checkpoint of example.org/log")


def test_putting_the_public_checkpoint_back_helps(signed: Logbook) -> None:
    """What the message advises works: save the last public checkpoint in the file."""
    signed.kept.unlink()
    refuses(signed, "missing")
    with signed.database.read() as conn:
        note = store.checkpoint_text(conn) or ""
    signed.kept.write_text(note, encoding="utf-8")
    assert signed.step().signed


def test_a_file_ahead_of_the_published_checkpoint_is_no_fork(
    signed: Logbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies between writing the file and publishing goes on at its next start."""
    signed.append([3])

    def die(_self: Sequencer, _now_us: int) -> bool:
        return False

    monkeypatch.setattr(Sequencer, "_sign", die)
    signed.step()
    monkeypatch.undo()
    with signed.database.read() as conn:
        root = store.head(conn).root
    note = sign_note(Checkpoint(ORIGIN, 4, root).text, [signed.signer])
    signed.kept.write_text(note, encoding="utf-8")
    assert signed.step().signed
    assert signed.kept.read_text(encoding="utf-8") == note


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_restoring_an_old_backup(signed: Logbook, tmp_path: Path) -> None:
    """A real older copy of the database is refused, even once new events make it longer."""
    backup = tmp_path / "backup.sqlite3"
    with (
        closing(sqlite3.connect(str(signed.database.url.database))) as source,
        closing(sqlite3.connect(backup)) as target,
    ):
        source.backup(target)
    signed.append(range(3, 5))
    signed.step()
    restored = Database(signed.database.url.set(database=str(backup)), "sqlite", pool_size=1)
    try:
        old = Logbook(restored, signed.kept.parent)
        old.rng = random.Random(8)
        refuses(old, "holds 3 entries, but 5 were signed")
        old.append(range(100, 110))
        refuses(old, "holds 3 entries, but 5 were signed")
    finally:
        restored.close()
