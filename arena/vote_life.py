"""One vote's life: issued, shown, cast, flagged, struck, disputed, and the boards it was on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, select, union

from arena.audit_rows import AuditRow, audit_rows
from arena.ballot_events import arena_stream
from arena.boards import ALL_CATEGORIES, OFFICIAL
from arena.errors import UnknownVote
from arena.review_tables import (
    case_note,
    decision,
    dispute,
    dispute_step,
    flag_vote,
    joining,
    standing_change,
)
from arena.standing_events import VoteRestored
from arena.tables import board, question, vote
from ledger.search import body_text, recorded, recorded_for_moderators

__all__ = ["BoardSpan", "VoteLife", "vote_life_for_moderators"]

# What happens to a ballot is known to the log alone.
_BALLOT_KINDS: Final = (
    "ballot.shown",
    "ballot.withdrawn",
    "ballot.reported",
    "vote.reasoned",
    "vote.refused",
)


@dataclass(frozen=True, slots=True)
class BoardSpan:
    """Official boards in a row that all count the vote, or all leave it out."""

    counted: bool
    boards: int
    first: str
    first_us: int
    last: str
    last_us: int


@dataclass(frozen=True, slots=True)
class VoteLife:
    """What happened to a vote and its ballot, in true order, and what boards made of it.

    Attributes:
        vote: its id.
        index: in the public log; None while it waits for it.
        steps: the events, oldest first.
        boards: of its mode and month from the first that could hold it, oldest first.
    """

    vote: str
    index: int | None
    steps: tuple[AuditRow, ...]
    boards: tuple[BoardSpan, ...]


@dataclass(frozen=True, slots=True)
class _Standing:
    """Indexes in the log between which the vote was struck; None for an end that is not there."""

    struck: tuple[tuple[int, int | None], ...]

    def counts_at(self, log_size: int) -> bool:
        return not any(
            low < log_size and (high is None or log_size <= high) for low, high in self.struck
        )


def vote_life_for_moderators(conn: Connection, vote_id: str) -> VoteLife:
    """Return the life of a vote, with private parts.

    Raises:
        UnknownVote: there is no such vote.
    """
    found = conn.execute(
        select(vote, question.c.demo)
        .join(question, question.c.id == vote.c.question_id)
        .where(vote.c.id == vote_id)
    ).one_or_none()
    if found is None:
        raise UnknownVote(f"there is no vote {vote_id}")
    steps = _steps(conn, found)
    index = next(step.index for step in steps if step.event == vote_id)
    return VoteLife(vote_id, index, steps, _boards(conn, found, index))


def _steps(conn: Connection, found: Row[*tuple[Any, ...]]) -> tuple[AuditRow, ...]:
    events = recorded_for_moderators()
    stream = arena_stream(found.mode, found.month)
    ballot = body_text(conn, events.c.body, "ballot")
    on_ballot = select(events.c.id).where(
        events.c.stream == stream,
        events.c.kind.in_(_BALLOT_KINDS),
        (ballot == found.ballot_id) | events.c.part.contains(found.ballot_id, autoescape=True),
    )
    ids = {
        found.id,
        found.ballot_id,
        *conn.execute(on_ballot).scalars(),
        *_decided(conn, found),
    }
    query = select(events).where(events.c.id.in_(sorted(ids))).order_by(events.c.seq)
    return audit_rows(conn, conn.execute(query).all(), private=True)


def _decided(conn: Connection, found: Row[*tuple[Any, ...]]) -> Iterable[str]:
    """Yield the ids of events that flagged, struck, joined, noted or disputed the vote."""
    flags = list(
        conn.execute(select(flag_vote.c.flag_id).where(flag_vote.c.vote_id == found.id)).scalars()
    )
    disputes = list(
        conn.execute(select(dispute.c.id).where(dispute.c.vote_id == found.id)).scalars()
    )
    subjects = [
        f"vote:{found.id}",
        *(f"flag:{each}" for each in flags),
        *(f"dispute:{each}" for each in disputes),
    ]
    yield from flags
    known = union(
        select(standing_change.c.event_id).where(standing_change.c.vote_id == found.id),
        select(joining.c.event_id).where(
            joining.c.month == found.month, joining.c.voter == found.voter
        ),
        select(dispute_step.c.event_id).where(dispute_step.c.dispute_id.in_(disputes)),
        select(decision.c.id).where(decision.c.subject.in_(subjects)),
        select(case_note.c.event_id).where(case_note.c.subject.in_(subjects)),
    )
    yield from conn.execute(known).scalars()


def _boards(
    conn: Connection, found: Row[*tuple[Any, ...]], index: int | None
) -> tuple[BoardSpan, ...]:
    """Say which official boards counted the vote: a board is a function of its log prefix."""
    if index is None:
        return ()
    standing = _standing(conn, found.id)
    demo = body_text(conn, board.c.body, "demo")
    query = (
        select(board.c.id, board.c.computed_us, board.c.log_size, demo.label("demo"))
        .where(
            board.c.mode == found.mode,
            board.c.month == found.month,
            board.c.view == OFFICIAL,
            board.c.category == ALL_CATEGORIES,
            board.c.log_size > index,
        )
        .order_by(board.c.log_size)
    )

    def counted(row: Row[*tuple[Any, ...]]) -> bool:
        of_its_kind = not found.demo or str(row.demo).lower() in ("1", "true")
        return found.weight_micro > 0 and of_its_kind and standing.counts_at(row.log_size)

    rows: Sequence[Row[*tuple[Any, ...]]] = conn.execute(query).all()
    return tuple(_span(kind, list(group)) for kind, group in groupby(rows, key=counted))


def _span(counted: bool, rows: list[Row[*tuple[Any, ...]]]) -> BoardSpan:  # noqa: FBT001 - a key
    first, last = rows[0], rows[-1]
    return BoardSpan(counted, len(rows), first.id, first.computed_us, last.id, last.computed_us)


def _standing(conn: Connection, vote_id: str) -> _Standing:
    """Return from which log index to which the vote was struck, as far as is logged."""
    events = recorded()
    logged: ColumnElement[bool] = events.c.idx.is_not(None)
    query = (
        select(standing_change, events.c.idx)
        .join(events, events.c.id == standing_change.c.event_id)
        .where(standing_change.c.vote_id == vote_id, logged)
    )
    rows = conn.execute(query).all()
    ends = {row.undoes: row.idx for row in rows if row.kind == VoteRestored.KIND}
    return _Standing(
        tuple((row.idx, ends.get(row.event_id)) for row in rows if row.kind != VoteRestored.KIND)
    )
