"""Evidence that contradicts itself is refused; chances of the worst pick follow from the best's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antiabuse.detectors.evidence import (
    NO_PICK,
    PAD,
    Showings,
    VoterPicks,
    any_worst_chances,
    worst_chances,
)


@pytest.fixture
def picks() -> VoterPicks:
    """Three votes: on four models, on two, and one undecided."""
    return VoterPicks(
        voter="v",
        votes=("a", "b", "c"),
        models=("k", "l", "m", "n"),
        sets=np.array([[0, 1, 2, 3], [3, 1, PAD, PAD], [1, 2, 3, 0]]),
        best=np.array([2, 1, NO_PICK]),
        worst=np.array([0, NO_PICK, NO_PICK]),
        chances=np.array([[0.4, 0.3, 0.2, 0.1], [0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25]]),
    )


def test_first_votes_and_decided_ones(picks: VoterPicks) -> None:
    """A look takes the first votes, a fit knows only those with a best pick."""
    assert picks.first(2).votes == ("a", "b")
    assert picks.first(99).votes == ("a", "b", "c")
    assert picks.decided().votes == ("a", "b")
    assert picks.showing([0, 2]).votes == ("a", "c")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"best": np.array([2, 1])}, "one entry"),
        ({"chances": np.full((3, 3), 1 / 3)}, "its chance"),
        ({"chances": np.full((3, 4), 0.25)}, "empty slot"),
        ({"chances": np.array([[0.4, 0.3, 0.2, 0.2], [0.5, 0.5, 0, 0], [0.25] * 4])}, "sum to 1"),
        ({"worst": np.array([2, NO_PICK, NO_PICK])}, "another slot"),
        ({"worst": np.array([0, NO_PICK, 1])}, "another slot"),
        ({"sets": np.array([[0, 1, 2, 3], [3, PAD, PAD, PAD], [1, 2, 3, 0]])}, "two models"),
    ],
)
def test_contradictions_are_refused(
    picks: VoterPicks, change: dict[str, object], message: str
) -> None:
    """No test runs on evidence that cannot be."""
    with pytest.raises(ValueError, match=message):
        replace(picks, **change)  # type: ignore[arg-type]


def test_the_worst_is_likely_where_the_best_is_not() -> None:
    """Given that the third was best, the others are worst in proportion to 1/γ."""
    chances = np.array([[0.4, 0.3, 0.2, 0.1], [0.75, 0.25, 0, 0]])
    made = worst_chances(chances, np.array([2, 0]))

    inverse = np.array([1 / 0.4, 1 / 0.3, 0, 1 / 0.1])
    np.testing.assert_allclose(made[0], inverse / inverse.sum())
    np.testing.assert_allclose(made[1], [0, 1, 0, 0])


def test_showings_of_picks_leave_empty_slots_out(picks: VoterPicks) -> None:
    """Each model shown is one row, with the variance of a yes or no."""
    decided = picks.decided()
    showings = Showings.of_picks(decided.sets, decided.best, decided.chances)

    assert showings.model.tolist() == [0, 1, 2, 3, 3, 1]
    assert showings.result.tolist() == [0, 0, 1, 0, 0, 1]
    np.testing.assert_allclose(showings.variance, [0.24, 0.21, 0.16, 0.09, 0.25, 0.25])


def test_the_worst_whatever_the_best_is() -> None:
    """Of two at 3 to 1 the worst is the other; of three it is the mean over the best picks."""
    made = any_worst_chances(np.array([[0.75, 0.25, 0.0], [0.5, 0.3, 0.2]]))

    assert made[0] == pytest.approx([0.25, 0.75, 0.0])
    first = 0.3 * (1 / 0.5) / (1 / 0.5 + 1 / 0.2) + 0.2 * (1 / 0.5) / (1 / 0.5 + 1 / 0.3)
    assert made[1, 0] == pytest.approx(first)
    assert made.sum(axis=1) == pytest.approx([1.0, 1.0])
