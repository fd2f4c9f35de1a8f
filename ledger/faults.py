"""Turns the two drivers' faults into the ledger's own errors, each saying what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ledger.errors import (
    DatabaseBusy,
    DatabaseFull,
    DatabaseNotMigrated,
    DatabaseUnavailable,
    LedgerError,
)

__all__ = ["named_faults"]

BUSY = "the database is busy with another writer: try again"
FULL = "the disk or the database's quota is full, nothing was stored: make room, then try again"
NOT_MIGRATED = "the database lacks tables or columns that this code needs: run `arena db upgrade`"
READ_ONLY = "the database is read-only here: check its rights and its disk"
UNAVAILABLE = "the database cannot be reached or read: check its address, its rights and its disk"

SQLITE_PRIMARY_CODE = 0xFF  # the upper bits of a result code only refine it
SQLITE_FAULTS: dict[int, tuple[type[LedgerError], str]] = {
    sqlite3.SQLITE_BUSY: (DatabaseBusy, BUSY),
    sqlite3.SQLITE_LOCKED: (DatabaseBusy, BUSY),
    sqlite3.SQLITE_FULL: (DatabaseFull, FULL),
    sqlite3.SQLITE_CANTOPEN: (DatabaseUnavailable, UNAVAILABLE),
    sqlite3.SQLITE_IOERR: (DatabaseUnavailable, UNAVAILABLE),
    sqlite3.SQLITE_CORRUPT: (DatabaseUnavailable, UNAVAILABLE),
    sqlite3.SQLITE_NOTADB: (DatabaseUnavailable, UNAVAILABLE),
    sqlite3.SQLITE_READONLY: (DatabaseUnavailable, READ_ONLY),
}
SQLITE_MISSING = ("no such table", "no such column", "has no column named")

# SQLSTATE codes, PostgreSQL manual, appendix A.
POSTGRESQL_FAULTS: dict[str, tuple[type[LedgerError], str]] = {
    "40001": (DatabaseBusy, BUSY),
    "40P01": (DatabaseBusy, BUSY),
    "55P03": (DatabaseBusy, BUSY),
    "57014": (DatabaseBusy, BUSY),
    "25006": (DatabaseUnavailable, READ_ONLY),
    "53100": (DatabaseFull, FULL),
    "57P01": (DatabaseUnavailable, UNAVAILABLE),
    "57P02": (DatabaseUnavailable, UNAVAILABLE),
    "57P03": (DatabaseUnavailable, UNAVAILABLE),
    "08000": (DatabaseUnavailable, UNAVAILABLE),
    "08003": (DatabaseUnavailable, UNAVAILABLE),
    "08006": (DatabaseUnavailable, UNAVAILABLE),
    "42P01": (DatabaseNotMigrated, NOT_MIGRATED),
    "42703": (DatabaseNotMigrated, NOT_MIGRATED),
}


@contextmanager
def named_faults() -> Iterator[None]:
    """Let faults of the database out of the block as the ledger's errors."""
    try:
        yield
    except DBAPIError as error:
        fault = _fault(error)
        if fault is None:
            raise
        kind, message = fault
        raise kind(message) from error
    except PoolTimeoutError as error:
        raise DatabaseBusy("all connections are in use: try again") from error


def _fault(error: DBAPIError) -> tuple[type[LedgerError], str] | None:
    origin = error.orig
    if isinstance(origin, sqlite3.Error):
        return _sqlite_fault(origin)
    state = getattr(origin, "sqlstate", None)
    if isinstance(state, str):
        return POSTGRESQL_FAULTS.get(state)
    # A connection that failed or broke has no state: the server never answered.
    return (DatabaseUnavailable, UNAVAILABLE) if isinstance(error, OperationalError) else None


def _sqlite_fault(error: sqlite3.Error) -> tuple[type[LedgerError], str] | None:
    if any(words in str(error) for words in SQLITE_MISSING):
        return DatabaseNotMigrated, NOT_MIGRATED
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else SQLITE_FAULTS.get(code & SQLITE_PRIMARY_CODE)
