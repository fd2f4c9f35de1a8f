"""Faults of the database come out under a name, with what to do, and leave nothing half done."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ledger import store
from ledger.database import Database, open_database
from ledger.errors import (
    DatabaseBusy,
    DatabaseFull,
    DatabaseNotMigrated,
    DatabaseUnavailable,
)

from .conftest import Logbook


def sizes(database: Database) -> list[int]:
    """Return the number of rows that appending writes, table by table."""
    with database.read() as conn:
        return [
            conn.exec_driver_sql(sql).scalar_one()
            for sql in (
                "SELECT count(*) FROM event",
                "SELECT count(*) FROM event_private",
                "SELECT count(*) FROM event_pending",
            )
        ]


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_locked_by_another_process(database_url: str, tmp_path: Path) -> None:
    """A writer that waits in vain for another process is told that the database is busy."""
    database = open_database(database_url, busy_seconds=0.05)
    logbook = Logbook(database, tmp_path)
    try:
        with closing(sqlite3.connect(str(database.url.database))) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseBusy, match="try again"):
                logbook.append([1])
        logbook.append([2])
        assert sizes(database) == [1, 1, 1]
    finally:
        database.close()


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_locked_by_another_thread(database_url: str) -> None:
    """Writers of one process take turns, and give up after the same time."""
    database = open_database(database_url, busy_seconds=0.05)
    try:
        with database.write(), pytest.raises(DatabaseBusy, match="try again"), database.write():
            pass
        with database.write():
            pass
    finally:
        database.close()


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_locked_on_postgresql(logbook: Logbook) -> None:
    """A lock that does not come in time is a busy database too."""
    with logbook.database.write() as holder:
        holder.exec_driver_sql("LOCK TABLE event IN ACCESS EXCLUSIVE MODE")
        impatient = "SET LOCAL lock_timeout = '50ms'; SELECT count(*) FROM event"
        with pytest.raises(DatabaseBusy), logbook.database.write() as conn:
            conn.exec_driver_sql(impatient)
    logbook.append([2])
    assert sizes(logbook.database) == [1, 1, 1]


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_full_disk(database_url: str, tmp_path: Path) -> None:
    """When the disk is full the whole transaction is taken back; with room it goes on."""
    database = open_database(database_url, pool_size=1)
    logbook = Logbook(database, tmp_path)
    try:
        logbook.append(range(3))
        with database.write() as conn:
            pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
            conn.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(DatabaseFull, match="make room"):
            logbook.append(range(100))
        assert sizes(database) == [3, 3, 3]
        with database.write() as conn:
            conn.exec_driver_sql("PRAGMA max_page_count = 1000000")
        logbook.append(range(100))
        assert sizes(database) == [103, 103, 103]
        assert logbook.step().added == 103
        assert logbook.verify().ok
    finally:
        database.close()


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_full_disk_on_postgresql(logbook: Logbook) -> None:
    """The server's word for a full disk is understood, and nothing is stored."""
    raised = "DO $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = 'disk_full'; END $$"

    def append_until_full() -> None:
        with logbook.database.write() as conn:
            logbook.log.append(conn, logbook.event(1))
            conn.exec_driver_sql(raised)

    with pytest.raises(DatabaseFull):
        append_until_full()
    assert sizes(logbook.database) == [0, 0, 0]


def test_no_connection_left(database: Database) -> None:
    """A pool whose connections are all in use is a busy database."""
    with pytest.raises(DatabaseBusy, match="in use"), database.read():
        raise PoolTimeoutError


def test_not_migrated(empty_database_url: str) -> None:
    """A database without tables is named as such, with the command that mends it."""
    database = open_database(empty_database_url)
    try:
        with pytest.raises(DatabaseNotMigrated, match="arena db upgrade"), database.read() as conn:
            store.head(conn)
    finally:
        database.close()


def test_broken_constraints_pass_unchanged(database: Database) -> None:
    """A refused row is the caller's matter and keeps its own error."""
    insert = "INSERT INTO log_head (id, size, root, last_shuffled_us) VALUES (2, 0, '', 0)"
    with pytest.raises(IntegrityError), database.write() as conn:
        conn.exec_driver_sql(insert)


def test_ping(database: Database) -> None:
    """A database that answers is alive."""
    database.ping()


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:////nowhere/at/all/arena.sqlite3",
        "postgresql://nobody@127.0.0.1:1/nothing",
    ],
)
def test_out_of_reach(url: str) -> None:
    """A database that cannot be opened is said to be out of reach."""
    database = open_database(url)
    try:
        with pytest.raises(DatabaseUnavailable):
            database.ping()
    finally:
        database.close()


def test_damaged_file(tmp_path: Path) -> None:
    """A file that is no database is said to be unreadable."""
    path = tmp_path / "arena.sqlite3"
    path.write_bytes(b"no database at all, but long enough to be read as a header" * 20)
    database = open_database(f"sqlite:///{path}")
    try:
        with pytest.raises(DatabaseUnavailable):
            database.ping()
    finally:
        database.close()


@pytest.mark.parametrize("url", ["mysql://localhost/arena", "sqlite://", "sqlite:///:memory:"])
def test_unsupported_addresses(url: str) -> None:
    """Other kinds of database, and SQLite in memory, are refused at once."""
    with pytest.raises(DatabaseUnavailable):
        open_database(url)
