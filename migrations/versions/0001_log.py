"""The append-only event log: events, private parts, public order, tiles, head, checkpoints.

Made once and never altered in place: later migrations add beside it, and none uses batch mode on
these tables, which would drop their triggers.
"""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

from ledger import triggers

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
EMPTY_ROOT = hashlib.sha256(b"").hexdigest()


def upgrade() -> None:
    """Make the log's tables, close them, and set the head of the empty tree."""
    create_events()
    create_log()
    bind = op.get_bind()
    for statement in triggers.statements(
        "sqlite" if bind.dialect.name == "sqlite" else "postgresql"
    ):
        bind.exec_driver_sql(statement)
    op.execute(
        "INSERT INTO log_head (id, size, root, last_shuffled_us)"  # noqa: S608 - a constant
        f" VALUES (1, 0, '{EMPTY_ROOT}', 0)"
    )


def create_events() -> None:
    """Make the tables that `append` writes and that erasures touch."""
    op.create_table(
        "event",
        sa.Column("seq", BIG, sa.Identity(always=True), primary_key=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("stream", sa.Text, nullable=False),
        sa.Column("ruleset", sa.Text, nullable=False),
        sa.Column("disclosure", sa.Text, nullable=False),
        sa.Column("shuffled", sa.Boolean, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("body_salt", sa.Text, nullable=False),
        sa.Column("body_sha256", sa.Text, nullable=False),
        sa.Column("private_sha256", sa.Text),
        sa.UniqueConstraint("id"),
        sa.CheckConstraint("seq > 0", name="seq"),
        sa.CheckConstraint(
            "disclosure IN ('at_once', 'publication', 'settlement', 'archive', 'retirement')",
            name="disclosure",
        ),
    )
    op.create_index("ix_event_stream_seq", "event", ["stream", "seq"])
    op.create_table(
        "event_private",
        sa.Column("event_id", sa.Text, sa.ForeignKey("event.id"), primary_key=True),
        sa.Column("salt", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
    )
    op.create_table(
        "event_erasure",
        sa.Column("event_id", sa.Text, sa.ForeignKey("event.id"), primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("erased_us", BIG, nullable=False),
        sa.CheckConstraint("reason IN ('retention', 'request')", name="reason"),
    )
    op.create_table(
        "event_pending",
        sa.Column("seq", BIG, primary_key=True, autoincrement=False),
        sa.Column("event_id", sa.Text, sa.ForeignKey("event.id"), nullable=False),
        sa.Column("leaf", sa.Text, nullable=False),
        sa.Column("shuffled", sa.Boolean, nullable=False),
        sa.UniqueConstraint("event_id"),
    )


def create_log() -> None:
    """Make the tables that the sequencer writes."""
    op.create_table(
        "log_entry",
        sa.Column("idx", BIG, primary_key=True, autoincrement=False),
        sa.Column("event_id", sa.Text, sa.ForeignKey("event.id"), nullable=False),
        sa.UniqueConstraint("event_id"),
    )
    op.create_table(
        "log_tile",
        sa.Column("level", BIG, nullable=False),
        sa.Column("idx", BIG, nullable=False),
        sa.Column("hashes", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("level", "idx"),
    )
    op.create_table(
        "log_head",
        sa.Column("id", BIG, primary_key=True, autoincrement=False),
        sa.Column("size", BIG, nullable=False),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("last_shuffled_us", BIG, nullable=False),
        sa.CheckConstraint("id = 1", name="id"),
    )
    op.create_table(
        "log_checkpoint",
        sa.Column("size", BIG, nullable=False),
        sa.Column("signed_us", BIG, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("size", "signed_us"),
    )
