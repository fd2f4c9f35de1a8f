"""Votes whose reading time a clock set back left untold are counted as checks that did not run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table anew, since SQLite changes no check of a table; keep its rows."""
    conn = op.get_bind()
    query = sa.text("SELECT hour, name, requests FROM unrun_check")
    rows = [dict(row) for row in conn.execute(query).mappings()]
    op.drop_table("unrun_check")
    made = op.create_table(
        "unrun_check",
        sa.Column("hour", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("requests", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.CheckConstraint("name IN ('request_limit', 'address', 'device', 'clock')", name="name"),
    )
    if rows:
        conn.execute(sa.insert(made), rows)
