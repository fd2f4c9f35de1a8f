"""Votes of one person on a question or an answer that they know already (V-123).

Certain, not a test, so there is no p-value. At the vote itself one account's own past is looked at;
here it is that of all accounts joined since. Who is joined is a person's judgement, so what follows
from it takes no weight by itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from antiabuse.detectors.finding import Detector, Finding

__all__ = ["KnownVote", "repeated_questions", "seen_answers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownVote:
    """A vote by an account of a cluster, what it was about, and which answers it revealed."""

    vote: str
    voter: str
    day: str
    question: Hashable
    answers: Sequence[Hashable]


def repeated_questions(votes: Iterable[KnownVote]) -> list[Finding]:
    """Report the votes on questions that the cluster had voted on, one finding a voter and day.

    Args:
        votes: a cluster's of one month, in the order of casting.
    """
    asked: set[Hashable] = set()
    again = []
    for vote in votes:
        if vote.question in asked:
            again.append(vote)
        asked.add(vote.question)
    return _findings(Detector.REPEATED_QUESTION, again)


def seen_answers(votes: Iterable[KnownVote]) -> list[Finding]:
    """Report the votes on answers whose models another account of the cluster had been told.

    Args:
        votes: a cluster's of one month, in the order of casting.
    """
    told: dict[Hashable, set[str]] = {}
    known = []
    for vote in votes:
        if any(told.get(answer, set()) - {vote.voter} for answer in vote.answers):
            known.append(vote)
        for answer in vote.answers:
            told.setdefault(answer, set()).add(vote.voter)
    return _findings(Detector.SEEN_ANSWER, known)


def _findings(detector: Detector, votes: Iterable[KnownVote]) -> list[Finding]:
    of_day: dict[tuple[str, str], list[str]] = {}
    for vote in votes:
        of_day.setdefault((vote.voter, vote.day), []).append(vote.vote)
    return [
        Finding(
            detector=detector,
            subjects=(voter,),
            votes=tuple(found),
            statistic=str(len(found)),
            threshold="1",
            p_value=None,
            look=int(day[-2:]),
            numbers={"votes": str(len(found))},
            discounts=False,
        )
        for (voter, day), found in of_day.items()
    ]
