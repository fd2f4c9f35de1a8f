"""Casting a vote and skipping: every check, then one transaction, all or nothing (V-131)."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection

from antiabuse import admission, quotas, reveal_networks, sightings, unrun_checks
from antiabuse import rules as antiabuse_rules
from antiabuse.admission import Refusal, VoteFacts
from antiabuse.errors import UnknownVoter
from antiabuse.sincerity import ClientValues, Sincerity, WeightReason, weigh
from antiabuse.unrun_checks import Check
from antiabuse.utc import SECOND_US, hour_of, month_of
from antiabuse.voter import VoterState
from arena import boards, vote_flags
from arena.ballot_events import BallotSkipped, Verdict, VoteCast, ballot_event
from arena.ballot_store import (
    HeldBallot,
    load_held,
    lock_answers,
    revealed_among,
    revealed_of,
)
from arena.clusters import Cluster, cluster_of
from arena.ports import Ports
from arena.projection import project
from arena.refusals import record_refusal
from arena.visitor import Visitor
from ledger.ids import uuid4
from ranking import rules as ranking_rules
from ranking.points import vote_points

__all__ = ["Cast", "Choice", "cast", "read_choice", "skip"]

_SLOTS: Final[Mapping[str | None, int | None]] = {
    None: None, "": None, "A": 0, "B": 1, "C": 2, "D": 3,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """What a voter says: a verdict, and slot numbers 0-3 of best and worst where picked."""

    verdict: Verdict
    best: int | None
    worst: int | None


@dataclass(frozen=True, slots=True)
class Cast:
    """An accepted vote: where its reveal and receipt are read, and who is joined to its voter."""

    route: str
    others: tuple[str, ...]


def read_choice(verdict: str | None, best: str | None, worst: str | None) -> Choice | None:
    """Return the choice of a form's fields, or None where they contradict each other (V-010).

    Empty and absent are the same; `best_worst` needs a best, and another worst or none;
    `same` and `bad` bear neither.
    """
    if best not in _SLOTS or worst not in _SLOTS:
        return None
    first, last = _SLOTS[best], _SLOTS[worst]
    if verdict == "best_worst" and first is not None and first != last:
        return Choice("best_worst", first, last)
    if verdict in ("same", "bad") and first is None and last is None:
        return Choice("same" if verdict == "same" else "bad", None, None)
    return None


def cast(
    ports: Ports,
    visitor: Visitor,
    ballot_id: str,
    choice: Choice | None,
    client: ClientValues,
    raw: Mapping[str, Any],
) -> Cast:
    """Accept a vote, or refuse it with its reason and an audit event.

    Args:
        ports: the arena's means.
        visitor: who votes, from where, when.
        ballot_id: from the signed token, already read.
        choice: what was picked; None where the fields contradict each other.
        client: dwell and scroll as the browser reports them.
        raw: the same as sent, with the fingerprint if consented to; kept private.

    Raises:
        Refused: with the first reason of V-131 that holds.
    """
    with ports.database.write() as conn:
        cluster, state = _locked(ports, conn, visitor)
        lock_answers(conn, ballot_id)
        ballot = load_held(conn, ballot_id)
        if ballot is None:
            refusal: Refusal | None = Refusal.BAD_TOKEN
        else:
            facts = _facts(state, ballot, visitor, choice_is_sound=choice is not None)
            refusal = admission.first_refusal(facts)
            if refusal is None and choice is not None:
                return _accept(ports, conn, visitor, cluster, ballot, choice, client, raw)
        error = _refuse(ports, conn, visitor, ballot, refusal, "vote", state)
    raise error


def skip(ports: Ports, visitor: Visitor, ballot_id: str) -> str:
    """Close a ballot unrevealed and return its mode (V-170).

    Raises:
        Refused: with the first reason that holds; `skip_cap` when the day's skips are used up.
    """
    with ports.database.write() as conn:
        _, state = _locked(ports, conn, visitor)
        ballot = load_held(conn, ballot_id)
        if ballot is None:
            refusal: Refusal | None = Refusal.BAD_TOKEN
        else:
            facts = _facts(state, ballot, visitor, choice_is_sound=True)
            refusal = admission.first_skip_refusal(facts)
            if refusal is None and quotas.spend_skip(conn, visitor.voter, visitor.now_us):
                skipped = BallotSkipped(ballot=ballot.id, hour=hour_of(visitor.now_us))
                event = ballot_event(
                    skipped, event_id=uuid4(ports.rng), mode=ballot.mode, visitor=visitor
                )
                project(conn, ports.log.append(conn, event))
                return ballot.mode
        error = _refuse(ports, conn, visitor, ballot, refusal, "skip", state)
    raise error


def _locked(ports: Ports, conn: Connection, visitor: Visitor) -> tuple[Cluster, VoterState]:
    """Return who the visitor is taken for and what is left of the day, which nobody else spends."""
    cluster = cluster_of(conn, ports, visitor)
    with contextlib.suppress(UnknownVoter):
        return cluster, quotas.lock_cluster(conn, visitor.voter, cluster.others, visitor.now_us)
    quotas.register(conn, visitor.voter, visitor.now_us)
    return cluster, quotas.lock_cluster(conn, visitor.voter, cluster.others, visitor.now_us)


def _refuse(
    ports: Ports,
    conn: Connection,
    visitor: Visitor,
    ballot: HeldBallot | None,
    refusal: Refusal | None,
    action: Literal["vote", "skip"],
    state: VoterState,
) -> admission.Refused:
    """Log a refusal in this transaction, and return the error to raise after its commit."""
    reason = refusal or Refusal.SKIP_CAP
    record_refusal(ports, visitor.now_us, reason, action, visitor=visitor, ballot=ballot, conn=conn)
    return admission.refused(reason, state)


def _facts(
    state: VoterState, ballot: HeldBallot, visitor: Visitor, *, choice_is_sound: bool
) -> VoteFacts:
    life_us = antiabuse_rules.current().ballot_life_s * SECOND_US
    young = visitor.now_us - ballot.issued_us < life_us
    return VoteFacts(
        voter=state,
        is_holder=ballot.voter == visitor.voter,
        already_voted=ballot.state == "voted",
        is_open=ballot.state == "open" and young and ballot.showable,
        choice_is_sound=choice_is_sound,
    )


def _accept(
    ports: Ports,
    conn: Connection,
    visitor: Visitor,
    cluster: Cluster,
    ballot: HeldBallot,
    choice: Choice,
    client: ClientValues,
    raw: Mapping[str, Any],
) -> Cast:
    """Weigh the vote, compute its changes, and store all of it."""
    month = month_of(visitor.now_us)
    sincerity = weigh(
        client,
        visitor.now_us - ballot.issued_us,
        _anomalies(conn, cluster, ballot, month),
        antiabuse_rules.current(),
    )
    board = boards.latest(conn, ballot.mode, month)
    models = tuple(slot.model for slot in ballot.slots)
    points = vote_points(
        [board.gamma_of(model) if board else 1.0 for model in models],
        choice.verdict,
        best=choice.best,
        worst=choice.worst,
        weight=sincerity.weight,
        rules=ranking_rules.current(),
    )
    vote = VoteCast(
        ballot=ballot.id,
        mode=boards.as_mode(ballot.mode),
        month=month,
        hour=hour_of(visitor.now_us),
        question=ballot.question,
        voter=cluster.voter,
        cluster=cluster.name,
        models=models,
        verdict=choice.verdict,
        best=None if choice.best is None else models[choice.best],
        worst=None if choice.worst is None else models[choice.worst],
        weight=str(sincerity.weight),
        weight_parts=_weight_parts(sincerity),
        reasons=tuple(reason.value for reason in sincerity.reasons),
        board=board.id if board else None,
        p_win=tuple(f"{p:.6f}" for p in points.probabilities),
        changes=tuple(f"{change:z.6f}" for change in points.changes),
        revealed=_newly_revealed(conn, visitor, ballot, month),
    )
    event = ballot_event(
        vote, event_id=uuid4(ports.rng), mode=ballot.mode, visitor=visitor, raw=raw
    )
    # The voter's row was locked and found free to vote above, so this spends exactly one vote.
    if not quotas.spend_vote(conn, visitor.voter, visitor.now_us):
        raise AssertionError("a vote that was admitted could not be spent")
    project(conn, ports.log.append(conn, event))
    sightings.record(
        conn,
        event.id,
        visitor.voter,
        visitor.now_us,
        dwell_s=sincerity.dwell_s,
        addresses=visitor.address,
        device=raw.get("fingerprint"),
    )
    if WeightReason.CLOCK in sincerity.reasons:
        unrun_checks.add(conn, hour_of(visitor.now_us), {Check.CLOCK: 1})
    vote_flags.flag_at_vote(ports, conn, event.id)
    return Cast(ballot.route, cluster.others)


def _anomalies(
    conn: Connection, cluster: Cluster, ballot: HeldBallot, month: str
) -> set[WeightReason]:
    """Return what makes the vote weigh nothing at once (V-123, V-126, V-151).

    One person under several ids has seen what any of them has.
    """
    revealed = revealed_of(conn, ballot, month, cluster.others)
    fresh = antiabuse_rules.current().fresh_reveals
    checks = {
        WeightReason.REPEATED_QUESTION: ballot.question_key in revealed.keys_this_month,
        WeightReason.SEEN_ANSWER: revealed_among(revealed, (s.answer for s in ballot.slots)),
        WeightReason.STALE_ANSWER: any(slot.reveals >= fresh for slot in ballot.slots),
    }
    return {reason for reason, holds in checks.items() if holds}


def _newly_revealed(
    conn: Connection, visitor: Visitor, ballot: HeldBallot, month: str
) -> tuple[str, ...]:
    """Return the models whose answers are revealed to a network that had not seen them."""
    network = None if visitor.address is None else visitor.address.network
    answers = [slot.answer for slot in ballot.slots]
    new = reveal_networks.newly_revealed(conn, answers, network, month)
    return tuple(slot.model for slot in ballot.slots if slot.answer in new)


def _weight_parts(sincerity: Sincerity) -> dict[str, str]:
    """Return the three factors of the weight; what was measured of the voter stays private."""
    return {
        "dwell_weight": str(sincerity.dwell_weight),
        "scroll_factor": str(sincerity.scroll_factor),
        "anomaly_factor": str(sincerity.anomaly_factor),
    }
