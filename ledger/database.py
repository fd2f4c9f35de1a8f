"""Opening the database, and its three kinds of connection: write, read and durable.

Knows SQLite and PostgreSQL. Faults of the database itself come out as `DatabaseBusy`,
`DatabaseFull`, `DatabaseNotMigrated` or `DatabaseUnavailable`; broken constraints pass unchanged.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url

from ledger.errors import DatabaseBusy, DatabaseUnavailable
from ledger.faults import named_faults

__all__ = ["Database", "Dialect", "open_database"]

Dialect = Literal["sqlite", "postgresql"]

BUSY_SECONDS: Final = 5.0
"""How long a writer waits for another before it gives up: longer than any of our transactions."""

CONNECTION_SECONDS: Final = 10.0
"""How long a caller waits for one of PostgreSQL's connections; a browser still waits with it."""


class Database:
    """One database, open. Safe for use by many threads; one object for each process.

    Attributes:
        url: where it is, without a password when printed.
        dialect: "sqlite" or "postgresql".
    """

    def __init__(
        self,
        url: URL,
        dialect: Dialect,
        *,
        pool_size: int,
        busy_seconds: float = BUSY_SECONDS,
        connection_seconds: float = CONNECTION_SECONDS,
    ) -> None:
        self.url = url
        self.dialect: Dialect = dialect
        # SQLite's busy handler sleeps and so starves some writers; a lock in front is fair.
        self._turn = threading.Lock()
        self._busy_seconds = busy_seconds
        self._writer, self._reader, self._durable = (
            _postgresql_engines(url, pool_size, connection_seconds)
            if dialect == "postgresql"
            else _sqlite_engines(url, pool_size, busy_seconds)
        )

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield a connection in one transaction: committed at the end, rolled back on an error."""
        with self._transaction(self._writer) as connection:
            yield connection

    @contextmanager
    def durable(self) -> Iterator[Connection]:
        """Yield the same as `write`, but its commit has reached the disk when it returns."""
        with self._transaction(self._durable) as connection:
            if self.dialect == "postgresql":
                connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that only reads; each statement sees what is committed by then."""
        with named_faults(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """Yield a durable connection outside a transaction, for one that begins its own."""
        with self._durable.connect() as connection:
            yield connection

    def ping(self) -> None:
        """Ask the database for a sign of life.

        Raises:
            DatabaseUnavailable: when there is none.
        """
        with self.read() as connection:
            connection.exec_driver_sql("SELECT 1")

    def drop_old_pages(self) -> bool:
        """Empty SQLite's write-ahead file, in which what was deleted still stands.

        Returns:
            False where somebody reads or writes right now: nobody is kept waiting for this. True
            on PostgreSQL, whose files are its own server's matter.
        """
        if self.dialect == "postgresql":
            return True
        if not self._turn.acquire(blocking=False):
            return False
        try:
            with named_faults(), self._reader.connect() as connection:
                return self._emptied(connection)
        finally:
            self._turn.release()

    def _emptied(self, connection: Connection) -> bool:
        # With its usual patience it would hold up all writers while it waits for a reader.
        connection.exec_driver_sql("PRAGMA busy_timeout=0").close()
        try:
            checkpoint = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={_ms(self._busy_seconds)}").close()
        return bool(checkpoint.busy == 0)

    def close(self) -> None:
        """Close all connections."""
        for engine in (self._writer, self._reader, self._durable):
            engine.dispose()

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        with named_faults(), self._my_turn(), engine.begin() as connection:
            yield connection

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        if self.dialect == "postgresql":
            yield
            return
        if not self._turn.acquire(timeout=self._busy_seconds):
            raise DatabaseBusy("another writer of this process holds the database: try again")
        try:
            yield
        finally:
            self._turn.release()


def open_database(
    url: str | URL,
    *,
    pool_size: int = 5,
    busy_seconds: float = BUSY_SECONDS,
    connection_seconds: float = CONNECTION_SECONDS,
) -> Database:
    """Open a database; nothing is created or changed but an empty SQLite file.

    Args:
        url: such as "sqlite:////data/arena.sqlite" or "postgresql://user@host/name".
        pool_size: connections for reading, and as many for writing. On PostgreSQL there are never
            more, for the server lets in a fixed number; on SQLite set it to the number of threads.
        busy_seconds: how long a writer on SQLite waits for another.
        connection_seconds: how long a caller on PostgreSQL waits while all connections are in use.

    Raises:
        DatabaseUnavailable: on another kind of database, or SQLite in memory.
    """
    address = make_url(url)
    dialect = address.get_backend_name()
    if dialect == "postgresql":
        return Database(
            address.set(drivername="postgresql+psycopg"),
            "postgresql",
            pool_size=pool_size,
            busy_seconds=busy_seconds,
            connection_seconds=connection_seconds,
        )
    if dialect != "sqlite":
        raise DatabaseUnavailable(f"{dialect} is not supported: use sqlite or postgresql")
    if address.database in {None, "", ":memory:"}:
        raise DatabaseUnavailable("SQLite needs a file here: sqlite:////absolute/path.sqlite")
    return Database(address, "sqlite", pool_size=pool_size, busy_seconds=busy_seconds)


def _postgresql_engines(
    url: URL, pool_size: int, connection_seconds: float
) -> tuple[Engine, Engine, Engine]:
    bounded: dict[str, Any] = {
        "max_overflow": 0,
        "pool_pre_ping": True,
        "pool_timeout": connection_seconds,
    }
    writer = create_engine(url, pool_size=pool_size, **bounded)
    reader = create_engine(
        url,
        pool_size=pool_size,
        isolation_level="AUTOCOMMIT",
        connect_args={"options": "-c default_transaction_read_only=on"},
        **bounded,
    )
    return writer, reader, create_engine(url, pool_size=1, **bounded)


def _sqlite_engines(url: URL, pool_size: int, busy_seconds: float) -> tuple[Engine, Engine, Engine]:
    writer = create_engine(url, pool_size=pool_size)
    reader = create_engine(url, pool_size=pool_size, isolation_level="AUTOCOMMIT")
    durable = create_engine(url, pool_size=1)
    for engine, pragma in (
        (writer, "synchronous=NORMAL"),
        (reader, "query_only=on"),
        (durable, "synchronous=FULL"),
    ):
        _set_pragmas(engine, busy_seconds, pragma)
    for engine in (writer, durable):
        # A plain BEGIN takes the write lock at the first write, and then fails instead of waiting.
        event.listen(engine, "begin", lambda conn: conn.exec_driver_sql("BEGIN IMMEDIATE"))
    return writer, reader, durable


def _ms(seconds: float) -> int:
    return int(seconds * 1_000)


def _set_pragmas(engine: Engine, busy_seconds: float, own: str) -> None:
    # recursive_triggers: without it INSERT OR REPLACE deletes rows past the DELETE triggers.
    pragmas = (
        f"busy_timeout={_ms(busy_seconds)}",
        "journal_mode=WAL",
        "foreign_keys=on",
        "recursive_triggers=on",
        # What is erased must not stay on free pages; without this each build does as it likes.
        "secure_delete=on",
        # The write-ahead file would keep old pages beyond its new end.
        "journal_size_limit=0",
        own,
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: object) -> None:  # noqa: ANN401 - the driver's own type
        connection.isolation_level = None  # the driver must not begin transactions by itself
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").close()
