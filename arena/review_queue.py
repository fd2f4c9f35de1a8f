"""What waits for a moderator: flags, answers held or reported, disputes; oldest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, bindparam, text

from arena import review_rules
from arena.case_subject import Subject
from arena.review_rules import REASONS, Act

__all__ = ["Item", "Queue", "queue_for_moderators"]

# One row per case: an answer is one case, however often it was reported. An answer that was held
# when it was imported bears no hour and comes first, for it keeps its question from being drawn.
_QUEUE: Final = text(
    """
    SELECT * FROM (
        SELECT 'flag:' || f.id AS subject, f.mode, f.month, f.hour, f.detector AS what,
               (SELECT count(*) FROM flag_vote fv WHERE fv.flag_id = f.id) AS votes,
               length(f.subject) - length(replace(f.subject, ' ', '')) + 1 AS voters,
               f.subject AS named, 0 AS reports
        FROM flag f WHERE f.state = 'open'
        UNION ALL
        SELECT 'answer:' || a.id, a.mode, NULL, coalesce(min(r.hour), ''),
               CASE WHEN a.state = 'held' AND a.held_for NOT IN :withheld
                    THEN 'held' ELSE 'reported' END,
               (SELECT count(*) FROM ballot_slot s JOIN vote v ON v.ballot_id = s.ballot_id
                WHERE s.answer_id = a.id),
               count(DISTINCT b.voter), min(b.voter), count(r.id)
        FROM answer a
        LEFT JOIN report r ON r.answer_id = a.id AND r.open
        LEFT JOIN ballot b ON b.id = r.ballot_id
        WHERE r.id IS NOT NULL OR (a.state = 'held' AND a.held_for NOT IN :withheld)
        GROUP BY a.id, a.mode, a.state, a.held_for
        UNION ALL
        SELECT 'dispute:' || d.id, v.mode, v.month, d.hour, d.state, 1, 1, v.voter, 0
        FROM dispute d JOIN vote v ON v.id = d.vote_id
        WHERE d.state IN ('submitted', 'evidence', 'recheck')
    ) waiting
    WHERE (hour, subject) > (:hour, :subject)
    ORDER BY hour, subject LIMIT :most
    """
).bindparams(bindparam("withheld", expanding=True))


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


@dataclass(frozen=True, slots=True)
class Queue:
    """A page of the queue; `next` is the last item's place if more follow."""

    items: tuple[Item, ...]
    next: tuple[str, str] | None


def queue_for_moderators(
    conn: Connection, after: tuple[str, str] | None = None, limit: int | None = None
) -> Queue:
    """Return a page of what waits, oldest first.

    Args:
        conn: to read with.
        after: the `next` of the page before; None for the first.
        limit: rows of the page; as the rules say unless told.
    """
    most = limit or review_rules.current().page_rows
    hour, subject = after or ("", "")
    rows = conn.execute(
        _QUEUE,
        {
            "withheld": sorted(REASONS[Act.WITHHOLD_ANSWER]),
            "hour": hour,
            "subject": subject,
            "most": most + 1,
        },
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
        )
        for row in rows[:most]
    )
    more = len(rows) > most
    return Queue(items, (items[-1].hour, str(items[-1].subject)) if more else None)
