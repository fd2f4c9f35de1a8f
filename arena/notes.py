"""Notes on cases: that one was written is public, what it says is for moderators.

A note on a case of one voter is about that voter, and its text goes when they have all erased.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from antiabuse import quotas
from antiabuse.errors import UnknownVoter
from arena import review_rules
from arena.case_subject import Subject, located
from arena.errors import UnknownCase, UnknownCode
from arena.moderation import Actor
from arena.ports import Ports
from arena.review_events import NoteWritten
from arena.review_record import record_by_moderator
from arena.review_rules import Act, check_reason
from arena.review_tables import case_note, dispute, flag
from arena.tables import vote
from arena.typed_text import typed_text
from arena.voter_names import voter_of
from ledger import store

__all__ = ["Note", "notes_for_moderators", "write_note"]


@dataclass(frozen=True, slots=True)
class Note:
    """A note; `subject` is the case it was written on, `text` None once its part was erased."""

    subject: str
    moderator: str
    at_us: int
    text: str | None


def write_note(
    ports: Ports, actor: Actor, subject: Subject, *, reason: str, text: str, now_us: int
) -> str:
    """Write a note on a case, open or decided, and return its id.

    Raises:
        UnknownCode: the reason is not on the list, or the text is empty or over-long.
        UnknownCase: there is nothing of the subject's name.
    """
    check_reason(Act.NOTE, reason)
    words, most = typed_text(text), review_rules.current().note_chars
    if not 0 < len(words) <= most:
        raise UnknownCode(f"a note has 1 to {most} characters")
    with ports.database.write() as conn:
        mode, month = located(conn, subject, now_us)
        voter = _whom(conn, subject, now_us)
        event = NoteWritten(
            subject=str(subject),
            mode=mode,
            month=month,
            reason=reason,
            moderator=actor.handle,
            at_us=now_us,
        )
        return record_by_moderator(
            ports,
            conn,
            actor,
            event,
            now_us=now_us,
            private={"text": words} if voter is None else {"voter": voter, "text": words},
        )


def notes_for_moderators(conn: Connection, *subjects: Subject) -> tuple[Note, ...]:
    """Return the notes on cases with their texts, oldest first."""
    query = (
        select(case_note)
        .where(case_note.c.subject.in_([str(each) for each in subjects]))
        .order_by(case_note.c.at_us, case_note.c.event_id)
    )
    return tuple(
        Note(
            row.subject,
            row.moderator,
            row.at_us,
            (store.read_private(conn, row.event_id) or {}).get("text"),
        )
        for row in conn.execute(query).all()
    )


def _whom(conn: Connection, subject: Subject, now_us: int) -> str | None:
    """Return the id of the one voter whom a case is about, whose row is locked.

    None where it is about several, about nobody, or about a voter who had all erased.
    """
    named = _one_name(conn, subject)
    if named is None:
        return None
    try:
        voter = voter_of(conn, *named)
        # An erasure under way is waited for: its voter is not named again.
        quotas.lock(conn, voter, now_us)
    except (UnknownCase, UnknownVoter):
        return None
    return voter


def _one_name(conn: Connection, subject: Subject) -> tuple[str, str] | None:
    """Return month and pseudonym of the one voter whom a case is about."""
    query = select(vote.c.month, vote.c.voter)
    match subject.kind:
        case "voter":
            return None if subject.month is None else (subject.month, subject.name)
        case "answer":
            return None
        case "vote":
            query = query.where(vote.c.id == subject.name)
        case "dispute":
            query = query.join(dispute, dispute.c.vote_id == vote.c.id)
            query = query.where(dispute.c.id == subject.name)
        case "flag":
            query = select(flag.c.month, flag.c.subject.label("voter"))
            query = query.where(flag.c.id == subject.name)
    found = conn.execute(query).one()
    several = " " in found.voter
    return None if several else (found.month, found.voter)
