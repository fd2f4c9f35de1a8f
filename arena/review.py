"""Decisions on flags: one transaction each, so that of two moderators the second fails.

A decision strikes and restores votes through `arena.moderation` alone. A decided flag may be
decided again the other way.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, select

from arena import moderation
from arena.boards import as_mode
from arena.case_subject import Subject
from arena.errors import AlreadyDecided, UnknownCase, UnknownCode
from arena.moderation import Actor
from arena.ports import Ports
from arena.review_events import FlagDecided, FlagVerdict
from arena.review_record import record_by_moderator
from arena.review_rules import Act, check_flag_reason, check_reason
from arena.review_strikes import released
from arena.review_tables import flag, flag_vote, vote_strike
from arena.standing_reasons import RestoreReason, StrikeReason
from arena.tables import vote

__all__ = ["FlagState", "decide_flag"]

FlagState = Literal["open", "upheld", "dismissed"]

_ACTS: Final = {"upheld": Act.UPHOLD_FLAG, "dismissed": Act.DISMISS_FLAG}


def decide_flag(
    ports: Ports,
    actor: Actor,
    flag_id: str,
    *,
    seen: FlagState,
    verdict: FlagVerdict,
    reason: str,
    now_us: int,
) -> str:
    """Decide a flag, or decide it again the other way.

    Upheld strikes those of its votes that still count. Dismissed restores those that nothing keeps
    struck then: what its detector struck by itself, or an earlier decision on it.

    Args:
        ports: the arena's means.
        actor: who decides.
        flag_id: of the flag.
        seen: the state that the moderator saw.
        verdict: another one than that state.
        reason: a code of the verdict's list; of upholding, one that fits the detector.
        now_us: when.

    Returns:
        The decision's id.

    Raises:
        UnknownCode: no such verdict, or the reason is not on its list.
        UnknownCase: there is no such flag.
        AlreadyDecided: the flag is not in the state seen, perhaps since another moderator was
            faster, or has the verdict already; nothing is stored.
        ClosedMonth: votes would change in a month that is closed.
    """
    if verdict not in _ACTS:  # the face hands on what a form says
        raise UnknownCode(f"{verdict!r} is no verdict here")
    check_reason(_ACTS[verdict], reason)
    with ports.database.write() as conn:
        found = _as_seen(conn, flag_id, seen, verdict)
        if verdict == "upheld":
            check_flag_reason(found.detector, reason)
        change = _uphold if verdict == "upheld" else _dismiss
        event = FlagDecided(
            flag=flag_id,
            mode=as_mode(found.mode),
            month=found.month,
            verdict=verdict,
            reason=reason,
            moderator=actor.handle,
            votes=change(ports, conn, actor, flag_id, reason, now_us),
            at_us=now_us,
        )
        return record_by_moderator(ports, conn, actor, event, now_us=now_us)


def _as_seen(
    conn: Connection, flag_id: str, seen: FlagState, verdict: FlagVerdict
) -> Row[*tuple[Any, ...]]:
    """Lock a flag that is in the state its moderator saw, which the verdict changes."""
    columns = (flag.c.detector, flag.c.mode, flag.c.month, flag.c.state)
    query = select(*columns).where(flag.c.id == flag_id)
    found = conn.execute(query.with_for_update()).one_or_none()
    if found is None:
        raise UnknownCase(f"there is no flag {flag_id}")
    if found.state != seen:
        raise AlreadyDecided(f"this flag is {found.state} meanwhile: look again")
    if found.state == verdict:
        raise AlreadyDecided(f"this flag is {verdict} already")
    return found


def _uphold(
    ports: Ports, conn: Connection, actor: Actor, flag_id: str, reason: str, now_us: int
) -> int:
    """Strike the flag's votes that are not struck, and return how many."""
    strikes = _flagged_votes(conn, flag_id)
    changed = [vote_id for vote_id, strike in strikes.items() if strike is None]
    if changed:
        moderation.void(
            ports,
            actor,
            changed,
            reason=StrikeReason(reason),
            case=f"flag:{flag_id}",
            now_us=now_us,
            conn=conn,
        )
    return len(changed)


def _dismiss(
    ports: Ports, conn: Connection, actor: Actor, flag_id: str, _: str, now_us: int
) -> int:
    """Restore the flag's votes that nothing else keeps struck, and return how many."""
    changed = released(conn, _flagged_votes(conn, flag_id), Subject("flag", flag_id))
    if changed:
        moderation.restore(
            ports,
            actor,
            changed,
            reason=RestoreReason.FLAG_DISMISSED,
            case=f"flag:{flag_id}",
            now_us=now_us,
            conn=conn,
        )
    return len(changed)


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
