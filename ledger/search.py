"""Events as a relation that rooms search by what their bodies say; nothing is changed here."""

from __future__ import annotations

from typing import Final

from sqlalchemy import JSON, ColumnElement, Connection, Subquery, Text, cast, func, select

from ledger import tables

__all__ = [
    "TIMED",
    "TIMED_ID",
    "body_fields",
    "body_text",
    "logged",
    "moment_us",
    "recorded",
    "recorded_for_moderators",
    "size_after",
    "size_before",
    "time_us",
    "uuid7_from",
]

_MICROSECONDS_PER_MILLISECOND: Final = 1_000
_UUID_VERSION_AT: Final = 14
_UUID7_TIME_DIGITS: Final = 12
TIMED: Final = "______________7%"
"""What a version 7 id is like."""

TIMED_ID: Final = 13
"""Characters of a version 7 id that tell its time, with the hyphen."""


def recorded() -> Subquery:
    """Return all events: seq, id, kind, version, stream, disclosure, body, idx.

    `idx` is the index in the public log, NULL while an event is not sequenced; `seq` is internal.
    """
    event, entry = tables.event.c, tables.log_entry
    columns = (
        event.seq,
        event.id,
        event.kind,
        event.version,
        event.stream,
        event.disclosure,
        event.body,
        entry.c.idx,
    )
    return (
        select(*columns)
        .join_from(tables.event, entry, entry.c.event_id == event.id, isouter=True)
        .subquery("recorded")
    )


def logged() -> Subquery:
    """Return the events in the public log alone, with the columns of `recorded`.

    A range of `idx` is read by the log, which `recorded` is not.
    """
    event, entry = tables.event.c, tables.log_entry.c
    columns = (event.seq, event.id, event.kind, event.version, event.stream, event.disclosure)
    return (
        select(*columns, event.body, entry.idx)
        .join_from(tables.log_entry, tables.event, entry.event_id == event.id)
        .subquery("logged")
    )


def size_before(conn: Connection, us: int) -> int:
    """Return the log's size at the last checkpoint before any that was signed after a time."""
    signed = tables.log_checkpoint.c
    first = select(signed.size).where(signed.signed_us > us).order_by(signed.size).limit(1)
    earlier = select(func.max(signed.size)).where(signed.size < first.scalar_subquery())
    return conn.execute(earlier).scalar() or 0


def size_after(conn: Connection, idx: int, us: int) -> int | None:
    """Return the log's size at the first checkpoint signed so long after the one with an entry.

    Args:
        conn: to read with.
        idx: of the entry.
        us: how long after, in microseconds.

    Returns:
        None while there is no such checkpoint.
    """
    signed = tables.log_checkpoint.c
    holding = select(signed.signed_us).where(signed.size > idx).order_by(signed.size).limit(1)
    later = select(signed.size).where(
        signed.size > idx, signed.signed_us >= holding.scalar_subquery() + us
    )
    return conn.execute(later.order_by(signed.size).limit(1)).scalar()


def recorded_for_moderators() -> Subquery:
    """Return the same with `part`, the private part, and `about`, whom it is about; or NULL."""
    event, entry, private = tables.event.c, tables.log_entry, tables.event_private
    columns = (
        event.seq,
        event.id,
        event.kind,
        event.version,
        event.stream,
        event.disclosure,
        event.body,
        entry.c.idx,
        private.c.part,
        private.c.subject.label("about"),
    )
    return (
        select(*columns)
        .join_from(tables.event, entry, entry.c.event_id == event.id, isouter=True)
        .join(private, private.c.event_id == event.id, isouter=True)
        .subquery("recorded")
    )


def body_text(conn: Connection, body: ColumnElement[str], *path: str | int) -> ColumnElement[str]:
    """Return a field of a body as text, NULL where it is not there or null.

    Args:
        conn: says which database it is for.
        body: the column of canonical JSON.
        path: names of fields and places in lists.
    """
    if conn.dialect.name == "sqlite":
        return func.json_extract(body, _sqlite_path(path), type_=Text())
    return func.json_extract_path_text(cast(body, JSON), *map(str, path), type_=Text())


def body_fields(
    conn: Connection, body: ColumnElement[str], *paths: tuple[str | int, ...]
) -> ColumnElement[str]:
    """Return two or more fields of a body as one JSON list, for reading many bodies once each."""
    if conn.dialect.name == "sqlite":
        return func.json_extract(body, *map(_sqlite_path, paths), type_=Text())
    return cast(func.json_build_array(*(body_text(conn, body, *path) for path in paths)), Text)


def _sqlite_path(path: tuple[str | int, ...]) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def moment_us(event_id: str) -> int | None:
    """Return the time a version 7 id tells, in microseconds UTC; None for a random id."""
    return time_us(event_id[:TIMED_ID]) if event_id[_UUID_VERSION_AT] == "7" else None


def time_us(timed: str) -> int:
    """Return the time that the first `TIMED_ID` characters of a version 7 id tell."""
    return int(timed.replace("-", ""), 16) * _MICROSECONDS_PER_MILLISECOND


def uuid7_from(us: int) -> str:
    """Return the beginning of the smallest version 7 id of a moment, to compare ids with."""
    digits = f"{us // _MICROSECONDS_PER_MILLISECOND:0{_UUID7_TIME_DIGITS}x}"
    return f"{digits[:8]}-{digits[8:]}-7"
