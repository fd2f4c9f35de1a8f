"""The database itself refuses to change what the log holds."""

# ruff: noqa: S608 - the tables' names stand in this file

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from .conftest import MINUTE, Logbook

TABLES = (
    "event",
    "event_private",
    "event_erasure",
    "event_pending",
    "log_entry",
    "log_tile",
    "log_head",
    "log_checkpoint",
)
CHANGES = [
    "UPDATE event SET kind = 'forged'",
    "UPDATE event SET body = '{}'",
    "DELETE FROM event",
    "UPDATE event_private SET part = '{}'",
    "DELETE FROM event_private",
    "UPDATE event_erasure SET reason = 'request'",
    "DELETE FROM event_erasure",
    "UPDATE event_pending SET leaf = '{}'",
    "DELETE FROM event_pending",
    "UPDATE log_entry SET idx = idx + 100",
    "DELETE FROM log_entry",
    "UPDATE log_tile SET hashes = substr(hashes, 1, 32)",
    "UPDATE log_tile SET level = 3",
    "DELETE FROM log_tile",
    "UPDATE log_head SET size = 0",
    "UPDATE log_head SET root = ''",
    "DELETE FROM log_head",
    "UPDATE log_checkpoint SET note = ''",
    "DELETE FROM log_checkpoint",
]


@pytest.fixture
def filled(logbook: Logbook) -> Logbook:
    """A log with rows in every table: sequenced, waiting and erased."""
    from ledger import store

    erased, *_rest = logbook.append(range(3))
    logbook.step(MINUTE)
    logbook.append(range(3, 5), shuffled=True)
    with logbook.database.write() as conn:
        assert store.erase_private(conn, erased.id, reason="retention", now_us=logbook.now_us)
    return logbook


def content(logbook: Logbook) -> dict[str, list[str]]:
    """Return all rows of the log's tables."""
    with logbook.database.read() as conn:
        return {
            table: sorted(map(repr, conn.execute(text(f"SELECT * FROM {table}")).all()))
            for table in TABLES
        }


def test_every_table_has_rows_to_defend(filled: Logbook) -> None:
    """The tests below would prove nothing on empty tables."""
    assert all(content(filled).values())


@pytest.mark.parametrize("statement", CHANGES)
def test_changes_are_refused(filled: Logbook, statement: str) -> None:
    """UPDATE and DELETE raise and leave every row as it was."""
    before = content(filled)
    with pytest.raises(IntegrityError), filled.database.write() as conn:
        conn.execute(text(statement))
    assert content(filled) == before


@pytest.mark.parametrize("table", TABLES)
def test_rows_are_not_replaced(filled: Logbook, table: str) -> None:
    """Inserting a row that is there already raises, whatever the conflict clause says."""
    columns = [name for name in columns_of(filled, table) if table != "event" or name != "seq"]
    listed = ", ".join(columns)
    insert = "INSERT OR REPLACE" if filled.database.dialect == "sqlite" else "INSERT"
    with pytest.raises(IntegrityError), filled.database.write() as conn:
        conn.execute(text(f"{insert} INTO {table} ({listed}) SELECT {listed} FROM {table}"))


def columns_of(logbook: Logbook, table: str) -> list[str]:
    """Return the names of a table's columns."""
    with logbook.database.read() as conn:
        return list(conn.execute(text(f"SELECT * FROM {table}")).keys())


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
@pytest.mark.parametrize("table", TABLES)
def test_foreign_tools_cannot_replace_rows(filled: Logbook, table: str) -> None:
    """INSERT OR REPLACE by id or row number fails without our pragmas too."""
    before = content(filled)
    raw = sqlite3.connect(str(filled.database.url.database))
    try:
        with pytest.raises(sqlite3.IntegrityError):
            raw.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")
        raw.rollback()
    finally:
        raw.close()
    assert content(filled) == before


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
@pytest.mark.parametrize("table", TABLES)
def test_truncate_is_refused(filled: Logbook, table: str) -> None:
    """TRUNCATE raises on every table of the log."""
    before = content(filled)
    with pytest.raises(IntegrityError), filled.database.write() as conn:
        conn.execute(text(f"TRUNCATE {table} CASCADE"))
    assert content(filled) == before


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
@pytest.mark.parametrize("statement", CHANGES)
def test_replication_role_does_not_get_past(filled: Logbook, statement: str) -> None:
    """The triggers fire in a session that acts as a replica too."""
    role = "SET LOCAL session_replication_role = replica"
    with pytest.raises(IntegrityError), filled.database.write() as conn:
        conn.exec_driver_sql(f"{role}; {statement}")


def test_an_erased_part_does_not_come_back(filled: Logbook) -> None:
    """No private part can be put where one was erased."""
    with pytest.raises(IntegrityError, match="come back"), filled.database.write() as conn:
        conn.execute(
            text(
                "INSERT INTO event_private (event_id, salt, part)"
                " SELECT event_id, '00', '{}' FROM event_erasure"
            )
        )
