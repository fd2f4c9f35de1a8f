"""The lifecycle's use cases: admit newcomers, open a month, take a look (V-091).

The rules are `ranking.lifecycle`; here the numbers are gathered and what happened is written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, select, text

from antiabuse.statements import Statement
from antiabuse.utc import SECOND_US, day_of, day_start_us, month_of, month_start_us
from arena import boards, headers, month_cut, refits, rules, standing
from arena.ballot_projection import WEIGHT_UNIT
from arena.boards import PublishedBoard
from arena.events import Mode
from arena.lifecycle_events import FallWithheld, Looked, MonthOpened, StateChanged, lifecycle_event
from arena.ports import Ports
from arena.projection import project
from arena.publishing import one_worker_at_a_time
from arena.tables import lifecycle_look
from arena.vote_columns import Columns
from ledger import store
from ledger.ids import uuid7
from ranking import lifecycle
from ranking import rules as ranking_rules
from ranking.lifecycle import Standing, State, Transition, Withheld

__all__ = [
    "ModelState",
    "admit",
    "look",
    "look_delay_us",
    "look_if_due",
    "open_month",
    "states",
]


_NEWCOMERS = text(
    """
    SELECT DISTINCT a.model FROM answer a
    JOIN model m ON m.slug = a.model AND m.retired_us IS NULL
    JOIN question q ON q.id = a.question_id AND q.retired_us IS NULL
    WHERE a.mode = :mode AND a.state = 'showable'
      AND NOT EXISTS (SELECT 1 FROM model_state s WHERE s.mode = :mode AND s.model = a.model)
    ORDER BY a.model
    """
)
_LIVING = Statement(
    """
    SELECT s.model, s.state, s.entered_us, s.entered_size, s.looks_below
    FROM model_state s JOIN model m ON m.slug = s.model AND m.retired_us IS NULL
    WHERE s.mode = :mode ORDER BY s.model
    """
)


@dataclass(frozen=True, slots=True)
class ModelState:
    """Where a model stands in a mode, since when, and from which log entry on its votes count."""

    model: str
    state: State
    entered_us: int
    entered_size: int
    looks_below: int


def states(conn: Connection, mode: Mode) -> dict[str, ModelState]:
    """Return the states of all models of a mode that are not retired, by slug."""
    return {
        row.model: ModelState(
            row.model, State(row.state), row.entered_us, row.entered_size, row.looks_below
        )
        for row in _LIVING.run(conn, mode=mode)
    }


def admit(ports: Ports, mode: Mode, now_us: int) -> tuple[str, ...]:
    """Enter models with a first showable answer as Active; return their slugs (V-080)."""
    with ports.database.read() as conn:
        if conn.execute(_NEWCOMERS, {"mode": mode}).first() is None:
            return ()
    with ports.database.write() as conn:
        one_worker_at_a_time(conn)
        newcomers = conn.execute(_NEWCOMERS, {"mode": mode}).scalars().all()
        size = store.head(conn).size
        for model in newcomers:
            change = StateChanged(
                mode=mode,
                month=month_of(now_us),
                model=model,
                before=None,
                after=State.ACTIVE.value,
                cause="entered",
                at_us=now_us,
                log_size=size,
                numbers={},
            )
            _write(ports, conn, change, now_us)
    return tuple(newcomers)


def open_month(ports: Ports, mode: Mode, now_us: int) -> bool:
    """Write the open month's header and carry states over, once (V-108); say if it was new.

    A header or a state from the future is that of a clock since set back, and does not count.
    """
    month = month_of(now_us)
    with ports.database.read() as conn:
        if _is_open(conn, mode, month, now_us):
            return False
    began_us = month_start_us(now_us)
    with ports.database.write() as conn:
        one_worker_at_a_time(conn)
        if _is_open(conn, mode, month, now_us):
            return False
        size = store.head(conn).size
        basket = []
        for known in states(conn, mode).values():
            if began_us <= known.entered_us <= now_us:
                continue
            after = lifecycle.carry_over(known.state)
            if after is State.ACTIVE:
                basket.append(known.model)
            if after is not known.state:
                change = StateChanged(
                    mode=mode,
                    month=month,
                    model=known.model,
                    before=known.state.value,
                    after=after.value,
                    cause="month",
                    at_us=now_us,
                    log_size=size,
                    numbers={},
                )
                _write(ports, conn, change, now_us)
        opened = MonthOpened(mode=mode, month=month, at_us=now_us, basket=tuple(basket))
        _write(ports, conn, opened, now_us)
    return True


def _is_open(conn: Connection, mode: Mode, month: str, now_us: int) -> bool:
    header = headers.latest(conn, mode, month)
    return header is not None and header.opened_us <= now_us


def look_if_due(ports: Ports, mode: Mode, now_us: int) -> bool:
    """Take the day's look once its time has come; return whether it was taken (V-091)."""
    if now_us < day_start_us(now_us) + look_delay_us():
        return False
    return look(ports, mode, month_of(now_us), day_of(now_us), now_us)


def look_delay_us() -> int:
    """Return how long after midnight a look is taken."""
    return rules.current().look_minute * 60 * SECOND_US


def look(ports: Ports, mode: Mode, month: str, day: str, at_us: int) -> bool:
    """Look at a month's last board, once for each `day`; return whether it was taken.

    Args:
        ports: the arena's means.
        mode: of the models.
        month: whose board and votes are looked at.
        day: the UTC date, or the month itself for the look at its cut.
        at_us: the moment that is judged, and written on what happens.
    """
    with ports.database.read() as conn:
        if _looked(conn, mode, month, day, at_us):
            return False
        board = boards.latest(conn, mode, month)
        size = board.log_size if board else 0
        columns = standing.columns_at(ports, conn, mode, month, max(size, store.head(conn).size))
        known = states(conn, mode)
    standings = _standings(known, board, refits.counted(columns)[0])
    found = lifecycle.look(standings, at_us, ranking_rules.current())
    with ports.database.write() as conn:
        one_worker_at_a_time(conn)
        if _looked(conn, mode, month, day, at_us):
            return False
        looked = Looked(
            mode=mode,
            month=month,
            day=day,
            at_us=at_us,
            board=board.id if board else None,
            log_size=size,
            looks_below=found.looks_below,
        )
        _write(ports, conn, looked, at_us)
        for event in found.happened:
            _write(ports, conn, _as_event(event, mode, month, at_us, columns.log_size), at_us)
    return True


def _looked(conn: Connection, mode: Mode, month: str, day: str, at_us: int) -> bool:
    if day == month:
        return month_cut.holds(conn, mode, month)
    # A look from the future was taken by a clock since set back.
    query = select(lifecycle_look.c.day).where(
        lifecycle_look.c.mode == mode, lifecycle_look.c.day == day, lifecycle_look.c.at_us <= at_us
    )
    return conn.execute(query).first() is not None


def _standings(
    known: Mapping[str, ModelState], board: PublishedBoard | None, columns: Columns
) -> Sequence[Standing]:
    found = []
    for model, state in known.items():
        row = board.row_of(model) if board else None
        exposures, clusters = _in_state(columns, model, state.entered_size)
        found.append(
            Standing(
                model=model,
                state=state.state,
                entered_us=state.entered_us,
                exposures=row.exposures if row else 0.0,
                exposures_in_state=exposures,
                clusters_in_state=clusters,
                score=row.score if row else None,
                score_se=row.score_se if row else None,
                looks_below=state.looks_below,
            )
        )
    return found


def _in_state(columns: Columns, model: str, entered_size: int) -> tuple[float, int]:
    """Return a model's weighted exposures since it entered its state, and their voter clusters."""
    if model not in columns.names["models"]:
        return 0.0, 0
    votes = columns.votes
    place = list(columns.names["models"]).index(model)
    mask = (votes["models"] == place).any(axis=1) & (votes["idx"] >= entered_size)
    counted = votes[mask & (votes["best"] >= 0) & (votes["weight"] > 0)]
    exposures = int(counted["weight"].sum(dtype=np.int64)) / WEIGHT_UNIT
    return exposures, len(np.unique(counted["cluster"]))


def _as_event(
    happened: Transition | Withheld, mode: Mode, month: str, now_us: int, log_size: int
) -> StateChanged | FallWithheld:
    if isinstance(happened, Withheld):
        move = happened.transition
        return FallWithheld(
            mode=mode,
            month=month,
            model=move.model,
            before=move.before.value,
            cause=move.cause.value,
            at_us=now_us,
            eligible=happened.eligible,
            numbers=_numbers(move),
        )
    return StateChanged(
        mode=mode,
        month=month,
        model=happened.model,
        before=happened.before.value,
        after=happened.after.value,
        cause=happened.cause.value,
        at_us=now_us,
        log_size=log_size,
        numbers=_numbers(happened),
    )


def _numbers(move: Transition) -> dict[str, str | int | None]:
    """Return the numbers that caused a move; fractions as text."""
    standing = move.standing
    return {
        "exposures": f"{standing.exposures:.6f}",
        "exposures_in_state": f"{standing.exposures_in_state:.6f}",
        "clusters_in_state": standing.clusters_in_state,
        "score": None if standing.score is None else f"{standing.score:.2f}",
        "score_se": None if standing.score_se is None else f"{standing.score_se:.6f}",
        "lower": f"{move.lower:.2f}" if math.isfinite(move.lower) else None,
        "upper": f"{move.upper:.2f}" if math.isfinite(move.upper) else None,
        "looks_below": move.looks_below,
    }


def _write(
    ports: Ports,
    conn: Connection,
    event: MonthOpened | StateChanged | FallWithheld | Looked,
    now_us: int,
) -> None:
    project(conn, ports.log.append(conn, lifecycle_event(event, event_id=uuid7(now_us, ports.rng))))
