"""Events of ballots, votes and boards -> read model, for writing and for rebuilding."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, delete, insert

from antiabuse.statements import Statement
from arena.ballot_events import (
    BallotIssued,
    BallotReported,
    BallotShown,
    BallotSkipped,
    BallotWithdrawn,
    BoardPublished,
    VoteCast,
    VoteReasoned,
)
from arena.errors import UnknownArenaEvent
from arena.tables import ballot, ballot_slot, board, report, vote, vote_reason
from ranking.exposure import SET_SIZE

if TYPE_CHECKING:
    from arena.projection import RecordedEvent

__all__ = ["HANDLERS", "clear"]

WEIGHT_UNIT: Final = 1_000_000

_BALLOT: Final = Statement(
    """
    INSERT INTO ballot
        (id, mode, month, hour, question_id, voter, state, will_not_count, board_id,
         set_probability)
    VALUES (:id, :mode, :month, :hour, :question, :voter, 'open', :will_not_count, :board,
            :set_probability)
    """
)
_SLOT: Final = Statement(
    """
    INSERT INTO ballot_slot (ballot_id, position, slot_id, answer_id, model)
    VALUES (:ballot, :position, :slot, :answer, :model)
    """
)
_CLOSE: Final = Statement("UPDATE ballot SET state = :state WHERE id = :id AND state = 'open'")
_VOTE: Final = Statement(
    """
    INSERT INTO vote
        (id, ballot_id, mode, month, hour, question_id, voter, cluster, models, verdict, best,
         worst, weight_micro, weight_parts, reasons, board_id, p_win, changes)
    VALUES
        (:id, :ballot, :mode, :month, :hour, :question, :voter, :cluster, :models, :verdict, :best,
         :worst, :weight_micro, :weight_parts, :reasons, :board, :p_win, :changes)
    """
)
_REVEALED: Final = Statement(
    """
    UPDATE answer SET reveals = reveals + 1
    WHERE id IN (SELECT answer_id FROM ballot_slot
                 WHERE ballot_id = :ballot AND model IN (:m0, :m1, :m2, :m3))
    """
)


def clear(conn: Connection) -> None:
    """Empty these tables, children first, before a replay."""
    for table in (report, vote_reason, vote, ballot_slot, ballot, board):
        conn.execute(delete(table))


def _ballot_issued(conn: Connection, recorded: RecordedEvent) -> None:
    event = BallotIssued.from_body(recorded.body)
    _BALLOT.run(
        conn,
        id=recorded.id,
        mode=event.mode,
        month=event.month,
        hour=event.hour,
        question=event.question,
        voter=event.voter,
        will_not_count=event.will_not_count,
        board=event.board,
        set_probability=event.draw["probability"],
    )
    _SLOT.run_many(
        conn,
        [
            {
                "ballot": recorded.id,
                "position": position,
                "slot": slot.slot,
                "answer": slot.answer,
                "model": slot.model,
            }
            for position, slot in enumerate(event.slots)
        ],
    )


def _ballot_shown(_conn: Connection, recorded: RecordedEvent) -> None:
    """Change nothing: showing again is only evidence, but a malformed body must not pass."""
    BallotShown.from_body(recorded.body)


def _ballot_withdrawn(conn: Connection, recorded: RecordedEvent) -> None:
    _close(conn, BallotWithdrawn.from_body(recorded.body).ballot, "withdrawn")


def _ballot_skipped(conn: Connection, recorded: RecordedEvent) -> None:
    _close(conn, BallotSkipped.from_body(recorded.body).ballot, "skipped")


def _close(conn: Connection, ballot_id: str, state: str) -> None:
    """Move an open ballot to a state it never leaves."""
    if _CLOSE.run(conn, id=ballot_id, state=state).rowcount != 1:
        raise UnknownArenaEvent(f"no open ballot {ballot_id}")


def _vote_cast(conn: Connection, recorded: RecordedEvent) -> None:
    event = VoteCast.from_body(recorded.body)
    slot_of = {slug: position for position, slug in enumerate(event.models)}
    _close(conn, event.ballot, "voted")
    _VOTE.run(
        conn,
        id=recorded.id,
        ballot=event.ballot,
        mode=event.mode,
        month=event.month,
        hour=event.hour,
        question=event.question,
        voter=event.voter,
        cluster=event.cluster,
        models=_json(event.models),
        verdict=event.verdict,
        best=None if event.best is None else slot_of[event.best],
        worst=None if event.worst is None else slot_of[event.worst],
        weight_micro=int(Decimal(event.weight) * WEIGHT_UNIT),
        weight_parts=_json(event.weight_parts),
        reasons=_json(event.reasons),
        board=event.board,
        p_win=_json(event.p_win),
        changes=_json(event.changes),
    )
    if event.revealed:
        models = [*event.revealed, *[None] * (SET_SIZE - len(event.revealed))]
        named = {f"m{nth}": model for nth, model in enumerate(models)}
        _REVEALED.run(conn, ballot=event.ballot, **named)


def _vote_reasoned(conn: Connection, recorded: RecordedEvent) -> None:
    event = VoteReasoned.from_body(recorded.body)
    conn.execute(delete(vote_reason).where(vote_reason.c.ballot_id == event.ballot))
    if event.reasons:
        conn.execute(
            insert(vote_reason), [{"ballot_id": event.ballot, "reason": r} for r in event.reasons]
        )


def _ballot_reported(conn: Connection, recorded: RecordedEvent) -> None:
    event = BallotReported.from_body(recorded.body)
    conn.execute(
        insert(report),
        {
            "id": recorded.id,
            "ballot_id": event.ballot,
            "answer_id": event.answer,
            "reason": event.reason,
            "hour": event.hour,
            "open": True,
        },
    )


def _board_published(conn: Connection, recorded: RecordedEvent) -> None:
    event = BoardPublished.from_body(recorded.body)
    conn.execute(
        insert(board),
        {
            "id": recorded.id,
            "mode": event.mode,
            "month": event.month,
            "view": event.view,
            "category": event.category,
            "computed_us": event.computed_us,
            "log_size": event.log_size,
            "body": _json(event.body()),
        },
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


HANDLERS: Final[Mapping[tuple[str, int], Callable[[Connection, RecordedEvent], None]]] = {
    (BallotIssued.KIND, 1): _ballot_issued,
    (BallotShown.KIND, 1): _ballot_shown,
    (BallotWithdrawn.KIND, 1): _ballot_withdrawn,
    (BallotSkipped.KIND, 1): _ballot_skipped,
    (BallotReported.KIND, 1): _ballot_reported,
    (VoteCast.KIND, 1): _vote_cast,
    (VoteReasoned.KIND, 1): _vote_reasoned,
    (BoardPublished.KIND, 1): _board_published,
}
