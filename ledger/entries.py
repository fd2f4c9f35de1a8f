"""Many events at once with their places in the public log, for what one voter may see whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select

from ledger import tables

__all__ = ["Entry", "entries_of"]

_AT_ONCE: Final = 500  # parameters of one statement are limited


@dataclass(frozen=True, slots=True)
class Entry:
    """An event's body with what proves it; `index` is None while it is not sequenced."""

    event_id: str
    body_text: str
    body_salt: str
    body_sha256: str
    index: int | None


def entries_of(conn: Connection, ids: Sequence[str]) -> Iterator[Entry]:
    """Yield the events that have these ids, in no order that tells anything."""
    event, place = tables.event, tables.log_entry
    wanted = select(
        event.c.id, event.c.body, event.c.body_salt, event.c.body_sha256, place.c.idx
    ).outerjoin_from(event, place, place.c.event_id == event.c.id)
    for low in range(0, len(ids), _AT_ONCE):
        page = wanted.where(event.c.id.in_(ids[low : low + _AT_ONCE]))
        for row in conn.execute(page):
            yield Entry(row.id, row.body, row.body_salt, row.body_sha256, row.idx)
