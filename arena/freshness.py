"""How fresh the pool is: which answers were revealed too often for votes on them to count."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from sqlalchemy import Connection, text

from antiabuse import rules as antiabuse_rules
from arena.boards import MODES
from arena.events import Mode
from ranking.exposure import SET_SIZE

__all__ = ["NEARLY_STALE", "Freshness", "pool_freshness"]

NEARLY_STALE: Final = Fraction(9, 10)
"""From this share of the fresh reveals on an answer is told to the operator; it moves nothing."""

_QUESTIONS: Final = text(
    """
    SELECT q.mode, count(*) AS answers,
           sum(CASE WHEN a.reveals < :fresh THEN 1 ELSE 0 END) AS fresh,
           sum(CASE WHEN a.reveals >= :near AND a.reveals < :fresh THEN 1 ELSE 0 END) AS near
    FROM question q
    JOIN answer a ON a.question_id = q.id AND a.state = 'showable'
    JOIN model m ON m.slug = a.model AND m.retired_us IS NULL
    WHERE q.retired_us IS NULL
    GROUP BY q.id, q.mode
    """
)


@dataclass(frozen=True, slots=True)
class Freshness:
    """A mode's pool (V-151).

    Attributes:
        mode: whose pool it is.
        answers: that may be shown.
        fresh_answers: of these, those whose votes still count.
        nearly_stale: of the fresh ones, those near the last reveal that counts.
        questions: with answers of enough models for a ballot.
        fresh_questions: of these, those with enough fresh answers.
    """

    mode: Mode
    answers: int
    fresh_answers: int
    nearly_stale: int
    questions: int
    fresh_questions: int


def pool_freshness(conn: Connection) -> tuple[Freshness, ...]:
    """Return how fresh each mode's pool is; reveals are counted by votes, skips reveal nothing."""
    fresh = antiabuse_rules.current().fresh_reveals
    near = math.ceil(fresh * NEARLY_STALE)
    rows = conn.execute(_QUESTIONS, {"fresh": fresh, "near": near}).all()
    pools = []
    for mode in MODES:
        own = [row for row in rows if row.mode == mode]
        pools.append(
            Freshness(
                mode=mode,
                answers=sum(row.answers for row in own),
                fresh_answers=sum(row.fresh for row in own),
                nearly_stale=sum(row.near for row in own),
                questions=sum(row.answers >= SET_SIZE for row in own),
                fresh_questions=sum(row.fresh >= SET_SIZE for row in own),
            )
        )
    return tuple(pools)
