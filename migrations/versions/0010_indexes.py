"""Indexes for moderators' pages: a voter's ballots, who shares a trace, events of one kind."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the indexes."""
    op.create_index("ix_ballot_voter", "ballot", ["voter"])
    op.create_index("ix_event_kind_stream", "event", ["kind", "stream", "seq"])
    for trace in ("address", "network", "device"):
        op.create_index(f"ix_sighting_{trace}", "sighting", [trace])
