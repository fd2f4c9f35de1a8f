"""Events of review -> flags, looks of sweeps, decisions, notes and disputes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, delete, func, insert, select, update

from antiabuse.statements import Statement
from arena.ballot_events import ANY_MODE
from arena.errors import UnknownArenaEvent
from arena.review_events import (
    AnswerDecided,
    DisputeAdvanced,
    DisputeDecided,
    DisputeOpened,
    FlagDecided,
    FlagRaised,
    NoteWritten,
    SweepFinished,
    VoterBanned,
    VoterUnbanned,
)
from arena.review_tables import case_note, decision, dispute, dispute_step, flag, flag_vote
from arena.review_tables import sweep_look as sweep_look_table
from arena.tables import report

if TYPE_CHECKING:
    from arena.projection import RecordedEvent

__all__ = ["HANDLERS", "IN_PROGRESS", "clear"]

IN_PROGRESS: Final = ("submitted", "evidence", "recheck")
"""States of a dispute that is not decided."""

# A look that an interrupted sweep took already is taken once.
_LOOK: Final = Statement(
    """
    INSERT INTO sweep_look (detector, mode, month, voter, look)
    VALUES (:detector, :mode, :month, :voter, :look)
    ON CONFLICT (detector, mode, month, voter, look) DO NOTHING
    """
)


def clear(conn: Connection) -> None:
    """Empty these tables, children first, before a replay."""
    tables = (case_note, decision, dispute_step, dispute, sweep_look_table, flag_vote, flag)
    for table in tables:
        conn.execute(delete(table))


def _flag_raised(conn: Connection, recorded: RecordedEvent) -> None:
    event = FlagRaised.from_body(recorded.body)
    subject = " ".join(event.subjects)
    row = {
        "id": recorded.id,
        "detector": event.detector,
        "mode": event.mode,
        "month": event.month,
        "hour": event.hour,
        "subject": subject,
        "subject_sha256": sha256(subject.encode()).hexdigest(),
        "look": event.look,
        "statistic": event.statistic,
        "threshold": event.threshold,
        "p_value": event.p_value,
        "numbers": json.dumps(event.numbers, ensure_ascii=False, sort_keys=True),
        "discounts": event.discounts,
        "state": "open",
    }
    conn.execute(insert(flag), row)
    if event.votes:
        rows = [{"flag_id": recorded.id, "vote_id": vote} for vote in event.votes]
        conn.execute(insert(flag_vote), rows)


def _sweep_finished(conn: Connection, recorded: RecordedEvent) -> None:
    event = SweepFinished.from_body(recorded.body)
    head = {"mode": event.mode, "month": event.month}
    _LOOK.run_many(
        conn,
        [
            {**head, "detector": detector, "voter": voter, "look": look}
            for detector, voter, look in event.looks
        ],
    )


def _flag_decided(conn: Connection, recorded: RecordedEvent) -> None:
    event = FlagDecided.from_body(recorded.body)
    decided = update(flag).where(flag.c.id == event.flag, flag.c.state != event.verdict)
    _exactly_one(conn.execute(decided.values(state=event.verdict)).rowcount, event.flag)
    _keep(
        conn,
        recorded,
        event,
        subject=f"flag:{event.flag}",
        mode=event.mode,
        verdict=event.verdict,
        votes=event.votes,
    )


def _answer_decided(conn: Connection, recorded: RecordedEvent) -> None:
    event = AnswerDecided.from_body(recorded.body)
    for reported in event.reports:
        closed = update(report).where(report.c.id == reported, report.c.open)
        _exactly_one(conn.execute(closed.values(open=False)).rowcount, reported)
    _keep(
        conn,
        recorded,
        event,
        subject=f"answer:{event.answer}",
        mode=event.mode,
        verdict=event.verdict,
        votes=event.votes,
    )


def _voter_banned(conn: Connection, recorded: RecordedEvent) -> None:
    event = VoterBanned.from_body(recorded.body)
    _keep(conn, recorded, event, subject=f"voter:{event.month}:{event.voter}")


def _voter_unbanned(conn: Connection, recorded: RecordedEvent) -> None:
    event = VoterUnbanned.from_body(recorded.body)
    _keep(conn, recorded, event, subject=f"voter:{event.month}:{event.voter}")


def _note_written(conn: Connection, recorded: RecordedEvent) -> None:
    event = NoteWritten.from_body(recorded.body)
    row = {
        "event_id": recorded.id,
        "subject": event.subject,
        "moderator": event.moderator,
        "at_us": event.at_us,
    }
    conn.execute(insert(case_note), row)
    mode = None if event.mode == ANY_MODE else event.mode
    _keep(conn, recorded, event, subject=event.subject, mode=mode)


def _dispute_opened(conn: Connection, recorded: RecordedEvent) -> None:
    event = DisputeOpened.from_body(recorded.body)
    row = {"id": recorded.id, "vote_id": event.vote, "hour": event.hour, "state": "submitted"}
    conn.execute(insert(dispute), row)
    _step(conn, recorded, recorded.id, state="submitted", hour=event.hour)


def _dispute_advanced(conn: Connection, recorded: RecordedEvent) -> None:
    event = DisputeAdvanced.from_body(recorded.body)
    _move(conn, event.dispute, event.state)
    _step(
        conn,
        recorded,
        event.dispute,
        state=event.state,
        hour=event.hour,
        moderator=event.moderator,
        text=event.text,
    )


def _dispute_decided(conn: Connection, recorded: RecordedEvent) -> None:
    event = DisputeDecided.from_body(recorded.body)
    _move(conn, event.dispute, event.state)
    _step(
        conn,
        recorded,
        event.dispute,
        state=event.state,
        hour=event.hour,
        moderator=event.moderator,
        text=event.text,
    )
    _keep(
        conn,
        recorded,
        event,
        subject=f"dispute:{event.dispute}",
        mode=event.mode,
        verdict=event.state,
        votes=int(event.restored),
    )


def _move(conn: Connection, dispute_id: str, state: str) -> None:
    moved = update(dispute).where(dispute.c.id == dispute_id, dispute.c.state.in_(IN_PROGRESS))
    _exactly_one(conn.execute(moved.values(state=state)).rowcount, dispute_id)


def _step(
    conn: Connection,
    recorded: RecordedEvent,
    dispute_id: str,
    *,
    state: str,
    hour: str,
    moderator: str | None = None,
    text: str = "",
) -> None:
    taken = select(func.count()).where(dispute_step.c.dispute_id == dispute_id)
    row = {
        "event_id": recorded.id,
        "dispute_id": dispute_id,
        "number": conn.execute(taken).scalar_one() + 1,
        "state": state,
        "hour": hour,
        "moderator": moderator,
        "text": text,
    }
    conn.execute(insert(dispute_step), row)


def _keep(
    conn: Connection,
    recorded: RecordedEvent,
    event: FlagDecided | AnswerDecided | VoterBanned | VoterUnbanned | NoteWritten | DisputeDecided,
    *,
    subject: str,
    mode: str | None = None,
    verdict: str | None = None,
    votes: int = 0,
) -> None:
    """Keep what a moderator decided, for the list of decisions (X-011)."""
    row: dict[str, Any] = {
        "id": recorded.id,
        "kind": event.KIND,
        "moderator": event.moderator,
        "verdict": verdict,
        "reason": event.reason,
        "mode": mode,
        "month": event.month,
        "at_us": event.at_us,
        "subject": subject,
        "votes": votes,
    }
    conn.execute(insert(decision), row)


def _exactly_one(changed: int, name: str) -> None:
    if changed != 1:
        raise UnknownArenaEvent(f"{name} is in no state that the event changes")


HANDLERS: Final[Mapping[tuple[str, int], Callable[[Connection, RecordedEvent], None]]] = {
    (FlagRaised.KIND, 1): _flag_raised,
    (SweepFinished.KIND, 1): _sweep_finished,
    (FlagDecided.KIND, 1): _flag_decided,
    (AnswerDecided.KIND, 1): _answer_decided,
    (VoterBanned.KIND, 1): _voter_banned,
    (VoterUnbanned.KIND, 1): _voter_unbanned,
    (NoteWritten.KIND, 1): _note_written,
    (DisputeOpened.KIND, 1): _dispute_opened,
    (DisputeAdvanced.KIND, 1): _dispute_advanced,
    (DisputeDecided.KIND, 1): _dispute_decided,
}
