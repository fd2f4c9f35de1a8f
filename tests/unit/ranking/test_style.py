"""The style board: strengths with length and formatting held equal."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking import lobster, style
from ranking.lobster import Floats
from ranking.picks import Picks
from tests.fixtures.choices import choices_of
from tests.fixtures.simulated import simulated

NAMES = ("length", "marks")
SIZE = 4
DRAWN = st.lists(
    st.tuples(
        st.lists(st.integers(0, SIZE - 1), min_size=2, max_size=4, unique=True),
        st.integers(1, 2_000_000),
        st.integers(0, 3),
        st.lists(st.floats(-2, 2), min_size=8, max_size=8),
    ),
    min_size=2,
    max_size=12,
)
Drawn = list[tuple[list[int], int, int, list[float]]]


def problem_of(drawn: Drawn) -> tuple[lobster.Choices, Floats]:
    """Votes for the first of each set, with two numbers an answer."""
    choices = choices_of(
        SIZE,
        [(shown, shown[0]) for shown, _, _, _ in drawn],
        weights=[weight for _, weight, _, _ in drawn],
        clusters=[cluster for _, _, cluster, _ in drawn],
    )
    width = choices.sets.shape[1]
    values = np.array([numbers for *_, numbers in drawn]).reshape(len(drawn), 4, 2)
    return choices, values[:, :width]


def plain_covariates(drawn: Drawn) -> list[list[list[float]]]:
    """Centred by ballot, over the deviation of all centred values: with lists and loops."""
    away = []
    for shown, _, _, numbers in drawn:
        rows = [numbers[2 * place : 2 * place + 2] for place in range(len(shown))]
        means = [sum(row[f] for row in rows) / len(rows) for f in range(2)]
        away.append([[row[f] - means[f] for f in range(2)] for row in rows])
    flat = [row for rows in away for row in rows]
    scale = [math.sqrt(sum(row[f] ** 2 for row in flat) / len(flat)) for f in range(2)]
    return [
        [[row[f] / scale[f] if scale[f] > 1e-9 else 0.0 for f in range(2)] for row in rows]
        for rows in away
    ]


def slow_objective(drawn: Drawn, point: list[float]) -> float:
    """The penalised log-likelihood, one vote at a time."""
    value = -0.5 * sum(math.log1p(math.exp(p)) + math.log1p(math.exp(-p)) for p in point)
    for (shown, weight, _, _), rows in zip(drawn, plain_covariates(drawn), strict=True):
        worth = [
            point[model] + sum(x * b for x, b in zip(row, point[SIZE:], strict=True))
            for model, row in zip(shown, rows, strict=True)
        ]
        value += weight / 1e6 * (worth[0] - math.log(sum(math.exp(w) for w in worth)))
    return value


def moved(point: list[float], *steps: tuple[int, float]) -> list[float]:
    """The point with some coordinates moved."""
    copy = list(point)
    for i, step in steps:
        copy[i] += step
    return copy


def point_of(fitted: style.StyleFit) -> list[float]:
    """Strengths, then coefficients."""
    return [*fitted.strengths.theta.tolist(), *(c.beta for c in fitted.coefficients)]


@settings(max_examples=25, deadline=None)
@given(DRAWN)
def test_agrees_with_a_slow_oracle(drawn: Drawn) -> None:
    """The slow objective has its maximum there, and its curvature gives the model's errors."""
    choices, values = problem_of(drawn)

    fitted = style.fit(choices, values, NAMES)

    point, h = point_of(fitted), 1e-4
    at = slow_objective(drawn, point)
    ends = [
        (slow_objective(drawn, moved(point, (i, h))), slow_objective(drawn, moved(point, (i, -h))))
        for i in range(6)
    ]
    assert [(up - down) / (2 * h) for up, down in ends] == pytest.approx([0] * 6, abs=1e-6)
    assert fitted.strengths.penalised_log_likelihood - at == pytest.approx(
        slow_ghosts(choices, fitted), abs=1e-9
    )
    curvature = [
        [
            (
                slow_objective(drawn, moved(point, (i, h), (j, h)))
                - slow_objective(drawn, moved(point, (i, h), (j, -h)))
                - slow_objective(drawn, moved(point, (i, -h), (j, h)))
                + slow_objective(drawn, moved(point, (i, -h), (j, -h)))
            )
            / (4 * h * h)
            for j in range(6)
        ]
        for i in range(6)
    ]
    inverse = np.linalg.inv(-np.array(curvature))
    assert fitted.strengths.inverse == pytest.approx(inverse[:SIZE, :SIZE], abs=1e-4)


def slow_ghosts(choices: lobster.Choices, fitted: style.StyleFit) -> float:
    """What models never shown take from the slow objective; the fit leaves them out."""
    never = int((fitted.strengths.exposures == 0).sum())
    return never * math.log(2)


@settings(max_examples=15, deadline=None)
@given(DRAWN)
def test_joint_errors_clustered_by_voter(drawn: Drawn) -> None:
    """The sandwich of strengths and coefficients together, by its definition."""
    choices, values = problem_of(drawn)
    fitted = style.fit(choices, values, NAMES)
    point = np.array(point_of(fitted))

    scores: dict[int, Floats] = {}
    for (shown, weight, cluster, _), rows in zip(drawn, plain_covariates(drawn), strict=True):
        design = np.zeros((len(shown), 6))
        design[range(len(shown)), shown] = 1
        design[:, SIZE:] = rows
        odds = np.exp(design @ point)
        score = weight / 1e6 * (design[0] - odds @ design / odds.sum())
        scores[cluster] = scores.get(cluster, np.zeros(6)) + score
    groups = len(scores)
    q = 1 / (1 + np.exp(-point))
    if groups == 1:
        assert fitted.strengths.middle is None
        return
    middle = sum((np.outer(s, s) for s in scores.values()), np.zeros((6, 6)))
    middle = middle * groups / (groups - 1) + np.diag(0.5 * ((1 - q) ** 2 + q**2))
    picks = Picks.of(choices)
    x, _ = style._centred(picks, values[picks.rows])
    problem = style._Problem(picks, x, 0.5)
    inverse = np.linalg.inv(problem.information(point, problem.objective(point)[0]))
    joint = inverse @ middle @ inverse

    assert fitted.strengths.middle is not None
    own = fitted.strengths.inverse @ fitted.strengths.middle @ fitted.strengths.inverse
    assert own == pytest.approx(joint[:SIZE, :SIZE], rel=1e-6, abs=1e-8)
    expected = np.sqrt(np.maximum(np.diag(joint), np.diag(inverse)))[SIZE:]
    assert [c.se for c in fitted.coefficients] == pytest.approx(expected.tolist(), rel=1e-6)


def test_a_known_effect_is_found() -> None:
    """Strengths and effects of a simulation lie within their errors; the plain board is bent."""
    theta = np.linspace(0.6, -0.6, 8)
    rng = np.random.default_rng(11)
    votes = 30_000
    sets = simulated(theta, votes, voters=3_000, seed=4).sets
    # The weakest models write most.
    values = np.stack([rng.normal(sets * 0.3, 1), rng.normal(size=sets.shape)], axis=2)
    centred = values - values.mean(axis=1, keepdims=True)
    deviation = centred.std(axis=(0, 1))
    shift = centred[:, :, 0] / deviation[0] * 0.5 - centred[:, :, 1] / deviation[1] * 0.2
    choices = simulated(theta, votes, voters=3_000, seed=4, shift=shift)

    fitted = style.fit(choices, values, NAMES)

    length, marks = fitted.coefficients
    assert (length.deviation, marks.deviation) == pytest.approx(tuple(deviation))
    assert abs(length.beta - 0.5) < 3 * length.se < 0.1
    assert abs(marks.beta + 0.2) < 3 * marks.se < 0.1
    assert length.low < length.beta < length.high
    assert length.points == pytest.approx(length.beta * 173.7178, abs=1e-4)
    board = style.style_board(fitted, basket=choices.models)
    errors = [(row.theta - theta[choices.models.index(row.model)]) / row.se for row in board.models]
    assert max(abs(error) for error in errors) < 3.5
    plain = lobster.board(lobster.fit(choices), basket=choices.models)
    bent = {row.model: row.theta for row in plain.models}
    assert bent["H"] > theta[-1] + 0.3


def test_features_that_never_differ_change_nothing() -> None:
    """Without style the board is the official one, under another name."""
    choices = simulated(np.array([1.0, 0.5, 0, 0, -1]), 400, voters=60, seed=3)
    values = np.broadcast_to(np.arange(400.0)[:, None, None] / 7, (400, 4, 1)).copy()

    fitted = style.fit(choices, values, ("length",))

    official = lobster.board(lobster.fit(choices))
    made = style.style_board(fitted)
    assert made.board == "pl.style.1"
    assert [row.model for row in made.models] == [row.model for row in official.models]
    for mine, theirs in zip(made.models, official.models, strict=True):
        assert (mine.theta, mine.se) == pytest.approx((theirs.theta, theirs.se), abs=1e-8)
        assert (mine.best_place, mine.worst_place) == (theirs.best_place, theirs.worst_place)
    (coefficient,) = fitted.coefficients
    assert (coefficient.beta, coefficient.deviation) == (0, 0)


def test_an_effect_that_always_wins_stays_finite() -> None:
    """The longest answer wins every time: the ghost keeps the coefficient in bounds."""
    values = np.array([[[3.0], [1], [0], [1]]] * 20)
    choices = choices_of(
        4, [((i % 4, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4), i % 4) for i in range(20)]
    )

    (coefficient,) = style.fit(choices, values, ("length",)).coefficients

    assert 2 < coefficient.beta < 20
    assert coefficient.low > 0


def test_no_votes_give_no_effect() -> None:
    """An empty month has a board too."""
    choices = choices_of(3, [])

    fitted = style.fit(choices, np.zeros((0, 2, 1)), ("length",))

    assert fitted.strengths.theta.tolist() == [0, 0, 0]
    assert fitted.coefficients[0].beta == 0
    assert fitted.coefficients[0].se == pytest.approx(2)


@pytest.mark.parametrize(
    "values,names,ghost",
    [
        (np.zeros((2, 3, 1)), ("a",), 0.5),
        (np.zeros((1, 3, 2)), ("a",), 0.5),
        (np.zeros((1, 3, 0)), (), 0.5),
        (np.full((1, 3, 1), np.nan), ("a",), 0.5),
        (np.zeros((1, 3, 1)), ("a",), 0.0),
    ],
)
def test_wrong_use_is_refused(values: Floats, names: tuple[str, ...], ghost: float) -> None:
    """Shapes, values and ghost."""
    with pytest.raises(lobster.WrongUseError):
        style.fit(choices_of(3, [((0, 1, 2), 1)]), values, names, ghost=ghost)


def test_an_official_fit_of_other_votes_is_refused() -> None:
    """Tallies and components come from it."""
    choices = choices_of(3, [((0, 1, 2), 1)])
    other = lobster.fit(choices_of(4, [((0, 1, 2), 1)]))

    with pytest.raises(lobster.WrongUseError, match="other models"):
        style.fit(choices, np.zeros((1, 3, 1)), ("a",), official=other)
