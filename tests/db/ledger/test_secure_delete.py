"""What is deleted from SQLite is overwritten, however the library at hand was built."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest
from sqlalchemy import text

from ledger.database import BUSY_SECONDS, Database, open_database

MARK = "words-that-somebody-had-erased"
KEEPS_FREED_BYTES = "PRAGMA secure_delete=OFF"


@pytest.fixture
def careless_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite as built without SQLITE_SECURE_DELETE, as its authors do."""
    usual = sqlite3.connect

    def connect(*args: Any, **options: Any) -> Connection:  # noqa: ANN401 - passed on
        connection: Connection = usual(*args, **options)
        connection.execute(KEEPS_FREED_BYTES).close()
        return connection

    monkeypatch.setattr(sqlite3.dbapi2, "connect", connect)


@pytest.mark.usefixtures("careless_library")
@pytest.mark.parametrize("kind", ["write", "durable"])
def test_deleted_words_leave_the_file(tmp_path: Path, kind: str) -> None:
    """After a deletion, and once all is in the file, the words stand nowhere in it."""
    path = tmp_path / "arena.sqlite3"
    database = open_database(f"sqlite:///{path}", pool_size=1)
    transaction = getattr(database, kind)
    with transaction() as conn:
        conn.exec_driver_sql("CREATE TABLE said (words TEXT)")
        conn.execute(text("INSERT INTO said VALUES (:words), ('others')"), {"words": MARK})
    with database.read() as conn:
        conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert MARK.encode() in path.read_bytes()

    with transaction() as conn:
        conn.execute(text("DELETE FROM said WHERE words = :words"), {"words": MARK})
    database.close()

    assert MARK.encode() not in b"".join(each.read_bytes() for each in tmp_path.iterdir())


@pytest.mark.usefixtures("careless_library")
def test_deleted_words_leave_the_write_ahead_file(tmp_path: Path) -> None:
    """While the database stays open, the next writing after a checkpoint drops the old pages."""
    path = tmp_path / "arena.sqlite3"
    database = open_database(f"sqlite:///{path}", pool_size=1)
    with database.write() as conn:
        conn.exec_driver_sql("CREATE TABLE said (words TEXT)")
        conn.exec_driver_sql("CREATE TABLE counted (number INTEGER)")
        conn.execute(text("INSERT INTO said VALUES (:words)"), {"words": MARK})
    with database.write() as conn:
        conn.exec_driver_sql("DELETE FROM said")
    with database.read() as conn:
        conn.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")  # as SQLite does by itself
    with database.write() as conn:
        conn.exec_driver_sql("INSERT INTO counted VALUES (1)")

    assert MARK.encode() not in b"".join(each.read_bytes() for each in tmp_path.iterdir())
    database.close()


def test_old_pages_are_dropped_once_nobody_is_at_work(tmp_path: Path) -> None:
    """Neither a reader nor a writer is disturbed or waited for; afterwards the file is empty."""
    url = f"sqlite:///{tmp_path / 'arena.sqlite3'}"
    database, other = open_database(url, pool_size=2), open_database(url, pool_size=1)
    with database.write() as conn:
        conn.exec_driver_sql("CREATE TABLE said (words TEXT)")
        conn.execute(text("INSERT INTO said VALUES (:words), ('others')"), {"words": MARK})
    before = time.monotonic()
    with database.read() as reader:
        rows = reader.exec_driver_sql("SELECT words FROM said")
        rows.fetchone()
        with database.write() as conn:
            conn.execute(text("DELETE FROM said WHERE words = :words"), {"words": MARK})
            while_writing = database.drop_old_pages(), other.drop_old_pages()
        while_reading = database.drop_old_pages()
        rows.close()
    waited = time.monotonic() - before

    assert while_writing == (False, False)
    assert not while_reading
    assert waited < BUSY_SECONDS / 2
    assert other.drop_old_pages()
    assert MARK.encode() not in b"".join(each.read_bytes() for each in tmp_path.iterdir())
    database.close()
    other.close()


def test_postgresql_needs_no_dropping(database: Database) -> None:
    """There is nothing to do there, and on SQLite nothing stands in the way."""
    assert database.drop_old_pages()
