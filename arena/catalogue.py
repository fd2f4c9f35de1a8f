"""The catalogue: models, questions and stored answers.

Changes go through events, reading goes through one snapshot. It neither reads files
(arena.imports) nor draws ballots.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, func, insert, or_, select

from arena import rules
from arena.errors import UnknownAnswer
from arena.events import (
    CATALOGUE_STREAM,
    AnswerCleared,
    AnswerHeld,
    ArenaEvent,
    DemoRetired,
    Mode,
    new_event,
)
from arena.projection import project
from arena.rendering import RENDERER_VERSION, Rendered, render
from arena.tables import answer, answer_html, catalogue_head, model, question
from ledger.database import Database
from ledger.event import StoredEvent
from ledger.ids import uuid7
from ledger.store import Log

__all__ = [
    "UNKNOWN_MAKER",
    "AnswerRef",
    "CatalogueSnapshot",
    "ModelInfo",
    "QuestionEntry",
    "Recorder",
    "RenderedAnswer",
    "clear_answer",
    "demo_in_use",
    "hold_answer",
    "load_snapshot",
    "render_missing",
    "rendered",
    "retire_demo",
    "store_rendering",
    "version",
]

UNKNOWN_MAKER: Final = "unknown"
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model as the catalogue knows it; never shown before the reveal."""

    slug: str
    name: str
    maker: str
    licence: str
    link: str
    noncommercial: bool
    demo: bool
    released: bool
    retired_us: int | None

    @property
    def maker_key(self) -> str:
        """What makers are told apart by (V-005): unknown makers count as different ones."""
        return f"model:{self.slug}" if self.maker == UNKNOWN_MAKER else f"maker:{self.maker}"


@dataclass(frozen=True, slots=True)
class AnswerRef:
    """A showable answer, without its text; `maker` is the model's `maker_key`."""

    id: str
    model: str
    maker: str


@dataclass(frozen=True, slots=True)
class QuestionEntry:
    """A living question with its showable answers, at most one of each model, in order of id.

    `key` is the digest of the normalised text: two entries with one key are one question (V-123).
    """

    id: str
    key: str
    text: str
    category: str
    language: str
    mode: Mode
    licence: str
    redistribute: bool
    demo: bool
    answers: tuple[AnswerRef, ...]


@dataclass(frozen=True, slots=True)
class CatalogueSnapshot:
    """The whole pool at one version, for drawing ballots without a query.

    `models` holds retired ones too, for old ballots still name them.
    """

    version: int
    models: Mapping[str, ModelInfo]
    by_mode: Mapping[Mode, tuple[QuestionEntry, ...]]

    def questions(self, mode: Mode) -> tuple[QuestionEntry, ...]:
        """Return the living questions of a mode, in order of id."""
        return self.by_mode[mode]


@dataclass(frozen=True, slots=True)
class RenderedAnswer:
    """An answer ready to be shown: safe HTML, the text as imported, and what was taken out."""

    id: str
    html: str
    text: str
    removed: tuple[str, ...]


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


def version(conn: Connection) -> int:
    """Return the number of the catalogue's last change, 0 when it is empty."""
    return conn.execute(select(catalogue_head.c.version)).scalar() or 0


def load_snapshot(conn: Connection) -> CatalogueSnapshot:
    """Read the living questions with their showable answers, and all models.

    The version is read first: a change in between makes the snapshot look older than it is, and it
    is read again.
    """
    found = version(conn)
    models = {row["slug"]: ModelInfo(**row) for row in conn.execute(select(model)).mappings()}
    answers = _showable_answers(conn, models)
    living = select(
        question.c.id,
        question.c.text_key.label("key"),
        question.c.text,
        question.c.category,
        question.c.language,
        question.c.mode,
        question.c.licence,
        question.c.redistribute,
        question.c.demo,
    ).where(question.c.retired_us.is_(None))
    by_mode: dict[Mode, list[QuestionEntry]] = {"speed": [], "expert": []}
    for row in conn.execute(living.order_by(question.c.id)).mappings():
        entry = QuestionEntry(**row, answers=tuple(answers.get(row["id"], ())))
        by_mode[entry.mode].append(entry)
    return CatalogueSnapshot(found, models, {mode: tuple(each) for mode, each in by_mode.items()})


def _showable_answers(
    conn: Connection, models: Mapping[str, ModelInfo]
) -> dict[str, list[AnswerRef]]:
    found: dict[str, list[AnswerRef]] = {}
    showable = (
        select(answer.c.id, answer.c.question_id, answer.c.model)
        .join(model, model.c.slug == answer.c.model)
        .where(answer.c.state == "showable", model.c.retired_us.is_(None))
        .order_by(answer.c.id)
    )
    for row in conn.execute(showable):
        entry = AnswerRef(row.id, row.model, models[row.model].maker_key)
        found.setdefault(row.question_id, []).append(entry)
    return found


def rendered(conn: Connection, answer_ids: Sequence[str]) -> dict[str, RenderedAnswer]:
    """Return answers ready to be shown, by id.

    An answer whose stored HTML is missing or of another renderer is rendered here, but not stored.

    Raises:
        UnknownAnswer: an id that no answer has.
    """
    query = (
        select(
            answer.c.id,
            answer.c.text,
            answer_html.c.html,
            answer_html.c.removed,
            answer_html.c.renderer_version,
        )
        .outerjoin(answer_html, answer_html.c.answer_id == answer.c.id)
        .where(answer.c.id.in_(answer_ids))
    )
    found: dict[str, RenderedAnswer] = {}
    for row in conn.execute(query):
        if row.renderer_version == RENDERER_VERSION:
            made = Rendered(row.html, tuple(json.loads(row.removed)))
        else:
            made = render(row.text)
        found[row.id] = RenderedAnswer(row.id, made.html, row.text, made.removed)
    missing = [answer_id for answer_id in answer_ids if answer_id not in found]
    if missing:
        raise UnknownAnswer(f"no answer {missing[0]}")
    return found


def store_rendering(conn: Connection, made: Iterable[tuple[str, Rendered]]) -> None:
    """Store rendered answers, in place of older renderings.

    Args:
        conn: a write transaction.
        made: pairs of answer id and rendering by the present renderer.
    """
    rows = [
        {
            "answer_id": answer_id,
            "renderer_version": RENDERER_VERSION,
            "html": rendering.html,
            "removed": json.dumps(rendering.removed, ensure_ascii=False, separators=(",", ":")),
        }
        for answer_id, rendering in made
    ]
    if not rows:
        return
    conn.execute(
        delete(answer_html).where(answer_html.c.answer_id.in_([row["answer_id"] for row in rows]))
    )
    conn.execute(insert(answer_html), rows)


def render_missing(database: Database, *, progress: Progress | None = None) -> int:
    """Render every answer that has no HTML of the present renderer, a hundred per transaction.

    Returns:
        How many were rendered; 0 when all are up to date.
    """
    stale = (
        select(answer.c.id, answer.c.text)
        .outerjoin(answer_html, answer_html.c.answer_id == answer.c.id)
        .where(
            or_(
                answer_html.c.answer_id.is_(None),
                answer_html.c.renderer_version != RENDERER_VERSION,
            )
        )
        .order_by(answer.c.id)
    )
    with database.read() as conn:
        total = conn.execute(select(func.count()).select_from(stale.subquery())).scalar_one()
    done = 0
    while done < total:
        with database.read() as conn:
            batch = conn.execute(stale.limit(100)).all()
        if not batch:
            break
        made = [(row.id, render(row.text)) for row in batch]
        with database.write() as conn:
            store_rendering(conn, made)
        done += len(batch)
        if progress is not None:
            progress(min(done, total), total)
    return done


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
