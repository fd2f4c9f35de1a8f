"""Ballots, votes and boards, and who holds which ballot."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MODES = "mode IN ('speed', 'expert')"
VIEWS = "view IN ('official', 'extended', 'style', 'makers', 'head_to_head', 'checks')"


def upgrade() -> None:
    """Make the tables of ballots, votes and boards."""
    create_ballots()
    create_votes()
    create_boards()


def create_ballots() -> None:
    """Make the tables an issued ballot is written to."""
    op.create_table(
        "ballot",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("hour", sa.Text, nullable=False),
        sa.Column("question_id", sa.Text, sa.ForeignKey("question.id"), nullable=False),
        sa.Column("voter", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("will_not_count", sa.Text),
        sa.Column("board_id", sa.Text),
        sa.Column("set_probability", sa.Text, nullable=False),
        sa.CheckConstraint(MODES, name="mode"),
        sa.CheckConstraint("state IN ('open', 'voted', 'skipped', 'withdrawn')", name="state"),
    )
    op.create_table(
        "ballot_slot",
        sa.Column("ballot_id", sa.Text, sa.ForeignKey("ballot.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("slot_id", sa.Text, nullable=False),
        sa.Column("answer_id", sa.Text, sa.ForeignKey("answer.id"), nullable=False),
        sa.Column("model", sa.Text, sa.ForeignKey("model.slug"), nullable=False),
        sa.UniqueConstraint("slot_id"),
    )
    op.create_table(
        "ballot_holder",
        sa.Column("ballot_id", sa.Text, primary_key=True),
        sa.Column("voter_id", sa.Text, nullable=False),
        sa.Column("route", sa.Text, nullable=False),
        sa.Column("issued_us", BIG, nullable=False),
        sa.UniqueConstraint("route"),
    )
    op.create_index("ix_ballot_holder_voter_issued", "ballot_holder", ["voter_id", "issued_us"])


def create_votes() -> None:
    """Make the tables an accepted vote is written to."""
    op.create_table(
        "vote",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("ballot_id", sa.Text, sa.ForeignKey("ballot.id"), nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("hour", sa.Text, nullable=False),
        sa.Column("question_id", sa.Text, sa.ForeignKey("question.id"), nullable=False),
        sa.Column("voter", sa.Text, nullable=False),
        sa.Column("cluster", sa.Text, nullable=False),
        sa.Column("models", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("best", sa.Integer),
        sa.Column("worst", sa.Integer),
        sa.Column("weight_micro", BIG, nullable=False),
        sa.Column("weight_parts", sa.Text, nullable=False),
        sa.Column("reasons", sa.Text, nullable=False),
        sa.Column("board_id", sa.Text),
        sa.Column("p_win", sa.Text, nullable=False),
        sa.Column("changes", sa.Text, nullable=False),
        sa.UniqueConstraint("ballot_id"),
        sa.CheckConstraint(MODES, name="mode"),
        sa.CheckConstraint("verdict IN ('best_worst', 'same', 'bad')", name="verdict"),
    )
    op.create_index("ix_vote_mode_month", "vote", ["mode", "month"])
    op.create_index("ix_vote_question", "vote", ["question_id"])
    op.create_table(
        "vote_reason",
        sa.Column("ballot_id", sa.Text, sa.ForeignKey("ballot.id"), primary_key=True),
        sa.Column("reason", sa.Text, primary_key=True),
    )
    op.create_table(
        "report",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("ballot_id", sa.Text, sa.ForeignKey("ballot.id"), nullable=False),
        sa.Column("answer_id", sa.Text, sa.ForeignKey("answer.id"), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("hour", sa.Text, nullable=False),
        sa.Column("open", sa.Boolean, nullable=False),
    )


def create_boards() -> None:
    """Make the table of published boards."""
    op.create_table(
        "board",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("view", sa.Text, nullable=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("computed_us", BIG, nullable=False),
        sa.Column("log_size", BIG, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("mode", "month", "view", "category", "log_size"),
        sa.CheckConstraint(MODES, name="mode"),
        sa.CheckConstraint(VIEWS, name="view"),
    )
