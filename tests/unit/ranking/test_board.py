"""The board: centring, errors, rank ranges, marks and display order."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ranking import lobster
from tests.fixtures.choices import Pick, choices_of

FOUR = (0, 1, 2, 3)


def wins(*counts: int, shown: tuple[int, ...] = FOUR) -> list[Pick]:
    """That many votes for each model of one set."""
    return [
        (shown, model) for model, count in zip(shown, counts, strict=True) for _ in range(count)
    ]


def rows_of(board: lobster.Board) -> dict[str, lobster.Row]:
    """Rows by slug."""
    return {row.model: row for row in board.models}


def test_a_reference_stands_at_1200_without_error() -> None:
    """Scores and errors are contrasts with the model named."""
    rows = rows_of(lobster.board(lobster.fit(choices_of(4, wins(9, 7, 5, 8))), reference="B"))

    assert (rows["B"].theta, rows["B"].score, rows["B"].se) == (0, 1200, 0)
    assert rows["A"].score > 1200 > rows["C"].score


def test_a_basket_has_mean_zero() -> None:
    """The mean log-strength of the basket's models is put at 0."""
    rows = rows_of(lobster.board(lobster.fit(choices_of(4, wins(9, 7, 5, 8))), basket=["A", "C"]))

    assert rows["A"].theta + rows["C"].theta == pytest.approx(0, abs=1e-12)
    assert rows["A"].se == pytest.approx(rows["C"].se, abs=1e-12)


def test_without_a_basket_the_ghost_is_at_1200_and_errors_are_to_the_mean() -> None:
    """The fallback moves the scores by a constant and leaves the errors of the full basket."""
    fitted = lobster.fit(choices_of(4, wins(9, 7, 5, 8)))

    ghost, basket = lobster.board(fitted), lobster.board(fitted, basket="ABCD")

    for row, other in zip(ghost.models, basket.models, strict=True):
        assert row.se == pytest.approx(other.se, abs=1e-12)
    assert rows_of(ghost)["A"].theta == fitted.theta[0]


@pytest.mark.parametrize("named", [{"basket": ["A", "Z"]}, {"reference": "Z"}, {"basket": []}])
def test_a_centre_outside_the_votes_is_refused(named: dict[str, object]) -> None:
    """A basket or reference must be among the models."""
    fitted = lobster.fit(choices_of(4, wins(1, 0, 0, 0)))

    with pytest.raises(lobster.LobsterError, match="no such model"):
        lobster.board(fitted, **named)  # type: ignore[arg-type]


def test_basket_and_reference_together_are_refused() -> None:
    """Only one zero can hold."""
    fitted = lobster.fit(choices_of(4, wins(1, 0, 0, 0)))

    with pytest.raises(lobster.LobsterError, match="not both"):
        lobster.board(fitted, basket=["A"], reference="B")


def test_a_basket_keeps_candidates_with_a_hundred_exposures_if_four_have_them() -> None:
    """Fewer than four such candidates make no basket."""
    votes = wins(25, 25, 25, 25) + wins(1, 1, shown=(0, 4))

    fitted = lobster.fit(choices_of(5, votes))

    assert lobster.basket_of(fitted, ["E", "D", "C", "B", "A", "unknown"]) == ("D", "C", "B", "A")
    assert lobster.basket_of(fitted, ["E", "C", "B", "A"]) is None
    almost = lobster.fit(choices_of(5, votes, weights=[10**6] * 99 + [999_999, 1, 1]))
    assert lobster.basket_of(almost, "ABCD") is None


def test_few_voters_means_the_larger_error() -> None:
    """With thirty voters and five best picks the clustered error alone stands, else the larger."""
    votes = wins(26, 6, 5, 4)
    fitted = lobster.fit(choices_of(4, votes))
    covariance = lobster.Covariance.of(fitted, None)
    assert covariance.clustered is not None
    clustered, model = np.diag(covariance.clustered), np.diag(covariance.model)

    errors = covariance.errors()

    assert covariance.few_voters.tolist() == [False, False, False, True]
    assert errors[:3] ** 2 == pytest.approx(clustered[:3])
    assert errors[3] ** 2 == pytest.approx(max(clustered[3], model[3]))


def test_few_clusters_mark_every_model() -> None:
    """The same votes from 29 voters: every model has few voters."""
    votes = wins(26, 6, 6, 4)

    fitted = lobster.fit(choices_of(4, votes, clusters=[i % 29 for i in range(len(votes))]))

    assert all(row.few_voters for row in lobster.board(fitted).models)


def test_one_voter_has_model_based_errors() -> None:
    """With one cluster there is nothing to compare, so the model alone gives the error."""
    fitted = lobster.fit(choices_of(4, wins(4, 3, 2, 1), clusters=[7] * 10))
    model = lobster.Covariance.of(fitted, np.ones(4, dtype=np.bool_)).model

    rows = rows_of(lobster.board(fitted, basket="ABCD"))

    assert fitted.middle is None
    assert [rows[name].se for name in "ABCD"] == pytest.approx(np.sqrt(np.diag(model)).tolist())


def test_joining_voters_who_agree_widens_intervals() -> None:
    """Votes are not deleted, but count as one voice in the error."""
    votes = wins(60, 40, 30, 20)

    apart = rows_of(lobster.board(lobster.fit(choices_of(4, votes))))
    joined = rows_of(
        lobster.board(lobster.fit(choices_of(4, votes, clusters=[i // 4 for i in range(150)])))
    )

    assert joined["A"].theta == pytest.approx(apart["A"].theta, abs=1e-12)
    assert joined["A"].se > 1.5 * apart["A"].se


def test_summing_voters_in_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The middle matrix is the same whether voters are summed at once or in small blocks."""
    votes = wins(9, 7, 5, 8)
    choices = choices_of(4, votes, clusters=[i % 10 for i in range(len(votes))])
    whole = lobster.fit(choices).middle

    monkeypatch.setattr(lobster, "_VOTER_CELLS", 15)
    monkeypatch.setattr(lobster, "_VOTERS_PER_MODEL", 0)
    blocks = lobster.fit(choices).middle

    assert whole is not None
    assert blocks == pytest.approx(whole, abs=1e-12)


def test_provisional_models_have_no_place_and_stand_below() -> None:
    """V-048: below thirty weighted exposures a model is listed after the ranked ones."""
    votes = wins(10, 9, 8, 7) + wins(0, 29, shown=(0, 4))

    board = lobster.board(lobster.fit(choices_of(5, votes)))

    last = board.models[-1]
    assert (last.model, last.provisional, last.best_place, last.worst_place) == (
        "E",
        True,
        None,
        None,
    )
    assert last.score > rows_of(board)["A"].score
    assert rows_of(board)["A"].best_place is not None


def test_thirty_weighted_exposures_end_the_provisional_time() -> None:
    """The limit counts weights, not votes."""
    sixty = choices_of(4, wins(15, 15, 15, 15), weights=[500_000] * 60)
    less = choices_of(4, wins(15, 15, 15, 15), weights=[500_000] * 59 + [499_999])

    assert not any(row.provisional for row in lobster.board(lobster.fit(sixty)).models)
    assert all(row.provisional for row in lobster.board(lobster.fit(less)).models)


def test_equal_models_share_all_places() -> None:
    """V-049: never a finer order than the data hold."""
    board = lobster.board(lobster.fit(choices_of(4, wins(25, 25, 25, 25))))

    assert {(row.best_place, row.worst_place) for row in board.models} == {(1, 4)}
    assert [row.model for row in board.models] == ["A", "B", "C", "D"]


def test_clear_differences_give_single_places() -> None:
    """With many votes and wide gaps every model has one place."""
    board = lobster.board(lobster.fit(choices_of(4, wins(4000, 1000, 250, 60))))

    places = [(row.model, row.best_place, row.worst_place) for row in board.models]
    assert places == [("A", 1, 1), ("B", 2, 2), ("C", 3, 3), ("D", 4, 4)]


def slow_places(fitted: lobster.Fit) -> dict[str, tuple[int, int]]:
    """Rank ranges by Holm's own words: the smallest p at level/m, the next at level/(m - 1)."""
    error = lobster.Covariance.of(fitted, None).error_of_differences()
    size = len(fitted.models)
    tests = []
    for i in range(size):
        for j in range(i):
            z = (fitted.theta[i] - fitted.theta[j]) / error[i, j]
            tests.append((math.erfc(abs(z) / math.sqrt(2)), (i, j) if z > 0 else (j, i)))
    tests.sort()
    best, worst = [1] * size, [size] * size
    for rank, (p, (above, below)) in enumerate(tests):
        if p > 0.05 / (len(tests) - rank):
            break
        best[below] += 1
        worst[above] -= 1
    return {name: (best[i], worst[i]) for i, name in enumerate(fitted.models)}


@pytest.mark.parametrize("seed", range(8))
def test_places_follow_holm(seed: int) -> None:
    """Best and worst places equal those of the procedure written out."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=8)
    votes: list[Pick] = []
    for _ in range(600):
        shown = rng.choice(8, size=4, replace=False)
        votes.append((shown.tolist(), int(shown[np.argmax(theta[shown] + rng.gumbel(size=4))])))
    fitted = lobster.fit(choices_of(8, votes))

    got = {row.model: (row.best_place, row.worst_place) for row in lobster.board(fitted).models}

    assert got == slow_places(fitted)
    assert len(set(got.values())) > 1


def test_models_apart_from_the_largest_group_are_not_comparable() -> None:
    """V-160: without shared counted ballots there is no comparison, hence no place."""
    votes = wins(20, 10, 5, 5) + wins(20, 20, shown=(4, 5))

    rows = rows_of(lobster.board(lobster.fit(choices_of(7, votes))))

    assert [name for name in "ABCDEFG" if rows[name].comparable] == list("ABCD")
    assert rows["E"].best_place is None


def test_a_vote_of_weight_zero_connects_nobody() -> None:
    """Only counted ballots tie groups together."""
    votes = [*wins(20, 10, 5, 5), *wins(20, 20, shown=(4, 5)), ((0, 4), 0)]

    fitted = lobster.fit(choices_of(6, votes, weights=[10**6] * (len(votes) - 1) + [0]))

    assert fitted.comparable.tolist() == [True] * 4 + [False] * 2


def test_never_and_always_winning_models_are_ranked_and_marked() -> None:
    """V-160: they stay on the board, with a finite score."""
    rows = rows_of(lobster.board(lobster.fit(choices_of(4, wins(40, 0, 0, 0)))))

    assert (rows["A"].always_best, rows["A"].never_best) == (True, False)
    assert (rows["B"].always_best, rows["B"].never_best) == (False, True)
    assert rows["A"].best_place == 1


def test_printed_scores_stop_at_the_ends_of_the_scale() -> None:
    """V-046: the score is limited and marked, the strength is not."""
    choices = choices_of(2, [((0, 1), 0)], weights=[10**14])

    rows = rows_of(lobster.board(lobster.fit(choices), reference="B"))

    assert (rows["A"].score, rows["A"].high, rows["A"].limited) == (2400, 2400, True)
    assert rows["A"].theta * lobster.POINTS_PER_NAT > 1200
    assert not rows["B"].limited


def test_equal_scores_are_ordered_by_votes_then_slug() -> None:
    """Rounding noise decides no order."""
    votes = wins(10, 10, 10, 10) + wins(5, 5, shown=(2, 3))

    board = lobster.board(lobster.fit(choices_of(4, votes)))

    assert [row.model for row in board.models] == ["C", "D", "A", "B"]


def test_tallies_are_weighted() -> None:
    """Exposures, best and worst picks, and the two verdicts without a pick add up weights."""
    votes = [(FOUR, 0), (FOUR, 1), (FOUR, lobster.SAME), (FOUR, lobster.BAD)]
    choices = choices_of(
        4, votes, weights=[500_000, 250_000, 125_000, 62_500], worst=[3, -1, -1, -1]
    )

    rows = rows_of(lobster.board(lobster.fit(choices)))

    assert [rows[name].best for name in "ABCD"] == [0.5, 0.25, 0, 0]
    assert [rows[name].worst for name in "ABCD"] == [0, 0, 0, 0.5]
    assert {(row.exposures, row.same, row.bad) for row in rows.values()} == {(0.75, 0.125, 0.0625)}
