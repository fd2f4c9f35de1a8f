"""When erasing last began, so that a clock far ahead of it is noticed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "retention_run",
        sa.Column("job", sa.Text, primary_key=True),
        sa.Column("at_us", BIG, nullable=False),
        sa.CheckConstraint("job IN ('erase_old')", name="job"),
    )
