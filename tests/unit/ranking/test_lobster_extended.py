"""The extended board: ties, "both bad" and worst picks on one scale, and the test of that scale."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking import lobster
from ranking.lobster import BAD, NO_WORST, SAME
from tests.fixtures.choices import Pick, choices_of

FOUR = (0, 1, 2, 3)
SIZE = 5


@st.composite
def ballots(draw: st.DrawFn) -> tuple[list[Pick], list[int]]:
    """Some votes with any verdict, and their worst picks."""
    picks: list[Pick] = []
    worst = []
    for _ in range(draw(st.integers(1, 25))):
        shown = draw(st.lists(st.integers(0, SIZE - 1), min_size=2, max_size=4, unique=True))
        best = draw(st.sampled_from([*shown, SAME, BAD]))
        others = [model for model in shown if model != best]
        picks.append((shown, best))
        worst.append(NO_WORST if best < 0 else draw(st.sampled_from([NO_WORST, *others])))
    return picks, worst


def log_likelihood(
    picks: list[Pick], worst: list[int], theta: np.ndarray, same: float, bad: float
) -> float:
    """V-146 written out, one vote at a time, with the ghost on every parameter."""
    total = 0.0
    for (shown, best), last in zip(picks, worst, strict=True):
        gamma = {model: math.exp(theta[model]) for model in shown}
        weights = gamma | {
            SAME: math.exp(same) * math.prod(gamma.values()) ** (1 / len(shown)),
            BAD: math.exp(bad),
        }
        total += math.log(weights[best] / sum(weights.values()))
        left = {model: 1 / strength for model, strength in gamma.items() if model != best}
        if last != NO_WORST:
            total += math.log(left[last] / sum(left.values()))
    for value in (*theta, same, bad):
        total -= lobster.GHOST * (np.logaddexp(0, value) + np.logaddexp(0, -value))
    return total


@settings(max_examples=20)
@given(ballots())
def test_the_fit_is_the_top_of_the_written_out_likelihood(
    votes: tuple[list[Pick], list[int]],
) -> None:
    """The value agrees, and a step along any parameter, either way, loses."""
    picks, worst = votes
    fitted = lobster.fit_extended(choices_of(SIZE, picks, worst=worst))
    top = np.append(fitted.theta, fitted.extra)

    def value(parameters: np.ndarray) -> float:
        return log_likelihood(picks, worst, parameters[:SIZE], *parameters[SIZE:])

    ghosts = np.logaddexp(0, top) + np.logaddexp(0, -top)
    assert fitted.log_likelihood - lobster.GHOST * ghosts.sum() == pytest.approx(value(top))
    for step in 1e-3 * np.vstack([np.eye(SIZE + 2), -np.eye(SIZE + 2)]):
        assert value(top + step) < value(top)


@settings(max_examples=20)
@given(ballots())
def test_the_inverse_is_that_of_the_curvature(votes: tuple[list[Pick], list[int]]) -> None:
    """H⁻¹ agrees with second differences of the written-out likelihood."""
    picks, worst = votes
    fitted = lobster.fit_extended(choices_of(SIZE, picks, worst=worst))
    top, size, h = np.append(fitted.theta, fitted.extra), SIZE + 2, 1e-4

    def value(parameters: np.ndarray) -> float:
        return log_likelihood(picks, worst, parameters[:SIZE], *parameters[SIZE:])

    steps = h * np.eye(size)
    curvature = [
        [
            value(top + a + b) - value(top + a - b) - value(top - a + b) + value(top - a - b)
            for a in steps
        ]
        for b in steps
    ]

    assert fitted.inverse @ (np.array(curvature) / (-4 * h * h)) == pytest.approx(
        np.eye(size), abs=1e-4
    )


def test_without_ties_bad_votes_and_worst_picks_the_scale_is_the_official_one() -> None:
    """Then the best stage is that of `pl.1`, but for alternatives nobody takes."""
    choices = choices_of(4, [(FOUR, best) for best in (0, 0, 0, 0, 1, 1, 1, 2, 2, 3)])

    official = lobster.fit(choices, ghost=0)
    extended = lobster.fit_extended(choices, ghost=0)

    assert extended.theta == pytest.approx(official.theta, abs=1e-9)
    assert extended.verdicts == ()
    assert extended.inverse == pytest.approx(official.inverse, abs=1e-9)
    assert extended.middle == pytest.approx(official.middle, abs=1e-9)


def test_no_votes_stand_at_the_ghost() -> None:
    """An empty month: all weights are 1."""
    fitted = lobster.fit_extended(choices_of(3, []))

    assert (*fitted.theta, *fitted.extra) == (0, 0, 0, 0, 0)
    assert lobster.one_scale(choices_of(3, []), fitted) is None


def test_verdicts_move_their_own_weight() -> None:
    """More ties raise δ and more "both bad" raise γ0."""
    picks: list[Pick] = [(FOUR, best) for best in (0, 1, 2, 3)]

    few = lobster.fit_extended(choices_of(4, [*picks, (FOUR, SAME), (FOUR, BAD)]))
    many = lobster.fit_extended(choices_of(4, [*picks, *[(FOUR, SAME)] * 5, *[(FOUR, BAD)] * 9]))

    assert (many.extra > few.extra).all()
    assert many.extra[1] > many.extra[0]


def test_a_worst_pick_lowers_a_model() -> None:
    """Official strengths do not see worst picks; extended ones do."""
    picks: list[Pick] = [(FOUR, best) for best in (0, 1, 2, 3)]
    choices = choices_of(4, picks, worst=[3, 3, 3, 0])

    assert lobster.fit(choices).theta == pytest.approx(np.zeros(4), abs=1e-9)
    theta = lobster.fit_extended(choices).theta
    assert theta[3] < theta[0] < theta[1] == pytest.approx(theta[2])


def test_the_board_has_the_same_rows_and_the_two_weights() -> None:
    """γ0 has the board's zero, δ does not move with it; both have errors."""
    picks: list[Pick] = [(FOUR, best) for best in (0, 0, 1, 2, 3, SAME, SAME, BAD)]
    fitted = lobster.fit_extended(choices_of(4, picks, worst=[1, 2, 3, 1, 0, -1, -1, -1]))

    board = lobster.board(fitted, reference="A")

    assert board.board == "pl.extended.1"
    assert (board.votes, board.voters, board.same, board.bad) == (5, 8, 2, 1)
    same, bad = board.extra
    assert (same.verdict, bad.verdict) == ("same", "bad")
    assert same.log_weight == fitted.extra[0]
    assert bad.log_weight == pytest.approx(fitted.extra[1] - fitted.theta[0])
    assert bad.weight == pytest.approx(math.exp(bad.log_weight))
    assert min(same.se, bad.se) > 0
    assert lobster.board(lobster.fit(choices_of(4, picks))).extra == ()


def test_separate_scales_are_never_worse() -> None:
    """The gain is not negative, and opposite orders of best and worst are told apart."""
    agree = [3, 3, 2, 3] * 40
    oppose = [1, 0, 1, 0] * 40
    picks: list[Pick] = [(FOUR, best) for best in [0, 1, 0, 1] * 40]

    def p_of(worst: list[int]) -> float:
        choices = choices_of(4, picks, worst=worst)
        test = lobster.one_scale(choices, lobster.fit_extended(choices))
        assert test is not None
        assert test.df == 3
        assert test.statistic >= 0
        return test.p

    assert p_of(oppose) < 1e-6 < p_of(agree)


@pytest.mark.parametrize(
    "statistic,df,tail",
    [
        (3.841458820694124, 1, 0.05),
        (5.991464547107979, 2, 0.05),
        (16.918977604620448, 9, 0.05),
        (124.34211340400407, 100, 0.05),
        (0.0, 3, 1.0),
        (5.0, 7, 0.6599632296942827),
        (1400.0, 99, 1.1e-229),
    ],
)
def test_tail_of_chi_square(statistic: float, df: int, tail: float) -> None:
    """Quantiles as in any table of the distribution."""
    assert lobster.chi_square_tail(statistic, df) == pytest.approx(tail, rel=1e-9, abs=1e-200)


def test_sets_of_mixed_sizes_count_each_with_its_own_tie() -> None:
    """Votes given in two calls' worth of sets make one likelihood: sizes do not mix."""
    picks: list[Pick] = [((0, 1), SAME), ((0, 1, 2), 2), (FOUR, BAD), ((2, 3), 3)]

    fitted = lobster.fit_extended(choices_of(4, picks, worst=[-1, 0, -1, 2]))

    ghosts = np.append(fitted.theta, fitted.extra)
    ghosts = lobster.GHOST * (np.logaddexp(0, ghosts) + np.logaddexp(0, -ghosts))
    wanted = log_likelihood(picks, [-1, 0, -1, 2], fitted.theta, *fitted.extra)
    assert fitted.log_likelihood - ghosts.sum() == pytest.approx(wanted, abs=1e-9)
