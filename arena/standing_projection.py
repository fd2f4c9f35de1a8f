"""Events of standing -> which votes are struck, who is joined, and the history of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from sqlalchemy import Connection, delete, insert

from arena.review_tables import cluster_member, decision, joining, standing_change, vote_strike
from arena.standing_events import (
    AccountJoined,
    AccountParted,
    VoteDiscounted,
    VoteRestored,
    VoteVoided,
)

if TYPE_CHECKING:
    from arena.projection import RecordedEvent

__all__ = ["HANDLERS", "clear"]

_PAGE: Final = 500


def clear(conn: Connection) -> None:
    """Empty these tables before a replay."""
    for table in (decision, standing_change, vote_strike, joining, cluster_member):
        conn.execute(delete(table))


def _vote_discounted(conn: Connection, recorded: RecordedEvent) -> None:
    event = VoteDiscounted.from_body(recorded.body)
    _strike(conn, recorded, event, "detector")


def _vote_voided(conn: Connection, recorded: RecordedEvent) -> None:
    event = VoteVoided.from_body(recorded.body)
    _strike(conn, recorded, event, "moderator")
    _decided(conn, recorded, event)


def _strike(
    conn: Connection,
    recorded: RecordedEvent,
    event: VoteDiscounted | VoteVoided,
    source: Literal["moderator", "detector"],
) -> None:
    _changed(conn, recorded, event, [None] * len(event.votes))
    row = {"reason": event.reason, "source": source, "event_id": recorded.id}
    conn.execute(insert(vote_strike), [{"vote_id": vote, **row} for vote in event.votes])


def _vote_restored(conn: Connection, recorded: RecordedEvent) -> None:
    event = VoteRestored.from_body(recorded.body)
    _changed(conn, recorded, event, event.undoes)
    for start in range(0, len(event.votes), _PAGE):
        page = event.votes[start : start + _PAGE]
        conn.execute(delete(vote_strike).where(vote_strike.c.vote_id.in_(page)))
    _decided(conn, recorded, event)


def _changed(
    conn: Connection,
    recorded: RecordedEvent,
    event: VoteDiscounted | VoteVoided | VoteRestored,
    undoes: list[None] | tuple[str, ...],
) -> None:
    """Keep what happened to each vote."""
    row = {
        "event_id": recorded.id,
        "kind": event.KIND,
        "mode": event.mode,
        "month": event.month,
        "reason": event.reason,
    }
    rows = [
        {**row, "vote_id": vote, "undoes": undone}
        for vote, undone in zip(event.votes, undoes, strict=True)
    ]
    conn.execute(insert(standing_change), rows)


def _account_joined(conn: Connection, recorded: RecordedEvent) -> None:
    event = AccountJoined.from_body(recorded.body)
    named = dict.fromkeys(event.members, event.cluster)
    _cluster(conn, recorded, event.month, named, joined=event.members)
    if event.moderator is not None:
        _keep_decision(conn, recorded, event, event.moderator, event.cluster, votes=0)


def _account_parted(conn: Connection, recorded: RecordedEvent) -> None:
    event = AccountParted.from_body(recorded.body)
    named = {voter: voter for voter in event.members}
    if event.cluster is not None:
        named |= dict.fromkeys(event.rest, event.cluster)
    _cluster(conn, recorded, event.month, named, joined=event.rest)
    _keep_decision(conn, recorded, event, event.moderator, min(named), votes=0)


def _cluster(
    conn: Connection,
    recorded: RecordedEvent,
    month: str,
    named: Mapping[str, str],
    *,
    joined: Sequence[str],
) -> None:
    """Keep which cluster some voters are in from here on; who stands alone is in none."""
    known = (cluster_member.c.month == month) & cluster_member.c.voter.in_(list(named))
    conn.execute(delete(cluster_member).where(known))
    rows = [{"voter": voter, "month": month, "cluster": named[voter]} for voter in joined]
    if rows:
        conn.execute(insert(cluster_member), rows)
    history = [
        {"event_id": recorded.id, "voter": voter, "month": month, "cluster": cluster}
        for voter, cluster in named.items()
    ]
    conn.execute(insert(joining), history)


def _decided(conn: Connection, recorded: RecordedEvent, event: VoteVoided | VoteRestored) -> None:
    _keep_decision(conn, recorded, event, event.moderator, event.case, votes=len(event.votes))


def _keep_decision(
    conn: Connection,
    recorded: RecordedEvent,
    event: VoteVoided | VoteRestored | AccountJoined | AccountParted,
    moderator: str,
    subject: str,
    *,
    votes: int,
) -> None:
    conn.execute(
        insert(decision),
        {
            "id": recorded.id,
            "kind": event.KIND,
            "moderator": moderator,
            "reason": event.reason,
            "mode": event.mode,
            "month": event.month,
            "at_us": event.at_us,
            "subject": subject,
            "votes": votes,
        },
    )


HANDLERS: Final[Mapping[tuple[str, int], Callable[[Connection, RecordedEvent], None]]] = {
    (VoteDiscounted.KIND, 1): _vote_discounted,
    (VoteVoided.KIND, 1): _vote_voided,
    (VoteRestored.KIND, 1): _vote_restored,
    (AccountJoined.KIND, 1): _account_joined,
    (AccountParted.KIND, 1): _account_parted,
}
