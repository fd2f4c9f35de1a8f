"""Which networks an answer was revealed to, so that one line cannot wear out the pool."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "reveal_network",
        sa.Column("answer_id", sa.Text, primary_key=True),
        sa.Column("network", sa.Text, primary_key=True),
        sa.Column("month", sa.Text, nullable=False),
    )
    op.create_index("ix_reveal_network_month", "reveal_network", ["month"])
