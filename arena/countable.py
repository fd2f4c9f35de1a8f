"""Whether a month without a board has votes that its first one could be made of."""

from __future__ import annotations

from sqlalchemy import Connection, exists, func, select

from arena.events import Mode
from arena.review_tables import vote_strike
from arena.tables import question, vote

__all__ = ["some_vote_counts"]


def some_vote_counts(conn: Connection, mode: Mode, month: str) -> bool:
    """Say whether a vote of a mode and month weighs anything at present (V-052).

    As on a board, demo votes are asked only where there is no real one (V-174).
    """
    struck = exists().where(vote_strike.c.vote_id == vote.c.id)
    counting = func.count().filter((vote.c.weight_micro > 0) & ~struck)
    query = (
        select(question.c.demo, counting)
        .join_from(vote, question, question.c.id == vote.c.question_id)
        .where(vote.c.mode == mode, vote.c.month == month)
        .group_by(question.c.demo)
    )
    found: dict[bool, int] = {bool(demo): count for demo, count in conn.execute(query)}
    return found.get(False, found.get(True, 0)) > 0
