"""Ballots: show the voter's open one again, or draw and issue a new one (V-063, V-172)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection

from antiabuse import quotas
from antiabuse import rules as antiabuse_rules
from antiabuse.statements import Statement
from antiabuse.utc import SECOND_US, hour_of, month_of
from antiabuse.voter import VoterState
from arena import boards, exposure
from arena.ballot_events import (
    BallotIssued,
    BallotShown,
    BallotWithdrawn,
    IssuedSlot,
    ballot_event,
)
from arena.ballot_store import (
    OpenBallot,
    Revealed,
    load_held,
    load_open,
    revealed_among,
    revealed_to,
)
from arena.catalogue import AnswerRef, CatalogueSnapshot, QuestionEntry
from arena.clusters import Cluster, cluster_of
from arena.errors import NothingToShow
from arena.events import Mode
from arena.ports import Ports
from arena.projection import project
from arena.visitor import Visitor
from ledger.ids import token, uuid4
from ranking.ucbe import Indices

__all__ = ["Capped", "Shown", "Stopped", "open_ballot"]

Allowance = Literal["votes", "ballots", "skips"]
_SLOT_BYTES: Final = 9
_ROUTE_BYTES: Final = 16
# The voter's row is locked by then, so what another request opened meanwhile is seen.
_HOLDER: Final = Statement(
    """
    INSERT INTO ballot_holder (ballot_id, voter_id, route, issued_us)
    SELECT :ballot, :voter, :route, :issued
    WHERE NOT EXISTS (
        SELECT 1 FROM ballot_holder h JOIN ballot b ON b.id = h.ballot_id
        WHERE h.voter_id = :voter AND h.issued_us > :since AND b.mode = :mode AND b.state = 'open'
          AND b.id <> :ballot
    )
    """
)


@dataclass(frozen=True, slots=True)
class Capped:
    """No ballot today: which allowance is used up, and the voter's state."""

    kind: Allowance
    state: VoterState


@dataclass(frozen=True, slots=True)
class Stopped:
    """No ballot: the voter, or one joined to them, is banned, so no vote would be accepted."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A ballot to show, with the voter's state after it was counted."""

    ballot: OpenBallot
    state: VoterState


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A question with the four answers drawn for it, in slot order."""

    question: QuestionEntry
    answers: tuple[AnswerRef, ...]
    draw: Mapping[str, Any]
    will_not_count: str | None


class _OpenedMeanwhile(Exception):
    """Another request of the voter was faster; nothing of this one's ballot is stored."""


def open_ballot(ports: Ports, visitor: Visitor, mode: Mode) -> Shown | Capped | Stopped:
    """Show the voter's open ballot of a mode again, else issue one; of two at once, the first.

    Returns:
        The ballot, or which of the day's allowances is used up, or that the voter is banned.

    Raises:
        NothingToShow: no question has showable answers of four models.
        UnknownVoter: all about the voter was erased.
    """
    try:
        return _open_ballot(ports, visitor, mode)
    except _OpenedMeanwhile:
        return open_ballot(ports, visitor, mode)


def _open_ballot(ports: Ports, visitor: Visitor, mode: Mode) -> Shown | Capped | Stopped:
    found = None
    with ports.database.read() as conn:
        cluster = cluster_of(conn, ports, visitor)
        state = quotas.read_cluster(conn, visitor.voter, cluster.others, visitor.now_us)
        if state is not None:
            if state.banned:
                return Stopped()
            capped = _used_up(state)
            if capped is not None:
                return Capped(capped, state)
            found = load_open(conn, visitor.voter, mode, _since_us(visitor))
            if found is not None and found.showable:
                _record_view(ports, visitor, found)
                return Shown(found, state)
        issued = _drawn_ballot(ports, conn, visitor, mode, cluster)
    return _issue(ports, visitor, cluster, issued, withdraw=found)


def _since_us(visitor: Visitor) -> int:
    """Return when a ballot must have been issued to be open still."""
    return visitor.now_us - antiabuse_rules.current().ballot_life_s * SECOND_US


def _used_up(state: VoterState) -> Allowance | None:
    """Name the first allowance that is used up, if any."""
    if state.votes_left == 0:
        return "votes"
    if state.ballots_left == 0:
        return "ballots"
    return "skips" if state.skips_left == 0 else None


def _record_view(ports: Ports, visitor: Visitor, found: OpenBallot) -> None:
    """Log that a ballot was shown again (V-127); an erasure waits for it."""
    shown = BallotShown(ballot=found.id, hour=hour_of(visitor.now_us))
    event = ballot_event(shown, event_id=uuid4(ports.rng), mode=found.mode, visitor=visitor)
    with ports.database.write() as conn:
        quotas.lock(conn, visitor.voter, visitor.now_us)
        project(conn, ports.log.append(conn, event))


def _drawn_ballot(
    ports: Ports, conn: Connection, visitor: Visitor, mode: Mode, cluster: Cluster
) -> BallotIssued:
    """Draw a ballot for a voter from what is committed by now."""
    month = month_of(visitor.now_us)
    revealed = revealed_to(conn, visitor.voter, month, cluster.others)
    snapshot = ports.catalogue.current(conn)
    board = boards.latest(conn, mode, month)
    known = exposure.mode_indices(conn, snapshot, mode, board)
    drawn = _draw(snapshot, mode, known, revealed, ports.rng)
    return _event_body(drawn, mode, visitor, cluster.voter, board.id if board else None, ports)


def _issue(
    ports: Ports,
    visitor: Visitor,
    cluster: Cluster,
    issued: BallotIssued,
    *,
    withdraw: OpenBallot | None,
) -> Shown | Capped:
    """Write a drawn ballot, its holder and its event in one transaction."""
    mode = issued.mode
    event = ballot_event(issued, event_id=uuid4(ports.rng), mode=mode, visitor=visitor)
    with ports.database.write() as conn:
        quotas.register(conn, visitor.voter, visitor.now_us)
        if not _spend(conn, visitor, cluster):
            return Capped("ballots", _lock(conn, visitor, cluster))
        if withdraw is not None:
            _withdraw(ports, conn, visitor, withdraw)
        project(conn, ports.log.append(conn, event))
        held = _HOLDER.run(
            conn,
            ballot=event.id,
            voter=visitor.voter,
            route=token(ports.rng, _ROUTE_BYTES),
            issued=visitor.now_us,
            since=_since_us(visitor),
            mode=mode,
        )
        if held.rowcount == 0:
            raise _OpenedMeanwhile
        state = _lock(conn, visitor, cluster)
        ballot = load_open(conn, visitor.voter, mode, visitor.now_us - 1)
    if ballot is None or not ballot.showable:
        raise NothingToShow(f"no rendered answers for a ballot in mode {mode}")
    return Shown(ballot, state)


def _lock(conn: Connection, visitor: Visitor, cluster: Cluster) -> VoterState:
    return quotas.lock_cluster(conn, visitor.voter, cluster.others, visitor.now_us)


def _spend(conn: Connection, visitor: Visitor, cluster: Cluster) -> bool:
    """Count one ballot, of the voter and so of the cluster; say whether one was left."""
    if cluster.others and _lock(conn, visitor, cluster).ballots_left == 0:
        return False
    return quotas.spend_ballot(conn, visitor.voter, visitor.now_us)


def _event_body(
    drawn: _Drawn, mode: Mode, visitor: Visitor, voter: str, board: str | None, ports: Ports
) -> BallotIssued:
    return BallotIssued(
        mode=mode,
        month=month_of(visitor.now_us),
        hour=hour_of(visitor.now_us),
        question=drawn.question.id,
        voter=voter,
        slots=tuple(
            IssuedSlot(token(ports.rng, _SLOT_BYTES), answer.id, answer.model)
            for answer in drawn.answers
        ),
        draw=drawn.draw,
        board=board,
        will_not_count=drawn.will_not_count,
    )


def _withdraw(ports: Ports, conn: Connection, visitor: Visitor, found: OpenBallot) -> None:
    """Close a ballot one of whose answers may no longer be shown (V-024).

    The voter's row is locked by now: another tab may have closed it since it was looked at.
    """
    held = load_held(conn, found.id)
    if held is None or held.state != "open":
        return
    withdrawn = BallotWithdrawn(ballot=found.id, hour=hour_of(visitor.now_us))
    event = ballot_event(withdrawn, event_id=uuid4(ports.rng), mode=found.mode, visitor=visitor)
    project(conn, ports.log.append(conn, event))


def _draw(
    snapshot: CatalogueSnapshot,
    mode: Mode,
    known: Indices,
    revealed: Revealed,
    rng: random.Random,
) -> _Drawn:
    """Choose the question uniformly, then four of its answers (V-063, V-172).

    Questions not yet voted on this month with four unseen answers come first, then those with
    seen answers, then any: the ballot then says that it will not count.
    """
    open_ = [(q, exposure.eligible(q.answers, known)) for q in snapshot.questions(mode)]
    all_ = [(q, pool) for q, pool in open_ if exposure.enough(pool)]
    if not all_:
        raise NothingToShow(f"no question of mode {mode} has answers of four models")
    fresh = [(q, pool) for q, pool in all_ if q.key not in revealed.keys_this_month]
    unseen = [(q, new) for q, pool in fresh if exposure.enough(new := _unseen(pool, revealed))]
    open_to_all = unseen or fresh or all_
    # Who skips a question asks for another one, if there is another.
    others = [(q, pool) for q, pool in open_to_all if q.key != revealed.last_skipped]
    question, pool = rng.choice(others or open_to_all)
    draw = exposure.draw(pool, known, rng)
    by_model = {answer.model: answer for answer in pool}
    answers = tuple(by_model[model] for model in draw.models)
    return _Drawn(
        question=question,
        answers=answers,
        draw=exposure.draw_body(draw, pool),
        will_not_count=_will_not_count(question, answers, revealed),
    )


def _unseen(pool: Sequence[AnswerRef], revealed: Revealed) -> list[AnswerRef]:
    return [answer for answer in pool if answer.id not in revealed.answers]


def _will_not_count(
    question: QuestionEntry, answers: Sequence[AnswerRef], revealed: Revealed
) -> str | None:
    """Name why a vote on this ballot will weigh nothing, as far as can be known before it."""
    if revealed_among(revealed, (answer.id for answer in answers)):
        return "seen_answer"
    if question.key in revealed.keys_this_month:
        return "repeated_question"
    return None
