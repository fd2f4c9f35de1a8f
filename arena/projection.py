"""Events of the arena -> read model, in the caller's transaction, when written and when rebuilt.

The log's true order is expected. Rendered answers are no projection: `catalogue.render_missing`
fills them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, Final, Protocol

from sqlalchemy import Connection, delete, insert, select, update

from arena import ballot_projection, lifecycle_projection, review_projection, standing_projection
from arena.errors import UnknownAnswer, UnknownArenaEvent
from arena.events import (
    AnswerAdded,
    AnswerCleared,
    AnswerHeld,
    DemoRetired,
    ImportCompleted,
    ModelAdded,
    QuestionAdded,
)
from arena.questions import text_key
from arena.tables import answer, answer_html, catalogue_head, model, question

__all__ = ["RecordedEvent", "clear", "handles", "project"]


# In the order they are cleared in: what points to votes goes before them.
_PARTS: Final = (
    standing_projection,
    review_projection,
    ballot_projection,
    lifecycle_projection,
)


class RecordedEvent(Protocol):
    """The part of a stored event that a projection reads."""

    @property
    def id(self) -> str:
        """Its id in the log."""
        ...

    @property
    def kind(self) -> str:
        """What happened."""
        ...

    @property
    def version(self) -> int:
        """The version of the body."""
        ...

    @property
    def body(self) -> Mapping[str, Any]:
        """The body as stored."""
        ...


def project(conn: Connection, event: RecordedEvent) -> None:
    """Bring the read model up to date with one event.

    Args:
        conn: the transaction in which the event was appended, or that of a rebuild.
        event: a stored event of this room.

    Raises:
        UnknownArenaEvent: no handler for this kind and version.
    """
    key = (event.kind, event.version)
    if key in _HANDLERS:
        _HANDLERS[key](conn, event.body)
        return
    for part in _PARTS:
        if key in part.HANDLERS:
            part.HANDLERS[key](conn, event)
            return
    raise UnknownArenaEvent(f"cannot project {event.kind} version {event.version}")


def handles(kind: str) -> bool:
    """Say whether this room projects events of that kind."""
    known = chain(_HANDLERS, *(part.HANDLERS for part in _PARTS))
    return any(kind == each for each, _ in known)


def clear(conn: Connection) -> None:
    """Empty the read model, children first, before a replay."""
    for part in _PARTS:
        part.clear(conn)
    for table in (answer_html, answer, question, model, catalogue_head):
        conn.execute(delete(table))


def _model_added(conn: Connection, body: Mapping[str, Any]) -> None:
    event = ModelAdded.from_body(body)
    conn.execute(insert(model), {**event.body(), "retired_us": None})


def _question_added(conn: Connection, body: Mapping[str, Any]) -> None:
    row = QuestionAdded.from_body(body).body()
    row["id"] = row.pop("question")
    conn.execute(insert(question), {**row, "text_key": text_key(row["text"]), "retired_us": None})


def _answer_added(conn: Connection, body: Mapping[str, Any]) -> None:
    row = AnswerAdded.from_body(body).body()
    row["id"] = row.pop("answer")
    row["question_id"] = row.pop("question")
    conn.execute(insert(answer), {**row, "reveals": 0})


def _answer_held(conn: Connection, body: Mapping[str, Any]) -> None:
    event = AnswerHeld.from_body(body)
    _set_state(conn, event.answer, state="held", held_for=event.held_for)


def _answer_cleared(conn: Connection, body: Mapping[str, Any]) -> None:
    event = AnswerCleared.from_body(body)
    _set_state(conn, event.answer, state="showable", held_for="")


def _set_state(conn: Connection, answer_id: str, *, state: str, held_for: str) -> None:
    changed = conn.execute(
        update(answer).where(answer.c.id == answer_id).values(state=state, held_for=held_for)
    )
    if changed.rowcount != 1:
        raise UnknownAnswer(f"no answer {answer_id}")
    _bump(conn)


def _demo_retired(conn: Connection, body: Mapping[str, Any]) -> None:
    event = DemoRetired.from_body(body)
    demo_questions = select(question.c.id).where(question.c.demo)
    conn.execute(
        update(answer).where(answer.c.question_id.in_(demo_questions)).values(state="retired")
    )
    for table in (question, model):
        conn.execute(
            update(table)
            .where(table.c.demo, table.c.retired_us.is_(None))
            .values(retired_us=event.at_us)
        )
    _bump(conn)


def _import_completed(conn: Connection, body: Mapping[str, Any]) -> None:
    ImportCompleted.from_body(body)
    _bump(conn)


def _bump(conn: Connection) -> None:
    """Count a change of the catalogue once, at the event that closes it, so that caches see it."""
    changed = conn.execute(update(catalogue_head).values(version=catalogue_head.c.version + 1))
    if changed.rowcount == 0:
        conn.execute(insert(catalogue_head), {"id": 1, "version": 1})


_HANDLERS: Final[dict[tuple[str, int], Callable[[Connection, Mapping[str, Any]], None]]] = {
    (ModelAdded.KIND, 1): _model_added,
    (QuestionAdded.KIND, 1): _question_added,
    (AnswerAdded.KIND, 1): _answer_added,
    (AnswerHeld.KIND, 1): _answer_held,
    (AnswerCleared.KIND, 1): _answer_cleared,
    (DemoRetired.KIND, 1): _demo_retired,
    (ImportCompleted.KIND, 1): _import_completed,
}
