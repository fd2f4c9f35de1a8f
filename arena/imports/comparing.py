"""Comparing a plan with the catalogue: what is new, what is there, what would be held back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from arena.catalogue import UNKNOWN_MAKER
from arena.errors import ImportRefused
from arena.identity_leaks import PhraseRule
from arena.imports.assembly import PlannedAnswer, PlannedModel, PlannedQuestion
from arena.imports.planning import ImportPlan
from arena.tables import answer, model, question

__all__ = [
    "Difference",
    "HeldAnswer",
    "Present",
    "all_names",
    "compare",
    "preview",
    "read_present",
]


@dataclass(frozen=True, slots=True)
class HeldAnswer:
    """An answer that the phrase rule holds back, with the words found."""

    answer: PlannedAnswer
    words: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What a plan would add to the catalogue as it is now.

    `already_there` counts the answers that are there word for word; `changed` lists those that are
    there with another text, which stays.
    """

    models: tuple[PlannedModel, ...]
    questions: tuple[PlannedQuestion, ...]
    answers: tuple[PlannedAnswer, ...]
    held: tuple[HeldAnswer, ...]
    already_there: int
    changed: tuple[PlannedAnswer, ...]


@dataclass(frozen=True, slots=True)
class Present:
    """The part of the catalogue that a plan can meet.

    Attributes:
        questions: id by key, of the living questions of the plan's mode.
        texts: answer text by question key and model slug, to these.
        models: by slug, whether it is a demo model.
        names: slugs, names and known makers of all models.
    """

    questions: Mapping[str, str]
    texts: Mapping[tuple[str, str], str]
    models: Mapping[str, bool]
    names: tuple[str, ...]


def preview(conn: Connection, plan: ImportPlan) -> Difference:
    """Compare a plan with the catalogue and store nothing.

    Raises:
        ImportRefused: the plan holds errors, or does not go with what is there.
    """
    return compare(plan, read_present(conn, plan))


def read_present(conn: Connection, plan: ImportPlan) -> Present:
    """Read what a plan can meet."""
    living = select(question.c.text_key, question.c.id).where(
        question.c.mode == plan.mode, question.c.retired_us.is_(None)
    )
    asked = {row.text_key: row.id for row in conn.execute(living)}
    keys = {question_id: key for key, question_id in asked.items()}
    stored = (
        select(answer.c.question_id, answer.c.model, answer.c.text)
        .join(question, question.c.id == answer.c.question_id)
        .where(question.c.mode == plan.mode, question.c.retired_us.is_(None))
    )
    rows = conn.execute(select(model.c.slug, model.c.name, model.c.maker, model.c.demo)).all()
    return Present(
        questions=asked,
        texts={(keys[row.question_id], row.model): row.text for row in conn.execute(stored)},
        models={row.slug: row.demo for row in rows},
        names=tuple(name for row in rows for name in _names(row.slug, row.name, row.maker)),
    )


def _names(slug: str, name: str, maker: str) -> tuple[str, ...]:
    return (slug, name) if maker == UNKNOWN_MAKER else (slug, name, maker)


def compare(plan: ImportPlan, present: Present) -> Difference:
    """Return what a plan would add.

    Raises:
        ImportRefused: the plan holds errors, or does not go with what is there.
    """
    _refuse_what_does_not_go(plan, present)
    rule = PhraseRule(all_names(plan, present))
    texts = {(each.question, each.model): each for each in plan.answers}
    new = tuple(each for at, each in texts.items() if at not in present.texts)
    there = [(each, present.texts[at]) for at, each in texts.items() if at in present.texts]
    changed = tuple(each for each, text in there if each.text != text)
    answered = {each.question for each in new}
    by_new_models = {each.model for each in new}
    found = ((each, rule.find(each.text)) for each in new)
    return Difference(
        models=tuple(
            each
            for each in plan.models
            if each.slug not in present.models and each.slug in by_new_models
        ),
        questions=tuple(
            each
            for each in plan.questions
            if each.key not in present.questions and each.key in answered
        ),
        answers=new,
        held=tuple(HeldAnswer(each, words) for each, words in found if words),
        already_there=len(there) - len(changed),
        changed=changed,
    )


def all_names(plan: ImportPlan, present: Present) -> tuple[str, ...]:
    """Return every name of the registry as it will be once the plan is stored."""
    planned = (name for each in plan.models for name in _names(each.slug, each.name, each.maker))
    return (*present.names, *planned)


def _refuse_what_does_not_go(plan: ImportPlan, present: Present) -> None:
    errors = plan.report.errors
    if errors:
        count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
        raise ImportRefused(f"nothing was imported, for there is {count}: {errors[0]}")
    if plan.demo and not all(present.models.values()):
        raise ImportRefused("real content is here already: demo content is not mixed with it")
    for each in plan.models:
        if present.models.get(each.slug, plan.demo) and not plan.demo:
            raise ImportRefused(f"the slug {each.slug!r} belongs to a demo model: choose another")
