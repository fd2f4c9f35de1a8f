"""Refits: fit the open month's sequenced votes and publish the official board (V-050).

Votes wait until they are sequenced, so that a board names the log entries it is made from. Two
processes may fit the same entries; one of them publishes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from antiabuse.utc import SECOND_US
from arena import boards, headers, standing
from arena.ballot_events import arena_stream
from arena.ballot_projection import WEIGHT_UNIT
from arena.boards import PublishedBoard, as_mode
from arena.events import Mode
from arena.ports import Ports
from arena.publishing import Fitted, publish
from arena.tables import vote
from arena.vote_columns import Columns
from ledger import store
from ledger.search import recorded
from ranking import limits, lobster
from ranking import rules as ranking_rules

__all__ = [
    "Totals",
    "counted",
    "refit_if_due",
    "refit_now",
    "row_body",
    "totals",
    "waiting",
]


def waiting(conn: Connection, mode: Mode, month: str, published: PublishedBoard | None) -> int:
    """Count the sequenced votes of a mode and month that its last board does not hold yet."""
    if published is None:
        # Without a board to begin at, the log would be read from its first entry on.
        logged = recorded()
        cast = select(func.count()).join_from(vote, logged, logged.c.id == vote.c.id)
        of_month = cast.where(vote.c.mode == mode, vote.c.month == month)
        return conn.execute(of_month.where(logged.c.idx.is_not(None))).scalar_one()
    low, high = published.log_size, store.head(conn).size
    entries = store.sequenced(arena_stream(mode, month), "vote.cast", low, high).subquery()
    return conn.execute(select(func.count()).select_from(entries)).scalar_one()


def refit_if_due(ports: Ports, mode: str, month: str, now_us: int, refit_min_votes: int) -> bool:
    """Fit and publish a board if enough votes wait, or a moderator's decision; say if it was."""
    kind = as_mode(mode)
    with ports.database.read() as conn:
        previous = boards.latest(conn, kind, month)
        new = waiting(conn, kind, month, previous)
        decided = previous is not None and standing.waits(conn, kind, month, previous.log_size)
    if not decided and not _due(new, previous, now_us, refit_min_votes):
        return False
    return refit_now(ports, kind, month, now_us)


def _due(new: int, previous: PublishedBoard | None, now_us: int, refit_min_votes: int) -> bool:
    rules = ranking_rules.current()
    if new >= rules.refit_votes:
        return True
    if new < refit_min_votes:
        return False
    if previous is None:
        return True
    # A clock that was set back must not stop the boards.
    return not 0 <= now_us - previous.computed_us < rules.refit_seconds * SECOND_US


def refit_now(ports: Ports, mode: str, month: str, now_us: int) -> bool:
    """Fit all sequenced votes and publish; return False if no vote counts or it is out already."""
    kind = as_mode(mode)
    with ports.database.read() as conn:
        previous = boards.latest(conn, kind, month)
        columns = _real(standing.columns_at(ports, conn, kind, month, store.head(conn).size))
        header = headers.latest(conn, kind, month)
    if previous is None and not (columns.votes["weight"] > 0).any():
        return False
    if previous is not None and previous.demo and not columns.votes["demo"].any():
        previous = None  # the demo's models and zero mean nothing to real ones
    start = {row.model: row.theta for row in previous.rows} if previous else None
    limited, fitted = limits.limited(*_votes(columns), ranking_rules.current(), start=start)
    columns, capped = _weighing(columns, limited)
    basket = _basket(fitted, header, previous)
    made = lobster.board(fitted, basket=basket or None)
    sums = totals(columns)
    rows = tuple(row_body(row, sums) for row in made.models)
    facts = {
        "log_likelihood": f"{made.log_likelihood:.6f}",
        "iterations": made.iterations,
        "cap": capped._asdict(),
    }
    return publish(ports, kind, month, now_us, Fitted(columns, rows, basket, facts))


class Lowered(NamedTuple):
    """How many votes the influence cap lowered: for their voters, or further for a network."""

    voters: int
    networks: int


def counted(columns: Columns) -> tuple[Columns, Lowered]:
    """Return the votes that boards are made of, with capped weights, and how many were lowered.

    Those are the real votes once there are some, else the demo votes (V-174, X-014). No voter
    cluster and no network supplies too much of a model's evidence (V-155), or moves a score too
    far. Points follow the weight (V-041).
    """
    kept, rules = _real(columns), ranking_rules.current()
    try:
        made, _ = limits.limited(*_votes(kept), rules)
    except lobster.LobsterError:
        # No board is made of such votes; who counts exposures alone goes on.
        made = limits.within_cap(*_votes(kept), rules)
    return _weighing(kept, made)


def _real(columns: Columns) -> Columns:
    demo = columns.votes["demo"].astype(bool)
    return columns if demo.all() else columns.where(~demo)


def _votes(columns: Columns) -> tuple[lobster.Choices, NDArray[Any]]:
    """Return the votes as the engine takes them, and the networks they came from."""
    return columns.choices(), np.ascontiguousarray(columns.votes["network"])


def _weighing(columns: Columns, made: limits.Limited) -> tuple[Columns, Lowered]:
    lowered = Lowered(int(made.voters.sum()), int(made.networks.sum()))
    if any(lowered):
        columns = columns.weighing(made.choices.weight)
        columns.votes["changes"] = _scaled(columns.votes["changes"], made.factors)
    return columns, lowered


def _scaled(changes: NDArray[np.int32], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return votes' changes (n, 4) times their factors (n,), whole and each still zero-sum."""
    scaled: NDArray[np.float64] = np.rint(changes * factors[:, None])
    largest = np.abs(scaled).argmax(axis=1)
    scaled[np.arange(len(scaled)), largest] -= np.where(factors < 1, scaled.sum(axis=1), 0)
    return scaled


def _basket(
    fitted: lobster.Fit, header: headers.MonthHeader | None, previous: PublishedBoard | None
) -> tuple[str, ...]:
    """Return the models whose mean is 1200: of those fixed for the month, the ones shown enough.

    Where the month opened with fewer than four Active models, the basket is fixed at the first fit
    in which four have enough exposures.
    """
    enough = ranking_rules.current().basket_models
    if header is not None and len(header.basket) >= enough:
        return lobster.basket_of(fitted, header.basket) or ()
    if previous is not None and previous.basket:
        return previous.basket
    return lobster.basket_of(fitted, fitted.models) or ()


class Totals:
    """Sums over counted votes that the engine does not make: points and showings, by model."""

    def __init__(self, points: Mapping[str, int], showings: Mapping[str, int]) -> None:
        self.points = points
        self.showings = showings


def totals(columns: Columns) -> Totals:
    """Sum each model's changes in millionths of a point (V-041) and its showings (V-065)."""
    names, weighing = columns.names["models"], columns.votes["weight"] > 0
    points, showings = np.zeros((2, len(names)))
    for models, changes in zip(columns.votes["models"].T, columns.votes["changes"].T, strict=True):
        # Sums of whole numbers as floats are exact below 2^53 millionths.
        points += np.bincount(models, changes * weighing, len(names))
        showings += np.bincount(models, weighing, len(names))
    return Totals(
        {name: int(points[place]) for place, name in enumerate(names)},
        {name: int(showings[place]) for place, name in enumerate(names)},
    )


def row_body(row: lobster.Row, sums: Totals) -> dict[str, Any]:
    """Lay out one model's row; every fraction is decimal text, so that it can be hashed."""
    return {
        "model": row.model,
        "theta": f"{row.theta:.6f}",
        "gamma": f"{row.gamma:.9g}",
        "score": f"{row.score:.2f}",
        "se": f"{row.se:.6f}",
        "score_se": f"{row.score_se:.6f}",
        "low": f"{row.low:.2f}",
        "high": f"{row.high:.2f}",
        "exposures": f"{row.exposures:.6f}",
        "showings": sums.showings[row.model],
        "best": f"{row.best:.6f}",
        "worst": f"{row.worst:.6f}",
        "same": f"{row.same:.6f}",
        "bad": f"{row.bad:.6f}",
        "points": f"{sums.points[row.model] / WEIGHT_UNIT:.2f}",
        "best_place": row.best_place,
        "worst_place": row.worst_place,
        "provisional": row.provisional,
        "comparable": row.comparable,
        "few_voters": row.few_voters,
        "limited": row.limited,
    }
