"""Brings a database's schema to this code's, and tells how the two differ.

Works through the alembic environment in the given folder, which knows the tables of all rooms.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from ledger.database import open_database
from ledger.errors import DatabaseNotMigrated
from ledger.faults import named_faults
from ledger.schema import metadata
from ledger.triggers import LOG_TRIGGERS, Trigger, postgresql_body, sqlite_sql

__all__ = ["drift", "require_current", "upgrade"]


def upgrade(url: str | URL, folder: Path, revision: str = "head") -> None:
    """Apply all migrations that the database lacks, each in a transaction of its own.

    Args:
        url: the database's address.
        folder: the folder with `env.py` and `versions`.
        revision: the last one to apply.

    Raises:
        DatabaseNotMigrated: when a migration fails; the database stays at the one before.
    """
    with _connection(url) as connection:
        try:
            command.upgrade(_config(folder, connection), revision)
        except DBAPIError as error:
            raise DatabaseNotMigrated(
                f"a migration failed and was taken back ({error.orig}); if tables are there that no"
                " migration made, restore the last backup, then run `arena db upgrade` again"
            ) from error


def require_current(url: str | URL, folder: Path) -> None:
    """Refuse to go on with a database at another revision than this code's.

    Raises:
        DatabaseNotMigrated: naming both revisions and what to do.
    """
    wanted = ScriptDirectory.from_config(_config(folder, None)).get_current_head()
    with _connection(url) as connection:
        found = MigrationContext.configure(connection).get_current_revision()
    if found != wanted:
        raise DatabaseNotMigrated(
            f"the database is at revision {found or 'none'} and this code needs {wanted}:"
            " run `arena db upgrade` (or, if the database is the newer one, install that version)"
        )


def drift(url: str | URL, folder: Path) -> list[str]:
    """Return every difference between the database and this code, triggers included; [] is none."""
    with _connection(url) as connection:
        _load_all_tables(folder, connection)
        # SQLite numbers rows without an identity clause, which would show as a difference there.
        defaults = connection.dialect.name != "sqlite"
        context = MigrationContext.configure(connection, opts={"compare_server_default": defaults})
        found = [str(difference) for difference in compare_metadata(context, metadata)]
        return found + trigger_drift(connection)


def trigger_drift(connection: Connection) -> list[str]:
    """Return how the log's triggers differ from what they must be."""
    if connection.dialect.name == "sqlite":
        wanted = {t.name: sqlite_sql(t) for t in LOG_TRIGGERS if t.act != "TRUNCATE"}
        sql = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        found = {row.name: row.sql for row in connection.exec_driver_sql(sql)}
    else:
        wanted = {t.name: _postgresql_state(t) for t in LOG_TRIGGERS}
        sql = (
            "SELECT t.tgname AS name, t.tgrelid::regclass::text AS guarded, t.tgenabled AS enabled,"
            " p.prosrc AS body FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
            " JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace"
        )
        rows = connection.exec_driver_sql(sql)
        found = {row.name: f"{row.guarded} {row.enabled} {row.body}" for row in rows}
    return [
        f"trigger {name} is {'changed' if name in found else 'missing'}"
        for name, state in wanted.items()
        if found.get(name) != state
    ]


def _postgresql_state(trigger: Trigger) -> str:
    return f"{trigger.table} A {postgresql_body(trigger)}"  # A: enabled ALWAYS


def _load_all_tables(folder: Path, connection: Connection) -> None:
    # Running the environment without a step makes it import the tables of every room.
    config = _config(folder, connection)
    script = ScriptDirectory.from_config(config)
    with EnvironmentContext(config, script, fn=lambda _revision, _context: []):
        script.run_env()
    connection.rollback()


def _config(folder: Path, connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@contextmanager
def _connection(url: str | URL) -> Iterator[Connection]:
    database = open_database(url, pool_size=1)
    try:
        with named_faults(), database.migrating() as connection:
            yield connection
    finally:
        database.close()
