"""A case as a moderator reads it: what was seen, by whom, what was written and decided on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select

from arena import closed_months
from arena.bans import banned_among
from arena.case_evidence import (
    Neighbour,
    Picks,
    VoteList,
    VoterVotes,
    neighbours_for_moderators,
    picks_for_moderators,
    voters_for_moderators,
    votes_for_moderators,
)
from arena.case_flags import RelatedFlags, flags_of_voters
from arena.case_scope import AnswerFacts, FlagFacts, Report, scope_of, votes_of
from arena.case_strikes import EvidenceCount, evidence_count
from arena.case_subject import Subject, located
from arena.decisions import Decision, decisions_on_for_moderators
from arena.dispute_views import Dispute
from arena.notes import Note, notes_for_moderators
from arena.review_tables import cluster_member
from arena.tables import ballot, ballot_holder

__all__ = ["AnswerFacts", "Case", "FlagFacts", "Report", "case_for_moderators"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything about a case.

    Attributes:
        subject: what it is about.
        mode: of its votes, or "any".
        month: of its votes.
        month_open: whether decisions can still change that month's votes.
        state: open or decided, in the words of its kind; empty for votes and voters.
        flag: the measurement, of a flag.
        answer: the answer with its reports, of an answer.
        dispute: all its versions with the voter's words, of a dispute.
        voters: pseudonyms: flagged, of the vote, or who reported the answer this month.
        voting: those of them who have a vote in the month, with how many.
        banned: those of them who are banned, or joined to one who is, with since when
            (microseconds UTC).
        erased: those of them whom nothing joins to a person any more.
        joined: who is joined to them by an earlier decision, pseudonym -> cluster.
        votes: the case's evidence first, then the voters' other votes, newest first.
        evidence: how the evidence stands; of a voter's case, all votes of the month.
        picks: of the voters' votes in the mode and month, against expected.
        neighbours: who shares device, network or address with the voters.
        flags: of the same voters and month, but for this one.
        notes: of moderators.
        decisions: on this very case.
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
    banned: Mapping[str, int]
    erased: frozenset[str]
    joined: Mapping[str, str]
    votes: VoteList
    evidence: EvidenceCount
    picks: tuple[Picks, ...]
    neighbours: tuple[Neighbour, ...]
    flags: RelatedFlags
    notes: tuple[Note, ...]
    decisions: tuple[Decision, ...]

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
    people = _people(conn, month, scope.voters, now_us)
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
        banned=people.banned,
        erased=people.erased,
        joined=_joined(conn, month, scope.voters),
        votes=votes_for_moderators(conn, scope.votes, scope.evidence),
        evidence=evidence_count(conn, scope.votes if is_voter else scope.evidence),
        picks=picks_for_moderators(conn, votes_of(scope.voters, month, mode)),
        neighbours=neighbours_for_moderators(conn, month, scope.voters),
        flags=flags_of_voters(conn, month, scope.voters, besides=subject),
        notes=notes_for_moderators(conn, subject),
        decisions=decisions_on_for_moderators(conn, subject),
    )


class _People(NamedTuple):
    banned: dict[str, int]
    erased: frozenset[str]


def _people(conn: Connection, month: str, voters: tuple[str, ...], now_us: int) -> _People:
    """Return who of some pseudonyms is banned, and whom nothing joins to a person any more."""
    query = (
        select(ballot.c.voter)
        .join(ballot_holder, ballot_holder.c.ballot_id == ballot.c.id)
        .where(ballot.c.month == month, ballot.c.voter.in_(voters))
        .distinct()
    )
    known = frozenset(conn.execute(query).scalars())
    return _People(banned_among(conn, month, voters, now_us), frozenset(voters) - known)


def _joined(conn: Connection, month: str, voters: tuple[str, ...]) -> dict[str, str]:
    clusters = select(cluster_member.c.cluster).where(
        cluster_member.c.month == month, cluster_member.c.voter.in_(voters)
    )
    query = select(cluster_member.c.voter, cluster_member.c.cluster).where(
        cluster_member.c.month == month, cluster_member.c.cluster.in_(clusters)
    )
    rows = conn.execute(query.order_by(cluster_member.c.voter))
    return {row.voter: row.cluster for row in rows}
