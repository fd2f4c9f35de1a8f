"""Headers of months, states of models with their history, and the daily looks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MODES = "mode IN ('speed', 'expert')"
STATES = "state IN ('active', 'observing', 'eliminated', 'probation')"


def upgrade() -> None:
    """Make the lifecycle's tables."""
    op.create_table(
        "month_header",
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("month", sa.Text, primary_key=True),
        sa.Column("opened_us", BIG, nullable=False),
        sa.Column("basket", sa.Text, nullable=False),
    )
    op.create_table(
        "model_state",
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, sa.ForeignKey("model.slug"), primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("entered_us", BIG, nullable=False),
        sa.Column("entered_size", BIG, nullable=False),
        sa.Column("looks_below", sa.Integer, nullable=False),
        sa.CheckConstraint(MODES, name="mode"),
        sa.CheckConstraint(STATES, name="state"),
    )
    op.create_table(
        "state_change",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("model", sa.Text, sa.ForeignKey("model.slug"), nullable=False),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text),
        sa.Column("cause", sa.Text, nullable=False),
        sa.Column("at_us", BIG, nullable=False),
        sa.Column("numbers", sa.Text, nullable=False),
    )
    op.create_index("ix_state_change_model", "state_change", ["model"])
    op.create_table(
        "lifecycle_look",
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("at_us", BIG, nullable=False),
        sa.Column("board_id", sa.Text),
    )
