"""The audit log: all of it for moderators, counts and finished months for everybody (V-127, V-143).

Moderators page by true order; the public pages by index in the log, for true order tells the minute
of a vote.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlalchemy import ColumnElement, Connection, case, func, select

from antiabuse.utc import hour_of
from arena import review_rules
from arena.audit_filter import AuditFilter, conditions, streams
from arena.audit_rows import AuditRow, audit_rows
from arena.audit_span import span_of
from arena.ballot_events import ANY_MODE, arena_stream
from arena.boards import MODES
from arena.closed_months import is_archived
from arena.errors import NotArchived
from ledger import search
from ledger.event import Disclosure
from ledger.search import body_fields, logged, recorded, recorded_for_moderators

__all__ = [
    "AuditPage",
    "Count",
    "LoggedCounts",
    "Order",
    "Reading",
    "every_row_for_moderators",
    "every_row_in_public",
    "logged_counts",
    "public_rows",
    "row_for_moderators",
    "rows_for_moderators",
    "told_counts",
]

Order = Literal["oldest", "newest"]
Reading = Callable[[], AbstractContextManager[Connection]]
"""Opens a connection to read with, such as `Database.read`."""

LoggedCounts = Counter[tuple[str, str, str | None]]
"""Events by kind, hour and reason."""

_EXPORT_ROWS: Final = 500  # rows of an export held in memory at a time


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Lines of the audit log; `next` is where the following page begins, if there is one."""

    rows: tuple[AuditRow, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class Count:
    """How often something of one kind and reason happened in one hour."""

    kind: str
    hour: str
    reason: str | None
    count: int


def rows_for_moderators(
    conn: Connection,
    wanted: AuditFilter,
    after: int | None = None,
    limit: int | None = None,
    order: Order = "oldest",
) -> AuditPage:
    """Return a page of everything that happened, with its private parts.

    Args:
        conn: to read with.
        wanted: which events.
        after: the `next` of the page before; None for the first.
        limit: rows of the page; as the rules say unless told.
        order: by true order, which never changes.
    """
    return _page(conn, wanted, after, limit, order)


def row_for_moderators(conn: Connection, event_id: str) -> AuditRow | None:
    """Return one event of a month with its private part; None where there is no such event."""
    events = recorded_for_moderators()
    query = select(events).where(
        events.c.id == event_id, events.c.stream.startswith("arena/", autoescape=True)
    )
    found = audit_rows(conn, conn.execute(query).all(), private=True)
    return found[0] if found else None


def public_rows(
    conn: Connection,
    wanted: AuditFilter,
    after: int | None = None,
    limit: int | None = None,
    order: Order = "oldest",
) -> AuditPage:
    """Return a page of an archived month's events, by index in the log; arguments as above.

    Raises:
        NotArchived: the filter names no month, or one whose archive is not out.
    """
    if wanted.month is None or not is_archived(conn, wanted.month):
        raise NotArchived("rows are public once the month's archive is out")
    most = limit or review_rules.current().page_rows
    keys = _public_keys(conn, wanted, after, most + 1, order)
    events = logged()
    page = select(events).where(events.c.idx.in_(keys[:most])).order_by(_by(events.c.idx, order))
    rows = audit_rows(conn, conn.execute(page).all(), private=False)
    return AuditPage(rows, rows[-1].place if len(keys) > most else None)


def _public_keys(
    conn: Connection, wanted: AuditFilter, after: int | None, most: int, order: Order
) -> list[int]:
    """Find the page's indexes: along the log, unless few events are asked for."""
    events = logged()
    by_kind = wanted.is_rare and not wanted.is_of_one
    kept = wanted if by_kind else replace(wanted, kinds=())
    open_bodies = (Disclosure.AT_ONCE.value, Disclosure.ARCHIVE.value)
    where = [
        *conditions(conn, events, kept, private=False),
        events.c.disclosure.in_(open_bodies),
    ]
    if after is not None:
        where.append(events.c.idx > after if order == "oldest" else events.c.idx < after)
    if by_kind:
        return _keys(conn, events.c.idx, streams(events, wanted), where, most, order)
    if not wanted.is_of_one:
        low, high = span_of(conn, str(wanted.month))
        where.append(events.c.idx >= low)
        if high is not None:
            where.append(events.c.idx < high)
    # As expressions, which no index has: else SQLite reads whole streams to find a few entries.
    stream, kind = events.c.stream.concat(""), events.c.kind.concat("")
    if wanted.kinds:
        where.append(kind.in_(wanted.kinds))
    modes = (*MODES, ANY_MODE) if wanted.mode is None else (wanted.mode,)
    within = stream.in_([arena_stream(mode, str(wanted.month)) for mode in modes])
    return _keys(conn, events.c.idx, [within], where, most, order)


def _page(
    conn: Connection,
    wanted: AuditFilter,
    after: int | None,
    limit: int | None,
    order: Order,
) -> AuditPage:
    """Find the page's keys in each stream by its index, then read those events alone."""
    events = recorded_for_moderators()
    key, most = events.c.seq, limit or review_rules.current().page_rows
    where = conditions(conn, events, wanted, private=True)
    if after is not None:
        where = [*where, key > after if order == "oldest" else key < after]
    keys = _keys(conn, key, streams(events, wanted), where, most + 1, order)
    page = select(events).where(key.in_(keys[:most])).order_by(_by(key, order))
    rows = audit_rows(conn, conn.execute(page).all(), private=True)
    return AuditPage(rows, rows[-1].place if len(keys) > most else None)


def _keys(
    conn: Connection,
    key: ColumnElement[int],
    each_stream: Sequence[ColumnElement[bool]],
    where: list[ColumnElement[bool]],
    most: int,
    order: Order,
) -> list[int]:
    keys: list[int] = []
    for stream in each_stream:
        query = select(key).where(stream, *where).order_by(_by(key, order)).limit(most)
        keys.extend(conn.execute(query).scalars())
    return sorted(keys, reverse=order == "newest")[:most]


def _by(key: ColumnElement[int], order: Order) -> ColumnElement[int]:
    return key if order == "oldest" else key.desc()


def every_row_for_moderators(reading: Reading, wanted: AuditFilter) -> Iterator[AuditRow]:
    """Yield all rows that a filter keeps, for a file; each page is read with its own connection.

    So none is held while a slow reader takes the rows.
    """
    page = AuditPage((), -1)
    while page.next is not None:
        with reading() as conn:
            page = rows_for_moderators(conn, wanted, page.next, _EXPORT_ROWS)
        yield from page.rows


def every_row_in_public(reading: Reading, wanted: AuditFilter) -> Iterator[AuditRow]:
    """Yield all rows of an archived month that a filter keeps, read as for moderators.

    Raises:
        NotArchived: as for `public_rows`, at the first row.
    """
    page = AuditPage((), -1)
    while page.next is not None:
        with reading() as conn:
            page = public_rows(conn, wanted, page.next, _EXPORT_ROWS)
        yield from page.rows


def logged_counts(conn: Connection, month: str, low: int, high: int) -> LoggedCounts:
    """Count a month's events by kind, hour and reason in entries low <= index < high of the log."""
    events = recorded()
    fields = body_fields(
        conn,
        events.c.body,
        ("hour",),
        ("reason",),
        ("reasons", 0),
        ("detector",),
        ("cause",),
    )
    timed = case((events.c.id.like(search.TIMED), func.substr(events.c.id, 1, search.TIMED_ID)))
    # As an expression, which no index has: else SQLite reads whole streams to find a few entries.
    stream = events.c.stream if low == 0 else events.c.stream.concat("")
    logged = select(events.c.kind, timed.label("timed"), fields.label("fields")).where(
        stream.in_([arena_stream(mode, month) for mode in (*MODES, ANY_MODE)]),
        events.c.idx >= low,
        events.c.idx < high,
    )
    # Counted here: the database would sort all of them first.
    seen = Counter((row.kind, row.timed, row.fields) for row in conn.execute(logged))
    counted: LoggedCounts = Counter()
    for (kind, began, found), number in seen.items():
        told, *reasons = json.loads(found)
        hour = told or ("" if began is None else hour_of(search.time_us(began)))
        counted[kind, hour, next(filter(None, reasons), None)] += number
    return counted


def told_counts(counted: LoggedCounts, now_us: int) -> tuple[Count, ...]:
    """Return what everybody is told of the counts, in order of hours (V-143).

    Only hours that are over are told, so that nobody learns a vote's reason by watching; but for an
    hour's last events, logged minutes after its end, the answer changes once an hour.
    """
    present = hour_of(now_us)
    return tuple(
        Count(*key, count)
        for key, count in sorted(counted.items(), key=lambda each: _in_order(each[0]))
        if key[1] < present
    )


def _in_order(key: tuple[str, str, str | None]) -> tuple[str, str, str]:
    kind, hour, reason = key
    return hour, kind, reason or ""
