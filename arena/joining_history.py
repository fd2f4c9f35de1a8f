"""Who was joined with whom and parted from whom, in the order in which it was decided."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select

from arena.review_tables import joining
from arena.standing_events import AccountJoined, AccountParted
from arena.stored_events import stored_event

__all__ = ["joining_history"]


def joining_history(
    conn: Connection, month: str, voters: Collection[str]
) -> list[tuple[str, AccountJoined | AccountParted]]:
    """Return the joinings and partings of a month that name any of some voters, with their ids.

    Args:
        conn: to read with.
        month: of the pseudonyms.
        voters: pseudonyms.
    """
    query = select(joining.c.event_id).where(
        joining.c.month == month, joining.c.voter.in_(sorted(voters))
    )
    events = [stored_event(conn, each) for each in conn.execute(query.distinct()).scalars().all()]
    return [
        (
            recorded.id,
            AccountJoined.from_body(recorded.body)
            if recorded.kind == AccountJoined.KIND
            else AccountParted.from_body(recorded.body),
        )
        for recorded in sorted(events, key=lambda recorded: recorded.seq)
    ]
