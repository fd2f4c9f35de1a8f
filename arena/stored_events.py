"""Reads events that read models name, and so must be in the log."""

from __future__ import annotations

from sqlalchemy import Connection

from ledger import store
from ledger.event import StoredEvent

__all__ = ["stored_event"]


def stored_event(conn: Connection, event_id: str) -> StoredEvent:
    """Return an event without its private part.

    Raises:
        LookupError: there is none with this id, so the read model is not of this log.
    """
    event = store.read_event(conn, event_id)
    if event is None:
        raise LookupError(f"the event {event_id} is not in the log")
    return event
