"""Reading the catalogue: models, questions and stored answers, through one snapshot; their HTML.

It is changed by `catalogue_changes` only, and filled by `imports`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, func, insert, or_, select

from arena.events import Mode
from arena.rendering import RENDERER_VERSION, Rendered, render, visible
from arena.tables import answer, answer_html, model, question
from ledger.database import Database

__all__ = [
    "UNKNOWN_MAKER",
    "AnswerRef",
    "CatalogueSnapshot",
    "ModelInfo",
    "QuestionEntry",
    "RenderedAnswer",
    "load_snapshot",
    "render_missing",
    "rendered",
    "store_rendering",
    "version",
]

UNKNOWN_MAKER: Final = "unknown"
# Written out, for every page asks it, and building the statement costs more than running it.
_VERSION: Final = "SELECT version FROM catalogue_head"
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
    """An answer ready to be shown: safe HTML, its text without unseen marks, what was taken out."""

    html: str
    text: str
    removed: tuple[str, ...]


def version(conn: Connection) -> int:
    """Return the number of the catalogue's last change, 0 when it is empty."""
    return conn.exec_driver_sql(_VERSION).scalar() or 0


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


def rendered(text: str, html: str | None, removed: str | None) -> RenderedAnswer:
    """Return an answer ready to be shown.

    Args:
        text: as stored.
        html: as stored by the present renderer; None where there is none, and it is made here.
        removed: stored with it, JSON.
    """
    made = render(text) if html is None else Rendered(html, tuple(json.loads(removed or "[]")))
    return RenderedAnswer(made.html, visible(text).text, made.removed)


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
