"""Private parts of many events at once: all that are about one subject, and all of old streams.

Each goes with its trace in `event_erasure`; the digest stays, so the log still verifies.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select

from ledger import tables

__all__ = [
    "Erased",
    "PrivatePart",
    "erase_about",
    "erase_streams",
    "erased_since",
    "events_about",
    "parts_about",
]


@dataclass(frozen=True, slots=True)
class PrivatePart:
    """A private part with its event's head; `salt` and `sha256` are hex."""

    event_id: str
    kind: str
    stream: str
    salt: str
    sha256: str
    part: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Erased:
    """How many private parts were erased for a reason, and when the last one was."""

    reason: str
    parts: int
    last_us: int


def erased_since(conn: Connection, since_us: int) -> tuple[Erased, ...]:
    """Count the private parts that were erased from a moment on, by reason."""
    erasure = tables.event_erasure.c
    query = (
        select(erasure.reason, func.count().label("parts"), func.max(erasure.erased_us).label("us"))
        .where(erasure.erased_us >= since_us)
        .group_by(erasure.reason)
        .order_by(erasure.reason)
    )
    return tuple(Erased(row.reason, row.parts, row.us) for row in conn.execute(query))


def parts_about(conn: Connection, subject: str) -> Iterator[PrivatePart]:
    """Yield every private part about a subject, in the order they were written."""
    event, private = tables.event.c, tables.event_private.c
    found = (
        select(event.id, event.kind, event.stream, private.salt, event.private_sha256, private.part)
        .join_from(tables.event_private, tables.event, event.id == private.event_id)
        .where(private.subject == subject)
        .order_by(event.seq)
    )
    for row in conn.execute(found):
        yield PrivatePart(
            event_id=row.id,
            kind=row.kind,
            stream=row.stream,
            salt=row.salt,
            sha256=row.private_sha256,
            part=json.loads(row.part),
        )


def events_about(conn: Connection, subject: str, kinds: Collection[str]) -> list[str]:
    """Return the ids of the events of some kinds whose private part is about a subject."""
    event, private = tables.event.c, tables.event_private.c
    found = (
        select(event.id)
        .join_from(tables.event_private, tables.event, event.id == private.event_id)
        .where(private.subject == subject, event.kind.in_(kinds))
        .order_by(event.seq)
    )
    return list(conn.execute(found).scalars())


def erase_about(conn: Connection, subject: str, *, now_us: int) -> int:
    """Erase every private part about a subject, at the subject's request; return how many."""
    private = tables.event_private.c
    return _erase(
        conn, select(private.event_id).where(private.subject == subject), "request", now_us
    )


def erase_streams(conn: Connection, prefix: str, before: str, *, limit: int, now_us: int) -> int:
    """Erase private parts of old streams for good, as the retention period asks.

    Args:
        conn: the transaction to erase in.
        prefix: streams' common beginning, `arena/speed/`.
        before: what follows it in the first stream that is kept, `2026-11`.
        limit: the most parts to erase in this call.
        now_us: of the erasure, for its trace.

    Returns:
        How many were erased; fewer than `limit` when none is left.
    """
    event, private = tables.event.c, tables.event_private.c
    old = (
        select(private.event_id)
        .join_from(tables.event_private, tables.event, event.id == private.event_id)
        .where(event.stream >= prefix, event.stream < prefix + before)
        .limit(limit)
    )
    return _erase(conn, old, "retention", now_us)


def _erase(conn: Connection, chosen: Select[tuple[str]], reason: str, now_us: int) -> int:
    private, erasure = tables.event_private, tables.event_erasure
    # Two erasures of the same part wait for each other; the second then finds it gone.
    ids = list(conn.execute(chosen.with_for_update(of=private)).scalars())
    if not ids:
        return 0
    rows = [{"event_id": each, "reason": reason, "erased_us": now_us} for each in ids]
    conn.execute(insert(erasure), rows)
    for low in range(0, len(ids), 500):  # parameters of one statement are limited
        conn.execute(delete(private).where(private.c.event_id.in_(ids[low : low + 500])))
    return len(ids)
