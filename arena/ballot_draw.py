"""Draws a ballot: the question, then four of its answers (V-063, V-172)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena import exposure
from arena.ballot_store import Revealed, revealed_among
from arena.catalogue import AnswerRef, CatalogueSnapshot, QuestionEntry
from arena.errors import NothingToShow
from arena.events import Mode
from ranking.ucbe import Indices

__all__ = ["Drawn", "draw_ballot"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A question with the four answers drawn for it, in slot order."""

    question: QuestionEntry
    answers: tuple[AnswerRef, ...]
    draw: Mapping[str, Any]
    will_not_count: str | None


def draw_ballot(
    snapshot: CatalogueSnapshot,
    mode: Mode,
    known: Indices,
    revealed: Revealed,
    rng: random.Random,
) -> Drawn:
    """Choose the question uniformly, then four of its answers (V-063, V-172).

    Questions not yet voted on this month with four unseen answers come first, then those with
    seen answers, then any: the ballot then says that it will not count.

    Args:
        snapshot: the catalogue.
        mode: of the ballot.
        known: the mode's exposure indices.
        revealed: what the voter has seen.
        rng: chance.

    Raises:
        NothingToShow: no question has showable answers of four models.
    """
    open_ = [(q, exposure.eligible(q.answers, known)) for q in snapshot.questions(mode)]
    all_ = [(q, pool) for q, pool in open_ if exposure.enough(pool)]
    if not all_:
        raise NothingToShow(f"no question of mode {mode} has answers of four models")
    fresh = [(q, pool) for q, pool in all_ if q.key not in revealed.keys_this_month]
    unseen = [(q, new) for q, pool in fresh if exposure.enough(new := _unseen(pool, revealed))]
    open_to_all = unseen or fresh or all_
    # Who skips a question asks for another one, if there is another.
    others = [(q, pool) for q, pool in open_to_all if q.key != revealed.last_skipped]
    question, pool = rng.choice(others or open_to_all)
    draw = exposure.draw(pool, known, rng)
    by_model = {answer.model: answer for answer in pool}
    answers = tuple(by_model[model] for model in draw.models)
    return Drawn(
        question=question,
        answers=answers,
        draw=exposure.draw_body(draw, pool),
        will_not_count=_will_not_count(question, answers, revealed),
    )


def _unseen(pool: Sequence[AnswerRef], revealed: Revealed) -> list[AnswerRef]:
    return [answer for answer in pool if answer.id not in revealed.answers]


def _will_not_count(
    question: QuestionEntry, answers: Sequence[AnswerRef], revealed: Revealed
) -> str | None:
    """Name why a vote on this ballot will weigh nothing, as far as can be known before it."""
    if revealed_among(revealed, (answer.id for answer in answers)):
        return "seen_answer"
    if question.key in revealed.keys_this_month:
        return "repeated_question"
    return None
