"""Votes that weigh nothing by rule: on a known question, a known answer or a worn one.

V-123 and V-151: each is certain, not a test, so it has no p-value and no stricter threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from antiabuse.detectors.finding import Detector, Finding

__all__ = ["repeated_question", "seen_answer", "stale_answer"]


def repeated_question(
    voter: str, vote: str, question: str, voted_on: Iterable[str]
) -> Finding | None:
    """Report a second vote by the same voter on the same question text in a month.

    Args:
        voter: the name.
        vote: the vote's id.
        question: key of the question's normalised text.
        voted_on: keys of the questions that the voter voted on earlier this month.
    """
    times = sum(key == question for key in voted_on)
    return _finding(Detector.REPEATED_QUESTION, voter, vote, times, 1, {}) if times else None


def seen_answer(
    voter: str, vote: str, answers: Sequence[str], revealed: Iterable[str]
) -> Finding | None:
    """Report a vote on answers whose models were revealed to the voter's cluster before.

    Args:
        voter: the name.
        vote: the vote's id.
        answers: ids of the answers on the ballot.
        revealed: ids of all answers revealed to any account joined with this voter.
    """
    known = len(set(answers) & set(revealed))
    numbers = {"answers": str(len(answers))}
    return _finding(Detector.SEEN_ANSWER, voter, vote, known, 1, numbers) if known else None


def stale_answer(voter: str, vote: str, reveals: Sequence[int], fresh: int) -> Finding | None:
    """Report a vote on an answer that was revealed so often that too many know its model.

    Args:
        voter: the name.
        vote: the vote's id.
        reveals: how often each answer on the ballot had been revealed.
        fresh: reveals within which an answer counts.
    """
    most = max(reveals)
    return _finding(Detector.STALE_ANSWER, voter, vote, most, fresh, {}) if most >= fresh else None


def _finding(
    detector: Detector, voter: str, vote: str, statistic: int, threshold: int, more: dict[str, str]
) -> Finding:
    return Finding(
        detector=detector,
        subjects=(voter,),
        votes=(vote,),
        statistic=str(statistic),
        threshold=str(threshold),
        p_value=None,
        look=0,
        numbers=more,
        discounts=False,
    )
