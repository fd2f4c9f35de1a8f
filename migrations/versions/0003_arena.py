"""Catalogue of the arena: models, questions, answers and their rendered form.

All of it is a projection of events, so nothing is copied here; a rebuild fills it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MICROSECONDS = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MODES = "mode IN ('speed', 'expert')"
STATES = "state IN ('showable', 'held', 'failed', 'retired')"


def upgrade() -> None:
    """Create the catalogue's tables."""
    create_model()
    create_question()
    create_answer()
    op.create_table(
        "answer_html",
        sa.Column("answer_id", sa.Text(), nullable=False),
        sa.Column("renderer_version", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=False),
        sa.Column("removed", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("answer_id", name=op.f("pk_answer_html")),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answer.id"], name=op.f("fk_answer_html_answer_id")
        ),
    )
    op.create_table(
        "catalogue_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalogue_head")),
    )


def create_model() -> None:
    """Create the table of models."""
    op.create_table(
        "model",
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("maker", sa.Text(), nullable=False),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("noncommercial", sa.Boolean(), nullable=False),
        sa.Column("demo", sa.Boolean(), nullable=False),
        sa.Column("released", sa.Boolean(), nullable=False),
        sa.Column("retired_us", MICROSECONDS, nullable=True),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_model")),
    )


def create_question() -> None:
    """Create the table of questions; a living text exists once per mode."""
    op.create_table(
        "question",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_key", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("redistribute", sa.Boolean(), nullable=False),
        sa.Column("noncommercial", sa.Boolean(), nullable=False),
        sa.Column("demo", sa.Boolean(), nullable=False),
        sa.Column("retired_us", MICROSECONDS, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.CheckConstraint(MODES, name=op.f("ck_question_mode")),
    )
    op.create_index(
        "uq_question_living",
        "question",
        ["mode", "text_key"],
        unique=True,
        sqlite_where=sa.text("retired_us IS NULL"),
        postgresql_where=sa.text("retired_us IS NULL"),
    )


def create_answer() -> None:
    """Create the table of answers: one of each model to each question."""
    op.create_table(
        "answer",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("latency_ms", sa.Integer(), nullable=True),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("held_for", sa.Text(), nullable=False),
        sa.Column("reveals", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer")),
        sa.ForeignKeyConstraint(
            ["question_id"], ["question.id"], name=op.f("fk_answer_question_id")
        ),
        sa.ForeignKeyConstraint(["model"], ["model.slug"], name=op.f("fk_answer_model")),
        sa.CheckConstraint(MODES, name=op.f("ck_answer_mode")),
        sa.CheckConstraint(STATES, name=op.f("ck_answer_state")),
        sa.UniqueConstraint(
            "question_id", "model", "mode", name=op.f("uq_answer_question_id_model_mode")
        ),
    )
    op.create_index("ix_answer_model", "answer", ["model"])
