"""A voter's own votes, newest first, for the voter alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Connection, text

from arena import closed_months, rules
from arena.ballot_projection import WEIGHT_UNIT
from arena.ballot_store import LETTERS

__all__ = ["OwnVote", "own_votes"]

_VOTES = text(
    """
    SELECT h.route, q.text AS question, v.mode, v.month, v.verdict, v.best, v.worst, v.hour,
           v.weight_micro, v.reasons, x.reason AS struck
    FROM ballot_holder h
    JOIN vote v ON v.ballot_id = h.ballot_id
    LEFT JOIN vote_strike x ON x.vote_id = v.id
    JOIN question q ON q.id = v.question_id
    WHERE h.voter_id = :voter
    ORDER BY h.issued_us DESC LIMIT :most
    """
)


@dataclass(frozen=True, slots=True)
class OwnVote:
    """One vote as its voter finds it again.

    `weight` is the one it was cast with and `reasons` why it is below 1; `struck` is why it no
    longer counts, or None. `month_open` says whether its month can still change.
    """

    route: str
    question: str
    mode: str
    verdict: str
    best: str | None
    worst: str | None
    hour: str
    weight: str
    reasons: tuple[str, ...]
    struck: str | None
    month_open: bool

    @property
    def counts(self) -> bool:
        """Whether the vote enters points and board."""
        return Decimal(self.weight) > 0 and self.struck is None


def own_votes(conn: Connection, voter: str, now_us: int) -> tuple[OwnVote, ...]:
    """Return a voter's newest votes, as many as the rule lists."""
    rows = conn.execute(_VOTES, {"voter": voter, "most": rules.current().own_votes_listed}).all()
    open_months = {
        month for month in {row.month for row in rows} if closed_months.is_open(conn, month, now_us)
    }
    return tuple(
        OwnVote(
            route=row.route,
            question=row.question,
            mode=row.mode,
            verdict=row.verdict,
            best=None if row.best is None else LETTERS[row.best],
            worst=None if row.worst is None else LETTERS[row.worst],
            hour=row.hour,
            weight=f"{(Decimal(row.weight_micro) / WEIGHT_UNIT).normalize():f}",
            reasons=tuple(json.loads(row.reasons)),
            struck=row.struck,
            month_open=row.month in open_months,
        )
        for row in rows
    )
