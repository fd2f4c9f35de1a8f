"""Parts of the votes: by vote, by model, and one model a maker."""

from __future__ import annotations

import numpy as np
import pytest

from ranking import lobster
from ranking.subsets import one_per_maker, restrict, subset
from tests.fixtures.choices import choices_of
from tests.fixtures.simulated import simulated

VOTES = choices_of(
    4,
    [((3, 0, 1, 2), 3), ((0, 1, 2), 1), ((2, 3), 2), ((0, 1, 3), lobster.SAME), ((1, 2), 1)],
    worst=[1, 0, 3, lobster.NO_WORST, lobster.NO_WORST],
    weights=[1, 2, 3, 4, 5],
    clusters=[6, 7, 8, 9, 6],
)


def test_a_subset_keeps_models_and_order() -> None:
    """A category's board is a fit on the votes of its questions."""
    part = subset(VOTES, np.array([False, True, False, True, False]))

    assert part.models == VOTES.models
    assert part.sets.tolist() == [[0, 1, 2, -1], [0, 1, 3, -1]]
    assert part.best.tolist() == [1, lobster.SAME]
    assert (part.worst.tolist(), part.weight.tolist()) == ([0, -1], [2, 4])
    assert part.cluster.tolist() == [7, 9]


@pytest.mark.parametrize("mask", [np.array([True]), np.arange(5)])
def test_a_mask_of_another_shape_is_refused(mask: lobster.Flags) -> None:
    """One truth value a vote."""
    with pytest.raises(lobster.WrongUseError, match="one truth value"):
        subset(VOTES, mask)


def test_restricting_drops_votes_that_say_nothing_of_the_kept_models() -> None:
    """Best picks taken out and sets of one go; places keep their order, picks their model."""
    part = restrict(VOTES, {"B", "D", "A"})

    assert part.models == ("A", "B", "D")
    assert part.sets.tolist() == [[2, 0, 1, -1], [0, 1, -1, -1], [0, 1, 2, -1]]
    assert part.best.tolist() == [2, 1, lobster.SAME]
    assert part.worst.tolist() == [1, 0, lobster.NO_WORST]
    assert part.weight.tolist() == [1, 2, 4]
    assert part.cluster.tolist() == [6, 7, 9]


def test_a_worst_pick_taken_out_is_forgotten() -> None:
    """The best pick still counts."""
    part = restrict(VOTES, {"C", "D", "A"})

    assert part.best.tolist() == [2, 1, lobster.SAME]
    assert part.worst.tolist() == [lobster.NO_WORST, 2, lobster.NO_WORST]


def test_restricting_to_an_unknown_model_is_refused() -> None:
    """A typing error must not give an empty board."""
    with pytest.raises(lobster.WrongUseError, match="E, F"):
        restrict(VOTES, {"A", "F", "E"})


def test_strengths_of_the_kept_models_stay_the_same() -> None:
    """Luce's axiom: leaving models out costs precision, not truth."""
    theta = np.linspace(-1, 1, 8)
    choices = simulated(theta, 20_000, voters=2_000, seed=5)

    part = lobster.fit(restrict(choices, {"A", "C", "F", "H"}), ghost=0)

    expected = theta[[0, 2, 5, 7]]
    assert part.theta == pytest.approx(expected - expected.mean(), abs=0.12)


def test_one_model_of_each_maker_stays() -> None:
    """The most shown, of equally shown ones the first by slug."""
    exposures = {"b-2": 50.0, "b-1": 50.0, "a-1": 10.0, "a-2": 30.0, "c": 0.0}
    makers = {model: model[0] for model in exposures}

    assert one_per_maker(exposures, exposures, makers) == ("a-2", "b-1", "c")
    with pytest.raises(KeyError):
        one_per_maker(["x"], exposures, makers)
