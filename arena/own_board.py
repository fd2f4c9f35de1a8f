"""A voter's own board: the arena's fit over nothing but their own votes. For the voter alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, Row, text

from arena.ballot_projection import WEIGHT_UNIT
from arena.events import Mode
from arena.rules import current
from ranking import lobster

__all__ = ["OwnBoard", "OwnRow", "own_board"]

_PICKS: Final = text(
    """
    SELECT v.models, v.best, v.worst
    FROM ballot_holder h JOIN vote v ON v.ballot_id = h.ballot_id
    WHERE h.voter_id = :voter AND v.mode = :mode AND v.verdict = 'best_worst'
    ORDER BY h.issued_us DESC LIMIT :most
    """
)
_NAMES: Final = text("SELECT slug, name FROM model")


@dataclass(frozen=True, slots=True)
class OwnRow:
    """One model as this voter's picks place it; score and its 95 % limits in points."""

    model: str
    name: str
    score: float
    low: float
    high: float
    shown: int
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class OwnBoard:
    """A voter's picks in one mode; `rows` is empty below `needed` votes with a best pick."""

    mode: Mode
    votes: int
    needed: int
    rows: tuple[OwnRow, ...]


def own_board(conn: Connection, voter: str, mode: Mode) -> OwnBoard:
    """Fit a voter's own votes with a best pick, of all months, the newest ones as the rules say.

    Each counts once, whatever it weighs on the public board: it is the voter's taste that is asked
    for. Votes are taken as independent, for there is one voter only.
    """
    rules = current()
    picks = conn.execute(
        _PICKS, {"voter": voter, "mode": mode, "most": rules.own_board_picks}
    ).all()
    needed = rules.own_board_votes
    if len(picks) < needed:
        return OwnBoard(mode, len(picks), needed, ())
    board = lobster.board(lobster.fit(_choices(picks)))
    names: dict[str, str] = {row.slug: row.name for row in conn.execute(_NAMES)}
    rows = tuple(
        OwnRow(
            model=row.model,
            name=names[row.model],
            score=row.score,
            low=row.low,
            high=row.high,
            shown=round(row.exposures),
            best=round(row.best),
            worst=round(row.worst),
        )
        for row in sorted(board.models, key=lambda row: (-row.theta, row.model))
    )
    return OwnBoard(mode, len(picks), needed, rows)


def _choices(picks: Sequence[Row[Any]]) -> lobster.Choices:
    shown: list[list[str]] = [json.loads(pick.models) for pick in picks]
    models = sorted({slug for slugs in shown for slug in slugs})
    place = {slug: number for number, slug in enumerate(models)}
    sets = np.array([[place[slug] for slug in slugs] for slugs in shown], dtype=np.int64)
    best = [sets[row, pick.best] for row, pick in enumerate(picks)]
    worst = [
        lobster.NO_WORST if pick.worst is None else sets[row, pick.worst]
        for row, pick in enumerate(picks)
    ]
    return lobster.Choices(
        models=tuple(models),
        sets=sets,
        best=np.array(best, dtype=np.int64),
        worst=np.array(worst, dtype=np.int64),
        weight=np.full(len(picks), WEIGHT_UNIT, dtype=np.int64),
        cluster=np.arange(len(picks), dtype=np.int64),
    )
