"""A case as a moderator reads it: what was seen, by whom, what was written and decided on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from arena.bans import banned_among
from arena.case_evidence import (
    CaseVote,
    Neighbour,
    Picks,
    neighbours_for_moderators,
    picks_for_moderators,
    votes_for_moderators,
)
from arena.case_subject import Subject, located
from arena.decisions import Decision, decisions_on_for_moderators
from arena.dispute_views import Dispute, dispute_for_moderators
from arena.errors import UnknownCase
from arena.notes import Note, notes_for_moderators
from arena.review import is_withheld
from arena.review_tables import cluster_member, flag, flag_vote
from arena.tables import answer, ballot, ballot_slot, question, report, vote

__all__ = ["AnswerFacts", "Case", "FlagFacts", "Report", "case_for_moderators"]


@dataclass(frozen=True, slots=True)
class FlagFacts:
    """What a detector measured, against which line; numbers as text."""

    detector: str
    hour: str
    state: str
    statistic: str
    threshold: str
    p_value: str | None
    look: int
    numbers: Mapping[str, str]
    discounts: bool


@dataclass(frozen=True, slots=True)
class Report:
    """One report of an answer; `voter` is a pseudonym of `month`."""

    voter: str
    month: str
    hour: str
    reason: str
    open: bool


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """An answer with why it is looked at; `held_for` are the words found, or a reason's code."""

    id: str
    question: str
    model: str
    text: str
    state: str
    held_for: str
    withheld: bool
    reports: tuple[Report, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything about a case.

    Attributes:
        subject: what it is about.
        mode: of its votes, or "any".
        month: of its votes.
        state: open or decided, in the words of its kind; empty for votes and voters.
        flag: the measurement, of a flag.
        answer: the answer with its reports, of an answer.
        dispute: all its versions with the voter's words, of a dispute.
        voters: pseudonyms: flagged, of the vote, or who reported the answer this month.
        banned: those of them who are banned, or joined to one who is, with since when
            (microseconds UTC).
        joined: who is joined to them by an earlier decision, pseudonym -> cluster.
        votes: newest first.
        picks: of the voters' votes in the mode and month, against expected.
        neighbours: who shares device, network or address with the voters.
        notes: of moderators.
        decisions: on this very case.
    """

    subject: Subject
    mode: str
    month: str
    state: str
    flag: FlagFacts | None
    answer: AnswerFacts | None
    dispute: Dispute | None
    voters: tuple[str, ...]
    banned: Mapping[str, int]
    joined: Mapping[str, str]
    votes: tuple[CaseVote, ...]
    picks: tuple[Picks, ...]
    neighbours: tuple[Neighbour, ...]
    notes: tuple[Note, ...]
    decisions: tuple[Decision, ...]

    @property
    def would_be_struck(self) -> int:
        """How many of its listed evidence votes count now, and would not after striking them."""
        return sum(each.flagged and each.counts for each in self.votes)


@dataclass(frozen=True, slots=True)
class _Scope:
    """Which votes and voters a case is about."""

    state: str
    voters: tuple[str, ...]
    votes: ColumnElement[bool]
    flagged: frozenset[str]
    flag: FlagFacts | None = None
    answer: AnswerFacts | None = None
    dispute: Dispute | None = None


def case_for_moderators(conn: Connection, subject: Subject, now_us: int) -> Case:
    """Return a case, open or decided.

    Args:
        conn: to read with.
        subject: what it is about.
        now_us: the present, to whose month a case about an answer belongs.

    Raises:
        UnknownCase: there is nothing of that name.
    """
    mode, month = located(conn, subject, now_us)
    scope = _scope(conn, subject, month)
    of_voters = _votes_of(scope.voters, month, mode)
    return Case(
        subject=subject,
        mode=mode,
        month=month,
        state=scope.state,
        flag=scope.flag,
        answer=scope.answer,
        dispute=scope.dispute,
        voters=scope.voters,
        banned=banned_among(conn, month, scope.voters, now_us),
        joined=_joined(conn, month, scope.voters),
        votes=votes_for_moderators(conn, scope.votes, scope.flagged),
        picks=picks_for_moderators(conn, of_voters),
        neighbours=neighbours_for_moderators(conn, month, scope.voters),
        notes=notes_for_moderators(conn, subject),
        decisions=decisions_on_for_moderators(conn, subject),
    )


def _scope(conn: Connection, subject: Subject, month: str) -> _Scope:
    match subject.kind:
        case "flag":
            return _of_flag(conn, subject.name)
        case "answer":
            return _of_answer(conn, subject.name, month)
        case "dispute":
            found = dispute_for_moderators(conn, subject.name)
            if found is None or found.vote is None:
                raise UnknownCase(f"there is no {subject}")
            return _of_vote(conn, found.vote, found)
        case "vote":
            return _of_vote(conn, subject.name, None)
        case "voter":
            voters = (subject.name,)
            return _Scope("", voters, _votes_of(voters, month, "any"), frozenset())


def _of_flag(conn: Connection, flag_id: str) -> _Scope:
    row = conn.execute(select(flag).where(flag.c.id == flag_id)).one()
    flagged = select(flag_vote.c.vote_id).where(flag_vote.c.flag_id == flag_id)
    facts = FlagFacts(
        detector=row.detector,
        hour=row.hour,
        state=row.state,
        statistic=row.statistic,
        threshold=row.threshold,
        p_value=row.p_value,
        look=row.look,
        numbers=json.loads(row.numbers),
        discounts=row.discounts,
    )
    voters = tuple(row.subject.split())
    votes = vote.c.id.in_(flagged) | _votes_of(voters, row.month, row.mode)
    return _Scope(row.state, voters, votes, frozenset(conn.execute(flagged).scalars()), flag=facts)


def _of_answer(conn: Connection, answer_id: str, month: str) -> _Scope:
    row = conn.execute(
        select(answer, question.c.text.label("asked"))
        .join(question, question.c.id == answer.c.question_id)
        .where(answer.c.id == answer_id)
    ).one()
    said = (
        select(ballot.c.voter, ballot.c.month, report.c.hour, report.c.reason, report.c.open)
        .join(ballot, ballot.c.id == report.c.ballot_id)
        .where(report.c.answer_id == answer_id)
        .order_by(report.c.hour, report.c.id)
    )
    reports = tuple(Report(*each) for each in conn.execute(said))
    withheld = is_withheld(row.state, row.held_for)
    waits = any(each.open for each in reports) or (row.state == "held" and not withheld)
    shown = select(ballot_slot.c.ballot_id).where(ballot_slot.c.answer_id == answer_id)
    votes = vote.c.ballot_id.in_(shown) & (vote.c.month == month)
    return _Scope(
        "open" if waits else "decided",
        tuple(sorted({each.voter for each in reports if each.month == month})),
        votes,
        frozenset(conn.execute(select(vote.c.id).where(votes)).scalars()),
        answer=_answer_facts(row, withheld=withheld, reports=reports),
    )


def _answer_facts(
    row: Row[*tuple[Any, ...]], *, withheld: bool, reports: tuple[Report, ...]
) -> AnswerFacts:
    return AnswerFacts(
        id=row.id,
        question=row.asked,
        model=row.model,
        text=row.text,
        state=row.state,
        held_for=row.held_for,
        withheld=withheld,
        reports=reports,
    )


def _of_vote(conn: Connection, vote_id: str, contested: Dispute | None) -> _Scope:
    row = conn.execute(select(vote).where(vote.c.id == vote_id)).one()
    voters = (row.voter,)
    return _Scope(
        "" if contested is None else contested.state,
        voters,
        _votes_of(voters, row.month, row.mode),
        frozenset({vote_id}),
        dispute=contested,
    )


def _votes_of(voters: tuple[str, ...], month: str, mode: str) -> ColumnElement[bool]:
    of_voters = (vote.c.month == month) & vote.c.voter.in_(voters)
    return of_voters if mode == "any" else of_voters & (vote.c.mode == mode)


def _joined(conn: Connection, month: str, voters: tuple[str, ...]) -> dict[str, str]:
    clusters = select(cluster_member.c.cluster).where(
        cluster_member.c.month == month, cluster_member.c.voter.in_(voters)
    )
    query = select(cluster_member.c.voter, cluster_member.c.cluster).where(
        cluster_member.c.month == month, cluster_member.c.cluster.in_(clusters)
    )
    rows = conn.execute(query.order_by(cluster_member.c.voter))
    return {row.voter: row.cluster for row in rows}
