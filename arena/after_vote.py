"""What a voter may still say: reasons after the vote, and reports of an answer (V-170)."""

from __future__ import annotations

from collections.abc import Sequence

from antiabuse import admission
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
    """
    known = rules.current().vote_reasons
    chosen = tuple(code for code in known if code in reasons)
    if len(chosen) != len(set(reasons)):
        raise UnknownCode("a reason is not on the list")
    held = _own_ballot(ports, visitor, ballot_id, "reasons")
    if held.state != "voted":
        record_refusal(ports, visitor.now_us, Refusal.CLOSED, "reasons", visitor=visitor)
        raise admission.Refused(Refusal.CLOSED)
    said = VoteReasoned(ballot=held.id, hour=hour_of(visitor.now_us), reasons=chosen)
    event = ballot_event(said, event_id=uuid4(ports.rng), mode=held.mode, visitor=visitor)
    with ports.database.write() as conn:
        project(conn, ports.log.append(conn, event))
    return chosen


def report_answer(ports: Ports, visitor: Visitor, ballot_id: str, slot: int, reason: str) -> None:
    """Open a review item on one answer of the voter's ballot; it hides nothing by itself.

    Raises:
        UnknownCode: a reason that is not on the list, or no such slot; nothing is stored.
        Refused: `not_yours`.
    """
    held = _own_ballot(ports, visitor, ballot_id, "report")
    if reason not in rules.current().report_reasons or slot not in range(len(held.slots)):
        raise UnknownCode("that report names no answer or no reason of the list")
    said = BallotReported(
        ballot=held.id,
        hour=hour_of(visitor.now_us),
        answer=held.slots[slot].answer,
        reason=reason,
    )
    event = ballot_event(said, event_id=uuid4(ports.rng), mode=held.mode, visitor=visitor)
    with ports.database.write() as conn:
        project(conn, ports.log.append(conn, event))


def _own_ballot(ports: Ports, visitor: Visitor, ballot_id: str, action: str) -> HeldBallot:
    with ports.database.read() as conn:
        held = load_held(conn, ballot_id)
    if held is None or held.voter != visitor.voter:
        refusal = Refusal.BAD_TOKEN if held is None else Refusal.NOT_YOURS
        record_refusal(ports, visitor.now_us, refusal, action, visitor=visitor)
        raise admission.Refused(refusal)
    return held
