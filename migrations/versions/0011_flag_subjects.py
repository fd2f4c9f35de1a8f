"""Flags are told apart by a digest of their voters' names: an index takes no campaign's names."""

from __future__ import annotations

from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of flags anew, since SQLite drops no key of a table; keep their rows."""
    conn = op.get_bind()
    flags, votes = (
        [dict(row) for row in conn.execute(sa.text(f"SELECT * FROM {name}")).mappings()]  # noqa: S608
        for name in ("flag", "flag_vote")
    )
    op.drop_table("flag_vote")
    op.drop_table("flag")
    _make()
    for row in flags:
        row["discounts"] = bool(row["discounts"])  # SQLite says 0 or 1
        row["subject_sha256"] = sha256(row["subject"].encode()).hexdigest()
    made = sa.MetaData()
    made.reflect(conn, only=("flag", "flag_vote"))
    for name, rows in (("flag", flags), ("flag_vote", votes)):
        if rows:
            conn.execute(sa.insert(made.tables[name]), rows)


def _make() -> None:
    op.create_table(
        "flag",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("detector", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("hour", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("subject_sha256", sa.Text, nullable=False),
        sa.Column("look", sa.Integer, nullable=False),
        sa.Column("statistic", sa.Text, nullable=False),
        sa.Column("threshold", sa.Text, nullable=False),
        sa.Column("p_value", sa.Text),
        sa.Column("numbers", sa.Text, nullable=False),
        sa.Column("discounts", sa.Boolean, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.CheckConstraint("mode IN ('speed', 'expert')", name="mode"),
        sa.CheckConstraint("state IN ('open', 'upheld', 'dismissed')", name="state"),
        sa.UniqueConstraint("detector", "mode", "month", "subject_sha256", "look"),
    )
    op.create_index("ix_flag_state", "flag", ["state"])
    op.create_table(
        "flag_vote",
        sa.Column("flag_id", sa.Text, sa.ForeignKey("flag.id"), primary_key=True),
        sa.Column("vote_id", sa.Text, primary_key=True),
    )
    op.create_index("ix_flag_vote_vote", "flag_vote", ["vote_id"])
