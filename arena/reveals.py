"""What a voter sees after the vote: names, chances, changes, weight, other votes (V-015)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, Row

from antiabuse.statements import Statement
from antiabuse.utc import SECOND_US
from arena import boards
from arena.ballot_projection import WEIGHT_UNIT
from arena.ballot_store import LETTERS
from arena.boards import BoardRow
from arena.catalogue import ModelInfo, rendered
from arena.events import Mode
from arena.rendering import RENDERER_VERSION
from arena.rules import current

__all__ = ["Others", "Reveal", "RevealedSlot", "Weight", "load_reveal"]

_MODEL_COLUMNS: Final = len(fields(ModelInfo))
_VOTE = Statement(
    """
    SELECT v.id, v.ballot_id, v.mode, v.month, v.hour, v.verdict, v.best, v.worst, v.weight_micro,
           v.weight_parts, v.reasons, v.p_win, v.changes, v.board_id, v.question_id, g.dwell_us,
           q.text AS question, q.category, q.language, x.reason AS struck, r.reason AS said
    FROM vote v
    JOIN question q ON q.id = v.question_id
    LEFT JOIN sighting g ON g.vote_id = v.id
    LEFT JOIN vote_strike x ON x.vote_id = v.id
    LEFT JOIN vote_reason r ON r.ballot_id = v.ballot_id
    WHERE v.ballot_id = :ballot ORDER BY r.reason
    """
)
_SLOTS = Statement(
    """
    SELECT m.slug, m.name, m.maker, m.licence, m.link, m.noncommercial, m.demo, m.released,
           m.retired_us, a.text, r.html, r.removed
    FROM ballot_slot s
    JOIN model m ON m.slug = s.model
    JOIN answer a ON a.id = s.answer_id
    LEFT JOIN answer_html r ON r.answer_id = a.id AND r.renderer_version = :renderer
    WHERE s.ballot_id = :ballot ORDER BY s.position
    """
)
# Counted by the database: a question may have thousands of votes.
_COUNTED = """
    WITH other AS MATERIALIZED (
        SELECT models, {best} AS best, {worst} AS worst FROM vote
        WHERE question_id = :question AND verdict = 'best_worst' AND weight_micro > 0
          AND ballot_id <> :ballot
          AND NOT EXISTS (SELECT 1 FROM vote_strike x WHERE x.vote_id = vote.id))
    SELECT COUNT(*), {counts} FROM other
    """
_COUNTS = """
    SUM(CASE WHEN {find}(models, :quoted_{letter}) > 0 THEN 1 ELSE 0 END),
    SUM(CASE WHEN best = :{letter} THEN 1 ELSE 0 END),
    SUM(CASE WHEN worst = :{letter} THEN 1 ELSE 0 END)"""


def _counting(pick: str, find: str) -> Statement:
    counts = ",".join(_COUNTS.format(find=find, letter=letter) for letter in LETTERS)
    best, worst = pick.format("best"), pick.format("worst")
    return Statement(_COUNTED.format(best=best, worst=worst, counts=counts))


_OTHERS = {
    "sqlite": _counting("json_extract(models, '$[' || {} || ']')", "instr"),
    "postgresql": _counting("CAST(models AS json) ->> {}", "strpos"),
}


@dataclass(frozen=True, slots=True)
class RevealedSlot:
    """One answer with its author, its chance before the vote and what the vote changed."""

    letter: str
    html: str
    raw: str
    removed: tuple[str, ...]
    model: ModelInfo
    p_win: float
    change: Decimal
    row: BoardRow | None


@dataclass(frozen=True, slots=True)
class Weight:
    """What the vote counts, and how that came about.

    `dwell_s` is None where it was not measured, and once it is erased. `struck` is why it no
    longer counts: the code of a decision after the vote, or None.
    """

    value: Decimal
    dwell_s: Decimal | None
    dwell_weight: Decimal
    scroll_factor: Decimal
    reasons: tuple[str, ...]
    struck: str | None

    @property
    def counts(self) -> bool:
        """Whether the vote enters points and board."""
        return self.value > 0 and self.struck is None


@dataclass(frozen=True, slots=True)
class Others:
    """How other counted votes on this question went, as shares of the times a model was shown."""

    votes: int
    best: Mapping[str, float]
    worst: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reveal:
    """A vote as its voter may see it; best and worst are letters."""

    vote: str
    ballot: str
    mode: Mode
    month: str
    hour: str
    verdict: str
    best: str | None
    worst: str | None
    question: str
    category: str
    language: str
    slots: tuple[RevealedSlot, ...]
    weight: Weight
    others: Others | None
    board: str | None
    reasons: tuple[str, ...]


def load_reveal(conn: Connection, ballot: str) -> Reveal | None:
    """Return the reveal of a ballot, or None while it has no vote."""
    votes = _VOTE.run(conn, ballot=ballot).all()  # the one vote, once for each reason given
    if not votes:
        return None
    vote = votes[0]
    slots = _slots(conn, vote)
    return Reveal(
        vote=vote.id,
        ballot=vote.ballot_id,
        mode=boards.as_mode(vote.mode),
        month=vote.month,
        hour=vote.hour,
        verdict=vote.verdict,
        best=None if vote.best is None else LETTERS[vote.best],
        worst=None if vote.worst is None else LETTERS[vote.worst],
        question=vote.question,
        category=vote.category,
        language=vote.language,
        slots=slots,
        weight=_weight(vote),
        others=_others(conn, vote, [slot.model.slug for slot in slots]),
        board=vote.board_id,
        reasons=tuple(row.said for row in votes if row.said is not None),
    )


def _slots(conn: Connection, vote: Row[Any]) -> tuple[RevealedSlot, ...]:
    rows = _SLOTS.run(conn, ballot=vote.ballot_id, renderer=RENDERER_VERSION).all()
    board = boards.latest(conn, vote.mode, vote.month)
    chances, changes = json.loads(vote.p_win), json.loads(vote.changes)
    slots = []
    for letter, row, chance, change in zip(LETTERS, rows, chances, changes, strict=True):
        answer = rendered(row.text, row.html, row.removed)
        slots.append(
            RevealedSlot(
                letter=letter,
                html=answer.html,
                raw=answer.text,
                removed=answer.removed,
                model=ModelInfo(*row[:_MODEL_COLUMNS]),
                p_win=float(chance),
                change=Decimal(change),
                row=board.row_of(row.slug) if board else None,
            )
        )
    return tuple(slots)


def _weight(vote: Row[Any]) -> Weight:
    parts = json.loads(vote.weight_parts)
    return Weight(
        value=Decimal(vote.weight_micro) / WEIGHT_UNIT,
        dwell_s=None if vote.dwell_us is None else Decimal(vote.dwell_us) / SECOND_US,
        dwell_weight=Decimal(parts["dwell_weight"]),
        scroll_factor=Decimal(parts["scroll_factor"]),
        reasons=tuple(json.loads(vote.reasons)),
        struck=vote.struck,
    )


def _others(conn: Connection, vote: Row[Any], models: list[str]) -> Others | None:
    """Count other votes on the question once there are enough not to single anyone out (V-158)."""
    named = dict(zip(LETTERS, models, strict=True))
    quoted = {f"quoted_{key}": json.dumps(slug, ensure_ascii=False) for key, slug in named.items()}
    found = _OTHERS[conn.dialect.name].run(
        conn, question=vote.question_id, ballot=vote.ballot_id, **named, **quoted
    )
    counts: list[int]
    votes, *counts = found.one()
    if votes < current().others_shown_from:
        return None
    shown, best, worst = (dict(zip(LETTERS, counts[nth::3], strict=True)) for nth in range(3))

    def shares(picked: Mapping[str, int]) -> dict[str, float]:
        return {letter: picked[letter] / times for letter, times in shown.items() if times}

    return Others(votes=votes, best=shares(best), worst=shares(worst))
