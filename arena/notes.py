"""Notes on cases: that one was written is public, what it says is for moderators."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from arena import review_rules
from arena.case_subject import Subject, located
from arena.errors import UnknownCode
from arena.moderation import Actor
from arena.ports import Ports
from arena.review_events import NoteWritten
from arena.review_record import record_by_moderator
from arena.review_rules import Act, check_reason
from arena.review_tables import case_note
from arena.typed_text import typed_text
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
            private={"text": words},
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
