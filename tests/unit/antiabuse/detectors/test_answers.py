"""Votes on what a person knows already, through whichever of their accounts."""

from __future__ import annotations

from antiabuse.detectors.answers import KnownVote, repeated_questions, seen_answers
from antiabuse.detectors.finding import Detector


def vote(name: str, voter: str, question: str, answers: str, *, day: int = 30) -> KnownVote:
    """A vote on a question with one answer for each letter."""
    return KnownVote(
        vote=name, voter=voter, day=f"2026-11-{day}", question=question, answers=tuple(answers)
    )


def test_second_votes_on_a_question_are_reported_by_voter_and_day() -> None:
    """The first vote on a text is none; each later one by any account of the cluster is."""
    found = repeated_questions(
        [
            vote("1", "ann", "q", "abcd", day=28),
            vote("2", "ann", "other", "efgh"),
            vote("3", "ann", "q", "ijkl"),
            vote("4", "bob", "q", "mnop"),
            vote("5", "bob", "other", "qrst"),
        ],
    )

    assert [(finding.subjects, finding.votes, finding.look) for finding in found] == [
        (("ann",), ("3",), 30),
        (("bob",), ("4", "5"), 30),
    ]
    assert {finding.detector for finding in found} == {Detector.REPEATED_QUESTION}
    assert not any(finding.discounts for finding in found)


def test_answers_told_to_another_account_are_reported() -> None:
    """One known answer of four is enough; what the same account saw was looked at when it voted."""
    found = seen_answers(
        [
            vote("1", "ann", "q", "abcd"),
            vote("2", "ann", "q", "aefg"),
            vote("3", "bob", "q", "hijk"),
            vote("4", "bob", "q", "hijd"),
        ],
    )

    assert [(finding.subjects, finding.votes) for finding in found] == [(("bob",), ("4",))]
    assert found[0].detector is Detector.SEEN_ANSWER


def test_new_questions_and_answers_are_nothing() -> None:
    """A cluster that meets everything once is left alone."""
    votes = [vote("1", "ann", "q", "abcd"), vote("2", "bob", "r", "efgh")]

    assert repeated_questions(votes) == []
    assert seen_answers(votes) == []
