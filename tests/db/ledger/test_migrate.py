"""Migrations are applied whole or not at all, and drift shows triggers too."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import inspect

from ledger.database import Database, open_database
from ledger.errors import DatabaseNotMigrated
from ledger.migrate import drift, require_current, upgrade


def test_a_fresh_database_is_refused_until_upgraded(
    empty_database_url: str, migrations_folder: Path
) -> None:
    """Starting on a database without tables says which command to run."""
    with pytest.raises(DatabaseNotMigrated, match=r"revision none .* `arena db upgrade`"):
        require_current(empty_database_url, migrations_folder)
    upgrade(empty_database_url, migrations_folder)
    require_current(empty_database_url, migrations_folder)


def test_a_half_done_migration(empty_database_url: str, migrations_folder: Path) -> None:
    """Tables that no migration recorded stop the upgrade, which leaves nothing of its own."""
    database = open_database(empty_database_url)
    try:
        with database.write() as conn:
            conn.exec_driver_sql("CREATE TABLE log_entry (idx INTEGER PRIMARY KEY)")
        with pytest.raises(DatabaseNotMigrated, match="restore the last backup"):
            upgrade(empty_database_url, migrations_folder)
        with database.read() as conn:
            assert set(inspect(conn).get_table_names()) <= {"log_entry", "alembic_version"}
        with pytest.raises(DatabaseNotMigrated):
            require_current(empty_database_url, migrations_folder)
        with database.write() as conn:
            conn.exec_driver_sql("DROP TABLE log_entry")
        upgrade(empty_database_url, migrations_folder)
    finally:
        database.close()
    assert drift(empty_database_url, migrations_folder) == []


def test_a_missing_trigger_is_drift(
    database: Database, database_url: str, migrations_folder: Path
) -> None:
    """A trigger that somebody dropped is named."""
    table = " ON event" if database.dialect == "postgresql" else ""
    with database.write() as conn:
        conn.exec_driver_sql(f"DROP TRIGGER event_no_update{table}")
    assert drift(database_url, migrations_folder) == ["trigger event_no_update is missing"]


def test_a_weakened_trigger_is_drift(
    database: Database, database_url: str, migrations_folder: Path
) -> None:
    """A trigger that no longer does its work is named, though its name is there."""
    with database.write() as conn:
        if database.dialect == "postgresql":
            conn.exec_driver_sql("ALTER TABLE event ENABLE TRIGGER event_no_update")
        else:
            conn.exec_driver_sql("DROP TRIGGER event_no_update")
            conn.exec_driver_sql(
                "CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT 1; END"
            )
    assert drift(database_url, migrations_folder) == ["trigger event_no_update is changed"]
