"""From rows to content: joins answers to questions and models, and reports what does not fit."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Final

from arena import rules
from arena.catalogue import UNKNOWN_MAKER
from arena.imports.findings import Code, Finding, Place, Report
from arena.imports.rows import AnswerRow, ModelRow, QuestionRow
from arena.questions import text_key
from arena.rendering import clean

__all__ = ["Assembly", "PlannedAnswer", "PlannedModel", "PlannedQuestion", "name_key", "slug_of"]

UNSORTED: Final = "general"
UNKNOWN_LICENCE: Final = "unknown"
_NOT_SLUG: Final = re.compile(r"[^a-z0-9.]+")
_NOT_NAME: Final = re.compile(r"[^\w.]+|_+")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PlannedModel:
    """A model to be known; `declared` by a registry, else only named by its answers."""

    slug: str
    name: str
    maker: str
    licence: str
    link: str
    declared: bool


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A question to be there; `key` is the digest of its normalised text."""

    key: str
    text: str
    category: str
    language: str
    place: Place


@dataclass(frozen=True, slots=True)
class PlannedAnswer:
    """An answer to be there, by its question's key and its model's slug."""

    question: str
    model: str
    text: str
    latency_ms: int | None
    place: Place


def name_key(name: str) -> str:
    """Return what names are compared by: case, width and marks between words do not matter."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _NOT_NAME.sub("-", folded).strip("-.")


def slug_of(name: str) -> str:
    """Return the slug of a model's name: lower case, with hyphens between words."""
    return _NOT_SLUG.sub("-", unicodedata.normalize("NFKD", name).lower()).strip("-.")


class Assembly:
    """Takes rows in the order of the files: models, then each question before its answers."""

    def __init__(self, report: Report, *, language: str, registry: bool) -> None:
        self._report = report
        self._language = language
        self._registry = registry
        self._models: dict[str, PlannedModel] = {}
        self._slugs: dict[str, str] = {}
        self._questions: dict[str, PlannedQuestion] = {}
        self._keys: dict[str, str] = {}
        self._left_out: set[str] = set()
        self._answers: dict[tuple[str, str], PlannedAnswer] = {}
        self._empty: set[tuple[str, str]] = set()

    @property
    def models(self) -> tuple[PlannedModel, ...]:
        """All models, in the order they came."""
        return tuple(self._models.values())

    @property
    def questions(self) -> tuple[PlannedQuestion, ...]:
        """All questions, in the order they came."""
        return tuple(self._questions.values())

    @property
    def answers(self) -> tuple[PlannedAnswer, ...]:
        """All answers that may be stored, in the order they came."""
        return tuple(self._answers.values())

    def take(self, row: ModelRow | QuestionRow | AnswerRow | Finding) -> None:
        """Take one row in, or note one finding."""
        match row:
            case Finding():
                self._report.add(row)
            case ModelRow():
                self._take_model(row)
            case QuestionRow():
                self._take_question(row)
            case AnswerRow():
                self._take_answer(row)

    def finish(self) -> None:
        """Report what is only seen at the end: holes, thin questions, models without answers."""
        if not self._answers and not self._report.errors:
            self._note(Code.NO_ANSWERS, Place("the import"), "there is not one answer to store")
        answered: dict[str, set[str]] = {}
        for key, slug in self._answers:
            answered.setdefault(key, set()).add(slug)
        taking_part = {slug for slugs in answered.values() for slug in slugs}
        for slug, model in self._models.items():
            if slug not in taking_part:
                text = f"{model.name} has no answer here"
                self._note(Code.MODEL_WITHOUT_ANSWERS, Place("the import"), text)
        for question in self._questions.values():
            have = answered.get(question.key, set())
            for slug in sorted(taking_part - have):
                if (question.key, slug) not in self._empty:
                    text = f"{slug} has no answer to {_short(question.text)}"
                    self._note(Code.HOLE, question.place, text)
            if len(have) < rules.current().min_answers_per_question:
                text = f"only {len(have)} answers to {_short(question.text)}: it cannot be shown"
                self._note(Code.FEW_ANSWERS, question.place, text)

    def _take_model(self, row: ModelRow) -> None:
        if row.slug in self._models:
            text = f"the model {row.slug!r} is declared twice"
            self._note(Code.CONFLICTING_MODEL, row.place, text)
            return
        labels = (row.slug, row.name, row.maker, row.licence)
        if not all(self._is_label(label, row.place) for label in labels):
            return
        self._models[row.slug] = PlannedModel(
            row.slug,
            row.name.strip(),
            row.maker.strip(),
            row.licence.strip(),
            row.link,
            declared=True,
        )
        for name in (row.slug, row.name, *row.also):
            known = self._slugs.setdefault(name_key(name), row.slug)
            if known != row.slug:
                text = f"the name {name!r} belongs to {known!r} and to {row.slug!r}"
                self._note(Code.CONFLICTING_MODEL, row.place, text)

    def _take_question(self, row: QuestionRow) -> None:
        text = self._storable(row.text, row.place)
        if not clean(text).text.strip():
            self._note(Code.EMPTY_QUESTION, row.place, "the question holds no text")
            self._left_out.add(row.key)
            return
        if len(text) > rules.current().max_question_chars:
            length = f"the question has {len(text)} characters: left out with its answers"
            self._note(Code.OVER_LONG_QUESTION, row.place, length)
            self._left_out.add(row.key)
            return
        key = text_key(text)
        if not row.implied:
            self._note_repetition(row, key)
        self._keys.setdefault(row.key, key)
        known = self._questions.get(key)
        if known is None:
            self._questions[key] = PlannedQuestion(
                key,
                text,
                self._label_or(row.category, UNSORTED, row.place),
                self._label_or(row.language, self._language, row.place),
                row.place,
            )
        elif known.category == UNSORTED and row.category:
            category = self._label_or(row.category, UNSORTED, row.place)
            self._questions[key] = replace(known, category=category)

    def _note_repetition(self, row: QuestionRow, key: str) -> None:
        if row.key in self._keys:
            if self._keys[row.key] == key:
                text = f"the question {row.key!r} stands there twice"
                self._note(Code.DUPLICATE_QUESTION, row.place, text)
            else:
                text = f"the id {row.key!r} stands for two different questions"
                self._note(Code.CONFLICTING_QUESTION, row.place, text)
        elif key in self._questions:
            text = f"the same text as at {self._questions[key].place}: taken as one question"
            self._note(Code.DUPLICATE_QUESTION, row.place, text)

    def _take_answer(self, row: AnswerRow) -> None:
        if row.question in self._left_out:
            return
        key = self._keys.get(row.question)
        if key is None:
            text = f"there is no question {_short(row.question)}"
            self._note(Code.UNKNOWN_QUESTION, row.place, text)
            return
        slug = self._slug(row)
        if slug is None:
            return
        text = self._storable(row.text, row.place)
        if not clean(text).text.strip():
            self._note(
                Code.EMPTY_ANSWER, row.place, f"the answer of {slug} holds no text: left out"
            )
            self._empty.add((key, slug))
            return
        if len(text) > rules.current().max_answer_chars:
            length = f"the answer of {slug} has {len(text)} characters: left out"
            self._note(Code.OVER_LONG_ANSWER, row.place, length)
            self._empty.add((key, slug))
            return
        first = self._answers.get((key, slug))
        if first is None:
            planned = PlannedAnswer(key, slug, text, row.latency_ms, row.place)
            self._answers[key, slug] = planned
            return
        same = "the same" if first.text == text else "another"
        text = f"{same} answer of {slug} stands at {first.place}: the first one is taken"
        self._note(Code.DUPLICATE_ANSWER, row.place, text)

    def _slug(self, row: AnswerRow) -> str | None:
        given = name_key(row.model)
        known = self._slugs.get(given)
        if known is not None and self._is_spelt_so(known, row):
            return known
        if known is not None:
            return None
        if self._registry:
            text = f"the model {row.model!r} is not in the list of models"
            self._note(Code.UNKNOWN_MODEL, row.place, text)
            return None
        return self._new_model(row, given)

    def _is_spelt_so(self, slug: str, row: AnswerRow) -> bool:
        """Say whether a name that only its answers bear is spelt as before; else it is an error."""
        known = self._models[slug]
        if known.declared or known.name == row.model.strip():
            return True
        text = f"{row.model!r} and {known.name!r} would be the same model {slug!r}"
        self._note(Code.CONFLICTING_MODEL, row.place, text)
        return False

    def _new_model(self, row: AnswerRow, given: str) -> str | None:
        slug = slug_of(row.model)
        if not slug:
            text = f"{row.model!r} gives no slug of a-z and 0-9: declare it in a list of models"
            self._note(Code.WRONG_TYPE, row.place, text)
            return None
        if slug in self._models and not self._is_spelt_so(slug, row):
            return None
        if not self._is_label(row.model, row.place):
            return None
        self._slugs[given] = slug
        self._models[slug] = PlannedModel(
            slug, row.model.strip(), UNKNOWN_MAKER, UNKNOWN_LICENCE, "", declared=False
        )
        text = f"the maker of {row.model!r} is not known: it counts as a maker of its own"
        self._note(Code.UNKNOWN_MAKER, row.place, text)
        return slug

    def _label_or(self, label: str | None, otherwise: str, place: Place) -> str:
        return label if label and self._is_label(label, place) else otherwise

    def _is_label(self, label: str, place: Place) -> bool:
        limit = rules.current().max_name_chars
        if len(label) > limit:
            text = f"{_short(label)} has more than {limit} characters"
            self._note(Code.OVER_LONG_NAME, place, text)
            return False
        if not label.strip() or clean(label).removed:
            text = f"{_short(label)} is blank or holds characters that cannot be seen"
            self._note(Code.WRONG_TYPE, place, text)
            return False
        return True

    def _storable(self, text: str, place: Place) -> str:
        """Return the text in NFC; what no database stores becomes U+FFFD, with a warning."""
        mended = _UNSTORABLE.sub("\ufffd", text)
        if mended != text:
            note = "characters that cannot be stored were replaced by U+FFFD"
            self._note(Code.ODD_CHARACTERS, place, note)
        return unicodedata.normalize("NFC", mended)

    def _note(self, code: Code, place: Place, text: str) -> None:
        self._report.add(Finding(code, place, text))


def _short(text: str) -> str:
    """Return a text quoted, cut to what fits a line of a report."""
    line = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return f"“{line[:60]}…”" if len(line) > 60 else f"“{line}”"  # noqa: PLR2004 - a line's room
