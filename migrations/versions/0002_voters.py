"""Voters with their quotas, and the refusals by rate that wait to be folded into one event.

Operational tables: the log does not hold what they hold, so a backup must.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "voter",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("created_us", BIG, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("votes", BIG, nullable=False),
        sa.Column("ballots", BIG, nullable=False),
        sa.Column("skips", BIG, nullable=False),
        sa.Column("last_vote_us", BIG, nullable=True),
        sa.Column("banned_us", BIG, nullable=True),
        sa.Column("consent", sa.Text(), nullable=True),
        sa.CheckConstraint("consent IN ('yes', 'no')", name=op.f("ck_voter_consent")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_voter")),
    )
    op.create_table(
        "refusal_tally",
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("minute_us", BIG, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("refusals", BIG, nullable=False),
        sa.CheckConstraint("scope IN ('ballots', 'reading')", name=op.f("ck_refusal_tally_scope")),
        sa.PrimaryKeyConstraint("address", "minute_us", "scope", name=op.f("pk_refusal_tally")),
    )
