"""Migrations and code describe the same schema, on both databases."""

from __future__ import annotations

from pathlib import Path

from ledger.database import Database
from ledger.migrate import drift, upgrade


def test_migrations_give_the_schema_of_the_code(database_url: str, migrations_folder: Path) -> None:
    """A freshly migrated database differs in nothing from what the code expects."""
    assert drift(database_url, migrations_folder) == []


def test_an_extra_table_is_drift(
    database: Database, database_url: str, migrations_folder: Path
) -> None:
    """A table that no migration made is named."""
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE stray (id INTEGER PRIMARY KEY)")
    assert any("stray" in line for line in drift(database_url, migrations_folder))


def test_upgrading_again_changes_nothing(database_url: str, migrations_folder: Path) -> None:
    """Running the migrations on a database that has them all is harmless."""
    upgrade(database_url, migrations_folder)
    assert drift(database_url, migrations_folder) == []
