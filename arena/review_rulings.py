"""What was decided on an answer so far: the verdict in force, and whether it tells its author."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Row, select

from arena.review_events import AnswerDecided
from arena.review_rules import REASONS, Act
from arena.review_tables import decision
from ledger.search import recorded

__all__ = ["LEAK", "AnswerState", "Ruling", "is_withheld", "leaks_known_since", "ruling_on"]

LEAK: Final = "identity_leak"
"""The reason to withhold an answer that strikes the votes which saw it (V-150)."""

AnswerState = Literal["open", "withheld", "cleared"]
"""Of the case: something about the answer waits, or the verdict that is in force."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The last verdict on an answer, None without any, and whether votes are struck for it.

    A leak is known from the verdict that says so until the answer is cleared.
    """

    verdict: Literal["withheld", "cleared"] | None
    leak: bool

    def state(self, *, waits: bool) -> AnswerState | None:
        """Return the state of the answer's case; None where nothing waits nor was decided."""
        return "open" if waits else self.verdict


def is_withheld(state: str, held_for: str) -> bool:
    """Say whether an answer is out of the pool by a moderator's decision, not for a look only."""
    return state == "held" and held_for in REASONS[Act.WITHHOLD_ANSWER]


def ruling_on(conn: Connection, answer_id: str) -> Ruling:
    """Return what was decided on an answer."""
    rows = _decisions(conn, decision.c.subject == f"answer:{answer_id}")
    verdict = rows[-1].verdict if rows else None
    return Ruling(verdict, answer_id in _leaks(rows))


def leaks_known_since(conn: Connection) -> dict[str, int]:
    """Return all answers that are known to tell their author, with the decision's true place.

    A later decision that says so again takes the earlier one's place, as it struck more.
    """
    leaking = select(decision.c.subject).where(
        decision.c.kind == AnswerDecided.KIND, decision.c.reason == LEAK
    )
    return _leaks(_decisions(conn, decision.c.subject.in_(leaking)))


def _decisions(conn: Connection, where: ColumnElement[bool]) -> Sequence[Row[*tuple[Any, ...]]]:
    """Return the decisions on some answers in true order."""
    events = recorded()
    query = (
        select(decision.c.subject, decision.c.verdict, decision.c.reason, events.c.seq)
        .join(events, events.c.id == decision.c.id)
        .where(decision.c.kind == AnswerDecided.KIND, where)
        .order_by(events.c.seq)
    )
    return conn.execute(query).all()


def _leaks(rows: Sequence[Row[*tuple[Any, ...]]]) -> dict[str, int]:
    known: dict[str, int] = {}
    for row in rows:
        name = row.subject.removeprefix("answer:")
        if row.verdict == "cleared":
            known.pop(name, None)
        elif row.reason == LEAK:
            known[name] = row.seq
    return known
