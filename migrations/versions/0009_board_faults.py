"""Boards beside the official one that failed and wait for a success."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
VIEWS = "'official', 'extended', 'style', 'makers', 'head_to_head', 'checks'"


def upgrade() -> None:
    """Make the table of faults."""
    op.create_table(
        "board_fault",
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("month", sa.Text, primary_key=True),
        sa.Column("view", sa.Text, primary_key=True),
        sa.Column("category", sa.Text, primary_key=True),
        sa.Column("since_us", BIG, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.CheckConstraint("mode IN ('speed', 'expert')", name="mode"),
        sa.CheckConstraint(f"view IN ({VIEWS})", name="view"),
    )
