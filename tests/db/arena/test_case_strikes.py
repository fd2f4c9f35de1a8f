"""What the decisions of a case strike is what the case says before, on both databases."""

from __future__ import annotations

import pytest

from antiabuse.detectors.finding import Detector
from arena import own_data, review, review_answers, review_rules
from arena.case_strikes import strike_voter
from arena.case_subject import Subject
from arena.cases import Case, case_for_moderators
from arena.errors import AlreadyStruck, ClosedMonth, UnknownCode
from arena.review_queue import queue_for_moderators
from arena.review_rules import ReviewRules
from ledger.event import StoredEvent
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.review_cases import (
    ADA,
    close_month,
    finding,
    raise_findings,
    raise_flag,
    report,
    vote,
)

MONTH = "2026-11"


def read_case(arena: ArenaSite, subject: Subject) -> Case:
    """Return a case."""
    with arena.database.read() as conn:
        return case_for_moderators(conn, subject, arena.clock())


def weightless(arena: ArenaSite, *votes: StoredEvent) -> None:
    """Give votes no weight, as rules do when they are cast."""
    for each in votes:
        arena.execute("UPDATE vote SET weight_micro = 0 WHERE id = :id", id=each.id)


def test_a_flag_strikes_as_many_as_told_whatever_is_listed(
    either_arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is cut, evidence comes first in it, and the count knows all, weightless ones too."""
    arena = either_arena
    voter = arena.voter()
    votes = [vote(arena, voter) for _ in range(6)]
    weightless(arena, votes[1])
    flag_id = raise_flag(arena, votes[:4])
    monkeypatch.setattr(review_rules, "current", lambda: ReviewRules(case_votes=3))

    case = read_case(arena, Subject("flag", flag_id))
    review.decide_flag(
        arena.services.ports,
        ADA,
        flag_id,
        seen="open",
        verdict="upheld",
        reason="careless",
        now_us=arena.clock(),
    )

    assert (len(case.votes.rows), case.votes.total) == (3, 6)
    assert all(each.flagged for each in case.votes.rows)
    assert (case.evidence.votes, case.evidence.counting) == (4, 3)
    assert case.would_be_struck == arena.events("flag.decided")[0].body["votes"] == 4
    after = read_case(arena, Subject("flag", flag_id))
    assert (after.evidence.struck, after.would_be_struck) == (4, 0)


def test_an_answer_strikes_as_many_as_told(either_arena: ArenaSite) -> None:
    """Votes of the open months on ballots with it, of which those count that weigh something."""
    arena = either_arena
    votes = [vote(arena) for _ in range(12)]
    answer = report(arena).body["answer"]
    weightless(arena, votes[0], votes[5])

    told = read_case(arena, Subject("answer", answer)).would_be_struck
    review_answers.decide_answer(
        arena.services.ports,
        ADA,
        answer,
        seen="open",
        verdict="withheld",
        reason="identity_leak",
        now_us=arena.clock(),
    )

    assert told == arena.count("vote_strike")
    assert told == arena.events("answer.decided")[0].body["votes"]


def test_all_of_a_voters_votes_are_struck_in_both_modes(either_arena: ArenaSite) -> None:
    """Those that count, of nobody else, and only as many as was told."""
    arena = either_arena
    voter = arena.voter()
    votes = [vote(arena, voter) for _ in range(3)] + [vote(arena, voter, "expert")]
    vote(arena)
    weightless(arena, votes[2])
    name = votes[0].body["voter"]
    ports = arena.services.ports

    def strike(expected: int, reason: str = "automated") -> str:
        return strike_voter(
            ports, ADA, MONTH, name, expected=expected, reason=reason, now_us=arena.clock()
        )

    told = read_case(arena, Subject("voter", name, MONTH)).would_be_struck
    assert told == 3
    with pytest.raises(AlreadyStruck):
        strike(2)
    with pytest.raises(UnknownCode):
        strike(3, "detector")
    decision = strike(3)

    (event,) = arena.events("vote.voided")
    assert event.id == decision
    assert set(event.body["votes"]) == {votes[0].id, votes[1].id, votes[3].id}
    with pytest.raises(AlreadyStruck):
        strike(0)


def test_a_closed_months_votes_stay(either_arena: ArenaSite) -> None:
    """The archive of the month is out: the case says so and nothing is struck."""
    arena = either_arena
    name = vote(arena).body["voter"]
    close_month(arena)
    arena.clock.advance(40 * 86_400)

    assert not read_case(arena, Subject("voter", name, MONTH)).month_open
    with pytest.raises(ClosedMonth):
        strike_voter(
            arena.services.ports,
            ADA,
            MONTH,
            name,
            expected=1,
            reason="automated",
            now_us=arena.clock(),
        )


def test_an_erased_voter_is_a_case_of_a_name(either_arena: ArenaSite) -> None:
    """The pseudonym keeps votes and picks, and nothing joins it to a person."""
    arena = either_arena
    voter = arena.voter()
    cast = vote(arena, voter)
    subject = Subject("voter", cast.body["voter"], MONTH)
    assert read_case(arena, subject).erased == frozenset()

    own_data.erase(arena.services.ports, voter.id, arena.clock())

    case = read_case(arena, subject)
    assert case.erased == {subject.name}
    assert [each.id for each in case.votes.rows] == [cast.id]
    assert len(case.picks) == 4


def test_cases_and_queue_name_their_voters(either_arena: ArenaSite) -> None:
    """One voter by name, several by number; a case knows the other flags of its voters."""
    arena = either_arena
    votes = [vote(arena) for _ in range(2)]
    names = sorted(each.body["voter"] for each in votes)
    one = raise_flag(arena, votes[:1])
    both = finding(names, [each.id for each in votes], detector=Detector.SHARED_DEVICE, look=30)
    (many,) = raise_findings(arena, [both])

    with arena.database.read() as conn:
        items = {str(each.subject): each for each in queue_for_moderators(conn).items}
    case = read_case(arena, Subject("flag", many))

    assert items[f"flag:{one}"].voter == votes[0].body["voter"]
    assert (items[f"flag:{many}"].voter, items[f"flag:{many}"].voters) == (None, 2)
    assert [each.id for each in case.flags.listed] == [one]
    assert case.flags.listed[0].voters == (votes[0].body["voter"],)
    assert [(each.voter, each.votes) for each in case.voting] == [(name, 1) for name in names]
