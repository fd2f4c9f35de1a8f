"""What a decision about votes did to the board: the last without it beside the first with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Select, func, select, text

from arena import boards
from arena.ballot_events import VoteCast, arena_stream
from arena.boards import MODES, BoardRow, PublishedBoard
from arena.errors import UnknownDecision
from arena.events import Mode
from arena.review_tables import joining, standing_change
from arena.tables import vote
from ledger import store

__all__ = ["BoardDifference", "ModelDifference", "board_difference"]

_BEFORE: Final = text(
    "SELECT id FROM board WHERE mode = :mode AND month = :month AND view = 'official'"
    " AND category = '' AND log_size <= :place ORDER BY log_size DESC LIMIT 1"
)
_AFTER: Final = text(
    "SELECT id FROM board WHERE mode = :mode AND month = :month AND view = 'official'"
    " AND category = '' AND log_size > :place ORDER BY log_size LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """One model's row on both boards; None where a board does not know it."""

    model: str
    before: BoardRow | None
    after: BoardRow | None

    @property
    def moved(self) -> float | None:
        """Points of score gained; None without both rows."""
        if self.before is None or self.after is None:
            return None
        return self.after.score - self.before.score


@dataclass(frozen=True, slots=True)
class BoardDifference:
    """One mode's boards before and after a decision.

    Attributes:
        mode: of the boards.
        before: the last board without the decision; None before the month's first.
        after: the first board with it; None while it waits.
        votes: those of the mode that the decision is about: struck, restored, or of those joined.
        new_votes: votes that came in between the two as well, so that not all is due to it.
        rows: in the order of the board after; none while it waits.
    """

    mode: Mode
    before: PublishedBoard | None
    after: PublishedBoard | None
    votes: int
    new_votes: int
    rows: tuple[ModelDifference, ...]

    @property
    def waiting(self) -> bool:
        """Whether the board with the decision is not out yet: none comes where nothing changes."""
        return self.after is None and self.moves

    @property
    def moves(self) -> bool:
        """Whether the decision can move the mode's board: votes of it, and a board to move."""
        return self.votes > 0 and (self.before is not None or self.after is not None)


def board_difference(conn: Connection, decision_id: str) -> tuple[BoardDifference, ...]:
    """Return the boards before and after a decision, one pair for each mode it is about.

    Args:
        conn: to read with.
        decision_id: the id of a striking, restoring or joining.

    Raises:
        UnknownDecision: there is none of that id.
    """
    month, votes = _about(conn, decision_id)
    place = store.index_of(conn, decision_id)
    return tuple(_of_mode(conn, mode, month, votes[mode], place) for mode in votes)


def _about(conn: Connection, decision_id: str) -> tuple[str, dict[Mode, int]]:
    """Return the month of a decision, and how many votes of which modes it is about.

    A joining is about both modes, also where those joined have no vote.
    """
    struck = (
        select(standing_change.c.month, vote.c.mode, func.count())
        .join(vote, vote.c.id == standing_change.c.vote_id)
        .where(standing_change.c.event_id == decision_id)
        .group_by(standing_change.c.month, vote.c.mode)
    )
    month, votes = _counted(conn, struck)
    if month is not None:
        return month, {mode: votes[mode] for mode in MODES if mode in votes}
    own = (vote.c.month == joining.c.month) & (vote.c.voter == joining.c.voter)
    joined = (
        select(joining.c.month, vote.c.mode, func.count())
        .join(vote, own)
        .where(joining.c.event_id == decision_id)
        .group_by(joining.c.month, vote.c.mode)
    )
    month, votes = _counted(conn, joined)
    if month is None:
        raise UnknownDecision(f"no decision about votes has the id {decision_id}")
    return month, {mode: votes.get(mode, 0) for mode in MODES}


def _counted(conn: Connection, query: Select[str, str, int]) -> tuple[str | None, dict[str, int]]:
    """Return the month of some rows, None without any, and the third column by mode."""
    rows = conn.execute(query).all()
    return (rows[0].month if rows else None), {row.mode: row[2] for row in rows}


def _of_mode(
    conn: Connection, mode: Mode, month: str, votes: int, place: int | None
) -> BoardDifference:
    if place is None:  # not in the log yet, so no board has it
        return BoardDifference(mode, boards.latest(conn, mode, month), None, votes, 0, ())
    found = []
    for query in (_BEFORE, _AFTER):
        values = {"mode": mode, "month": month, "place": place}
        board_id = conn.execute(query, values).scalar()
        found.append(None if board_id is None else boards.by_id(conn, board_id))
    before, after = found
    if after is None:
        return BoardDifference(mode, before, None, votes, 0, ())
    low = before.log_size if before else 0
    new = store.sequenced(arena_stream(mode, month), VoteCast.KIND, low, after.log_size).subquery()
    new_votes = conn.execute(select(func.count()).select_from(new)).scalar_one()
    return BoardDifference(mode, before, after, votes, new_votes, _rows(before, after))


def _rows(before: PublishedBoard | None, after: PublishedBoard) -> tuple[ModelDifference, ...]:
    known = {row.model: row for row in before.rows} if before else {}
    rows = [ModelDifference(row.model, known.pop(row.model, None), row) for row in after.rows]
    return (*rows, *(ModelDifference(row.model, row, None) for row in known.values()))
