"""What a voter may still say: reasons after the vote, and reports of an answer (V-170)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from antiabuse import admission, quotas
from antiabuse.admission import Refusal
from antiabuse.utc import hour_of
from arena import rules
from arena.ballot_events import BallotReported, VoteReasoned, ballot_event
from arena.ballot_store import HeldBallot, load_held
from arena.errors import UnknownCode
from arena.ports import Ports
from arena.projection import project
from arena.refusals import record_refusal
from arena.visitor import Visitor
from ledger.ids import uuid4

__all__ = ["give_reasons", "report_answer"]


def give_reasons(
    ports: Ports, visitor: Visitor, ballot_id: str, reasons: Sequence[str]
) -> tuple[str, ...]:
    """Store why the voter voted so, in place of earlier reasons; return them in order.

    Raises:
        UnknownCode: a reason that is not on the list; nothing is stored.
        Refused: `not_yours`, or `closed` before the vote.
        UnknownVoter: nothing is kept on the voter; all was erased, or there never was anything.
    """
    known = rules.current().vote_reasons
    chosen = tuple(code for code in known if code in reasons)
    if len(chosen) != len(set(reasons)):
        raise UnknownCode("a reason is not on the list")
    with ports.database.write() as conn:
        held = _own_ballot(conn, visitor, ballot_id)
        if isinstance(held, HeldBallot) and held.state == "voted":
            said = VoteReasoned(ballot=held.id, hour=hour_of(visitor.now_us), reasons=chosen)
            _write(ports, conn, visitor, held, said)
            return chosen
        refusal = Refusal.CLOSED if isinstance(held, HeldBallot) else held
        record_refusal(ports, visitor.now_us, refusal, "reasons", visitor=visitor, conn=conn)
    raise admission.Refused(refusal)


def report_answer(ports: Ports, visitor: Visitor, ballot_id: str, slot: int, reason: str) -> None:
    """Open a review item on one answer of the voter's ballot; it hides nothing by itself.

    Raises:
        UnknownCode: a reason that is not on the list, or no such slot; nothing is stored.
        Refused: `not_yours`.
        UnknownVoter: nothing is kept on the voter; all was erased, or there never was anything.
    """
    with ports.database.write() as conn:
        held = _own_ballot(conn, visitor, ballot_id)
        if isinstance(held, HeldBallot):
            if reason not in rules.current().report_reasons or slot not in range(len(held.slots)):
                raise UnknownCode("that report names no answer or no reason of the list")
            said = BallotReported(
                ballot=held.id,
                hour=hour_of(visitor.now_us),
                answer=held.slots[slot].answer,
                reason=reason,
            )
            _write(ports, conn, visitor, held, said)
            return
        record_refusal(ports, visitor.now_us, held, "report", visitor=visitor, conn=conn)
    raise admission.Refused(held)


def _own_ballot(conn: Connection, visitor: Visitor, ballot_id: str) -> HeldBallot | Refusal:
    """Return the voter's own ballot, or why not; an erasure waits for what is written about it."""
    quotas.lock(conn, visitor.voter, visitor.now_us)
    held = load_held(conn, ballot_id)
    if held is None:
        return Refusal.BAD_TOKEN
    return held if held.voter == visitor.voter else Refusal.NOT_YOURS


def _write(
    ports: Ports,
    conn: Connection,
    visitor: Visitor,
    held: HeldBallot,
    said: VoteReasoned | BallotReported,
) -> None:
    event = ballot_event(said, event_id=uuid4(ports.rng), mode=held.mode, visitor=visitor)
    project(conn, ports.log.append(conn, event))
