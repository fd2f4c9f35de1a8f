"""The log as other rooms use it: append an event, read events back, erase a private part.

Appending takes no lock and no number of ours, so it can stand inside any transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, CursorResult

from ledger.canonical import canonical, digest
from ledger.errors import InvalidEvent
from ledger.event import SALT_BYTES, NewEvent, StoredEvent

__all__ = ["Log"]

# Written out, for building statements costs more than running them on the vote's path.
INSERT_EVENT = (
    "INSERT INTO event (id, kind, version, stream, ruleset, disclosure, shuffled, body, body_salt,"
    " body_sha256, private_sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq"
)
INSERT_PRIVATE = "INSERT INTO event_private (event_id, salt, part) VALUES (?, ?, ?)"
INSERT_PENDING = "INSERT INTO event_pending (seq, event_id, leaf, shuffled) VALUES (?, ?, ?, ?)"


class Sealed(NamedTuple):
    """One part of an event with its salt and digest, all as text."""

    salt: str
    part: str
    sha256: str


class Log:
    """Writes events.

    Args:
        salts: gives a new random salt of `SALT_BYTES` bytes at each call.
    """

    def __init__(self, salts: Callable[[], bytes]) -> None:
        self._salts = salts

    def append(self, conn: Connection, event: NewEvent) -> StoredEvent:
        """Store an event inside the caller's transaction, in two or three statements.

        On PostgreSQL take the row locks that the event depends on before this call: only then is
        the order of `seq` the order in which the changes took effect.

        Raises:
            NotCanonical: when body or private part cannot be hashed.
            EntryTooLarge: when the log entry would be too long.
            InvalidEvent: when a salt has a wrong length.
            sqlalchemy.exc.IntegrityError: when an event with this id is there already.
        """
        body = self._seal(event.body)
        private = None if event.private is None else self._seal(event.private)
        stored = StoredEvent(
            seq=0,
            id=event.id,
            kind=event.kind,
            version=event.version,
            stream=event.stream,
            ruleset=event.ruleset,
            disclosure=event.disclosure,
            shuffled=event.shuffled,
            body_text=body.part,
            body_salt=body.salt,
            body_sha256=body.sha256,
            private_sha256=None if private is None else private.sha256,
        )
        leaf = stored.leaf.decode()
        stored = replace(stored, seq=_insert_event(conn, stored))
        if private is not None:
            _run(conn, INSERT_PRIVATE, (stored.id, private.salt, private.part))
        _run(conn, INSERT_PENDING, (stored.seq, stored.id, leaf, stored.shuffled))
        return stored

    def _seal(self, part: Mapping[str, object]) -> Sealed:
        salt = self._salts()
        if len(salt) != SALT_BYTES:
            raise InvalidEvent(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
        text = canonical(part)
        return Sealed(salt.hex(), text.decode(), digest(salt, text))


def _insert_event(conn: Connection, event: StoredEvent) -> int:
    row = (
        event.id,
        event.kind,
        event.version,
        event.stream,
        event.ruleset,
        event.disclosure.value,
        event.shuffled,
        event.body_text,
        event.body_salt,
        event.body_sha256,
        event.private_sha256,
    )
    seq: int = _run(conn, INSERT_EVENT, row).scalar_one()
    return seq


def _run(conn: Connection, sql: str, row: tuple[object, ...]) -> CursorResult[Any]:
    # psycopg marks parameters with %s where sqlite3 has a question mark.
    return conn.exec_driver_sql(
        sql if conn.dialect.name == "sqlite" else sql.replace("?", "%s"), row
    )
