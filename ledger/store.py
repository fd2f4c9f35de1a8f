"""The log as other rooms use it: append an event, read events back, erase a private part.

Appending takes no lock and no number of ours, so it can stand inside any transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    Connection,
    CursorResult,
    RowMapping,
    Select,
    delete,
    exists,
    func,
    insert,
    select,
)

from ledger import tables, tiles
from ledger.canonical import canonical, digest
from ledger.checkpoint import Head, SignedCheckpoint, proof_file
from ledger.errors import InvalidEvent
from ledger.event import SALT_BYTES, Disclosure, NewEvent, StoredEvent
from ledger.merkle import HASH_BYTES, NodeReader, consistency_proof, inclusion_proof

__all__ = [
    "Head",
    "Log",
    "SignedCheckpoint",
    "checkpoint_text",
    "consistency",
    "entries",
    "erase_private",
    "head",
    "index_of",
    "latest_checkpoint",
    "read_event",
    "read_private",
    "receipt",
    "replay",
    "sequenced",
    "tile",
]

# Written out, for building statements costs more than running them on the ballot's and vote's path.
INSERT_EVENT = (
    "INSERT INTO event (id, kind, version, stream, ruleset, disclosure, shuffled, body, body_salt,"
    " body_sha256, private_sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq"
)
INSERT_PRIVATE = "INSERT INTO event_private (event_id, salt, part, subject) VALUES (?, ?, ?, ?)"
NEWEST_CHECKPOINT = (
    "SELECT size, note, signed_us FROM log_checkpoint ORDER BY size DESC, signed_us DESC LIMIT 1"
)
INDEX_OF = "SELECT idx FROM log_entry WHERE event_id = ?"
INSERT_PENDING = "INSERT INTO event_pending (seq, event_id, leaf, shuffled) VALUES (?, ?, ?, ?)"

REPLAY_PAGE = 1_000  # events held in memory at a time


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
            _run(conn, INSERT_PRIVATE, (stored.id, private.salt, private.part, event.subject))
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
    return _run(conn, INSERT_EVENT, row).scalar_one()


def _run(conn: Connection, sql: str, row: tuple[object, ...]) -> CursorResult[int]:
    # psycopg marks parameters with %s where sqlite3 has a question mark.
    return conn.exec_driver_sql(
        sql if conn.dialect.name == "sqlite" else sql.replace("?", "%s"), row
    )


def read_event(conn: Connection, event_id: str) -> StoredEvent | None:
    """Return an event without its private part; None when there is none with this id."""
    found = select(tables.event).where(tables.event.c.id == event_id)
    row = conn.execute(found).mappings().one_or_none()
    return None if row is None else _event(row)


def replay(conn: Connection) -> Iterator[StoredEvent]:
    """Yield all events in true order, which is not that of the public log.

    Read models rebuilt from this are equal to those written along the way.
    """
    last = 0
    while True:
        page = select(tables.event).where(tables.event.c.seq > last)
        rows = conn.execute(page.order_by(tables.event.c.seq).limit(REPLAY_PAGE)).mappings().all()
        if not rows:
            return
        for row in rows:
            yield _event(row)
        last = rows[-1]["seq"]


def read_private(conn: Connection, event_id: str) -> dict[str, Any] | None:
    """Return an event's private part; None when it has none or it was erased."""
    private = tables.event_private.c
    part = conn.execute(select(private.part).where(private.event_id == event_id)).scalar()
    if part is None:
        return None
    parsed: dict[str, Any] = json.loads(part)
    return parsed


def erase_private(
    conn: Connection, event_id: str, *, reason: Literal["retention", "request"], now_us: int
) -> bool:
    """Erase an event's private part for good; its digest stays, so the log still verifies.

    The triggers let a part go only when `event_erasure` says why, which is written here.

    Returns:
        Whether there was a part to erase.
    """
    row = {"event_id": event_id, "reason": reason, "erased_us": now_us}
    if read_private(conn, event_id) is None:
        return False
    conn.execute(insert(tables.event_erasure), row)
    private = tables.event_private
    conn.execute(delete(private).where(private.c.event_id == event_id))
    return True


def index_of(conn: Connection, event_id: str) -> int | None:
    """Return an event's index in the public log; None while it is not sequenced."""
    return _run(conn, INDEX_OF, (event_id,)).scalar()


def sequenced(stream: str, kind: str, low: int, high: int) -> Select[tuple[str, int]]:
    """Return a query for (event_id, idx), low <= idx < high, to join a room's own tables with."""
    entry, event = tables.log_entry.c, tables.event
    # As a condition and not a join: else SQLite reads the whole stream to find a short range.
    wanted = exists(select(event.c.id)).where(
        event.c.id == entry.event_id, event.c.stream == stream, event.c.kind == kind
    )
    return select(entry.event_id, entry.idx).where(entry.idx >= low, entry.idx < high, wanted)


def head(conn: Connection) -> Head:
    """Return the head of the tree as sequenced, which may be ahead of the last checkpoint."""
    last_signed = select(func.max(tables.log_checkpoint.c.signed_us)).scalar_subquery()
    found = select(tables.log_head.c.size, tables.log_head.c.root, last_signed.label("signed_us"))
    row = conn.execute(found).one()
    return Head(row.size, bytes.fromhex(row.root), row.signed_us)


def latest_checkpoint(conn: Connection) -> SignedCheckpoint | None:
    """Return the newest checkpoint; None before the first."""
    row = conn.exec_driver_sql(NEWEST_CHECKPOINT).one_or_none()
    return None if row is None else SignedCheckpoint(row.size, row.note, row.signed_us)


def checkpoint_text(conn: Connection) -> str | None:
    """Return what `/log/checkpoint` answers; None before the first checkpoint."""
    newest = latest_checkpoint(conn)
    return None if newest is None else newest.note


def tile(conn: Connection, level: int, index: int, width: int = tiles.TILE_WIDTH) -> bytes | None:
    """Return a tile's hashes; None when the signed tree has no such tile.

    Args:
        conn: to read with.
        level: from 0, the leaves.
        index: of the tile within its level.
        width: hashes asked for, 256 for the full tile.
    """
    newest = latest_checkpoint(conn)
    if newest is None or not 0 < width <= tiles.width_at(level, index, newest.size):
        return None
    return _stored_tile(conn, level, index)[: width * HASH_BYTES]


def entries(conn: Connection, n: int, width: int = tiles.TILE_WIDTH) -> bytes | None:
    """Return entry bundle n with so many entries; None when the signed tree lacks them."""
    newest = latest_checkpoint(conn)
    if newest is None or not 0 < width <= tiles.width_at(0, n, newest.size):
        return None
    event, entry = tables.event, tables.log_entry
    first = n * tiles.TILE_WIDTH
    bundled = (
        select(event)
        .join_from(entry, event, entry.c.event_id == event.c.id)
        .where(entry.c.idx >= first, entry.c.idx < first + width)
        .order_by(entry.c.idx)
    )
    return tiles.bundle(_event(row).leaf for row in conn.execute(bundled).mappings())


def receipt(conn: Connection, event_id: str) -> str | None:
    """Return an event's `.tlog-proof` with its body; None until a checkpoint covers it.

    The body is in it: ask first whether the reader may see it.
    """
    index, newest = index_of(conn, event_id), latest_checkpoint(conn)
    event = read_event(conn, event_id)
    if index is None or event is None or newest is None or index >= newest.size:
        return None
    return proof_file(event, index, inclusion_proof(index, newest.size, _nodes(conn)), newest.note)


def consistency(conn: Connection, old: int, new: int) -> list[bytes]:
    """Return the proof that the tree of size old begins that of size new."""
    return consistency_proof(old, new, _nodes(conn))


def _nodes(conn: Connection) -> NodeReader:
    return tiles.node_reader(lambda level, index: _stored_tile(conn, level, index))


def _stored_tile(conn: Connection, level: int, index: int) -> bytes:
    stored = tables.log_tile.c
    found = select(stored.hashes).where(stored.level == level, stored.idx == index)
    return conn.execute(found).scalar() or b""


def _event(row: RowMapping) -> StoredEvent:
    fields = dict(row)
    text, disclosure = fields.pop("body"), Disclosure(fields.pop("disclosure"))
    return StoredEvent(body_text=text, disclosure=disclosure, **fields)
