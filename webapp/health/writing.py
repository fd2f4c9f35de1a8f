"""Whether the database and its disk take writes: tried now and then, for anybody may ask.

A check that could not run is told as such and is no fault (V-168).
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from flask import Flask, current_app
from sqlalchemy.exc import DBAPIError

from ledger.database import Database
from ledger.errors import DatabaseBusy, LedgerError
from ledger.write_check import CouldNotCheck, WriteCheck

__all__ = ["UNCHECKED", "Writing", "init_writing", "writing_states"]

_EXTENSION: Final = "arena_writing"
UNCHECKED: Final = "unchecked"
_EVERY_S: Final = 5.0
_SCRATCH_BYTES: Final = 64 * 1024  # more than one vote takes
_REFUSALS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})


class Writing:
    """The state of a database's writing, by the name of each check.

    Args:
        database: the one that votes go to.
        elapsed: seconds of a clock that only goes forward.
    """

    def __init__(self, database: Database, elapsed: Callable[[], float] = time.monotonic) -> None:
        self._check = WriteCheck(database)
        self._folder = _folder(database)
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._next = elapsed()
        self._states: Mapping[str, str] = {"writes": UNCHECKED}

    def states(self) -> Mapping[str, str]:
        """Return `ok`, `unchecked` or the fault's name for each check, at most seconds old."""
        if self._elapsed() >= self._next and self._lock.acquire(blocking=False):
            try:
                self._states = self._try_all()
                self._next = self._elapsed() + _EVERY_S
            finally:
                self._lock.release()
        return self._states

    def _try_all(self) -> dict[str, str]:
        states = {"writes": _write(self._check)}
        if self._folder is not None:
            states["disk"] = _fill(self._folder)
        return states


def init_writing(app: Flask, database: Database) -> None:
    """Let an application ask about its database."""
    app.extensions[_EXTENSION] = Writing(database)


def writing_states() -> Mapping[str, str]:
    """Return the states of the database of the application at work."""
    writing: Writing = current_app.extensions[_EXTENSION]
    return writing.states()


def _folder(database: Database) -> Path | None:
    """Return the folder whose disk votes go to; None for a server, whose disk is elsewhere."""
    path = database.url.database
    return Path(path).parent if database.dialect == "sqlite" and path else None


def _write(check: WriteCheck) -> str:
    try:
        check.run()
    except (CouldNotCheck, DatabaseBusy):
        return UNCHECKED
    except (LedgerError, DBAPIError) as error:
        return type(error).__name__
    return "ok"


def _fill(folder: Path) -> str:
    """Write a nameless file: what SQLite rolls back never reaches the disk."""
    try:
        with TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(_SCRATCH_BYTES))
            os.fsync(file.fileno())
    except OSError as error:
        code = error.errno or 0
        return errno.errorcode[code] if code in _REFUSALS else UNCHECKED
    return "ok"
