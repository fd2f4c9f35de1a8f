"""Decisions on answers: one transaction each, so that of two moderators the second fails.

A decided answer may be decided again the other way, and its votes follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, select

from antiabuse.utc import month_of
from arena import closed_months, moderation
from arena.boards import as_mode
from arena.case_subject import Subject
from arena.catalogue_changes import Recorder, lock_catalogue
from arena.errors import AlreadyDecided, UnknownCase, UnknownCode
from arena.events import AnswerCleared, AnswerHeld
from arena.moderation import Actor
from arena.ports import Ports
from arena.review_events import AnswerDecided, AnswerVerdict
from arena.review_record import record_by_moderator
from arena.review_rules import Act, check_reason
from arena.review_rulings import LEAK, AnswerState, is_withheld, ruling_on
from arena.review_strikes import released
from arena.review_tables import vote_strike
from arena.standing_reasons import RestoreReason, StrikeReason
from arena.tables import answer, ballot_slot, report, vote

__all__ = ["decide_answer", "votes_that_saw"]

_ACTS: Final = {"withheld": Act.WITHHOLD_ANSWER, "cleared": Act.CLEAR_ANSWER}


def decide_answer(
    ports: Ports,
    actor: Actor,
    answer_id: str,
    *,
    seen: AnswerState,
    verdict: AnswerVerdict,
    reason: str,
    now_us: int,
) -> str:
    """Decide on an answer, or again the other way, and close the reports open by then (V-170).

    Withheld takes it out of the pool; for `identity_leak` the votes of open months on ballots that
    showed it weigh nothing from here on (V-150). Cleared lets it be shown, and restores those votes
    of open months that nothing else keeps struck.

    Args:
        ports: the arena's means.
        actor: who decides.
        answer_id: of the answer.
        seen: the state of the case that the moderator saw.
        verdict: another one than that state.
        reason: a code of the verdict's list.
        now_us: when.

    Returns:
        The decision's id.

    Raises:
        UnknownCode: no such verdict, or the reason is not on its list.
        UnknownCase: there is no such answer.
        AlreadyDecided: the case is not in the state seen, perhaps since another moderator was
            faster, or has the verdict already; nothing is stored.
    """
    if verdict not in _ACTS:  # the face hands on what a form says
        raise UnknownCode(f"{verdict!r} is no verdict here")
    check_reason(_ACTS[verdict], reason)
    with ports.database.write() as conn:
        # Before the answer's row, as imports take them in this order too.
        lock_catalogue(conn)
        found, reports = _as_seen(conn, answer_id, seen, verdict)
        votes = 0
        if verdict == "cleared":
            votes = _restore(ports, conn, actor, answer_id, now_us)
        elif reason == LEAK:
            votes = _strike(ports, conn, actor, answer_id, now_us)
        _change_state(ports, conn, answer_id, found.state, verdict, reason, now_us)
        event = AnswerDecided(
            answer=answer_id,
            reports=tuple(reports),
            mode=as_mode(found.mode),
            month=month_of(now_us),
            verdict=verdict,
            reason=reason,
            moderator=actor.handle,
            votes=votes,
            at_us=now_us,
        )
        return record_by_moderator(ports, conn, actor, event, now_us=now_us)


def _as_seen(
    conn: Connection, answer_id: str, seen: AnswerState, verdict: AnswerVerdict
) -> tuple[Row[*tuple[Any, ...]], list[str]]:
    """Lock an answer in the state its moderator saw; return it with its open reports."""
    query = select(answer.c.mode, answer.c.state, answer.c.held_for).where(answer.c.id == answer_id)
    found = conn.execute(query.with_for_update()).one_or_none()
    if found is None:
        raise UnknownCase(f"there is no answer {answer_id}")
    waiting = select(report.c.id).where(report.c.answer_id == answer_id, report.c.open)
    reports = list(conn.execute(waiting.order_by(report.c.id).with_for_update()).scalars())
    held = found.state == "held" and not is_withheld(found.state, found.held_for)
    state = ruling_on(conn, answer_id).state(waits=held or bool(reports))
    if state is None:
        raise AlreadyDecided("nothing about this answer waits for a decision")
    if state != seen:
        raise AlreadyDecided(f"this answer's case is {state} meanwhile: look again")
    if state == verdict:
        raise AlreadyDecided(f"this answer is {verdict} already")
    return found, reports


def votes_that_saw(answer_id: str, months: Sequence[str]) -> ColumnElement[bool]:
    """Return the condition on `vote` of votes of some months on ballots that showed an answer."""
    shown = select(ballot_slot.c.ballot_id).where(ballot_slot.c.answer_id == answer_id)
    return vote.c.ballot_id.in_(shown) & vote.c.month.in_(months)


def _strike(ports: Ports, conn: Connection, actor: Actor, answer_id: str, now_us: int) -> int:
    """Strike the votes that count and saw the answer, and return how many."""
    saw = _locked(conn, answer_id, now_us)
    struck = select(vote_strike.c.vote_id).join(vote, vote.c.id == vote_strike.c.vote_id)
    known = set(conn.execute(struck.where(_saw(conn, answer_id, now_us))).scalars())
    changed = [row for row in saw if row.weight_micro > 0 and row.id not in known]
    for votes in _by_month(changed):
        moderation.void(
            ports,
            actor,
            votes,
            reason=StrikeReason.IDENTITY_LEAK,
            case=f"answer:{answer_id}",
            now_us=now_us,
            conn=conn,
        )
    return len(changed)


def _restore(ports: Ports, conn: Connection, actor: Actor, answer_id: str, now_us: int) -> int:
    """Restore the votes that saw the answer and nothing else keeps struck; return how many."""
    saw = _locked(conn, answer_id, now_us)
    free = set(released(conn, [row.id for row in saw], Subject("answer", answer_id)))
    for votes in _by_month([row for row in saw if row.id in free]):
        moderation.restore(
            ports,
            actor,
            votes,
            reason=RestoreReason.ANSWER_CLEARED,
            case=f"answer:{answer_id}",
            now_us=now_us,
            conn=conn,
        )
    return len(free)


def _saw(conn: Connection, answer_id: str, now_us: int) -> ColumnElement[bool]:
    return votes_that_saw(answer_id, closed_months.open_months(conn, now_us))


def _locked(conn: Connection, answer_id: str, now_us: int) -> Sequence[Row[*tuple[Any, ...]]]:
    """Lock the votes of open months that saw an answer, in one order for all."""
    query = select(vote.c.id, vote.c.month, vote.c.weight_micro)
    saw = query.where(_saw(conn, answer_id, now_us)).order_by(vote.c.id)
    return conn.execute(saw.with_for_update()).all()


def _by_month(rows: Sequence[Row[*tuple[Any, ...]]]) -> list[list[str]]:
    """Return the ids of votes, each month's apart: a decision is about votes of one."""
    months: dict[str, list[str]] = {}
    for row in rows:
        months.setdefault(row.month, []).append(row.id)
    return [months[month] for month in sorted(months)]


def _change_state(
    ports: Ports,
    conn: Connection,
    answer_id: str,
    state: str,
    verdict: AnswerVerdict,
    reason: str,
    now_us: int,
) -> None:
    """Move the answer out of the pool or back into it; one that failed or left stays as it is."""
    recorder = Recorder(ports.log, now_us, ports.rng)
    if verdict == "withheld" and state in ("showable", "held"):
        recorder.record(conn, AnswerHeld(answer=answer_id, held_for=reason))
    elif verdict == "cleared" and state == "held":
        recorder.record(conn, AnswerCleared(answer=answer_id, reason=reason))
