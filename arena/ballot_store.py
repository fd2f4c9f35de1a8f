"""Reads ballots for their holder: one joined query each, on the hot path."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row

from antiabuse.statements import Statement
from arena.rendering import RENDERER_VERSION, visible

__all__ = [
    "LETTERS",
    "HeldBallot",
    "HeldSlot",
    "OpenBallot",
    "Revealed",
    "ShownSlot",
    "load_held",
    "load_open",
    "lock_answers",
    "revealed_among",
    "revealed_of",
    "revealed_to",
    "route_holder",
]

LETTERS: Final = "ABCD"

_OPEN = Statement(
    """
    SELECT b.id, b.mode, b.will_not_count, b.issued_us,
           q.text AS question, q.category, q.language,
           s.slot_id, a.state, a.text AS raw, r.html, r.removed
    FROM (SELECT b.id, b.mode, b.will_not_count, b.question_id, h.issued_us
          FROM ballot_holder h JOIN ballot b ON b.id = h.ballot_id
          WHERE h.voter_id = :voter AND b.mode = :mode AND b.state = 'open'
            AND h.issued_us > :since
          ORDER BY h.issued_us DESC, b.id LIMIT 1) b
    JOIN question q ON q.id = b.question_id
    JOIN ballot_slot s ON s.ballot_id = b.id
    JOIN answer a ON a.id = s.answer_id
    LEFT JOIN answer_html r ON r.answer_id = a.id AND r.renderer_version = :renderer
    ORDER BY s.position
    """
)

_HELD = Statement(
    """
    SELECT b.id, b.mode, b.month, b.state, b.question_id, q.text_key,
           h.voter_id, h.route, h.issued_us, s.slot_id, s.answer_id, s.model,
           a.state AS answer_state, a.reveals
    FROM ballot b
    JOIN ballot_holder h ON h.ballot_id = b.id
    JOIN question q ON q.id = b.question_id
    JOIN ballot_slot s ON s.ballot_id = b.id
    JOIN answer a ON a.id = s.answer_id
    WHERE b.id = :ballot
    ORDER BY s.position
    """
)

# In one order for all, so that no two votes wait for each other. Ballots that are issued refer to
# answers, which a full lock would hold up.
_LOCK_ANSWERS: Final = Statement(
    """
    SELECT a.id FROM answer a JOIN ballot_slot s ON s.answer_id = a.id
    WHERE s.ballot_id = :ballot ORDER BY a.id FOR NO KEY UPDATE OF a
    """
)

# All of a kind in one text: of a thousand ballots, fetching rows takes longer than finding them.
_FACTS: Final = """
    SELECT
        (SELECT {joined}(s.answer_id, ',')
         FROM ballot_holder h
         JOIN ballot b ON b.id = h.ballot_id
         JOIN ballot_slot s ON s.ballot_id = b.id
         WHERE h.voter_id = :voter AND b.state = 'voted') AS answers,
        (SELECT {joined}(q.text_key, ',')
         FROM ballot_holder h
         JOIN ballot b ON b.id = h.ballot_id
         JOIN question q ON q.id = b.question_id
         WHERE h.voter_id = :voter AND b.state = 'voted' AND b.month = :month) AS question_keys,
        (SELECT q.text_key
         FROM ballot_holder h
         JOIN ballot b ON b.id = h.ballot_id
         JOIN question q ON q.id = b.question_id
         WHERE h.voter_id = :voter AND b.state = 'skipped'
         ORDER BY h.issued_us DESC LIMIT 1) AS skipped
    """
_REVEALED: Final = {
    "sqlite": Statement(_FACTS.format(joined="group_concat")),
    "postgresql": Statement(_FACTS.format(joined="string_agg")),
}

# An answer stands on ballots of its own question alone.
_REVEALED_OF = Statement(
    """
    SELECT b.month, s.answer_id
    FROM ballot_holder h
    JOIN ballot b ON b.id = h.ballot_id
    JOIN ballot_slot s ON s.ballot_id = b.id
    WHERE h.voter_id = :voter AND b.state = 'voted'
      AND b.question_id IN (SELECT id FROM question WHERE text_key = :key)
    """
)

_HOLDER = Statement("SELECT ballot_id, voter_id FROM ballot_holder WHERE route = :route")


@dataclass(frozen=True, slots=True)
class ShownSlot:
    """One anonymous answer as the browser gets it."""

    letter: str
    slot_id: str
    html: str
    raw: str
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenBallot:
    """An open ballot as its holder sees it.

    `showable` is false once one of its answers was held or retired.
    """

    id: str
    mode: str
    question: str
    category: str
    language: str
    issued_us: int
    will_not_count: str | None
    showable: bool
    slots: tuple[ShownSlot, ...]


@dataclass(frozen=True, slots=True)
class HeldSlot:
    """One slot of a ballot with what only the server knows of it."""

    slot_id: str
    answer: str
    model: str
    state: str
    reveals: int


@dataclass(frozen=True, slots=True)
class HeldBallot:
    """A ballot with its holder, for the checks of a vote or a skip."""

    id: str
    mode: str
    month: str
    state: str
    question: str
    question_key: str
    voter: str
    route: str
    issued_us: int
    slots: tuple[HeldSlot, ...]

    @property
    def showable(self) -> bool:
        """Whether all its answers may still be shown."""
        return all(slot.state == "showable" for slot in self.slots)


@dataclass(frozen=True, slots=True)
class Revealed:
    """What a voter has already seen revealed: answers ever, question keys in one month.

    `last_skipped` is the key of the question on the newest ballot the voter skipped.
    """

    answers: frozenset[str]
    keys_this_month: frozenset[str]
    last_skipped: str | None = None


def load_open(conn: Connection, voter: str, mode: str, since_us: int) -> OpenBallot | None:
    """Return a voter's newest open ballot of a mode issued after `since_us`, rendered."""
    rows = _OPEN.run(conn, voter=voter, mode=mode, since=since_us, renderer=RENDERER_VERSION).all()
    return _open_ballot(rows) if rows else None


def _open_ballot(rows: Sequence[Row[Any]]) -> OpenBallot:
    first = rows[0]
    return OpenBallot(
        id=first.id,
        mode=first.mode,
        question=first.question,
        category=first.category,
        language=first.language,
        issued_us=first.issued_us,
        will_not_count=first.will_not_count,
        # An answer without HTML of this renderer cannot be shown before `render_missing` ran.
        showable=all(row.state == "showable" and row.html is not None for row in rows),
        slots=tuple(
            ShownSlot(
                letter,
                row.slot_id,
                row.html or "",
                visible(row.raw).text,
                tuple(json.loads(row.removed or "[]")),
            )
            for letter, row in zip(LETTERS, rows, strict=True)
        ),
    )


def lock_answers(conn: Connection, ballot: str) -> None:
    """Hold a ballot's answers until the transaction ends, so that states and reveals stay."""
    if conn.dialect.name == "postgresql":  # a transaction on SQLite holds the whole database
        _LOCK_ANSWERS.run(conn, ballot=ballot)


def load_held(conn: Connection, ballot: str) -> HeldBallot | None:
    """Return a ballot with its holder and slots, or None when there is none of that id."""
    rows = _HELD.run(conn, ballot=ballot).all()
    if not rows:
        return None
    first = rows[0]
    return HeldBallot(
        id=first.id,
        mode=first.mode,
        month=first.month,
        state=first.state,
        question=first.question_id,
        question_key=first.text_key,
        voter=first.voter_id,
        route=first.route,
        issued_us=first.issued_us,
        slots=tuple(
            HeldSlot(row.slot_id, row.answer_id, row.model, row.answer_state, row.reveals)
            for row in rows
        ),
    )


def revealed_to(conn: Connection, voter: str, month: str, others: Sequence[str] = ()) -> Revealed:
    """Return which answers were revealed to a voter, and which questions in a month.

    What was revealed to others joined to the voter, given by their ids, was so to the voter.
    """
    query = _REVEALED[conn.dialect.name]
    rows = [query.run(conn, voter=each, month=month).one() for each in (voter, *others)]
    return Revealed(
        answers=_names(row.answers for row in rows),
        keys_this_month=_names(row.question_keys for row in rows),
        last_skipped=rows[0].skipped,
    )


def _names(joined: Iterable[str | None]) -> frozenset[str]:
    return frozenset(name for names in joined if names for name in names.split(","))


def revealed_of(
    conn: Connection, ballot: HeldBallot, month: str, others: Sequence[str] = ()
) -> Revealed:
    """Return the same as far as it is about a ballot's own question and answers.

    Args:
        conn: to read with.
        ballot: before its own vote is stored.
        month: in which the question may have been voted on.
        others: joined to the holder, by their ids.
    """
    key = ballot.question_key
    rows = [
        row
        for voter in (ballot.voter, *others)
        for row in _REVEALED_OF.run(conn, voter=voter, key=key)
    ]
    return Revealed(
        answers=frozenset(row.answer_id for row in rows),
        keys_this_month=frozenset(key for row in rows if row.month == month),
    )


def revealed_among(revealed: Revealed, answers: Iterable[str]) -> bool:
    """Say whether any of these answers was revealed before."""
    return not revealed.answers.isdisjoint(answers)


def route_holder(conn: Connection, route: str) -> tuple[str, str] | None:
    """Return ballot id and voter id of an address, or None when nothing has that address."""
    row = _HOLDER.run(conn, route=route).one_or_none()
    return None if row is None else (row.ballot_id, row.voter_id)
