"""Run migrations on a connection the caller hands over, or on the one of ARENA_DATABASE_URL.

Each migration is one transaction. Batch mode stays off: on SQLite it would rebuild the table and
silently lose the triggers that close the log.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager

from alembic import context
from sqlalchemy import Connection, MetaData, create_engine, pool

ROOMS = ("ledger", "antiabuse", "arena", "protocol", "cage")
# Any fixed number will do; it only has to differ from the locks that the ledger takes.
MIGRATION_LOCK = 4_217_309_655


def run() -> None:
    """Bring the database to the revision asked for."""
    if context.is_offline_mode():
        message = "migrations run on a live database only; there is no offline mode"
        raise SystemExit(message)
    given = context.config.attributes.get("connection")
    if given is not None:
        migrate(given)
        return
    engine = create_engine(database_url(), poolclass=pool.NullPool)
    with engine.connect() as connection:
        migrate(connection)


def database_url() -> str:
    """Return the address in ARENA_DATABASE_URL."""
    url = os.environ.get("ARENA_DATABASE_URL")
    if not url:
        message = "set ARENA_DATABASE_URL to the database to migrate"
        raise SystemExit(message)
    return url


def migrate(connection: Connection) -> None:
    """Run the migrations, inside the connection's transaction if it has one open."""
    with deploy_limits(connection):
        context.configure(
            connection=connection,
            target_metadata=target_metadata(),
            compare_server_default=True,
            render_as_batch=False,
            transactional_ddl=True,
            transaction_per_migration=True,
        )
        with context.begin_transaction():
            context.run_migrations()


def target_metadata() -> MetaData:
    """Return the one MetaData, filled by importing the tables of every room that has some."""
    for room in ROOMS:
        if importlib.util.find_spec(f"{room}.tables") is not None:
            importlib.import_module(f"{room}.tables")
    metadata = importlib.import_module("ledger.schema").metadata
    if not isinstance(metadata, MetaData):
        message = "ledger.schema.metadata is no MetaData"
        raise TypeError(message)
    return metadata


@contextmanager
def deploy_limits(connection: Connection) -> Iterator[None]:
    """Let one deploy at a time migrate PostgreSQL, and never hold up the running service.

    A migration that cannot get its locks within 4 s fails and can be tried again; without the limit
    every query behind it would wait. A connection already in a transaction is left alone, as its
    caller decides about both.
    """
    if connection.dialect.name != "postgresql" or connection.in_transaction():
        yield
        return
    connection.exec_driver_sql(f"SELECT pg_advisory_lock({MIGRATION_LOCK})")
    connection.exec_driver_sql("SET lock_timeout = '4s'")
    connection.exec_driver_sql("SET statement_timeout = '5s'")
    connection.commit()
    try:
        yield
    finally:
        # A failed migration leaves its transaction open, which would refuse the next statements.
        connection.rollback()
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({MIGRATION_LOCK})")
        connection.exec_driver_sql("RESET lock_timeout")
        connection.exec_driver_sql("RESET statement_timeout")
        connection.commit()


run()
