"""Disputes of voters: submitted, evidence, re-check, then upheld or rejected (X-012).

About a struck vote, or about the joining that may have brought a vote to weight 0 by rule; the
weight itself nobody can write (V-052). A voter's words are private, a moderator's are public.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from antiabuse import quotas
from antiabuse.admission import Refusal
from antiabuse.utc import hour_of
from arena import closed_months, joining_disputes, moderation, review_rules
from arena.boards import as_mode
from arena.errors import AlreadyDecided, DisputeRefused, UnknownCase, UnknownCode
from arena.moderation import Actor
from arena.ports import Ports
from arena.publishing import one_worker_at_a_time
from arena.refusals import record_refusal
from arena.review_events import DisputeAdvanced, DisputeDecided, DisputeOpened, DisputeVerdict
from arena.review_projection import IN_PROGRESS
from arena.review_record import record_by_moderator, record_by_voter
from arena.review_rules import Act, check_reason
from arena.review_tables import dispute, dispute_step, vote_strike
from arena.standing_reasons import RestoreReason
from arena.tables import ballot_holder, vote
from arena.typed_text import typed_text
from arena.visitor import Visitor

__all__ = ["add_evidence", "begin_recheck", "decide_dispute", "open_dispute"]

_ACTS: Final = {"upheld": Act.UPHOLD_DISPUTE, "rejected": Act.REJECT_DISPUTE}
_ACTS_ON_JOINING: Final = {
    "upheld": Act.UPHOLD_JOINING_DISPUTE,
    "rejected": Act.REJECT_JOINING_DISPUTE,
}
_VOTE: Final = (
    vote.c.id,
    vote.c.mode,
    vote.c.month,
    vote.c.voter,
    vote.c.weight_micro,
    vote.c.reasons,
)
_Case = Row[*tuple[Any, ...]]
_OPEN_TO_VOTER: Final = ("submitted", "evidence")


def open_dispute(ports: Ports, visitor: Visitor, vote_id: str, text: str) -> str:
    """Dispute that a vote of one's own was struck, or a joining that made it 0; return the id.

    Raises:
        DisputeRefused: `empty`, `over_long`, `not_yours`, `month_over`, `already_open`,
            `too_many`, `by_rule` or `counts_already`; nothing is stored but a refusal's trace.
        UnknownVoter: nothing is kept on the voter; all was erased, or there never was anything.
    """
    words = _words(text, required=True)
    with ports.database.write() as conn:
        quotas.lock(conn, visitor.voter, visitor.now_us)
        found = _lock_vote(conn, vote_id, voter=visitor.voter)
        if found is not None:
            _check_may_open(conn, found, visitor.now_us)
            event = DisputeOpened(
                vote=vote_id,
                mode=as_mode(found.mode),
                month=found.month,
                hour=hour_of(visitor.now_us),
            )
            return record_by_voter(ports, conn, visitor, event, text=words)
    raise _not_yours(ports, visitor)


def _check_may_open(conn: Connection, found: _Case, now_us: int) -> None:
    if not closed_months.is_open(conn, found.month, now_us):
        raise DisputeRefused("month_over", "the month is closed and its board stands")
    states = list(
        conn.execute(select(dispute.c.state).where(dispute.c.vote_id == found.id)).scalars()
    )
    if any(state in IN_PROGRESS for state in states):
        raise DisputeRefused("already_open", "this vote is disputed already: add evidence there")
    if len(states) >= review_rules.current().disputes_per_vote:
        raise DisputeRefused("too_many", "this vote was disputed often enough")
    if joining_disputes.is_contestable(conn, found.id):
        joining_disputes.check_number(conn, found.month, found.voter)
    else:
        _check_struck(conn, found)


def add_evidence(ports: Ports, visitor: Visitor, dispute_id: str, text: str) -> None:
    """Add to one's own dispute what else speaks for the vote, before the re-check begins.

    Raises:
        DisputeRefused: `empty`, `over_long`, `not_yours`, `too_late` or `too_many`.
        UnknownVoter: nothing is kept on the voter; all was erased, or there never was anything.
    """
    with ports.database.write() as conn:
        quotas.lock(conn, visitor.voter, visitor.now_us)
        found = _lock_dispute(conn, dispute_id, voter=visitor.voter)
        if found is not None:
            if found.state not in _OPEN_TO_VOTER:
                raise DisputeRefused("too_late", "the re-check has begun")
            words = _words(text, required=True)
            added = select(func.count()).where(
                dispute_step.c.dispute_id == dispute_id, dispute_step.c.state == "evidence"
            )
            if conn.execute(added).scalar_one() >= review_rules.current().dispute_additions:
                raise DisputeRefused("too_many", "this dispute has all the texts it may have")
            event = DisputeAdvanced(
                dispute=dispute_id,
                mode=as_mode(found.mode),
                month=found.month,
                state="evidence",
                hour=hour_of(visitor.now_us),
                moderator=None,
                text="",
            )
            record_by_voter(ports, conn, visitor, event, text=words)
            return
    raise _not_yours(ports, visitor)


def begin_recheck(ports: Ports, actor: Actor, dispute_id: str, *, text: str, now_us: int) -> None:
    """Take a dispute up: from here on its voter adds nothing more.

    Args:
        ports: the arena's means.
        actor: who looks again.
        dispute_id: the dispute.
        text: what will be looked at, for all to read; may be empty.
        now_us: when.

    Raises:
        UnknownCase: there is no such dispute.
        AlreadyDecided: another moderator took it up or decided it.
        DisputeRefused: `over_long`.
    """
    words = _words(text, required=False)
    with ports.database.write() as conn:
        found = _lock_dispute(conn, dispute_id)
        if found is None:
            raise UnknownCase(f"there is no dispute {dispute_id}")
        if found.state not in _OPEN_TO_VOTER:
            raise AlreadyDecided("this dispute was taken up meanwhile: look again")
        event = DisputeAdvanced(
            dispute=dispute_id,
            mode=as_mode(found.mode),
            month=found.month,
            state="recheck",
            hour=hour_of(now_us),
            moderator=actor.handle,
            text=words,
        )
        record_by_moderator(ports, conn, actor, event, now_us=now_us)


def decide_dispute(
    ports: Ports,
    actor: Actor,
    dispute_id: str,
    *,
    verdict: DisputeVerdict,
    reason: str,
    text: str,
    now_us: int,
) -> bool:
    """Decide a dispute after its re-check.

    Upheld lets the struck vote count again; about a joining, it parts the voter from the others.

    Returns:
        Whether the vote was restored.

    Raises:
        UnknownCode: no such verdict, or the reason is not on its list.
        UnknownCase: there is no such dispute.
        AlreadyDecided: another moderator was faster; nothing is stored.
        DisputeRefused: `not_rechecked`; the text is `empty` or `over_long`; or upholding would
            bring nothing about, as the vote weighs 0 `by_rule` or `counts_already`.
        ClosedMonth: the vote's month is over.
    """
    if verdict not in _ACTS:
        raise UnknownCode(f"{verdict!r} is no verdict here")
    words = _words(text, required=True)
    with ports.database.write() as conn:
        one_worker_at_a_time(conn)  # parting waits for it, and may not while it holds a vote
        found = _ready_to_decide(conn, dispute_id)
        on_joining = joining_disputes.is_of_joining(found)
        check_reason((_ACTS_ON_JOINING if on_joining else _ACTS)[verdict], reason)
        restored = verdict == "upheld" and not on_joining
        if restored:
            _restore(ports, conn, actor, found, dispute_id, reason, now_us)
        elif verdict == "upheld":
            joining_disputes.stand_alone(
                ports, conn, actor, found.month, found.voter, reason, now_us
            )
        event = DisputeDecided(
            dispute=dispute_id,
            mode=as_mode(found.mode),
            month=found.month,
            state=verdict,
            hour=hour_of(now_us),
            reason=reason,
            moderator=actor.handle,
            text=words,
            restored=restored,
            at_us=now_us,
        )
        record_by_moderator(ports, conn, actor, event, now_us=now_us)
        return restored


def _restore(
    ports: Ports,
    conn: Connection,
    actor: Actor,
    found: _Case,
    dispute_id: str,
    reason: str,
    now_us: int,
) -> None:
    _check_struck(conn, found)
    moderation.restore(
        ports,
        actor,
        [found.id],
        reason=RestoreReason(reason),
        case=f"dispute:{dispute_id}",
        now_us=now_us,
        conn=conn,
    )


def _ready_to_decide(conn: Connection, dispute_id: str) -> _Case:
    """Lock a dispute whose re-check has begun and that nobody decided yet."""
    found = _lock_dispute(conn, dispute_id)
    if found is None:
        raise UnknownCase(f"there is no dispute {dispute_id}")
    if found.state in _OPEN_TO_VOTER:
        raise DisputeRefused("not_rechecked", "begin the re-check before you decide")
    if found.state not in IN_PROGRESS:
        raise AlreadyDecided(f"this dispute was {found.state} meanwhile: look again")
    return found


def _words(text: str, *, required: bool) -> str:
    words, most = typed_text(text), review_rules.current().dispute_chars
    if required and not words:
        raise DisputeRefused("empty", "say in a few words why")
    if len(words) > most:
        raise DisputeRefused("over_long", f"at most {most} characters, please")
    return words


def _lock_vote(conn: Connection, vote_id: str, *, voter: str | None) -> _Case | None:
    """Lock a vote, if it is that of a voter; None when it is not there or another's.

    Every step locks the vote before its dispute, and a voter's step their own row before both: so
    two steps at once never wait for each other, and an erasure waits for either.
    """
    query = select(*_VOTE).where(vote.c.id == vote_id)
    if voter is not None:
        held = select(ballot_holder.c.ballot_id).where(ballot_holder.c.voter_id == voter)
        query = query.where(vote.c.ballot_id.in_(held))
    return conn.execute(query.with_for_update()).one_or_none()


def _lock_dispute(conn: Connection, dispute_id: str, *, voter: str | None = None) -> _Case | None:
    """Lock a dispute with its vote; return what is known of both."""
    vote_id = conn.execute(select(dispute.c.vote_id).where(dispute.c.id == dispute_id)).scalar()
    if vote_id is None or _lock_vote(conn, vote_id, voter=voter) is None:
        return None
    query = (
        select(*_VOTE, dispute.c.state)
        .join(dispute, dispute.c.vote_id == vote.c.id)
        .where(dispute.c.id == dispute_id)
    )
    return conn.execute(query.with_for_update(of=dispute)).one()


def _check_struck(conn: Connection, found: _Case) -> None:
    """Refuse what would end in a promise without effect: only a struck vote can count again."""
    if found.weight_micro == 0:
        raise DisputeRefused("by_rule", "a rule gave this vote weight 0, and nobody can raise it")
    query = select(vote_strike.c.vote_id).where(vote_strike.c.vote_id == found.id)
    if conn.execute(query).first() is None:
        raise DisputeRefused("counts_already", "this vote is not struck: it counts")


def _not_yours(ports: Ports, visitor: Visitor) -> DisputeRefused:
    record_refusal(ports, visitor.now_us, Refusal.NOT_YOURS, "dispute", visitor=visitor)
    return DisputeRefused("not_yours", "only the vote's own voter may dispute it")
