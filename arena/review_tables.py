"""Read model of moderation: what votes no longer count, who is joined, and what waits for a person.

All of them are projections of events and may be rebuilt.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from ledger.schema import Microseconds, closed_set, metadata

__all__ = [
    "case_note",
    "cluster_member",
    "decision",
    "dispute",
    "dispute_step",
    "flag",
    "flag_vote",
    "joining",
    "standing_change",
    "sweep_look",
    "vote_strike",
]

# A row as long as the vote does not count; a restored vote has none.
vote_strike = Table(
    "vote_strike",
    metadata,
    Column("vote_id", Text, ForeignKey("vote.id"), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("event_id", Text, nullable=False),  # the event that struck it
    closed_set("source", "moderator", "detector"),
    Index("ix_vote_strike_event", "event_id"),
)

cluster_member = Table(
    "cluster_member",
    metadata,
    Column("month", Text, primary_key=True),
    Column("voter", Text, primary_key=True),  # pseudonym of the month
    Column("cluster", Text, nullable=False),
    Index("ix_cluster_member_cluster", "month", "cluster"),
)

# Every strike and restoring, one row per vote: from these a board knows how a vote stood at the end
# of its own log prefix, whatever was decided later.
standing_change = Table(
    "standing_change",
    metadata,
    Column("event_id", Text, primary_key=True),
    Column("vote_id", Text, ForeignKey("vote.id"), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("mode", Text),  # the event's; empty for one about votes of both modes
    Column("month", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("undoes", Text),  # of a restoring: the event whose strike it takes back
    closed_set("kind", "vote.discounted", "vote.voided", "vote.restored"),
    closed_set("mode", "speed", "expert"),
    Index("ix_standing_change_month", "month"),
    Index("ix_standing_change_vote", "vote_id"),
)

# The same for joined and parted accounts, one row per voter whom the event gives a cluster; who was
# parted has their own name.
joining = Table(
    "joining",
    metadata,
    Column("event_id", Text, primary_key=True),
    Column("voter", Text, primary_key=True),  # pseudonym of the month
    Column("month", Text, nullable=False),
    Column("cluster", Text, nullable=False),
    Index("ix_joining_month", "month"),
)

flag = Table(
    "flag",
    metadata,
    Column("id", Text, primary_key=True),  # the id of its flag.raised event
    Column("detector", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("month", Text, nullable=False),
    Column("hour", Text, nullable=False),
    Column("subject", Text, nullable=False),  # pseudonyms joined by a space, sorted
    Column("subject_sha256", Text, nullable=False),  # campaigns have more names than an index takes
    Column("look", Integer, nullable=False),
    Column("statistic", Text, nullable=False),
    Column("threshold", Text, nullable=False),
    Column("p_value", Text),
    Column("numbers", Text, nullable=False),
    Column("discounts", Boolean, nullable=False),
    Column("state", Text, nullable=False),
    closed_set("mode", "speed", "expert"),
    closed_set("state", "open", "upheld", "dismissed"),
    # A sweep that runs twice, or goes on after being killed, raises nothing twice.
    UniqueConstraint("detector", "mode", "month", "subject_sha256", "look"),
    Index("ix_flag_state", "state"),
)

flag_vote = Table(
    "flag_vote",
    metadata,
    Column("flag_id", Text, ForeignKey("flag.id"), primary_key=True),
    Column("vote_id", Text, primary_key=True),
    Index("ix_flag_vote_vote", "vote_id"),
)

sweep_look = Table(
    "sweep_look",
    metadata,
    Column("detector", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("month", Text, primary_key=True),
    Column("voter", Text, primary_key=True),
    Column("look", Integer, primary_key=True),
    closed_set("mode", "speed", "expert"),
)

dispute = Table(
    "dispute",
    metadata,
    Column("id", Text, primary_key=True),  # the id of its dispute.opened event
    Column("vote_id", Text, ForeignKey("vote.id"), nullable=False),
    Column("hour", Text, nullable=False),
    Column("state", Text, nullable=False),
    closed_set("state", "submitted", "evidence", "recheck", "upheld", "rejected"),
    Index("ix_dispute_state", "state"),
    Index("ix_dispute_vote", "vote_id"),
)

# A vote is disputed once at a time.
_open = dispute.c.state.in_(("submitted", "evidence", "recheck"))
Index("uq_dispute_open", dispute.c.vote_id, unique=True, sqlite_where=_open, postgresql_where=_open)

dispute_step = Table(
    "dispute_step",
    metadata,
    Column("event_id", Text, primary_key=True),
    Column("dispute_id", Text, ForeignKey("dispute.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("hour", Text, nullable=False),
    Column("moderator", Text),  # public handle; empty for a step of the voter
    Column("text", Text, nullable=False),  # the moderator's; a voter's words are private
    UniqueConstraint("dispute_id", "number"),
)

decision = Table(
    "decision",
    metadata,
    Column("id", Text, primary_key=True),  # the id of the event
    Column("kind", Text, nullable=False),
    Column("moderator", Text, nullable=False),  # public handle
    Column("verdict", Text),  # where the kind alone does not say it
    Column("reason", Text, nullable=False),
    Column("mode", Text),
    Column("month", Text, nullable=False),
    Column("at_us", Microseconds, nullable=False),
    Column(
        "subject", Text, nullable=False
    ),  # what it was about: flag, dispute, vote, voter, answer
    Column("votes", Integer, nullable=False),
    Index("ix_decision_at", "at_us"),
)

case_note = Table(
    "case_note",
    metadata,
    Column("event_id", Text, primary_key=True),
    Column("subject", Text, nullable=False),
    Column("moderator", Text, nullable=False),
    Column("at_us", Microseconds, nullable=False),
    Index("ix_case_note_subject", "subject"),
)
