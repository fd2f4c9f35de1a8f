"""What waits for a moderator: flags, answers held or reported, disputes; oldest first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, CursorResult, bindparam, text

from arena import review_rules
from arena.case_subject import CaseKind, Subject
from arena.review_rules import REASONS, Act

__all__ = [
    "Item",
    "Queue",
    "Waiting",
    "neighbours_in_queue",
    "queue_for_moderators",
    "waiting_for_moderators",
]

# One row per case: an answer is one case, however often it was reported. An answer that was held
# when it was imported bears no hour and comes first, for it keeps its question from being drawn.
_FLAGS: Final = "flag f WHERE f.state = 'open'"
_ANSWERS: Final = """
    answer a
    LEFT JOIN report r ON r.answer_id = a.id AND r.open
    LEFT JOIN ballot b ON b.id = r.ballot_id
    WHERE r.id IS NOT NULL OR (a.state = 'held' AND a.held_for NOT IN :withheld)
    GROUP BY a.id, a.mode, a.model, a.state, a.held_for
"""
_DISPUTES: Final = """
    dispute d JOIN vote v ON v.id = d.vote_id
    WHERE d.state IN ('submitted', 'evidence', 'recheck')
"""
_QUEUE: Final = f"""
    SELECT * FROM (
        SELECT 'flag' AS kind, 'flag:' || f.id AS subject, f.mode, f.month, f.hour,
               f.detector AS what,
               (SELECT count(*) FROM flag_vote fv WHERE fv.flag_id = f.id) AS votes,
               length(f.subject) - length(replace(f.subject, ' ', '')) + 1 AS voters,
               f.subject AS named, 0 AS reports, NULL AS model, f.numbers
        FROM {_FLAGS}
        UNION ALL
        SELECT 'answer', 'answer:' || a.id, a.mode, NULL, coalesce(min(r.hour), ''),
               CASE WHEN a.state = 'held' AND a.held_for NOT IN :withheld
                    THEN 'held' ELSE 'reported' END,
               (SELECT count(*) FROM ballot_slot s JOIN vote v ON v.ballot_id = s.ballot_id
                WHERE s.answer_id = a.id),
               count(DISTINCT b.voter), min(b.voter), count(r.id), a.model, NULL
        FROM {_ANSWERS}
        UNION ALL
        SELECT 'dispute', 'dispute:' || d.id, v.mode, v.month, d.hour, d.state, 1, 1, v.voter, 0,
               NULL, NULL
        FROM {_DISPUTES}
    ) waiting
    WHERE (hour, subject) > (:hour, :subject) AND kind LIKE :kind
    ORDER BY hour, subject LIMIT :most
"""  # noqa: S608 - all written here
_PLACES: Final = f"""
    SELECT 'flag' AS kind, 'flag:' || f.id AS subject, f.hour FROM {_FLAGS}
    UNION ALL
    SELECT 'answer', 'answer:' || a.id, coalesce(min(r.hour), '') FROM {_ANSWERS}
    UNION ALL
    SELECT 'dispute', 'dispute:' || d.id, d.hour FROM {_DISPUTES}
"""  # noqa: S608 - all written here
_KINDS: Final = f"""
    SELECT kind, count(*) AS cases, min(CASE WHEN hour <> '' THEN hour END) AS since,
           count(CASE WHEN hour = '' THEN 1 END) AS since_import
    FROM ({_PLACES}) waiting GROUP BY kind ORDER BY count(*) DESC, kind
"""  # noqa: S608 - all written here
_BESIDE: Final = f"""
    WITH waiting AS ({_PLACES}), own AS (SELECT hour, subject FROM waiting WHERE subject = :subject)
    SELECT (SELECT count(*) FROM own) AS waits,
           (SELECT w.subject FROM waiting w, own WHERE (w.hour, w.subject) < (own.hour, own.subject)
            ORDER BY w.hour DESC, w.subject DESC LIMIT 1) AS before,
           (SELECT w.subject FROM waiting w, own WHERE (w.hour, w.subject) > (own.hour, own.subject)
            ORDER BY w.hour, w.subject LIMIT 1) AS after,
           (SELECT w.subject FROM waiting w ORDER BY w.hour, w.subject LIMIT 1) AS oldest
"""  # noqa: S608 - all written here


@dataclass(frozen=True, slots=True)
class Item:
    """One case that waits, with how much evidence there is.

    Attributes:
        subject: what it is about.
        mode: of its votes or its answer.
        month: of its votes; None for answers.
        hour: since when it waits; empty for an answer held at its import.
        what: the detector; `held` or `reported` of an answer; the state of a dispute.
        votes: flagged, or cast on ballots with the answer.
        voters: flagged together, or who reported the answer.
        voter: the pseudonym where it is one voter alone.
        reports: open ones of the answer.
        model: that the flag is about, or that wrote the answer; None where it is about none.
    """

    subject: Subject
    mode: str
    month: str | None
    hour: str
    what: str
    votes: int
    voters: int
    voter: str | None
    reports: int
    model: str | None


@dataclass(frozen=True, slots=True)
class Queue:
    """A page of the queue; `next` is the last item's place if more follow."""

    items: tuple[Item, ...]
    next: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """Cases that wait.

    Attributes:
        kinds: how many of each kind, the most first.
        since: the hour since when the oldest of those with an hour waits; empty without such.
        since_import: how many wait since their import and bear no hour; they come first.
    """

    kinds: tuple[tuple[CaseKind, int], ...]
    since: str
    since_import: int


def queue_for_moderators(
    conn: Connection,
    after: tuple[str, str] | None = None,
    limit: int | None = None,
    kind: CaseKind | None = None,
) -> Queue:
    """Return a page of what waits, oldest first.

    Args:
        conn: to read with.
        after: the `next` of the page before; None for the first.
        limit: rows of the page; as the rules say unless told.
        kind: of the cases; None for all.
    """
    most = limit or review_rules.current().page_rows
    hour, subject = after or ("", "")
    rows = _run(
        conn, _QUEUE, hour=hour, subject=subject, kind="%" if kind is None else kind, most=most + 1
    ).all()
    items = tuple(
        Item(
            subject=Subject.read(row.subject),
            mode=row.mode,
            month=row.month,
            hour=row.hour,
            what=row.what,
            votes=row.votes,
            voters=row.voters,
            voter=row.named if row.voters == 1 else None,
            reports=row.reports,
            model=row.model if row.numbers is None else json.loads(row.numbers).get("model"),
        )
        for row in rows[:most]
    )
    more = len(rows) > most
    return Queue(items, (items[-1].hour, str(items[-1].subject)) if more else None)


def waiting_for_moderators(conn: Connection) -> Waiting:
    """Count all that waits."""
    rows = _run(conn, _KINDS).all()
    hours = [row.since for row in rows if row.since is not None]
    return Waiting(
        kinds=tuple((row.kind, row.cases) for row in rows),
        since=min(hours, default=""),
        since_import=sum(row.since_import for row in rows),
    )


def neighbours_in_queue(conn: Connection, subject: Subject) -> tuple[str | None, str | None]:
    """Return the cases before and after one; of a decided one, None and the oldest that waits."""
    found = _run(conn, _BESIDE, subject=str(subject)).one()
    return (found.before, found.after) if found.waits else (None, found.oldest)


def _run(conn: Connection, sql: str, **values: str | int) -> CursorResult[Any]:
    statement = text(sql).bindparams(bindparam("withheld", expanding=True))
    return conn.execute(statement, {"withheld": sorted(REASONS[Act.WITHHOLD_ANSWER]), **values})
