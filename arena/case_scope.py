"""Which votes and voters a case is about, by its kind, with the facts that its kind has alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, false, select

from arena import closed_months
from arena.ballot_events import ANY_MODE
from arena.case_subject import Subject
from arena.dispute_views import Dispute, dispute_for_moderators
from arena.errors import UnknownCase
from arena.review_answers import votes_that_saw
from arena.review_rulings import is_withheld, ruling_on
from arena.review_tables import flag, flag_vote
from arena.tables import answer, ballot, question, report, vote

__all__ = ["AnswerFacts", "FlagFacts", "Report", "Scope", "scope_of", "votes_of"]


@dataclass(frozen=True, slots=True)
class FlagFacts:
    """What a detector measured on how many voters, against which line; numbers as text."""

    detector: str
    hour: str
    state: str
    statistic: str
    threshold: str
    p_value: str | None
    look: int
    numbers: Mapping[str, str]
    discounts: bool
    voters: int


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
    """An answer with why it is looked at.

    `held_for` are the words found, or a reason's code; `leak` says that votes are struck for it.
    """

    id: str
    question: str
    model: str
    text: str
    state: str
    held_for: str
    withheld: bool
    leak: bool
    reports: tuple[Report, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which votes and voters a case is about.

    Attributes:
        state: open or how it was decided, in the words of its kind; empty for votes and voters, and
            for an answer about which nothing waits nor was decided.
        voters: pseudonyms.
        votes: the condition on `vote` of those listed.
        evidence: the same of those that are the case's evidence; of a voter's case none is.
    """

    state: str
    voters: tuple[str, ...]
    votes: ColumnElement[bool]
    evidence: ColumnElement[bool]
    flag: FlagFacts | None = None
    answer: AnswerFacts | None = None
    dispute: Dispute | None = None


def scope_of(conn: Connection, subject: Subject, month: str, now_us: int) -> Scope:
    """Return the scope of a case that is there.

    Args:
        conn: to read with.
        subject: what it is about.
        month: it belongs to.
        now_us: says which months decisions can still change.

    Raises:
        UnknownCase: a dispute that is none.
    """
    match subject.kind:
        case "flag":
            return _of_flag(conn, subject.name)
        case "answer":
            return _of_answer(conn, subject.name, month, now_us)
        case "dispute":
            found = dispute_for_moderators(conn, subject.name)
            if found is None or found.vote is None:
                raise UnknownCase(f"there is no {subject}")
            return _of_vote(conn, found.vote, found)
        case "vote":
            return _of_vote(conn, subject.name, None)
        case "voter":
            voters = (subject.name,)
            return Scope("", voters, votes_of(voters, month, ANY_MODE), false())


def _of_flag(conn: Connection, flag_id: str) -> Scope:
    row = conn.execute(select(flag).where(flag.c.id == flag_id)).one()
    flagged = select(flag_vote.c.vote_id).where(flag_vote.c.flag_id == flag_id)
    voters = tuple(row.subject.split())
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
        voters=len(voters),
    )
    evidence = vote.c.id.in_(flagged)
    votes = evidence | votes_of(voters, row.month, row.mode)
    return Scope(row.state, voters, votes, evidence, flag=facts)


def _of_answer(conn: Connection, answer_id: str, month: str, now_us: int) -> Scope:
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
    ruling = ruling_on(conn, answer_id)
    votes = votes_that_saw(answer_id, closed_months.open_months(conn, now_us))
    return Scope(
        ruling.state(waits=waits) or "",
        tuple(sorted({each.voter for each in reports if each.month == month})),
        votes,
        votes,
        answer=_answer_facts(row, withheld=withheld, leak=ruling.leak, reports=reports),
    )


def _answer_facts(
    row: Row[*tuple[Any, ...]], *, withheld: bool, leak: bool, reports: tuple[Report, ...]
) -> AnswerFacts:
    return AnswerFacts(
        id=row.id,
        question=row.asked,
        model=row.model,
        text=row.text,
        state=row.state,
        held_for=row.held_for,
        withheld=withheld,
        leak=leak,
        reports=reports,
    )


def _of_vote(conn: Connection, vote_id: str, contested: Dispute | None) -> Scope:
    row = conn.execute(select(vote).where(vote.c.id == vote_id)).one()
    voters = (row.voter,)
    return Scope(
        "" if contested is None else contested.state,
        voters,
        votes_of(voters, row.month, row.mode),
        vote.c.id == vote_id,
        dispute=contested,
    )


def votes_of(voters: tuple[str, ...], month: str, mode: str) -> ColumnElement[bool]:
    """Return the condition on `vote` of votes of some voters in a month, in one mode or any."""
    of_voters = (vote.c.month == month) & vote.c.voter.in_(voters)
    return of_voters if mode == ANY_MODE else of_voters & (vote.c.mode == mode)
