"""Appends an event of review and projects it, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from arena.moderation import Actor
from arena.ports import Ports
from arena.projection import project
from arena.review_events import ReviewEvent, review_event
from arena.visitor import Visitor
from ledger.ids import uuid4, uuid7

__all__ = ["record_by_moderator", "record_by_voter"]


def record_by_moderator(
    ports: Ports,
    conn: Connection,
    actor: Actor,
    event: ReviewEvent,
    *,
    now_us: int,
    private: Mapping[str, Any] | None = None,
) -> str:
    """Store what a moderator did, the name being private, and return the event's id."""
    made = review_event(
        event,
        event_id=uuid7(now_us, ports.rng),
        private={"name": actor.name, **(private or {})},
    )
    project(conn, ports.log.append(conn, made))
    return made.id


def record_by_voter(
    ports: Ports,
    conn: Connection,
    visitor: Visitor,
    event: ReviewEvent,
    *,
    text: str,
) -> str:
    """Store what a voter said and return the event's id; who, when and the words are private."""
    made = review_event(
        event,
        event_id=uuid4(ports.rng),
        private={"voter": visitor.voter, "at_us": visitor.now_us, "text": text},
        shuffled=True,
    )
    project(conn, ports.log.append(conn, made))
    return made.id
