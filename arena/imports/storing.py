"""Storing a plan: everything in one transaction, or nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from arena.catalogue import store_rendering
from arena.catalogue_changes import Recorder, hold_answer, lock_catalogue, retire_demo
from arena.errors import CatalogueConflict
from arena.events import AnswerAdded, DemoRetired, ImportCompleted, ModelAdded, QuestionAdded
from arena.identity_leaks import PhraseRule
from arena.imports.assembly import UNKNOWN_LICENCE, PlannedAnswer, PlannedModel, PlannedQuestion
from arena.imports.comparing import Difference, Present, all_names, compare, read_present
from arena.imports.planning import ImportPlan, is_noncommercial
from arena.rendering import Rendered, render
from arena.tables import answer, question
from ledger.database import Database
from ledger.ids import Clock, uuid4
from ledger.store import Log

__all__ = ["ImportResult", "apply"]

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import stored; all zero, and `nothing_new`, when everything was there already."""

    models: int
    questions: int
    answers: int
    held: int
    already_there: int
    changed: int
    newly_held: int
    demo_retired: DemoRetired | None

    @property
    def nothing_new(self) -> bool:
        """Whether the catalogue was left as it was."""
        return not (self.models or self.questions or self.answers)


def apply(
    database: Database,
    log: Log,
    plan: ImportPlan,
    *,
    clock: Clock,
    rng: random.Random,
    progress: Progress | None = None,
) -> ImportResult:
    """Store a plan: models, questions, answers with their HTML, in one write transaction.

    The first real import retires the demo (V-174). Answers already stored that name a model which
    is new are held back as well.

    Args:
        database: where it is stored.
        log: the log that gets the events.
        plan: a sound plan.
        clock: microseconds UTC.
        rng: source of ids.
        progress: called with the number of steps done and their total.

    Raises:
        ImportRefused: the plan holds errors, or does not go with what is there.
        CatalogueConflict: another import came between; run it again.
    """
    steps = _Steps(2 * len(plan.answers), progress)
    with database.read() as conn:
        expected = compare(plan, read_present(conn, plan))
    # Before the transaction, for it takes most of the time and needs no lock.
    made = {
        (each.question, each.model): steps.after(render(each.text)) for each in expected.answers
    }
    recorder = Recorder(log, clock(), rng)
    try:
        with database.write() as conn:
            lock_catalogue(conn)
            present = read_present(conn, plan)
            difference = compare(plan, present)
            if difference.answers != expected.answers:
                raise CatalogueConflict("another import came between: run the command again")
            result = _store(conn, recorder, plan, difference, present, made, steps)
    except IntegrityError as error:
        raise CatalogueConflict("another import came between: run the command again") from error
    steps.finish()
    return result


class _Steps:
    """Counts steps and tells the caller."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def after(self, rendered: Rendered) -> Rendered:
        self.step()
        return rendered

    def step(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)

    def finish(self) -> None:
        if self._progress is not None and self._done < self._total:
            self._progress(self._total, self._total)


def _store(
    conn: Connection,
    recorder: Recorder,
    plan: ImportPlan,
    difference: Difference,
    present: Present,
    made: Mapping[tuple[str, str], Rendered],
    steps: _Steps,
) -> ImportResult:
    if not difference.answers:
        return _result(difference, 0, None)
    retired = None if plan.demo else retire_demo(conn, recorder)
    for each in difference.models:
        recorder.record(conn, _model_added(each, plan))
    ids = dict(present.questions)
    for planned in difference.questions:
        ids[planned.key] = uuid4(recorder.rng)
        recorder.record(conn, _question_added(planned, ids[planned.key], plan))
    renderings = _store_answers(conn, recorder, plan, difference, ids, made, steps)
    for chunk in _chunks(renderings):
        store_rendering(conn, chunk)
    newly_held = _hold_what_names_newcomers(conn, recorder, plan, present, difference)
    recorder.record(conn, _completed(plan, difference, recorder.now_us))
    return _result(difference, newly_held, retired)


def _store_answers(
    conn: Connection,
    recorder: Recorder,
    plan: ImportPlan,
    difference: Difference,
    ids: Mapping[str, str],
    made: Mapping[tuple[str, str], Rendered],
    steps: _Steps,
) -> list[tuple[str, Rendered]]:
    held = {(each.answer.question, each.answer.model): each.words for each in difference.held}
    renderings = []
    for each in difference.answers:
        at = (each.question, each.model)
        answer_id = uuid4(recorder.rng)
        recorder.record(
            conn, _answer_added(each, answer_id, ids[each.question], plan, held.get(at, ""))
        )
        renderings.append((answer_id, made[at]))
        steps.step()
    return renderings


def _chunks(
    rows: Sequence[tuple[str, Rendered]], size: int = 200
) -> Iterator[Sequence[tuple[str, Rendered]]]:
    # SQLite takes a bounded number of values in one statement.
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _hold_what_names_newcomers(
    conn: Connection,
    recorder: Recorder,
    plan: ImportPlan,
    present: Present,
    difference: Difference,
) -> int:
    """Hold stored answers that give themselves away only now that a name is in the registry."""
    if not difference.models or not present.names:
        return 0
    rule = PhraseRule(all_names(plan, present))
    before = PhraseRule(present.names)
    new = {(each.question, each.model) for each in difference.answers}
    keys = {
        row.id: row.text_key for row in conn.execute(select(question.c.id, question.c.text_key))
    }
    showable = select(answer.c.id, answer.c.question_id, answer.c.model, answer.c.text)
    count = 0
    for row in conn.execute(showable.where(answer.c.state == "showable")).all():
        if (keys[row.question_id], row.model) in new:
            continue
        words = rule.find(row.text)
        # What the old names hit already was cleared by a moderator.
        if words and not before.find(row.text):
            hold_answer(conn, recorder, row.id, words)
            count += 1
    return count


def _model_added(planned: PlannedModel, plan: ImportPlan) -> ModelAdded:
    # Where a model's own licence is not known, that of its answers is all there is to go by.
    licence = planned.licence
    marked = plan.noncommercial if licence == UNKNOWN_LICENCE else is_noncommercial(licence)
    return ModelAdded(
        slug=planned.slug,
        name=planned.name,
        maker=planned.maker,
        licence=licence,
        link=planned.link,
        noncommercial=marked,
        demo=plan.demo,
        released=True,
    )


def _question_added(planned: PlannedQuestion, question_id: str, plan: ImportPlan) -> QuestionAdded:
    return QuestionAdded(
        question=question_id,
        text=planned.text,
        category=planned.category,
        language=planned.language,
        mode=plan.mode,
        origin=plan.origin,
        licence=plan.licence,
        redistribute=plan.redistribute,
        noncommercial=plan.noncommercial,
        demo=plan.demo,
    )


def _answer_added(
    planned: PlannedAnswer, answer_id: str, question_id: str, plan: ImportPlan, words: str
) -> AnswerAdded:
    return AnswerAdded(
        answer=answer_id,
        question=question_id,
        model=planned.model,
        mode=plan.mode,
        text=planned.text,
        latency_ms=planned.latency_ms,
        origin=plan.origin,
        licence=plan.licence,
        state="held" if words else "showable",
        held_for=words,
    )


def _completed(plan: ImportPlan, difference: Difference, now_us: int) -> ImportCompleted:
    return ImportCompleted(
        name=plan.name,
        format=plan.format,
        mode=plan.mode,
        origin=plan.origin,
        licence=plan.licence,
        noncommercial=plan.noncommercial,
        demo=plan.demo,
        models=len(difference.models),
        questions=len(difference.questions),
        answers=len(difference.answers),
        held=len(difference.held),
        at_us=now_us,
    )


def _result(difference: Difference, newly_held: int, retired: DemoRetired | None) -> ImportResult:
    return ImportResult(
        models=len(difference.models),
        questions=len(difference.questions),
        answers=len(difference.answers),
        held=len(difference.held),
        already_there=difference.already_there,
        changed=len(difference.changed),
        newly_held=newly_held,
        demo_retired=retired,
    )
