"""How often each model was issued and voted on, among the log entries a board is made of (V-066).

Counted from the log's own order, so that a board's table never changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy import Connection, func, select

from arena.ballot_events import arena_stream
from arena.boards import PublishedBoard
from arena.tables import ballot_slot, vote
from ledger import store

__all__ = ["ExposureCounts", "Exposures"]


@dataclass(frozen=True, slots=True)
class Exposures:
    """Ballots of a mode and month among the log's first `log_size` entries, and models on them."""

    log_size: int
    ballots: int
    issued: Mapping[str, int] = field(repr=False)
    voted: Mapping[str, int] = field(repr=False)


class ExposureCounts:
    """Counts once and then adds what is new; a board older than the last is counted anew."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Exposures] = {}
        self._lock = Lock()

    def of(self, conn: Connection, shown: PublishedBoard) -> Exposures:
        """Return the counts that belong to a board."""
        key = (shown.mode, shown.month)
        with self._lock:
            known = self._kept.get(key)
            if known is None or known.log_size > shown.log_size:
                known = Exposures(0, 0, {}, {})
            grown = _grown(conn, shown, known)
            kept = self._kept.get(key)
            if kept is None or kept.log_size < grown.log_size:
                self._kept[key] = grown
        return grown


def _grown(conn: Connection, shown: PublishedBoard, known: Exposures) -> Exposures:
    """Add the entries from where the counts end to where the board ends."""
    if known.log_size == shown.log_size:
        return known
    stream = arena_stream(shown.mode, shown.month)
    span = (known.log_size, shown.log_size)
    issued = store.sequenced(stream, "ballot.issued", *span).subquery()
    votes = store.sequenced(stream, "vote.cast", *span).subquery()
    per_issued = (
        select(ballot_slot.c.model, func.count())
        .join(issued, issued.c.event_id == ballot_slot.c.ballot_id)
        .group_by(ballot_slot.c.model)
    )
    per_voted = (
        select(ballot_slot.c.model, func.count())
        .join(vote, vote.c.ballot_id == ballot_slot.c.ballot_id)
        .join(votes, votes.c.event_id == vote.c.id)
        .group_by(ballot_slot.c.model)
    )
    ballots = conn.execute(select(func.count()).select_from(issued)).scalar_one()
    return Exposures(
        log_size=shown.log_size,
        ballots=known.ballots + ballots,
        issued=Counter(known.issued) + _counted(conn.execute(per_issued).all()),
        voted=Counter(known.voted) + _counted(conn.execute(per_voted).all()),
    )


def _counted(rows: object) -> Counter[str]:
    return Counter(dict(rows))  # type: ignore[call-overload]
