"""Ballots: show the voter's open one again, or draw and issue a new one (V-063, V-172)."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import Connection

from antiabuse import quotas
from antiabuse import rules as antiabuse_rules
from antiabuse.statements import Statement
from antiabuse.utc import SECOND_US, hour_of, month_of
from antiabuse.voter import VoterState
from arena import boards, exposure
from arena.ballot_draw import Drawn, draw_ballot
from arena.ballot_events import (
    BallotIssued,
    BallotShown,
    BallotWithdrawn,
    IssuedSlot,
    ballot_event,
)
from arena.ballot_store import (
    OpenBallot,
    load_open,
    revealed_to,
)
from arena.clusters import Cluster, cluster_of
from arena.errors import NothingToShow
from arena.events import Mode
from arena.ports import Ports
from arena.projection import project
from arena.visitor import Visitor
from ledger.errors import DatabaseBusy
from ledger.ids import token, uuid4

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


class _OpenedMeanwhile(Exception):
    """Another request of the voter was faster; nothing of this one's ballot is stored."""


def open_ballot(ports: Ports, visitor: Visitor, mode: Mode) -> Shown | Capped | Stopped:
    """Show the voter's open ballot of a mode again, else issue one; of two at once, the first.

    Returns:
        The ballot, or which of the day's allowances is used up, or that the voter is banned.

    Raises:
        NothingToShow: no question has showable answers of four models.
        UnknownVoter: all about the voter was erased.
        DatabaseBusy: other requests of the voter opened a ballot, closed it and opened one more.
    """
    for _ in range(2):
        with contextlib.suppress(_OpenedMeanwhile):
            return _open_ballot(ports, visitor, mode)
    raise DatabaseBusy("other requests of this voter open ballots all the time: try again")


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
        todo: Shown | BallotIssued
        if state is not None and found is not None and found.showable:
            todo = Shown(found, state)
        else:
            todo = _drawn_ballot(ports, conn, visitor, mode, cluster)
    # Others may wait for the connection for reading, so none is held while this one writes.
    if isinstance(todo, BallotIssued):
        known = state is not None
        return _issue(ports, visitor, cluster, todo, known=known, withdraw=found is not None)
    with ports.database.write() as conn:
        quotas.lock(conn, visitor.voter, visitor.now_us)  # an erasure waits for it
        _log_view(ports, conn, visitor, todo.ballot)
    return todo


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


def _log_view(ports: Ports, conn: Connection, visitor: Visitor, found: OpenBallot) -> None:
    """Log that a ballot was shown again (V-127)."""
    shown = BallotShown(ballot=found.id, hour=hour_of(visitor.now_us))
    event = ballot_event(shown, event_id=uuid4(ports.rng), mode=found.mode, visitor=visitor)
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
    drawn = draw_ballot(snapshot, mode, known, revealed, ports.rng)
    return _event_body(drawn, mode, visitor, cluster.voter, board.id if board else None, ports)


def _issue(
    ports: Ports,
    visitor: Visitor,
    cluster: Cluster,
    issued: BallotIssued,
    *,
    known: bool,
    withdraw: bool,
) -> Shown | Capped:
    """Write a drawn ballot, its holder and its event in one transaction.

    Where open ballots are to be withdrawn, one that may be shown is shown instead of the drawn one.
    """
    mode = issued.mode
    event = ballot_event(issued, event_id=uuid4(ports.rng), mode=mode, visitor=visitor)
    with ports.database.write() as conn:
        if not known:
            quotas.register(conn, visitor.voter, visitor.now_us)
        left = _withdraw(ports, conn, visitor, cluster, mode) if withdraw else None
        if left is not None:
            return left
        if not _spend(conn, visitor, cluster):
            return Capped("ballots", _lock(conn, visitor, cluster))
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
    drawn: Drawn, mode: Mode, visitor: Visitor, voter: str, board: str | None, ports: Ports
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


def _withdraw(
    ports: Ports, conn: Connection, visitor: Visitor, cluster: Cluster, mode: Mode
) -> Shown | None:
    """Close open ballots, the newest first, up to one all of whose answers may be shown (V-024).

    Several are open where another tab was faster, or an expired one came back as the clock was set
    back.
    """
    state = _lock(conn, visitor, cluster)
    while (found := load_open(conn, visitor.voter, mode, _since_us(visitor))) is not None:
        if found.showable:
            _log_view(ports, conn, visitor, found)
            return Shown(found, state)
        withdrawn = BallotWithdrawn(ballot=found.id, hour=hour_of(visitor.now_us))
        event = ballot_event(withdrawn, event_id=uuid4(ports.rng), mode=mode, visitor=visitor)
        project(conn, ports.log.append(conn, event))
    return None
