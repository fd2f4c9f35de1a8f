"""The arrays beside the fit say the same as the fit itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking import lobster, picks
from ranking.picks import Picks
from tests.fixtures.choices import choices_of

VOTES = st.lists(
    st.tuples(
        st.lists(st.integers(0, 4), min_size=2, max_size=4, unique=True),
        st.sampled_from([0, 0, 0, lobster.SAME, lobster.BAD]),
        st.integers(0, 2_000_000),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=30,
)


def choices_from(votes: list[tuple[list[int], int, int, int]]) -> lobster.Choices:
    """Votes for the first model of each set, or one of the two way-outs."""
    return choices_of(
        5,
        [(shown, shown[0] if verdict == 0 else verdict) for shown, verdict, _, _ in votes],
        weights=[weight for _, _, weight, _ in votes],
        clusters=[7 * cluster for _, _, _, cluster in votes],
    )


@given(VOTES)
def test_the_likelihood_and_its_slope_are_those_of_the_fit(
    votes: list[tuple[list[int], int, int, int]],
) -> None:
    """At the fit, log-likelihoods agree, and all voters' scores sum to the ghost's pull."""
    choices = choices_from(votes)
    fitted = lobster.fit(choices)

    chosen = Picks.of(choices)
    chance, log_likelihood = chosen.chances(fitted.theta)
    summed = sum((block.sum(axis=0) for _, block in chosen.by_cluster(chosen.scores(chance))), 0.0)

    assert log_likelihood == pytest.approx(fitted.log_likelihood, abs=1e-9)
    assert len(chosen.best) == fitted.votes
    assert len(chosen.labels) == fitted.clusters
    q = 1 / (1 + np.exp(-fitted.theta))
    assert summed + 0.5 * (1 - 2 * q) == pytest.approx(np.zeros(5), abs=1e-7)


@pytest.mark.parametrize("block_cells,firsts", [(1, [0, 1]), (4_000_000, [0])])
def test_sums_by_voter_do_not_depend_on_the_blocks(
    block_cells: int, firsts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Voter by voter, in order of their labels, with further columns beside the models."""
    monkeypatch.setattr(picks, "_BLOCK_CELLS", block_cells)
    choices = choices_of(3, [((0, 1), 0), ((1, 2), 2), ((0, 2, 1), 1)], clusters=[9, 4, 9])
    chosen = Picks.of(choices)
    places = np.arange(9.0).reshape(3, 3)

    blocks = list(chosen.by_cluster(places, np.array([[1.0], [10.0], [100.0]])))

    assert chosen.rows.tolist() == [1, 0, 2]
    assert chosen.labels.tolist() == [4, 9]
    assert [first for first, _ in blocks] == firsts
    table = np.vstack([block for _, block in blocks])
    # Voter 4 voted on (1, 2), voter 9 on (0, 1) and (0, 2, 1); a place past the set is dropped.
    assert table.tolist() == [[0, 0, 1, 1], [3 + 6, 4 + 8, 7, 110]]
