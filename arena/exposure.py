"""Which four models a ballot shows: UCB-E over the mode's board, states and pool (V-060)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection

from arena import lifecycle
from arena.boards import PublishedBoard
from arena.catalogue import AnswerRef, CatalogueSnapshot
from arena.errors import NothingToShow
from arena.events import Mode
from ranking import rules as ranking_rules
from ranking import ucbe
from ranking.errors import PoolTooSmallError
from ranking.exposure import SET_SIZE, Candidate
from ranking.lifecycle import State, multiplier
from ranking.ucbe import Indices, Standing, UcbDraw

__all__ = ["draw", "draw_body", "eligible", "mode_indices"]


def mode_indices(
    conn: Connection, snapshot: CatalogueSnapshot, mode: Mode, board: PublishedBoard | None
) -> Indices:
    """Return the index of each model of a mode that may be shown.

    Raises:
        NothingToShow: fewer than four models may.
    """
    known = lifecycle.states(conn, mode)
    present = sorted({a.model for q in snapshot.questions(mode) for a in q.answers})
    # A model the lifecycle has not met yet enters Active at the worker's next minute.
    states = tuple((m, known[m].state if m in known else State.ACTIVE) for m in present)
    return _indices(board, states)


@lru_cache(maxsize=16)
def _indices(board: PublishedBoard | None, states: tuple[tuple[str, State], ...]) -> Indices:
    rules = ranking_rules.current()
    rows = {row.model: row for row in board.rows} if board else {}
    standings = [
        Standing(
            model=model,
            gamma=rows[model].gamma if model in rows else 1.0,
            showings=rows[model].showings if model in rows else 0,
            multiplier=multiplier(state, rules),
        )
        for model, state in states
    ]
    try:
        return ucbe.indices(standings, rules)
    except PoolTooSmallError as error:
        raise NothingToShow(str(error)) from error


def eligible(answers: Sequence[AnswerRef], known: Indices) -> list[AnswerRef]:
    """Return the answers whose models may be shown."""
    return [answer for answer in answers if answer.model in known.index]


def draw(pool: Sequence[AnswerRef], known: Indices, rng: random.Random) -> UcbDraw:
    """Draw four models of a question's pool, in slot order."""
    candidates = [Candidate(answer.model, answer.maker) for answer in pool]
    return ucbe.draw(candidates, known, rng, ranking_rules.current())


def draw_body(drawn: UcbDraw, pool: Sequence[AnswerRef]) -> Mapping[str, Any]:
    """Return a draw as the log keeps it: with the pool, and fractions as text (V-063)."""
    body = asdict(drawn)
    for name in ("uniform_share", "temperature", "exploration"):
        body[name] = repr(body[name])
    return {**body, "models": list(drawn.models), "pool": [answer.model for answer in pool]}


def enough(answers: Sequence[AnswerRef]) -> bool:
    """Say whether there are four models to choose from."""
    return len(answers) >= SET_SIZE
