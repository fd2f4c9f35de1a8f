"""Moderation: struck votes, joined accounts, flags, disputes, decisions; accounts of moderators."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MODES = "mode IN ('speed', 'expert')"


def upgrade() -> None:
    """Make the tables of moderation."""
    _operational()
    _standing()
    _review()
    _disputes()


def _operational() -> None:
    op.create_table(
        "sighting",
        sa.Column("vote_id", sa.Text, primary_key=True),
        sa.Column("voter_id", sa.Text, nullable=False),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("at_us", BIG, nullable=False),
        sa.Column("dwell_us", BIG),
        sa.Column("address", sa.Text),
        sa.Column("network", sa.Text),
        sa.Column("device", sa.Text),
    )
    op.create_index("ix_sighting_month_day", "sighting", ["month", "day"])
    op.create_index("ix_sighting_voter", "sighting", ["voter_id"])
    op.create_table(
        "moderator",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("handle", sa.Text, nullable=False, unique=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("totp_secret", sa.Text),
        sa.Column("totp_last_step", BIG),
        sa.Column("created_us", BIG, nullable=False),
        sa.Column("disabled_us", BIG),
        sa.CheckConstraint("role IN ('moderator', 'master', 'operator')", name="role"),
    )
    op.create_table(
        "moderator_session",
        sa.Column("token_sha256", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, sa.ForeignKey("moderator.name"), nullable=False),
        sa.Column("csrf", sa.Text, nullable=False),
        sa.Column("opened_us", BIG, nullable=False),
        sa.Column("seen_us", BIG, nullable=False),
    )
    op.create_index("ix_moderator_session_name", "moderator_session", ["name"])
    op.create_table(
        "sign_in_failure",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("address", sa.Text),
        sa.Column("at_us", BIG, nullable=False),
    )
    op.create_index("ix_sign_in_failure_name", "sign_in_failure", ["name", "at_us"])
    op.create_index("ix_sign_in_failure_address", "sign_in_failure", ["address", "at_us"])


def _standing() -> None:
    op.create_table(
        "vote_strike",
        sa.Column("vote_id", sa.Text, sa.ForeignKey("vote.id"), primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.CheckConstraint("source IN ('moderator', 'detector')", name="source"),
    )
    op.create_index("ix_vote_strike_event", "vote_strike", ["event_id"])
    op.create_table(
        "cluster_member",
        sa.Column("month", sa.Text, primary_key=True),
        sa.Column("voter", sa.Text, primary_key=True),
        sa.Column("cluster", sa.Text, nullable=False),
    )
    op.create_index("ix_cluster_member_cluster", "cluster_member", ["month", "cluster"])
    op.create_index("ix_vote_month_voter", "vote", ["month", "voter"])
    _standing_history()


def _standing_history() -> None:
    op.create_table(
        "standing_change",
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("vote_id", sa.Text, sa.ForeignKey("vote.id"), primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("mode", sa.Text),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("undoes", sa.Text),
        sa.CheckConstraint(
            "kind IN ('vote.discounted', 'vote.voided', 'vote.restored')", name="kind"
        ),
        sa.CheckConstraint(MODES, name="mode"),
    )
    op.create_index("ix_standing_change_month", "standing_change", ["month"])
    op.create_index("ix_standing_change_vote", "standing_change", ["vote_id"])
    op.create_table(
        "joining",
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("voter", sa.Text, primary_key=True),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("cluster", sa.Text, nullable=False),
    )
    op.create_index("ix_joining_month", "joining", ["month"])


def _review() -> None:
    op.create_table(
        "flag",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("detector", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("hour", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("look", sa.Integer, nullable=False),
        sa.Column("statistic", sa.Text, nullable=False),
        sa.Column("threshold", sa.Text, nullable=False),
        sa.Column("p_value", sa.Text),
        sa.Column("numbers", sa.Text, nullable=False),
        sa.Column("discounts", sa.Boolean, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.CheckConstraint(MODES, name="mode"),
        sa.CheckConstraint("state IN ('open', 'upheld', 'dismissed')", name="state"),
        sa.UniqueConstraint("detector", "mode", "month", "subject", "look"),
    )
    op.create_index("ix_flag_state", "flag", ["state"])
    op.create_table(
        "flag_vote",
        sa.Column("flag_id", sa.Text, sa.ForeignKey("flag.id"), primary_key=True),
        sa.Column("vote_id", sa.Text, primary_key=True),
    )
    op.create_index("ix_flag_vote_vote", "flag_vote", ["vote_id"])
    op.create_table(
        "sweep_look",
        sa.Column("detector", sa.Text, primary_key=True),
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("month", sa.Text, primary_key=True),
        sa.Column("voter", sa.Text, primary_key=True),
        sa.Column("look", sa.Integer, primary_key=True),
        sa.CheckConstraint(MODES, name="mode"),
    )
    op.create_table(
        "decision",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("moderator", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("mode", sa.Text),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("at_us", BIG, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("votes", sa.Integer, nullable=False),
    )
    op.create_index("ix_decision_at", "decision", ["at_us"])
    op.create_table(
        "case_note",
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("moderator", sa.Text, nullable=False),
        sa.Column("at_us", BIG, nullable=False),
    )
    op.create_index("ix_case_note_subject", "case_note", ["subject"])


def _disputes() -> None:
    op.create_table(
        "dispute",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("vote_id", sa.Text, sa.ForeignKey("vote.id"), nullable=False),
        sa.Column("hour", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.CheckConstraint(
            "state IN ('submitted', 'evidence', 'recheck', 'upheld', 'rejected')", name="state"
        ),
    )
    op.create_index("ix_dispute_state", "dispute", ["state"])
    op.create_index("ix_dispute_vote", "dispute", ["vote_id"])
    in_progress = sa.text("state IN ('submitted', 'evidence', 'recheck')")
    op.create_index(
        "uq_dispute_open",
        "dispute",
        ["vote_id"],
        unique=True,
        sqlite_where=in_progress,
        postgresql_where=in_progress,
    )
    op.create_table(
        "dispute_step",
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("dispute_id", sa.Text, sa.ForeignKey("dispute.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("hour", sa.Text, nullable=False),
        sa.Column("moderator", sa.Text),
        sa.Column("text", sa.Text, nullable=False),
        sa.UniqueConstraint("dispute_id", "number"),
    )
