"""What a voter sees after the vote: names, chances, changes, weight, other votes (V-015)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Row

from antiabuse.statements import Statement
from arena import boards
from arena.ballot_projection import WEIGHT_UNIT
from arena.ballot_store import LETTERS
from arena.boards import BoardRow
from arena.catalogue import ModelInfo, rendered
from arena.events import Mode
from arena.rules import current

__all__ = ["Others", "Reveal", "RevealedSlot", "Weight", "load_reveal"]

_VOTE = Statement(
    """
    SELECT v.id, v.ballot_id, v.mode, v.month, v.hour, v.verdict, v.best, v.worst, v.weight_micro,
           v.weight_parts, v.reasons, v.p_win, v.changes, v.board_id, v.question_id,
           q.text AS question, q.category, q.language, x.reason AS struck
    FROM vote v
    JOIN question q ON q.id = v.question_id
    LEFT JOIN vote_strike x ON x.vote_id = v.id
    WHERE v.ballot_id = :ballot
    """
)
_SLOTS = Statement(
    """
    SELECT s.answer_id, m.slug, m.name, m.maker, m.licence, m.link, m.noncommercial, m.demo,
           m.released, m.retired_us
    FROM ballot_slot s JOIN model m ON m.slug = s.model
    WHERE s.ballot_id = :ballot ORDER BY s.position
    """
)
# Counted by the database: a question may have thousands of votes.
_COUNTED = """
    SELECT best, worst, COUNT(*) AS votes,
           SUM(CASE WHEN replace(models, :a, '') <> models THEN 1 ELSE 0 END) AS a,
           SUM(CASE WHEN replace(models, :b, '') <> models THEN 1 ELSE 0 END) AS b,
           SUM(CASE WHEN replace(models, :c, '') <> models THEN 1 ELSE 0 END) AS c,
           SUM(CASE WHEN replace(models, :d, '') <> models THEN 1 ELSE 0 END) AS d
    FROM (SELECT models, {best} AS best, {worst} AS worst FROM vote
          WHERE question_id = :question AND verdict = 'best_worst' AND weight_micro > 0
            AND ballot_id <> :ballot
            AND NOT EXISTS (SELECT 1 FROM vote_strike x WHERE x.vote_id = vote.id)) AS other
    GROUP BY best, worst
    """
_OTHERS = {
    "sqlite": Statement(
        _COUNTED.format(
            best="json_extract(models, '$[' || best || ']')",
            worst="json_extract(models, '$[' || worst || ']')",
        )
    ),
    "postgresql": Statement(
        _COUNTED.format(
            best="CAST(models AS json) ->> best", worst="CAST(models AS json) ->> worst"
        )
    ),
}
_REASONS = Statement("SELECT reason FROM vote_reason WHERE ballot_id = :ballot ORDER BY reason")


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

    `struck` is why it no longer counts: the code of a decision after the vote, or None.
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
    vote = _VOTE.run(conn, ballot=ballot).one_or_none()
    if vote is None:
        return None
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
        reasons=tuple(_REASONS.run(conn, ballot=ballot).scalars()),
    )


def _slots(conn: Connection, vote: Row[Any]) -> tuple[RevealedSlot, ...]:
    rows = _SLOTS.run(conn, ballot=vote.ballot_id).all()
    texts = rendered(conn, [row.answer_id for row in rows])
    board = boards.latest(conn, vote.mode, vote.month)
    chances, changes = json.loads(vote.p_win), json.loads(vote.changes)
    slots = []
    for letter, row, chance, change in zip(LETTERS, rows, chances, changes, strict=True):
        answer = texts[row.answer_id]
        fields = {name: value for name, value in row._mapping.items() if name != "answer_id"}  # noqa: SLF001 - a public name
        slots.append(
            RevealedSlot(
                letter=letter,
                html=answer.html,
                raw=answer.text,
                removed=answer.removed,
                model=ModelInfo(**fields),
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
        dwell_s=None if parts["dwell_s"] is None else Decimal(parts["dwell_s"]),
        dwell_weight=Decimal(parts["dwell_weight"]),
        scroll_factor=Decimal(parts["scroll_factor"]),
        reasons=tuple(json.loads(vote.reasons)),
        struck=vote.struck,
    )


def _others(conn: Connection, vote: Row[Any], models: list[str]) -> Others | None:
    """Count other votes on the question once there are enough not to single anyone out (V-158)."""
    named = dict(zip("abcd", models, strict=True))
    quoted = {letter: json.dumps(slug, ensure_ascii=False) for letter, slug in named.items()}
    statement = _OTHERS[conn.dialect.name]
    found = statement.run(conn, question=vote.question_id, ballot=vote.ballot_id, **quoted)
    rows = found.mappings().all()
    votes = sum(row["votes"] for row in rows)
    if votes < current().others_shown_from:
        return None
    shown, best, worst = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        shown.update({slug: row[letter] for letter, slug in named.items()})
        best[row["best"]] += row["votes"]
        worst[row["worst"]] += row["votes"]

    def shares(picked: Counter[str]) -> dict[str, float]:
        return {
            letter: picked[slug] / shown[slug]
            for letter, slug in zip(LETTERS, models, strict=True)
            if shown[slug]
        }

    return Others(votes=votes, best=shares(best), worst=shares(worst))
