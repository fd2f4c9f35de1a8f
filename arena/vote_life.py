"""One vote's life: issued, shown, cast, flagged, struck, disputed, and the boards it was on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, select

from arena.audit import every_row_in_public
from arena.audit_filter import AuditFilter
from arena.audit_rows import AuditRow, audit_rows
from arena.audit_subjects import done_about
from arena.ballot_events import arena_stream
from arena.boards import ALL_CATEGORIES, OFFICIAL
from arena.closed_months import is_archived
from arena.errors import NotArchived, UnknownVote
from arena.review_tables import standing_change, vote_strike
from arena.standing_events import VoteRestored
from arena.tables import ballot, board, question, vote
from ledger.search import body_text, recorded, recorded_for_moderators

__all__ = ["BoardSpan", "VoteLife", "vote_life_for_moderators", "vote_life_in_public"]

# What happens to a ballot is known to the log alone.
_BALLOT_KINDS: Final = (
    "ballot.shown",
    "ballot.withdrawn",
    "ballot.reported",
    "vote.reasoned",
    "vote.refused",
)

_FIRST: Final = {"ballot.issued": 0, "ballot.shown": 1, "ballot.reported": 2, "vote.cast": 2}


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
    """What happened to a vote and its ballot, and what boards made of it.

    Attributes:
        vote: its id.
        index: in the public log; None while it waits for it.
        steps: the events, oldest first: for moderators in true order, in public by kind
            and index.
        boards: of its mode and month from the first that could hold it, oldest first.
        struck: why it no longer counts, or None.
        question: its question's text; None where its licence forbids to pass it on (V-171).
    """

    vote: str
    index: int | None
    steps: tuple[AuditRow, ...]
    boards: tuple[BoardSpan, ...]
    struck: str | None
    question: str | None


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
    found = _found(conn, vote_id)
    steps = _steps(conn, found)
    return _life(conn, found, steps)


def vote_life_in_public(conn: Connection, vote_id: str) -> VoteLife:
    """Return the life of a vote as everybody may read it.

    Entries of one minute are shuffled in the log. What must have come first stands first, the rest
    in the order of the log, which tells no more than anybody can read there.

    A ballot of the evening before belongs to its own month, and is told if that one is archived.

    Raises:
        UnknownVote: there is no such vote.
        NotArchived: the archive of its month is not out.
    """
    found = _found(conn, vote_id)
    steps: list[AuditRow] = []
    for month in sorted({found.issued, found.month}):
        if month == found.month or is_archived(conn, month):
            wanted = AuditFilter(month=month, vote=vote_id)
            steps += every_row_in_public(lambda: nullcontext(conn), wanted)
    if all(step.event != vote_id for step in steps):
        raise NotArchived(f"the archive does not hold the vote {vote_id}")
    return _life(conn, found, sorted(steps, key=_in_turn))


def _in_turn(step: AuditRow) -> tuple[int, int]:
    return _FIRST.get(step.kind, len(_FIRST)), step.place


def _found(conn: Connection, vote_id: str) -> Row[*tuple[Any, ...]]:
    query = (
        select(
            vote,
            ballot.c.month.label("issued"),
            question.c.demo,
            question.c.text,
            question.c.redistribute,
            vote_strike.c.reason.label("struck"),
        )
        .join(ballot, ballot.c.id == vote.c.ballot_id)
        .join(question, question.c.id == vote.c.question_id)
        .outerjoin(vote_strike, vote_strike.c.vote_id == vote.c.id)
        .where(vote.c.id == vote_id)
    )
    found = conn.execute(query).one_or_none()
    if found is None:
        raise UnknownVote(f"there is no vote {vote_id}")
    return found


def _life(conn: Connection, found: Row[*tuple[Any, ...]], steps: Sequence[AuditRow]) -> VoteLife:
    index = next((step.index for step in steps if step.event == found.id), None)
    return VoteLife(
        vote=found.id,
        index=index,
        steps=tuple(steps),
        boards=_boards(conn, found, index),
        struck=found.struck,
        question=found.text if found.redistribute else None,
    )


def _steps(conn: Connection, found: Row[*tuple[Any, ...]]) -> tuple[AuditRow, ...]:
    events = recorded_for_moderators()
    streams = [arena_stream(found.mode, month) for month in {found.issued, found.month}]
    named = body_text(conn, events.c.body, "ballot")
    on_ballot = select(events.c.id).where(
        events.c.stream.in_(streams),
        events.c.kind.in_(_BALLOT_KINDS),
        (named == found.ballot_id) | events.c.part.contains(found.ballot_id, autoescape=True),
    )
    ids = {
        found.id,
        found.ballot_id,
        *conn.execute(on_ballot).scalars(),
        *done_about(conn, found.id, found.month, found.voter),
    }
    query = select(events).where(events.c.id.in_(sorted(ids))).order_by(events.c.seq)
    return audit_rows(conn, conn.execute(query).all(), private=True)


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
