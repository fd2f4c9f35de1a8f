"""How models moved through the states, with the numbers that caused each move (V-080 to V-093)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from antiabuse.utc import month_end_us
from arena.boards import PublishedBoard
from arena.events import Mode
from arena.tables import state_change
from ledger.search import recorded
from ranking.lifecycle import State

__all__ = ["StateChange", "changes", "last_moment", "moment_of", "states_at"]


@dataclass(frozen=True, slots=True)
class StateChange:
    """A model entered a state, or was kept from falling: then `after` is None.

    `before` is None at the first entry; `numbers` are those the look saw, fractions as text.
    """

    mode: Mode
    model: str
    before: State | None
    after: State | None
    cause: str
    at_us: int
    numbers: Mapping[str, Any]

    def number(self, name: str) -> float | None:
        """Return one of the numbers, None where the look had none."""
        value = self.numbers.get(name)
        return None if value is None else float(value)


def changes(conn: Connection, mode: Mode, model: str | None = None) -> list[StateChange]:
    """Return the changes of a mode, of one model if named, in the order in which they took effect.

    That is not the order of their times where a clock that ran ahead was set back.
    """
    events = recorded()
    query = select(state_change).join(events, events.c.id == state_change.c.id)
    query = query.where(state_change.c.mode == mode)
    if model is not None:
        query = query.where(state_change.c.model == model)
    rows = conn.execute(query.order_by(events.c.seq))
    return [
        StateChange(
            mode=row.mode,
            model=row.model,
            before=None if row.before is None else State(row.before),
            after=None if row.after is None else State(row.after),
            cause=row.cause,
            at_us=row.at_us,
            numbers=json.loads(row.numbers),
        )
        for row in rows
    ]


def states_at(known: Iterable[StateChange], moment_us: int) -> dict[str, State]:
    """Return each model's state at a moment, from changes that are in order."""
    found = {}
    for change in known:
        if change.at_us <= moment_us and change.after is not None:
            found[change.model] = change.after
    return found


def moment_of(board: PublishedBoard) -> int:
    """Return the moment whose states stand with a board, in microseconds.

    A month's last board is computed in the next month, at the very moment of the carry-over; the
    look at the cut is dated at the month's last microsecond, so that is where its states stand.
    """
    return min(board.computed_us, month_end_us(board.month) - 1)


def last_moment(board: PublishedBoard, known: Sequence[StateChange]) -> int:
    """Return when the last change of a board's month was, or the board's own moment if later."""
    end_us = month_end_us(board.month)
    return max([moment_of(board), *(c.at_us for c in known if c.at_us < end_us)])
