"""A case as a moderator reads it: what was seen, by whom, what was written and decided on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from arena import closed_months
from arena.case_evidence import (
    Neighbour,
    VoteList,
    VoterVotes,
    neighbours_for_moderators,
    voters_for_moderators,
    votes_for_moderators,
)
from arena.case_flags import RelatedFlags, flags_of_voters
from arena.case_people import People, people_of
from arena.case_picks import Picks, picks_for_moderators
from arena.case_scope import AnswerFacts, FlagFacts, Report, scope_of, votes_of
from arena.case_strikes import EvidenceCount, evidence_count, would_be_restored
from arena.case_subject import Subject, located
from arena.decisions import Decision, decisions_on_for_moderators
from arena.dispute_views import Dispute
from arena.notes import Note, notes_for_moderators

__all__ = ["AnswerFacts", "Case", "FlagFacts", "Report", "case_for_moderators"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything about a case.

    Attributes:
        subject: what it is about.
        mode: of its votes, or "any".
        month: of its votes.
        month_open: whether decisions can still change that month's votes.
        state: open or how it was decided, in the words of its kind; empty where there is nothing to
            decide.
        flag: the measurement, of a flag.
        answer: the answer with its reports, of an answer.
        dispute: all its versions with the voter's words, of a dispute.
        voters: pseudonyms: flagged, of the vote, or who reported the answer this month.
        voting: those of them who have a vote in the month, with how many.
        people: who of them is banned, erased or joined, and other names of a voter's own case.
        votes: the case's evidence first, then the voters' other votes, newest first.
        evidence: how the evidence stands; of a voter's case, all votes of the month.
        would_be_restored: how many votes count again if a flag is dismissed or an answer cleared.
        picks: of the voters' votes in the mode and month, against expected.
        neighbours: who shares device, network or address with the voters.
        flags: of the same voters and month, but for this one.
        notes: of moderators; of a voter's case, those on the names of other months too.
        decisions: on this very case; of a voter's case, those on their ban too.
    """

    subject: Subject
    mode: str
    month: str
    month_open: bool
    state: str
    flag: FlagFacts | None
    answer: AnswerFacts | None
    dispute: Dispute | None
    voters: tuple[str, ...]
    voting: tuple[VoterVotes, ...]
    people: People
    votes: VoteList
    evidence: EvidenceCount
    would_be_restored: int
    picks: tuple[Picks, ...]
    neighbours: tuple[Neighbour, ...]
    flags: RelatedFlags
    notes: tuple[Note, ...]
    decisions: tuple[Decision, ...]

    @property
    def banned(self) -> Mapping[str, int]:
        """Who is banned, or joined to one who is, with since when (microseconds UTC)."""
        return self.people.banned

    @property
    def erased(self) -> frozenset[str]:
        """Whom nothing joins to a person any more."""
        return self.people.erased

    @property
    def joined(self) -> Mapping[str, str]:
        """Who is joined to them by an earlier decision, pseudonym -> cluster."""
        return self.people.joined

    @property
    def would_be_struck(self) -> int:
        """How many votes the striking decision of this case strikes.

        A flag strikes all its votes that are not struck yet, also those that weigh nothing; an
        answer and a voter only what counts.
        """
        if self.subject.kind == "flag":
            return self.evidence.votes - self.evidence.struck
        return self.evidence.counting


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
    scope = scope_of(conn, subject, month, now_us)
    people = people_of(conn, subject, month, scope.voters, now_us)
    is_voter = subject.kind == "voter"
    return Case(
        subject=subject,
        mode=mode,
        month=month,
        month_open=closed_months.is_open(conn, month, now_us),
        state=scope.state,
        flag=scope.flag,
        answer=scope.answer,
        dispute=scope.dispute,
        voters=scope.voters,
        voting=voters_for_moderators(conn, month, scope.voters),
        people=people,
        votes=votes_for_moderators(conn, scope.votes, scope.evidence),
        evidence=evidence_count(conn, scope.votes if is_voter else scope.evidence),
        would_be_restored=would_be_restored(conn, subject, scope.evidence),
        picks=picks_for_moderators(conn, votes_of(scope.voters, month, mode)),
        neighbours=neighbours_for_moderators(conn, month, scope.voters),
        flags=flags_of_voters(conn, month, scope.voters, besides=subject),
        notes=notes_for_moderators(conn, subject, *(each.subject for each in people.others)),
        decisions=decisions_on_for_moderators(conn, subject, people.bans),
    )
