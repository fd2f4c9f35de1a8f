"""Asks a database whether it takes writes, without keeping any and without making a writer wait."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from ledger.database import Database
from ledger.errors import LedgerError
from ledger.faults import named_faults

__all__ = ["CouldNotCheck", "WriteCheck"]

_WAIT_MS: Final = 200
_CONNECT_S: Final = 2  # the least that PostgreSQL's client waits
_TABLE: Final = "write_check"
_NOT_ALLOWED: Final = "42501"  # votes ask for no such right


class CouldNotCheck(LedgerError):
    """The database could not be asked, which says nothing about its writing."""


class WriteCheck:
    """Makes a table with a row in a transaction that is rolled back: that takes room on the disk.

    It has a connection of its own each time, for it must wait for another writer much less than a
    vote does, and must not take one of the voters' connections.
    """

    def __init__(self, database: Database) -> None:
        self._sqlite = database.dialect == "sqlite"
        # With TEMP the table is in nobody's way; on SQLite it would go to another file.
        self._table = f"TABLE {_TABLE}" if self._sqlite else f"TEMP TABLE {_TABLE}"
        self._engine = _engine(database)

    def run(self) -> None:
        """Write and take it back.

        Raises:
            CouldNotCheck: no connection was to be had, or the role may make no table.
            DatabaseBusy: another writer held the database for as long as this one waits.
            LedgerError: the database refuses to write.
            DBAPIError: it refuses for a reason that has no name here.
        """
        try:
            connection = self._engine.connect()
        except DBAPIError as error:
            raise CouldNotCheck("no connection to the database was to be had") from error
        with named_faults(), connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if self._sqlite else "BEGIN")
            try:
                self._create(connection)
                connection.exec_driver_sql(f"INSERT INTO {_TABLE} VALUES ('x')")  # noqa: S608 - no value from outside
            finally:
                connection.exec_driver_sql("ROLLBACK")

    def _create(self, connection: Connection) -> None:
        try:
            connection.exec_driver_sql(f"CREATE {self._table} (filler TEXT)")
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _NOT_ALLOWED:
                raise CouldNotCheck("this role may not make temporary tables") from error
            raise


def _engine(database: Database) -> Engine:
    wait: dict[str, object] = (
        {"timeout": _WAIT_MS / 1_000}
        if database.dialect == "sqlite"
        else {
            "connect_timeout": _CONNECT_S,
            "options": f"-c lock_timeout={_WAIT_MS} -c statement_timeout={5 * _WAIT_MS}",
        }
    )
    return create_engine(
        database.url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=wait
    )
