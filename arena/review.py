"""Decisions on flags and answers: one transaction each, so that of two moderators the second fails.

A decision strikes and restores votes through `arena.moderation` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, Row, select

from antiabuse.utc import month_of, previous_month
from arena import closed_months, moderation
from arena.boards import as_mode
from arena.catalogue_changes import Recorder, lock_catalogue
from arena.errors import AlreadyDecided, UnknownCase, UnknownCode
from arena.events import AnswerCleared, AnswerHeld
from arena.moderation import Actor
from arena.ports import Ports
from arena.review_events import AnswerDecided, AnswerVerdict, FlagDecided, FlagVerdict
from arena.review_record import record_by_moderator
from arena.review_rules import REASONS, Act, check_reason
from arena.review_tables import flag, flag_vote, vote_strike
from arena.standing_reasons import RestoreReason, StrikeReason
from arena.tables import answer, ballot_slot, report, vote
from ledger import store

__all__ = ["decide_answer", "decide_flag", "is_withheld"]

_FLAG_ACTS: Final = {"upheld": Act.UPHOLD_FLAG, "dismissed": Act.DISMISS_FLAG}
_ANSWER_ACTS: Final = {"withheld": Act.WITHHOLD_ANSWER, "cleared": Act.CLEAR_ANSWER}


def decide_flag(
    ports: Ports, actor: Actor, flag_id: str, *, verdict: FlagVerdict, reason: str, now_us: int
) -> str:
    """Decide a flag: upheld strikes those of its votes that still count, dismissed none.

    Dismissing a flag also restores the votes that its detector struck by itself.

    Returns:
        The decision's id.

    Raises:
        UnknownCode: no such verdict, or the reason is not on its list.
        UnknownCase: there is no such flag.
        AlreadyDecided: another moderator was faster; nothing is stored.
        ClosedMonth: votes would change in a month that is closed.
    """
    check_reason(_act(_FLAG_ACTS, verdict), reason)
    with ports.database.write() as conn:
        found = _open_flag(conn, flag_id)
        case = f"flag:{flag_id}"
        strikes = _flagged_votes(conn, flag_id)
        if verdict == "upheld":
            changed = [vote_id for vote_id, strike in strikes.items() if strike is None]
            if changed:
                moderation.void(
                    ports,
                    actor,
                    changed,
                    reason=StrikeReason(reason),
                    case=case,
                    now_us=now_us,
                    conn=conn,
                )
        else:
            changed = _struck_by_flag(conn, flag_id, strikes)
            if changed:
                moderation.restore(
                    ports,
                    actor,
                    changed,
                    reason=RestoreReason.FLAG_DISMISSED,
                    case=case,
                    now_us=now_us,
                    conn=conn,
                )
        event = FlagDecided(
            flag=flag_id,
            mode=as_mode(found.mode),
            month=found.month,
            verdict=verdict,
            reason=reason,
            moderator=actor.handle,
            votes=len(changed),
            at_us=now_us,
        )
        return record_by_moderator(
            ports, conn, actor, event, mode=event.mode, month=event.month, now_us=now_us
        )


def _act(acts: Mapping[str, Act], verdict: str) -> Act:
    """Return what a verdict is; the face hands on what a form says."""
    if verdict not in acts:
        raise UnknownCode(f"{verdict!r} is no verdict here")
    return acts[verdict]


def _open_flag(conn: Connection, flag_id: str) -> Row[str, str, str]:
    query = select(flag.c.mode, flag.c.month, flag.c.state).where(flag.c.id == flag_id)
    found = conn.execute(query.with_for_update()).one_or_none()
    if found is None:
        raise UnknownCase(f"there is no flag {flag_id}")
    if found.state != "open":
        raise AlreadyDecided(f"this flag was {found.state} meanwhile: look again")
    return found


def _flagged_votes(conn: Connection, flag_id: str) -> dict[str, str | None]:
    """Lock a flag's votes, in one order for all; return each with the event that struck it."""
    flagged = select(flag_vote.c.vote_id).where(flag_vote.c.flag_id == flag_id)
    conn.execute(
        select(vote.c.id).where(vote.c.id.in_(flagged)).order_by(vote.c.id).with_for_update()
    )
    query = (
        select(vote.c.id, vote_strike.c.event_id)
        .outerjoin(vote_strike, vote_strike.c.vote_id == vote.c.id)
        .where(vote.c.id.in_(flagged))
        .order_by(vote.c.id)
    )
    return {row.id: row.event_id for row in conn.execute(query)}


def _struck_by_flag(conn: Connection, flag_id: str, strikes: dict[str, str | None]) -> list[str]:
    """Return the votes that do not count because a detector struck them for this very flag."""
    causes = {strike for strike in strikes.values() if strike is not None}
    events = {cause: store.read_event(conn, cause) for cause in causes}
    own = {
        cause
        for cause, event in events.items()
        if event is not None and event.body.get("flag") == flag_id
    }
    return [vote_id for vote_id, strike in strikes.items() if strike in own]


def decide_answer(
    ports: Ports, actor: Actor, answer_id: str, *, verdict: AnswerVerdict, reason: str, now_us: int
) -> str:
    """Decide on a held or reported answer, and close the reports that are open by then (V-170).

    Withheld takes it out of the pool for good; for `identity_leak` the votes of open months on
    ballots that showed it weigh nothing from here on (V-150). Cleared lets it be shown.

    Returns:
        The decision's id.

    Raises:
        UnknownCode: no such verdict, or the reason is not on its list.
        UnknownCase: there is no such answer.
        AlreadyDecided: nothing about it waits, perhaps since another moderator was faster.
    """
    check_reason(_act(_ANSWER_ACTS, verdict), reason)
    with ports.database.write() as conn:
        # Before the answer's row, as imports take them in this order too.
        lock_catalogue(conn)
        found, reports = _open_answer(conn, answer_id)
        leaked: Mapping[str, list[str]] = {}
        if (verdict, reason) == ("withheld", "identity_leak"):
            leaked = _leaked_votes(conn, answer_id, now_us)
        for month in sorted(leaked):
            moderation.void(
                ports,
                actor,
                leaked[month],
                reason=StrikeReason.IDENTITY_LEAK,
                case=f"answer:{answer_id}",
                now_us=now_us,
                conn=conn,
            )
        _change_state(ports, conn, answer_id, found.state, verdict, reason, now_us)
        event = AnswerDecided(
            answer=answer_id,
            reports=tuple(reports),
            mode=as_mode(found.mode),
            month=month_of(now_us),
            verdict=verdict,
            reason=reason,
            moderator=actor.handle,
            votes=sum(len(votes) for votes in leaked.values()),
            at_us=now_us,
        )
        return record_by_moderator(
            ports, conn, actor, event, mode=event.mode, month=event.month, now_us=now_us
        )


def is_withheld(state: str, held_for: str) -> bool:
    """Say whether an answer is out of the pool by a moderator's decision, not for a look only."""
    return state == "held" and held_for in REASONS[Act.WITHHOLD_ANSWER]


def _open_answer(conn: Connection, answer_id: str) -> tuple[Row[str, str, str], list[str]]:
    """Lock an answer about which something waits; return it with its open reports."""
    query = select(answer.c.mode, answer.c.state, answer.c.held_for).where(answer.c.id == answer_id)
    found = conn.execute(query.with_for_update()).one_or_none()
    if found is None:
        raise UnknownCase(f"there is no answer {answer_id}")
    waiting = select(report.c.id).where(report.c.answer_id == answer_id, report.c.open)
    reports = list(conn.execute(waiting.order_by(report.c.id).with_for_update()).scalars())
    waits = found.state == "held" and not is_withheld(found.state, found.held_for)
    if not waits and not reports:
        raise AlreadyDecided("nothing about this answer waits for a decision: look again")
    return found, reports


def _leaked_votes(conn: Connection, answer_id: str, now_us: int) -> dict[str, list[str]]:
    """Lock the votes that count and had this answer on their ballot; return them by open month."""
    shown = select(ballot_slot.c.ballot_id).where(ballot_slot.c.answer_id == answer_id)
    months = [
        month
        for month in (previous_month(now_us), month_of(now_us))
        if closed_months.is_open(conn, month, now_us)
    ]
    votes = select(vote.c.id, vote.c.month).where(
        vote.c.ballot_id.in_(shown), vote.c.month.in_(months), vote.c.weight_micro > 0
    )
    locked = conn.execute(votes.order_by(vote.c.id).with_for_update()).all()
    struck = select(vote_strike.c.vote_id).join(vote, vote.c.id == vote_strike.c.vote_id)
    known = set(conn.execute(struck.where(vote.c.ballot_id.in_(shown))).scalars())
    found: dict[str, list[str]] = {}
    for row in locked:
        if row.id not in known:
            found.setdefault(row.month, []).append(row.id)
    return found


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
