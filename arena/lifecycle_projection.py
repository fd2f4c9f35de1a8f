"""Events of the lifecycle -> states, their history, looks and month headers.

A look or an opening that is made again, as after a clock was set back, takes the first one's place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, delete, insert, update

from arena.lifecycle_events import FallWithheld, Looked, MonthOpened, StateChanged
from arena.tables import lifecycle_look, model_state, month_header, state_change

if TYPE_CHECKING:
    from arena.projection import RecordedEvent

__all__ = ["HANDLERS", "clear"]


def clear(conn: Connection) -> None:
    """Empty these tables before a replay."""
    for table in (lifecycle_look, state_change, model_state, month_header):
        conn.execute(delete(table))


def _month_opened(conn: Connection, recorded: RecordedEvent) -> None:
    event = MonthOpened.from_body(recorded.body)
    header = month_header.c
    conn.execute(delete(month_header).where(header.mode == event.mode, header.month == event.month))
    row = {"mode": event.mode, "month": event.month, "opened_us": event.at_us}
    conn.execute(insert(month_header), {**row, "basket": json.dumps(list(event.basket))})


def _state_changed(conn: Connection, recorded: RecordedEvent) -> None:
    event = StateChanged.from_body(recorded.body)
    conn.execute(
        delete(model_state).where(
            model_state.c.mode == event.mode, model_state.c.model == event.model
        )
    )
    conn.execute(
        insert(model_state),
        {
            "mode": event.mode,
            "model": event.model,
            "state": event.after,
            "entered_us": event.at_us,
            "entered_size": event.log_size,
            "looks_below": 0,
        },
    )
    _keep(conn, recorded, event, after=event.after)


def _fall_withheld(conn: Connection, recorded: RecordedEvent) -> None:
    _keep(conn, recorded, FallWithheld.from_body(recorded.body), after=None)


def _keep(
    conn: Connection,
    recorded: RecordedEvent,
    event: StateChanged | FallWithheld,
    *,
    after: str | None,
) -> None:
    """Add a line to the model's history; `after` is None where a fall was withheld."""
    conn.execute(
        insert(state_change),
        {
            "id": recorded.id,
            "mode": event.mode,
            "model": event.model,
            "before": event.before,
            "after": after,
            "cause": event.cause,
            "at_us": event.at_us,
            "numbers": json.dumps(dict(event.numbers), sort_keys=True),
        },
    )


def _looked(conn: Connection, recorded: RecordedEvent) -> None:
    event = Looked.from_body(recorded.body)
    look = lifecycle_look.c
    conn.execute(delete(lifecycle_look).where(look.mode == event.mode, look.day == event.day))
    conn.execute(
        insert(lifecycle_look),
        {"mode": event.mode, "day": event.day, "at_us": event.at_us, "board_id": event.board},
    )
    for model, count in event.looks_below.items():
        conn.execute(
            update(model_state)
            .where(model_state.c.mode == event.mode, model_state.c.model == model)
            .values(looks_below=count)
        )


HANDLERS: Final[Mapping[tuple[str, int], Callable[[Connection, RecordedEvent], None]]] = {
    (MonthOpened.KIND, 1): _month_opened,
    (StateChanged.KIND, 1): _state_changed,
    (FallWithheld.KIND, 1): _fall_withheld,
    (Looked.KIND, 1): _looked,
}
