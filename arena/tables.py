"""Read model of the arena: projections of events, which may be rebuilt, but for three tables.

`ballot_holder` joins ballots to voters, which only private parts of events know; `fit_fault` and
`board_fault` say what fails now. These are not rebuilt.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from arena import review_tables
from ledger.schema import BigInt, Microseconds, closed_set, metadata

__all__ = [
    "answer",
    "answer_html",
    "ballot",
    "ballot_holder",
    "ballot_slot",
    "board",
    "board_fault",
    "catalogue_head",
    "fit_fault",
    "lifecycle_look",
    "model",
    "model_state",
    "month_header",
    "question",
    "report",
    "review_tables",
    "state_change",
    "vote",
    "vote_reason",
]

model = Table(
    "model",
    metadata,
    Column("slug", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("maker", Text, nullable=False),
    Column("licence", Text, nullable=False),
    Column("link", Text, nullable=False),
    Column("noncommercial", Boolean, nullable=False),
    Column("demo", Boolean, nullable=False),
    # False: in the catalogue under its slug, but not open to the public elsewhere (V-080).
    Column("released", Boolean, nullable=False),
    Column("retired_us", Microseconds, nullable=True),
)

question = Table(
    "question",
    metadata,
    Column("id", Text, primary_key=True),
    Column("text", Text, nullable=False),
    Column("text_key", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("licence", Text, nullable=False),
    Column("redistribute", Boolean, nullable=False),
    Column("noncommercial", Boolean, nullable=False),
    Column("demo", Boolean, nullable=False),
    Column("retired_us", Microseconds, nullable=True),
    closed_set("mode", "speed", "expert"),
)

# A retired question may come back under a new id; a living one exists once per mode.
Index(
    "uq_question_living",
    question.c.mode,
    question.c.text_key,
    unique=True,
    sqlite_where=question.c.retired_us.is_(None),
    postgresql_where=question.c.retired_us.is_(None),
)

answer = Table(
    "answer",
    metadata,
    Column("id", Text, primary_key=True),
    Column("question_id", Text, ForeignKey("question.id"), nullable=False),
    Column("model", Text, ForeignKey("model.slug"), nullable=False),
    Column("mode", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("latency_ms", Integer, nullable=True),
    Column("origin", Text, nullable=False),
    Column("licence", Text, nullable=False),
    Column("state", Text, nullable=False),
    # Why a held answer is held: the words found, or a moderator's reason; empty otherwise.
    Column("held_for", Text, nullable=False),
    Column("reveals", Integer, nullable=False),
    closed_set("mode", "speed", "expert"),
    closed_set("state", "showable", "held", "failed", "retired"),
    UniqueConstraint("question_id", "model", "mode"),
    Index("ix_answer_model", "model"),
)

answer_html = Table(
    "answer_html",
    metadata,
    Column("answer_id", Text, ForeignKey("answer.id"), primary_key=True),
    Column("renderer_version", Text, nullable=False),
    Column("html", Text, nullable=False),
    # Canonical JSON array of what was taken out of the text before it was shown (V-025).
    Column("removed", Text, nullable=False),
)

catalogue_head = Table(
    "catalogue_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
)

ballot = Table(
    "ballot",
    metadata,
    Column("id", Text, primary_key=True),  # the id of its ballot.issued event
    Column("mode", Text, nullable=False),
    Column("month", Text, nullable=False),
    Column("hour", Text, nullable=False),
    Column("question_id", Text, ForeignKey("question.id"), nullable=False),
    Column("voter", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("will_not_count", Text),
    Column("board_id", Text),
    Column("set_probability", Text, nullable=False),  # P(S) of the four shown, decimal (V-063)
    closed_set("mode", "speed", "expert"),
    closed_set("state", "open", "voted", "skipped", "withdrawn"),
    Index("ix_ballot_voter", "voter"),
)

ballot_slot = Table(
    "ballot_slot",
    metadata,
    Column("ballot_id", Text, ForeignKey("ballot.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("slot_id", Text, nullable=False, unique=True),
    Column("answer_id", Text, ForeignKey("answer.id"), nullable=False),
    Column("model", Text, ForeignKey("model.slug"), nullable=False),
)

ballot_holder = Table(
    "ballot_holder",
    metadata,
    Column("ballot_id", Text, primary_key=True),
    Column("voter_id", Text, nullable=False),
    # The name in addresses; never the event's id, which the public log shows (V-159).
    Column("route", Text, nullable=False, unique=True),
    Column("issued_us", Microseconds, nullable=False),
    Index("ix_ballot_holder_voter_issued", "voter_id", "issued_us"),
)

vote = Table(
    "vote",
    metadata,
    Column("id", Text, primary_key=True),  # the id of its vote.cast event
    Column("ballot_id", Text, ForeignKey("ballot.id"), nullable=False, unique=True),
    Column("mode", Text, nullable=False),
    Column("month", Text, nullable=False),
    Column("hour", Text, nullable=False),
    Column("question_id", Text, ForeignKey("question.id"), nullable=False),
    Column("voter", Text, nullable=False),
    Column("cluster", Text, nullable=False),
    Column("models", Text, nullable=False),  # canonical JSON, slugs in slot order
    Column("verdict", Text, nullable=False),
    Column("best", Integer),  # slot number
    Column("worst", Integer),
    Column("weight_micro", BigInt, nullable=False),  # millionths: exact, for six digits at most
    Column("weight_parts", Text, nullable=False),
    Column("reasons", Text, nullable=False),
    Column("board_id", Text),
    Column("p_win", Text, nullable=False),
    Column("changes", Text, nullable=False),
    closed_set("mode", "speed", "expert"),
    closed_set("verdict", "best_worst", "same", "bad"),
    Index("ix_vote_mode_month", "mode", "month"),
    Index("ix_vote_question", "question_id"),
    Index("ix_vote_month_voter", "month", "voter"),
)

vote_reason = Table(
    "vote_reason",
    metadata,
    Column("ballot_id", Text, ForeignKey("ballot.id"), primary_key=True),
    Column("reason", Text, primary_key=True),
)

report = Table(
    "report",
    metadata,
    Column("id", Text, primary_key=True),  # the id of its ballot.reported event
    Column("ballot_id", Text, ForeignKey("ballot.id"), nullable=False),
    Column("answer_id", Text, ForeignKey("answer.id"), nullable=False),
    Column("reason", Text, nullable=False),
    Column("hour", Text, nullable=False),
    Column("open", Boolean, nullable=False),
)

board = Table(
    "board",
    metadata,
    Column("id", Text, primary_key=True),
    Column("mode", Text, nullable=False),
    Column("month", Text, nullable=False),
    Column("view", Text, nullable=False),
    Column("category", Text, nullable=False),  # empty for all categories
    Column("computed_us", Microseconds, nullable=False),
    Column("log_size", BigInt, nullable=False),
    Column("body", Text, nullable=False),
    closed_set("mode", "speed", "expert"),
    closed_set("view", "official", "extended", "style", "makers", "head_to_head", "checks"),
    # Two workers that fit the same entries publish one board.
    UniqueConstraint("mode", "month", "view", "category", "log_size"),
    # A month's history is picked from this index alone; bodies are read for what was picked.
    Index("ix_board_history", "mode", "month", "view", "category", "computed_us", "log_size"),
)

month_header = Table(
    "month_header",
    metadata,
    Column("mode", Text, primary_key=True),
    Column("month", Text, primary_key=True),
    Column("opened_us", Microseconds, nullable=False),
    Column("basket", Text, nullable=False),  # canonical JSON, slugs Active at the opening
)

model_state = Table(
    "model_state",
    metadata,
    Column("mode", Text, primary_key=True),
    Column("model", Text, ForeignKey("model.slug"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("entered_us", Microseconds, nullable=False),
    Column("entered_size", BigInt, nullable=False),  # log entries at the moment of entering
    Column("looks_below", Integer, nullable=False),
    closed_set("mode", "speed", "expert"),
    closed_set("state", "active", "observing", "eliminated", "probation"),
)

state_change = Table(
    "state_change",
    metadata,
    Column("id", Text, primary_key=True),  # the id of its model.state or model.withheld event
    Column("mode", Text, nullable=False),
    Column("model", Text, ForeignKey("model.slug"), nullable=False),
    Column("before", Text),
    Column("after", Text),  # empty where a fall was withheld
    Column("cause", Text, nullable=False),
    Column("at_us", Microseconds, nullable=False),
    Column("numbers", Text, nullable=False),
    Index("ix_state_change_model", "model"),
)

lifecycle_look = Table(
    "lifecycle_look",
    metadata,
    Column("mode", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("at_us", Microseconds, nullable=False),
    Column("board_id", Text),
)

# Of the installation and not of the log: fits and boards that failed, until they succeed.
fit_fault = Table(
    "fit_fault",
    metadata,
    Column("mode", Text, primary_key=True),
    Column("since_us", Microseconds, nullable=False),
    Column("text", Text, nullable=False),
    closed_set("mode", "speed", "expert"),
)

board_fault = Table(
    "board_fault",
    metadata,
    Column("mode", Text, primary_key=True),
    Column("month", Text, primary_key=True),
    Column("view", Text, primary_key=True),
    Column("category", Text, primary_key=True),
    Column("since_us", Microseconds, nullable=False),
    Column("text", Text, nullable=False),
    closed_set("mode", "speed", "expert"),
    closed_set("view", "official", "extended", "style", "makers", "head_to_head", "checks"),
)
