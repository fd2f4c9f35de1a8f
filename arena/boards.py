"""Boards: fits the open month's sequenced votes, publishes the board as one event, reads it back.

A board is a function of the log's first `log_size` entries, so anyone can compute it again (V-051).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, Row, func, select, text

from antiabuse.statements import Statement
from antiabuse.utc import DAY_US, SECOND_US
from arena.ballot_events import BoardPublished, arena_stream, board_event
from arena.ballot_projection import WEIGHT_UNIT
from arena.errors import UnknownCode
from arena.events import Mode
from arena.ports import Ports
from arena.projection import project
from arena.tables import board as board_table
from arena.tables import question as question_table
from arena.tables import vote as vote_table
from ledger import store
from ledger.canonical import canonical
from ledger.ids import uuid7
from ranking import lobster
from ranking import rules as ranking_rules
from ranking.lobster import BAD, NO_WORST, SAME, Choices

__all__ = [
    "BoardRow",
    "PublishedBoard",
    "as_mode",
    "last_of_each_day",
    "latest",
    "refit_if_due",
    "refit_now",
    "waiting",
]

MODES: Final[tuple[Mode, ...]] = ("speed", "expert")


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One model of a published board; places are None for provisional or not comparable models."""

    model: str
    theta: float
    score: float
    low: float
    high: float
    exposures: float
    best: float
    worst: float
    points: float
    best_place: int | None
    worst_place: int | None
    provisional: bool
    comparable: bool
    few_voters: bool


@dataclass(frozen=True, slots=True)
class PublishedBoard:
    """A board as published, in display order."""

    id: str
    mode: Mode
    month: str
    computed_us: int
    log_size: int
    code_version: str
    demo: bool
    votes: int
    voters: int
    verdicts: Mapping[str, int]
    excluded: Mapping[str, int]
    basket: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    gammas: Mapping[str, float]

    def gamma_of(self, model: str) -> float:
        """Return a model's strength; 1, the ghost's, for a model the board does not know."""
        return self.gammas.get(model, 1.0)

    def row_of(self, model: str) -> BoardRow | None:
        """Return a model's row, or None when it was never shown."""
        return next((row for row in self.rows if row.model == model), None)


def as_mode(name: str) -> Mode:
    """Return a mode's name as its type.

    Raises:
        UnknownCode: it is neither `speed` nor `expert`.
    """
    for mode in MODES:
        if mode == name:
            return mode
    raise UnknownCode(f"there is no mode {name}")


_LATEST = Statement(
    "SELECT id, body FROM board WHERE mode = :mode AND month = :month"
    " ORDER BY log_size DESC LIMIT 1"
)


def latest(conn: Connection, mode: str, month: str) -> PublishedBoard | None:
    """Return the board of a mode and month that was published last, or None before the first."""
    row = _LATEST.run(conn, mode=mode, month=month).one_or_none()
    return None if row is None else _parsed(row.id, row.body)


_DAYS = text(
    """
    SELECT b.id, b.body FROM board b
    JOIN (SELECT mode, computed_us / :day AS day, max(log_size) AS log_size FROM board
          GROUP BY mode, computed_us / :day ORDER BY day DESC LIMIT :most) d
      ON d.mode = b.mode AND d.log_size = b.log_size AND d.day = b.computed_us / :day
    ORDER BY b.computed_us DESC
    """
)


def last_of_each_day(conn: Connection, most: int = 30) -> list[PublishedBoard]:
    """Return the last board of each mode and UTC day, newest first, at most so many."""
    rows = conn.execute(_DAYS, {"day": DAY_US, "most": most})
    return [_parsed(row.id, row.body) for row in rows]


@lru_cache(maxsize=64)
def _parsed(board_id: str, body: str) -> PublishedBoard:
    """Read a stored board; a published board never changes, so it is read once per process."""
    event = BoardPublished.from_body(json.loads(body))
    rows = tuple(_row(row) for row in event.rows)
    return PublishedBoard(
        id=board_id,
        mode=event.mode,
        month=event.month,
        computed_us=event.computed_us,
        log_size=event.log_size,
        code_version=event.code_version,
        demo=event.demo,
        votes=event.votes,
        voters=event.voters,
        verdicts=event.verdicts,
        excluded=event.excluded,
        basket=tuple(event.basket),
        rows=rows,
        gammas={row["model"]: float(row["gamma"]) for row in event.rows},
    )


def _row(row: Mapping[str, Any]) -> BoardRow:
    numbers = ("theta", "score", "low", "high", "exposures", "best", "worst", "points")
    same = ("model", "best_place", "worst_place", "provisional", "comparable", "few_voters")
    fields: dict[str, Any] = {name: float(row[name]) for name in numbers}
    return BoardRow(**fields, **{name: row[name] for name in same})


def waiting(conn: Connection, mode: Mode, month: str, published: PublishedBoard | None) -> int:
    """Count the sequenced votes of a mode and month that its last board does not hold yet."""
    size = store.head(conn).size
    return _waiting(conn, mode, month, published.log_size if published else 0, size)


def refit_if_due(ports: Ports, mode: str, month: str, now_us: int, refit_min_votes: int) -> bool:
    """Fit and publish a new board if enough votes wait (V-050); return whether one was published.

    Votes wait until they are sequenced, so that the board names the log entries it is made from.
    Two processes may fit the same entries; one of them publishes.
    """
    kind = as_mode(mode)
    with ports.database.read() as conn:
        previous = latest(conn, kind, month)
        size = store.head(conn).size
        new = _waiting(conn, kind, month, previous.log_size if previous else 0, size)
        if not _due(new, previous, now_us, refit_min_votes):
            return False
    return refit_now(ports, kind, month, now_us)


def refit_now(ports: Ports, mode: str, month: str, now_us: int) -> bool:
    """Fit all sequenced votes and publish the board; return False if it is published already."""
    kind = as_mode(mode)
    with ports.database.read() as conn:
        previous = latest(conn, kind, month)
        size = store.head(conn).size
        votes = _votes(conn, kind, month, size)
    # Once real answers are voted on, demo votes are no part of the month any more (V-174, X-014).
    demo = all(vote.demo for vote in votes)
    votes = [vote for vote in votes if bool(vote.demo) == demo]
    if not any(vote.weight_micro for vote in votes):
        return False
    event = _fitted(ports, kind, month, now_us, size, votes, previous, demo=demo)
    with ports.database.write() as conn:
        if _published(conn, kind, month, size):
            return False
        project(conn, ports.log.append(conn, board_event(event, event_id=event.board)))
    return True


def _due(new: int, previous: PublishedBoard | None, now_us: int, refit_min_votes: int) -> bool:
    rules = ranking_rules.current()
    if new >= rules.refit_votes:
        return True
    if new < refit_min_votes:
        return False
    return previous is None or now_us - previous.computed_us >= rules.refit_seconds * SECOND_US


def _waiting(conn: Connection, mode: Mode, month: str, low: int, high: int) -> int:
    """Count the votes sequenced since the last board."""
    entries = store.sequenced(arena_stream(mode, month), "vote.cast", low, high).subquery()
    return conn.execute(select(func.count()).select_from(entries)).scalar_one()


def _published(conn: Connection, mode: Mode, month: str, size: int) -> bool:
    """Say whether a board of these log entries is there already."""
    query = select(board_table.c.id).where(
        board_table.c.mode == mode, board_table.c.month == month, board_table.c.log_size == size
    )
    return conn.execute(query).first() is not None


def _votes(conn: Connection, mode: Mode, month: str, size: int) -> list[Row[Any]]:
    """Return the votes among the log's first `size` entries, in log order."""
    entries = store.sequenced(arena_stream(mode, month), "vote.cast", 0, size).subquery()
    query = (
        select(
            vote_table.c.models,
            vote_table.c.verdict,
            vote_table.c.best,
            vote_table.c.worst,
            vote_table.c.weight_micro,
            vote_table.c.cluster,
            vote_table.c.reasons,
            vote_table.c.changes,
            question_table.c.demo,
        )
        .join(entries, entries.c.event_id == vote_table.c.id)
        .join(question_table, question_table.c.id == vote_table.c.question_id)
        .order_by(entries.c.idx)
    )
    return list(conn.execute(query))


def _fitted(
    ports: Ports,
    mode: Mode,
    month: str,
    now_us: int,
    size: int,
    votes: Sequence[Row[Any]],
    previous: PublishedBoard | None,
    *,
    demo: bool,
) -> BoardPublished:
    """Fit the votes and lay out the board as it will stand in the log."""
    counted = [vote for vote in votes if vote.weight_micro > 0]
    start = {row.model: row.theta for row in previous.rows} if previous else None
    fit = lobster.fit(_choices(counted), start=start)
    basket = (previous.basket if previous else ()) or lobster.basket_of(fit, fit.models) or ()
    made = lobster.board(fit, basket=basket or None)
    points = _points(counted)
    rows = tuple(_row_body(row, points[row.model]) for row in made.models)
    output = hashlib.sha256(canonical({"rows": rows})).hexdigest()
    return BoardPublished(
        mode=mode,
        month=month,
        board=uuid7(now_us, ports.rng),
        computed_us=now_us,
        log_size=size,
        code_version=ports.code_version,
        demo=demo,
        votes=len(counted),
        voters=len({vote.cluster for vote in counted}),
        verdicts=dict(Counter(vote.verdict for vote in counted)),
        excluded=_excluded(votes),
        basket=tuple(basket),
        log_likelihood=f"{made.log_likelihood:.6f}",
        iterations=made.iterations,
        rows=rows,
        output_sha256=output,
    )


def _choices(votes: Sequence[Row[Any]]) -> Choices:
    """Lay out votes as the whole-number columns the engine takes."""
    sets = [json.loads(vote.models) for vote in votes]
    models = tuple(sorted({slug for four in sets for slug in four}))
    number = {slug: i for i, slug in enumerate(models)}
    numbered = [[number[slug] for slug in four] for four in sets]
    clusters = {name: i for i, name in enumerate(sorted({vote.cluster for vote in votes}))}
    code = {"same": SAME, "bad": BAD}
    return Choices(
        models=models,
        sets=np.array(numbered, dtype=np.int64).reshape(len(votes), -1),
        best=np.array(
            [
                code[vote.verdict] if vote.verdict in code else four[vote.best]
                for vote, four in zip(votes, numbered, strict=True)
            ],
            dtype=np.int64,
        ),
        worst=np.array(
            [
                NO_WORST if vote.worst is None else four[vote.worst]
                for vote, four in zip(votes, numbered, strict=True)
            ],
            dtype=np.int64,
        ),
        weight=np.array([vote.weight_micro for vote in votes], dtype=np.int64),
        cluster=np.array([clusters[vote.cluster] for vote in votes], dtype=np.int64),
    )


def _points(votes: Sequence[Row[Any]]) -> Counter[str]:
    """Sum each model's changes over the votes counted, in millionths of a point (V-041)."""
    total: Counter[str] = Counter()
    for vote in votes:
        for slug, change in zip(json.loads(vote.models), json.loads(vote.changes), strict=True):
            total[slug] += round(float(change) * WEIGHT_UNIT)
    return total


def _excluded(votes: Sequence[Row[Any]]) -> dict[str, int]:
    """Count the votes of weight 0 by their first reason."""
    reasons = (json.loads(vote.reasons) for vote in votes if vote.weight_micro == 0)
    return dict(Counter(reason[0] if reason else "weight_zero" for reason in reasons))


def _row_body(row: lobster.Row, points_micro: int) -> dict[str, Any]:
    """Lay out one model's row; every number is decimal text, so that it can be hashed."""
    return {
        "model": row.model,
        "theta": f"{row.theta:.6f}",
        "gamma": f"{row.gamma:.9g}",
        "score": f"{row.score:.2f}",
        "se": f"{row.se:.6f}",
        "low": f"{row.low:.2f}",
        "high": f"{row.high:.2f}",
        "exposures": f"{row.exposures:.6f}",
        "best": f"{row.best:.6f}",
        "worst": f"{row.worst:.6f}",
        "same": f"{row.same:.6f}",
        "bad": f"{row.bad:.6f}",
        "points": f"{points_micro / WEIGHT_UNIT:.2f}",
        "best_place": row.best_place,
        "worst_place": row.worst_place,
        "provisional": row.provisional,
        "comparable": row.comparable,
        "few_voters": row.few_voters,
    }
