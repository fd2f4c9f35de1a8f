"""Fits that failed and wait for a success, and an index for a month's history of boards."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
HISTORY = ["mode", "month", "view", "category", "computed_us", "log_size"]


def upgrade() -> None:
    """Make the table of faults and the index."""
    op.create_table(
        "fit_fault",
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("since_us", BIG, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.CheckConstraint("mode IN ('speed', 'expert')", name="mode"),
    )
    op.create_index("ix_board_history", "board", HISTORY)
