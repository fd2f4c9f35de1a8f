"""Changing the catalogue: each change is an event, appended and projected in one transaction."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena import rules
from arena.errors import UnknownAnswer
from arena.events import (
    CATALOGUE_STREAM,
    AnswerCleared,
    AnswerHeld,
    ArenaEvent,
    DemoRetired,
    new_event,
)
from arena.projection import project
from arena.tables import answer, catalogue_head, model, question
from ledger.event import StoredEvent
from ledger.ids import uuid7
from ledger.store import Log

__all__ = [
    "Recorder",
    "clear_answer",
    "demo_in_use",
    "hold_answer",
    "lock_catalogue",
    "retire_demo",
]


@dataclass(frozen=True, slots=True)
class Recorder:
    """Appends catalogue events and projects them, in the caller's transaction."""

    log: Log
    now_us: int
    rng: random.Random

    def record(self, conn: Connection, event: ArenaEvent) -> StoredEvent:
        """Append one event and bring the tables up to date."""
        stored = self.log.append(
            conn,
            new_event(
                event,
                event_id=uuid7(self.now_us, self.rng),
                stream=CATALOGUE_STREAM,
                ruleset=rules.current().id,
            ),
        )
        project(conn, stored)
        return stored


def lock_catalogue(conn: Connection) -> None:
    """Let one transaction at a time change the catalogue, from here to its end.

    SQLite has one writer anyway. The very first import finds no row to lock: a second one beside it
    then fails on a unique constraint.
    """
    conn.execute(select(catalogue_head.c.version).with_for_update())


def demo_in_use(conn: Connection) -> bool:
    """Say whether any demo model or question is still in the pool."""
    return any(
        conn.execute(
            select(table.c.demo).where(table.c.demo, table.c.retired_us.is_(None)).limit(1)
        ).scalar()
        is not None
        for table in (model, question)
    )


def retire_demo(conn: Connection, recorder: Recorder) -> DemoRetired | None:
    """Take all demo models, questions and answers out of the pool (V-174).

    Returns:
        The event as logged, or None when no demo content was in use.
    """
    if not demo_in_use(conn):
        return None
    living_models = select(func.count()).where(model.c.demo, model.c.retired_us.is_(None))
    living_questions = select(func.count()).where(question.c.demo, question.c.retired_us.is_(None))
    living_answers = (
        select(func.count())
        .select_from(answer.join(question, question.c.id == answer.c.question_id))
        .where(question.c.demo, answer.c.state != "retired")
    )
    event = DemoRetired(
        models=conn.execute(living_models).scalar_one(),
        questions=conn.execute(living_questions).scalar_one(),
        answers=conn.execute(living_answers).scalar_one(),
        at_us=recorder.now_us,
    )
    recorder.record(conn, event)
    return event


def hold_answer(conn: Connection, recorder: Recorder, answer_id: str, held_for: str) -> None:
    """Take a showable answer out of the pool until a moderator clears it (V-150).

    Raises:
        UnknownAnswer: there is no showable answer with this id.
    """
    _require_state(conn, answer_id, "showable")
    recorder.record(conn, AnswerHeld(answer=answer_id, held_for=held_for))


def clear_answer(conn: Connection, recorder: Recorder, answer_id: str, reason: str) -> None:
    """Let a held answer back into the pool, on a moderator's decision.

    Raises:
        UnknownAnswer: there is no held answer with this id.
    """
    _require_state(conn, answer_id, "held")
    recorder.record(conn, AnswerCleared(answer=answer_id, reason=reason))


def _require_state(conn: Connection, answer_id: str, state: str) -> None:
    found = conn.execute(
        select(answer.c.state).where(answer.c.id == answer_id).with_for_update()
    ).scalar()
    if found != state:
        raise UnknownAnswer(f"no {state} answer {answer_id}")
