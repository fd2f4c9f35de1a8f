"""Boards into the log: one event holds the whole board, and each is written once (V-050)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, select

from arena.ballot_events import BoardPublished, board_event
from arena.boards import ALL_CATEGORIES, OFFICIAL, View
from arena.events import Mode
from arena.ports import Ports
from arena.projection import project
from arena.tables import board as board_table
from arena.tables import catalogue_head
from arena.vote_columns import Columns
from ledger.canonical import canonical
from ledger.ids import uuid7
from ranking import lobster

__all__ = ["Fitted", "one_worker_at_a_time", "output_digest", "publish"]

_OUTPUT: Final = frozenset({"votes", "voters", "verdicts", "excluded", "basket", "rows", "facts"})


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is to be published: rows as laid out, the zero they stand on, and further facts."""

    columns: Columns
    rows: Sequence[Mapping[str, Any]]
    basket: Sequence[str]
    facts: Mapping[str, Any]
    view: View = OFFICIAL
    category: str = ALL_CATEGORIES


def publish(ports: Ports, mode: Mode, month: str, now_us: int, fitted: Fitted) -> bool:
    """Write a board as one event; return False when a board of these entries is out already."""
    columns, rows, facts = fitted.columns, fitted.rows, fitted.facts
    votes = columns.votes
    weighing = votes["weight"] > 0
    event = BoardPublished(
        mode=mode,
        month=month,
        view=fitted.view,
        category=fitted.category,
        board=uuid7(now_us, ports.rng),
        computed_us=now_us,
        log_size=columns.log_size,
        code_version=ports.code_version,
        demo=bool(votes["demo"].all()),
        votes=int(np.count_nonzero(weighing)),
        voters=lobster.numbered(votes["cluster"][weighing])[1],
        verdicts=_verdicts(votes["best"][weighing]),
        excluded=_excluded(columns),
        basket=tuple(fitted.basket),
        rows=tuple(rows),
        facts=facts,
        output_sha256="",
    )
    event = replace(event, output_sha256=output_digest(event))
    with ports.database.write() as conn:
        one_worker_at_a_time(conn)
        if _is_out(conn, event):
            return False
        project(conn, ports.log.append(conn, board_event(event, event_id=event.board)))
    return True


def output_digest(event: BoardPublished) -> str:
    """Return SHA-256 in hex of the canonical JSON of what the fit gave, whenever and by whom."""
    given = {name: value for name, value in event.body().items() if name in _OUTPUT}
    return hashlib.sha256(canonical(given)).hexdigest()


def one_worker_at_a_time(conn: Connection) -> None:
    """Wait until no other worker writes boards or states; SQLite has one writer anyway."""
    conn.execute(select(catalogue_head.c.version).with_for_update())


def _is_out(conn: Connection, event: BoardPublished) -> bool:
    """Say whether a board of this view over these log entries is there already."""
    same = {"mode", "month", "view", "category", "log_size"}
    query = select(board_table.c.id).where(
        *(board_table.c[name] == getattr(event, name) for name in sorted(same))
    )
    return conn.execute(query).first() is not None


def _verdicts(best: lobster.Ints) -> dict[str, int]:
    return {
        "best_worst": int((best >= 0).sum()),
        "same": int((best == lobster.SAME).sum()),
        "bad": int((best == lobster.BAD).sum()),
    }


def _excluded(columns: Columns) -> dict[str, int]:
    """Count the votes of weight 0 by their first reason."""
    out = columns.votes[columns.votes["weight"] == 0]
    names = columns.names["reasons"]
    return dict(
        Counter(names[place] if place >= 0 else "weight_zero" for place in out["reason"].tolist())
    )
