"""Votes that weigh nothing by rule."""

from __future__ import annotations

from antiabuse.detectors.answers import repeated_question, seen_answer, stale_answer
from antiabuse.detectors.finding import Detector


def test_a_second_vote_on_a_question_is_reported() -> None:
    """The first vote on a text is none, the second is."""
    found = repeated_question("v", "vote", "key", ["other", "key"])

    assert found is not None
    assert found.detector is Detector.REPEATED_QUESTION
    assert found.votes == ("vote",)
    assert repeated_question("v", "vote", "key", ["other"]) is None


def test_an_answer_revealed_to_the_cluster_is_reported() -> None:
    """One known answer of four is enough, whoever of the cluster saw it."""
    found = seen_answer("v", "vote", ["a", "b", "c", "d"], ["x", "c"])

    assert found is not None
    assert (found.detector, found.statistic) == (Detector.SEEN_ANSWER, "1")
    assert seen_answer("v", "vote", ["a", "b"], ["x"]) is None


def test_an_answer_is_stale_from_its_last_fresh_reveal_on() -> None:
    """The vote after 300 reveals no longer counts, that after 299 does."""
    found = stale_answer("v", "vote", [3, 300, 0, 1], 300)

    assert found is not None
    assert (found.detector, found.statistic, found.threshold) == (
        Detector.STALE_ANSWER,
        "300",
        "300",
    )
    assert not found.discounts
    assert stale_answer("v", "vote", [299, 0, 0, 0], 300) is None
