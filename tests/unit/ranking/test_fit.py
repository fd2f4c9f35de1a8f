"""The fit: facts that hold for any votes, and agreement with a slow, obvious method."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking import lobster
from tests.fixtures.choices import Pick, choices_of

SIZE = 6
picks_of_some = st.lists(
    st.lists(st.integers(0, SIZE - 1), min_size=2, max_size=4, unique=True).map(
        lambda shown: (tuple(shown), shown[0])
    ),
    min_size=1,
    max_size=40,
)
weights_of = st.integers(1, 3_000_000)


def slow_fit(size: int, picks: Sequence[Pick], weights: Sequence[float]) -> list[float]:
    """Minorise-maximise with the ghost (Hunter 2004, eq. 30), one vote at a time.

    Each model's half win and half loss against strength 1 is one more contest of weight 1, in
    which it takes half the win.
    """
    gamma = [1.0] * size
    for _ in range(20_000):
        new = []
        for i in range(size):
            won = sum(w for (_, best), w in zip(picks, weights, strict=True) if best == i) + 0.5
            met = 1 / (gamma[i] + 1)
            for (shown, _), w in zip(picks, weights, strict=True):
                if i in shown:
                    met += w / sum(gamma[j] for j in shown)
            new.append(won / met)
        done = max(abs(a / b - 1) for a, b in zip(new, gamma, strict=True)) < 1e-13
        gamma = new
        if done:
            break
    return gamma


@settings(max_examples=15)
@given(st.data())
def test_agrees_with_a_slow_oracle(data: st.DataObject) -> None:
    """Newton's method on arrays finds what minorise-maximise on lists finds."""
    picks = data.draw(picks_of_some.filter(lambda votes: len(votes) <= 15))
    weights = data.draw(st.lists(weights_of, min_size=len(picks), max_size=len(picks)))

    fitted = lobster.fit(choices_of(SIZE, picks, weights=weights))

    oracle = np.log(slow_fit(SIZE, picks, [weight / 1e6 for weight in weights]))
    assert fitted.theta == pytest.approx(oracle, abs=1e-8)


@given(picks_of_some)
def test_ghost_balances_the_strengths(picks: list[Pick]) -> None:
    """The sum of γ/(γ + 1) over the models is half their number."""
    fitted = lobster.fit(choices_of(SIZE, picks))

    balance = (1 / (1 + np.exp(-fitted.theta))).sum()
    assert balance == pytest.approx(SIZE / 2, abs=1e-9)


@given(picks_of_some, st.lists(st.floats(-300, 300), min_size=SIZE, max_size=SIZE))
def test_any_start_gives_the_same_strengths(picks: list[Pick], start: list[float]) -> None:
    """V-040: two starts agree to 1e-8."""
    choices = choices_of(SIZE, picks)

    cold = lobster.fit(choices)
    warm = lobster.fit(choices, start=dict(zip(choices.models, start, strict=True)))

    assert warm.theta == pytest.approx(cold.theta, abs=1e-8)


def test_a_start_from_which_bare_newton_swings_for_ever_converges() -> None:
    """Two equal models started 2.5 apart: full steps of the allowed length would overshoot back."""
    choices = choices_of(2, [((0, 1), 0), ((0, 1), 1)], weights=[10**9, 10**9])

    fitted = lobster.fit(choices, start={"A": 1.25, "B": -1.25})

    assert fitted.theta == pytest.approx([0, 0], abs=1e-8)
    assert fitted.iterations < 10


def test_the_last_fit_is_a_start_that_saves_steps() -> None:
    """Started at its own maximum, a fit takes one step to see it."""
    choices = choices_of(4, [((0, 1, 2, 3), 0)] * 7 + [((0, 1, 2, 3), 2)] * 3)
    first = lobster.fit(choices)

    again = lobster.fit(choices, start=dict(zip(choices.models, first.theta, strict=True)))

    assert again.iterations == 1 < first.iterations


@given(picks_of_some, st.randoms(use_true_random=False))
def test_labels_and_order_of_votes_do_not_matter(picks: list[Pick], rng: random.Random) -> None:
    """Renaming models, and reordering votes and slots, changes nothing else."""
    names = list(range(SIZE))
    rng.shuffle(names)
    renamed = [
        (tuple(rng.sample([names[i] for i in shown], len(shown))), names[best])
        for shown, best in picks
    ]
    order = rng.sample(range(len(picks)), len(picks))

    plain = lobster.fit(choices_of(SIZE, picks))
    moved = lobster.fit(choices_of(SIZE, [renamed[i] for i in order], clusters=order))

    assert moved.theta[names] == pytest.approx(plain.theta, abs=1e-9)
    assert moved.inverse[np.ix_(names, names)] == pytest.approx(plain.inverse, abs=1e-9)
    if plain.middle is not None and moved.middle is not None:
        assert moved.middle[np.ix_(names, names)] == pytest.approx(plain.middle, abs=1e-9)


@given(picks_of_some, st.integers(2, 1_999_999))
def test_a_vote_split_in_two_counts_as_before(picks: list[Pick], part: int) -> None:
    """A weight given in two parts by one voter is the same vote: the board is the same."""
    whole = [2_000_000] * len(picks)
    voters = list(range(len(picks)))

    one = lobster.board(lobster.fit(choices_of(SIZE, picks, weights=whole)))
    two = lobster.board(
        lobster.fit(
            choices_of(
                SIZE,
                [*picks, picks[0]],
                weights=[part, *whole[1:], 2_000_000 - part],
                clusters=[*voters, 0],
            )
        )
    )

    for before, after in zip(by_name(one), by_name(two), strict=True):
        assert after.theta == pytest.approx(before.theta, abs=1e-9)
        assert after.se == pytest.approx(before.se, abs=1e-9)
        assert (after.exposures, after.best) == (before.exposures, before.best)


def by_name(board: lobster.Board) -> list[lobster.Row]:
    """Rows by slug."""
    return sorted(board.models, key=lambda row: row.model)


@given(picks_of_some)
def test_a_model_never_shown_changes_nobody(picks: list[Pick]) -> None:
    """V-042 and V-162: it stands at the ghost; scores, errors and places of the others stay."""
    without = lobster.board(lobster.fit(choices_of(SIZE, picks)))
    extra = lobster.fit(choices_of(SIZE + 1, picks), start={"G": 5.0})
    with_extra = lobster.board(extra)

    assert extra.theta[SIZE] == 0.0
    for before, after in zip(by_name(without), by_name(with_extra)[:SIZE], strict=True):
        assert after.score == pytest.approx(before.score, abs=1e-9)
        assert (after.low, after.high) == pytest.approx((before.low, before.high), abs=1e-9)
        assert (after.best_place, after.worst_place) == (before.best_place, before.worst_place)


@given(picks_of_some, st.integers(2, 50))
def test_without_ghost_the_scale_of_the_weights_does_not_matter(
    picks: list[Pick], scale: int
) -> None:
    """Plain maximum likelihood depends on the proportions of the weights only."""
    cycle: list[Pick] = [((i, (i + 1) % SIZE), i) for i in range(SIZE)]
    votes = [*picks, *cycle]

    one = lobster.fit(choices_of(SIZE, votes), ghost=0)
    many = lobster.fit(choices_of(SIZE, votes, weights=[scale * 10**6] * len(votes)), ghost=0)

    assert many.theta == pytest.approx(one.theta, abs=1e-8)


def test_votes_of_weight_zero_count_for_nothing() -> None:
    """They are in no tally, no cluster and no likelihood."""
    votes: list[Pick] = [((0, 1, 2, 3), 0), ((0, 1, 2, 3), 1)]

    one = lobster.fit(choices_of(4, votes[:1]))
    two = lobster.fit(choices_of(4, votes, weights=[10**6, 0]))

    assert two.theta.tolist() == one.theta.tolist()
    assert (two.votes, two.clusters, two.log_likelihood) == (1, 1, one.log_likelihood)


def test_one_sided_votes_stay_finite_with_the_ghost() -> None:
    """A hundred thousand wins without a loss converge."""
    fitted = lobster.fit(choices_of(2, [((0, 1), 0)], weights=[10**11]))

    assert np.isfinite(fitted.theta).all()
    assert fitted.theta[0] > 5 > -5 > fitted.theta[1]


@pytest.mark.parametrize(
    "picks",
    [
        [((0, 1, 2), 0), ((0, 1, 2), 1)],
        [((0, 1), 0), ((0, 1), 1), ((0, 2), 0)],
        [((0, 1), 0), ((0, 1), 1)],
        [],
    ],
    ids=["never wins", "loses to one only", "never shown", "no votes"],
)
def test_without_ghost_an_undetermined_strength_is_an_error(picks: list[Pick]) -> None:
    """Plain maximum likelihood refuses votes that leave a strength zero, infinite or open."""
    with pytest.raises(lobster.NoFiniteMaximumError):
        lobster.fit(choices_of(3, picks), ghost=0)


@pytest.mark.parametrize("ghost", [-1.0, float("nan"), float("inf")])
def test_a_ghost_that_is_no_number_of_wins_is_refused(ghost: float) -> None:
    """The ghost's strength must be 0 or positive and finite."""
    with pytest.raises(lobster.LobsterError):
        lobster.fit(choices_of(2, [((0, 1), 0)]), ghost=ghost)


def test_a_fit_that_does_not_settle_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """No half-finished strengths are ever returned."""
    monkeypatch.setattr(lobster, "MAX_ITERATIONS", 2)

    with pytest.raises(lobster.NotConvergedError):
        lobster.fit(choices_of(4, [((0, 1, 2, 3), 0)] * 9))


@pytest.mark.parametrize(
    "picks,worst,fault",
    [
        ([((0, 4), 0)], [-1], "unknown model"),
        ([((0, 0), 0)], [-1], "twice"),
        ([((0,), 0)], [-1], "fewer than two"),
        ([((0, 1), 2)], [-1], "not in its set"),
        ([((0, 1), -3)], [-1], "unknown verdict"),
        ([((0, 1), 0)], [2], "not in its set"),
        ([((0, 1), 0)], [0], "another model"),
        ([((0, 1), lobster.SAME)], [1], "another model"),
    ],
)
def test_contradictory_votes_are_refused(picks: list[Pick], worst: list[int], fault: str) -> None:
    """Each way in which the fields of a vote can contradict each other has its own message."""
    with pytest.raises(lobster.VotesError, match=fault):
        choices_of(4, picks, worst=worst)


@pytest.mark.parametrize(
    "weights,fault", [([-1], "negative"), ([2**53], "too large"), ([1, 1], "one entry a vote")]
)
def test_impossible_weights_are_refused(weights: list[int], fault: str) -> None:
    """Weights are not negative, add up exactly, and come one a vote."""
    with pytest.raises(lobster.VotesError, match=fault):
        choices_of(2, [((0, 1), 0)], weights=weights)


@pytest.mark.parametrize(
    "text,amount",
    [("1", 10**6), ("0.99875", 998_750), ("0.000001", 1), ("0", 0), ("68", 68 * 10**6)],
)
def test_weights_are_read_exactly(text: str, amount: int) -> None:
    """A decimal string becomes a whole number of millionths."""
    assert lobster.millionths(text) == amount


@pytest.mark.parametrize(
    "text", ["0.0000001", "-1", "1e3", "NaN", "", " 1", "1.", ".5", "١", 1, None]
)
def test_weights_that_are_no_plain_decimals_are_refused(text: object) -> None:
    """Anything else raises rather than being rounded or guessed."""
    with pytest.raises(lobster.VotesError):
        lobster.millionths(text)
