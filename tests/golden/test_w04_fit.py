"""W-4: strengths, scores and errors of small fits on one set of four."""

from __future__ import annotations

import numpy as np
import pytest

from ranking import lobster
from tests.fixtures.choices import Pick, choices_of

FOUR = (0, 1, 2, 3)
ALL = ("A", "B", "C", "D")


def wins(*counts: int) -> list[Pick]:
    """That many votes for A, B, C and D."""
    return [(FOUR, model) for model, count in enumerate(counts) for _ in range(count)]


CASES = {
    "none": (
        wins(),
        (1, 1, 1, 1),
        (1200, 1200, 1200, 1200),
        (1200, 1200, 1200, 1200),
        (300.888043, 300.888043, 300.888043, 300.888043),
    ),
    "one": (
        wins(1),
        (4.328546, 0.655326, 0.655326, 0.655326),
        (1454.536824, 1126.583027, 1126.583027, 1126.583027),
        (1445.965348, 1118.011551, 1118.011551, 1118.011551),
        (223.273956, 253.273350, 253.273350, 253.273350),
    ),
    "4, 3, 2, 1": (
        wins(4, 3, 2, 1),
        (1.696124, 1.287022, 0.889195, 0.509385),
        (1291.783013, 1243.834454, 1179.598828, 1082.818494),
        (1292.274316, 1244.325757, 1180.090131, 1083.309797),
        (83.584139, 89.446776, 99.324380, 119.388845),
    ),
    "20 of 20": (
        wins(20),
        (61.922775, 0.512015, 0.512015, 0.512015),
        (1916.740164, 1083.713021, 1083.713021, 1083.713021),
        (1824.770357, 991.743214, 991.743214, 991.743214),
        (186.569619, 236.810042, 236.810042, 236.810042),
    ),
}


def column(board: lobster.Board, name: str) -> list[float]:
    """One number a model, in the order A, B, C, D."""
    return [getattr(row, name) for row in sorted(board.models, key=lambda row: row.model)]


@pytest.mark.parametrize("case", CASES)
def test_strengths_and_scores_of_w4(case: str) -> None:
    """Strengths, both scores and the model-based errors of the first four rows of W-4."""
    picks, gammas, ghost_scores, basket_scores, errors = CASES[case]

    fitted = lobster.fit(choices_of(4, picks))
    by_ghost, by_basket = lobster.board(fitted), lobster.board(fitted, basket=ALL)
    covariance = lobster.Covariance.of(fitted, np.ones(4, dtype=np.bool_))

    assert np.exp(fitted.theta) == pytest.approx(gammas, abs=6e-7)
    assert column(by_ghost, "score") == pytest.approx(ghost_scores, abs=6e-7)
    assert column(by_basket, "score") == pytest.approx(basket_scores, abs=6e-7)
    model_based = np.sqrt(np.diag(covariance.model)) * lobster.POINTS_PER_NAT
    assert model_based == pytest.approx(errors, abs=6e-7)
    assert (1 / (1 + np.exp(-fitted.theta))).sum() == pytest.approx(2, abs=1e-9)


def test_forty_votes_of_weight_one_half_equal_twenty_votes() -> None:
    """Weights count exactly: the fifth row of W-4 is the fourth."""
    halves = lobster.fit(choices_of(4, wins(40), weights=[500_000] * 40))
    whole = lobster.fit(choices_of(4, wins(20)))

    assert halves.theta == pytest.approx(whole.theta, abs=1e-12)


def test_votes_without_a_best_pick_leave_the_fit_empty() -> None:
    """The last row of W-4: such votes are counted and move nothing."""
    picks = [(FOUR, lobster.SAME)] * 5 + [(FOUR, lobster.BAD)] * 3

    fitted = lobster.fit(choices_of(4, picks))

    assert fitted.theta.tolist() == [0, 0, 0, 0]
    assert (fitted.votes, fitted.same_votes, fitted.bad_votes) == (0, 5, 3)
    assert fitted.same.tolist() == [5, 5, 5, 5]
    assert fitted.bad.tolist() == [3, 3, 3, 3]


def test_penalised_log_likelihood_of_w4() -> None:
    """The penalised log-likelihood of wins 4, 3, 2, 1."""
    fitted = lobster.fit(choices_of(4, wins(4, 3, 2, 1)))

    assert fitted.penalised_log_likelihood == pytest.approx(-15.686055, abs=6e-7)


def test_plain_maximum_likelihood_of_w4() -> None:
    """Without ghost the geometric mean of the strengths is 1."""
    board = lobster.board(lobster.fit(choices_of(4, wins(4, 3, 2, 1)), ghost=0))

    gammas = (1.807204, 1.355403, 0.903602, 0.451801)
    assert column(board, "gamma") == pytest.approx(gammas, abs=6e-7)
    assert column(board, "score") == pytest.approx((1302.80, 1252.83, 1182.39, 1061.98), abs=0.006)


EIGHT = [(FOUR, best) for best in (0, 0, 1, 0, 2, 3, 1, 0)]
EIGHT_VOTERS = [1, 1, 2, 3, 3, 4, 5, 5]


def test_clustered_errors_of_w4() -> None:
    """Eight votes of five voters: centred strengths, scores, clustered and published errors."""
    fitted = lobster.fit(choices_of(4, EIGHT, clusters=EIGHT_VOTERS))
    board = lobster.board(fitted, basket=ALL)
    clustered = lobster.Covariance.of(fitted, np.ones(4, dtype=np.bool_)).clustered

    theta = (0.782414, 0.121258, -0.451836, -0.451836)
    scores = (1335.919248, 1221.064627, 1121.508063, 1121.508063)
    errors = (89.748015, 113.342841, 125.155026, 137.722452)
    published = (89.890859, 113.342841, 125.155026, 137.722452)
    assert column(board, "theta") == pytest.approx(theta, abs=6e-7)
    assert column(board, "score") == pytest.approx(scores, abs=6e-7)
    assert clustered is not None
    by_voter = np.sqrt(np.diag(clustered)) * lobster.POINTS_PER_NAT
    assert by_voter == pytest.approx(errors, abs=6e-7)
    assert column(board, "score_se") == pytest.approx(published, abs=6e-7)


def test_clustered_errors_without_ghost_rows_of_w4() -> None:
    """The figures W-4 gives for a middle matrix without ghost rows, to show the rows matter."""
    fitted = lobster.fit(choices_of(4, EIGHT, clusters=EIGHT_VOTERS))
    q = 1 / (1 + np.exp(-fitted.theta))
    assert fitted.middle is not None
    middle = fitted.middle - np.diag(lobster.GHOST * ((1 - q) ** 2 + q**2))
    side = (np.eye(4) - 1 / 4) @ fitted.inverse

    errors = np.sqrt(np.diag(side @ middle @ side.T)) * lobster.POINTS_PER_NAT

    assert errors == pytest.approx((84.924345, 106.859423, 113.423380, 127.155638), abs=6e-7)


@pytest.mark.parametrize(
    "counts,errors",
    [
        ((4, 3, 2, 1), (87.941812, 93.796787, 103.220597, 119.809252)),
        ((20, 0, 0, 0), (186.569619, 236.810042, 236.810042, 236.810042)),
    ],
)
def test_published_errors_of_w4(counts: tuple[int, ...], errors: tuple[float, ...]) -> None:
    """With fewer than thirty voters the larger of clustered and model-based error is published."""
    board = lobster.board(lobster.fit(choices_of(4, wins(*counts))), basket=ALL)

    assert column(board, "score_se") == pytest.approx(errors, abs=6e-7)
    assert all(row.few_voters for row in board.models)
