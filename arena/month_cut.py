"""Whether a month's cut holds: it is taken again where votes of the month came after it.

That happens when a clock that ran ahead into the next month is set back.
"""

from __future__ import annotations

from sqlalchemy import Connection, select

from arena import boards
from arena.ballot_events import VoteCast, arena_stream
from arena.events import Mode
from arena.tables import board, lifecycle_look
from ledger.search import recorded

__all__ = ["holds"]


def holds(conn: Connection, mode: Mode, month: str) -> bool:
    """Say whether the look at a month's cut was taken, on all votes that the month has."""
    look = lifecycle_look.c
    query = (
        select(look.board_id, board.c.log_size)
        .join_from(lifecycle_look, board, board.c.id == look.board_id, isouter=True)
        .where(look.mode == mode, look.day == month)
    )
    taken = conn.execute(query).one_or_none()
    if taken is None:
        return False
    if taken.log_size is None:
        return boards.latest(conn, mode, month) is None
    events = recorded()
    cast = select(events.c.idx).where(
        events.c.kind == VoteCast.KIND, events.c.stream == arena_stream(mode, month)
    )
    newest = conn.execute(cast.order_by(events.c.seq.desc()).limit(1)).one_or_none()
    if newest is None:
        return True
    return newest.idx is not None and newest.idx < taken.log_size
