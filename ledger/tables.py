"""The log's tables. Only the doors that `pyproject.toml` lists may import them.

Triggers (ledger/triggers.py) keep rows as they were written; migration 0001 makes both.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from ledger.event import Disclosure
from ledger.schema import BigInt, Microseconds, closed_set, metadata

__all__ = [
    "event",
    "event_erasure",
    "event_pending",
    "event_private",
    "log_checkpoint",
    "log_entry",
    "log_head",
    "log_tile",
]

event = Table(
    "event",
    metadata,
    Column("seq", BigInt, Identity(always=True), primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("version", BigInt, nullable=False),
    Column("stream", Text, nullable=False),
    Column("ruleset", Text, nullable=False),
    Column("disclosure", Text, nullable=False),
    Column("shuffled", Boolean, nullable=False),
    Column("body", Text, nullable=False),
    Column("body_salt", Text, nullable=False),
    Column("body_sha256", Text, nullable=False),
    Column("private_sha256", Text),
    # SQLite gives -1 to a trigger for a number it has yet to choose, so no row may have it.
    CheckConstraint("seq > 0", name="seq"),
    closed_set("disclosure", *Disclosure),
)
"""Every event, in true order by `seq`."""

Index("ix_event_stream_seq", event.c.stream, event.c.seq)
Index("ix_event_kind_stream", event.c.kind, event.c.stream, event.c.seq)

event_private = Table(
    "event_private",
    metadata,
    Column("event_id", Text, ForeignKey("event.id"), primary_key=True),
    Column("salt", Text, nullable=False),
    Column("part", Text, nullable=False),
    Column("subject", Text),  # whom the part is about, so that all of theirs can be found
)
"""What only moderators see; a row goes once `event_erasure` names it."""

Index("ix_event_private_subject", event_private.c.subject)

event_erasure = Table(
    "event_erasure",
    metadata,
    Column("event_id", Text, ForeignKey("event.id"), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("erased_us", Microseconds, nullable=False),
    closed_set("reason", "retention", "request"),
)
"""Which private parts were erased, why and when."""

event_pending = Table(
    "event_pending",
    metadata,
    Column("seq", BigInt, primary_key=True, autoincrement=False),
    Column("event_id", Text, ForeignKey("event.id"), nullable=False, unique=True),
    Column("leaf", Text, nullable=False),
    Column("shuffled", Boolean, nullable=False),
)
"""Events not sequenced yet; `append` fills it, the sequencer empties it."""

log_entry = Table(
    "log_entry",
    metadata,
    Column("idx", BigInt, primary_key=True, autoincrement=False),
    Column("event_id", Text, ForeignKey("event.id"), nullable=False, unique=True),
)
"""The public order: index in the Merkle tree → event."""

log_tile = Table(
    "log_tile",
    metadata,
    Column("level", BigInt, nullable=False),
    Column("idx", BigInt, nullable=False),
    Column("hashes", LargeBinary, nullable=False),
    PrimaryKeyConstraint("level", "idx"),
)
"""C2SP tiles: up to 256 hashes each; the last one of a level grows, the others are full."""

log_head = Table(
    "log_head",
    metadata,
    Column("id", BigInt, primary_key=True, autoincrement=False),
    Column("size", BigInt, nullable=False),
    Column("root", Text, nullable=False),
    Column("last_shuffled_us", Microseconds, nullable=False),
    CheckConstraint("id = 1", name="id"),
)
"""One row: the tree's size and root (hex), and when the last shuffled batch was taken."""

log_checkpoint = Table(
    "log_checkpoint",
    metadata,
    Column("size", BigInt, nullable=False),
    Column("signed_us", Microseconds, nullable=False),
    Column("note", Text, nullable=False),
    PrimaryKeyConstraint("size", "signed_us"),
)
"""Every checkpoint signed, as the whole signed note."""
