"""W-6: one look at the lifecycle, every row of the table, its order and what is withheld."""

from __future__ import annotations

import pytest

from ranking import rules
from ranking.lifecycle import Cause, Look, Standing, State, Transition, Withheld, look

RULES = rules.current()
DAY_US = 86_400_000_000
HOUR_US = 3_600_000_000
NOW_US = 40 * DAY_US
A, O, E, P = State.ACTIVE, State.OBSERVING, State.ELIMINATED, State.PROBATION  # noqa: E741 - as printed

# state, n, in state, k, score, SE, looks below before, next, looks below after
ROWS = [
    (A, 49, 49, 30, 1000, 80, 0, A, 0),
    (A, 50, 50, 30, 1089.51, 80, 0, O, 0),
    (A, 50, 50, 30, 1089.53, 80, 0, A, 0),
    (A, 500, 500, 99, 700, 20, 0, O, 0),
    (O, 80, 24, 30, 1300, 50, 0, O, 0),
    (O, 80, 25, 30, 1150.02, 50, 0, A, 0),
    (O, 100, 50, 10, 1000, 64.48, 1, E, 0),
    (O, 100, 50, 10, 1000, 64.48, 0, O, 1),
    (O, 100, 50, 9, 1000, 10, 5, O, 6),
    (O, 100, 50, 10, 1000, 64.50, 1, O, 0),
    (P, 1, 1, 1, 1479, 250, 0, P, 0),
    (P, 50, 50, 10, 1281.62, 80, 0, A, 0),
    (P, 50, 50, 10, 1281.60, 80, 0, P, 0),
    (P, 100, 100, 30, 1200, 60, 0, E, 0),
    (P, 60, 60, 30, 900, 60, 0, E, 0),
]


def standing(
    model: str,
    state: State,
    n: float = 0,
    in_state: float = 0,
    k: int = 30,
    score: float | None = 1200,
    se: float | None = 10,
    looks: int = 0,
    *,
    entered_us: int = 0,
) -> Standing:
    """One model as the look sees it."""
    return Standing(model, state, entered_us, n, in_state, k, score, se, looks)


def among_others(one: Standing) -> Look:
    """A look at this model and four that stay Active."""
    others = [standing(f"other-{i}", A) for i in range(4)]
    return look([*others, one], NOW_US, RULES)


@pytest.mark.parametrize("row", ROWS, ids=[str(number) for number in range(1, len(ROWS) + 1)])
def test_rows_with_numbers(row: tuple[State, int, int, int, float, float, int, State, int]) -> None:
    """The next state, the count of looks below, and the transition with its numbers."""
    state, n, in_state, k, score, se, looks, after, looks_after = row
    one = standing("one", state, n, in_state, k, score, se, looks)

    seen = among_others(one)

    assert seen.states["one"] is after
    assert seen.looks_below["one"] == looks_after
    if after is state:
        assert seen.happened == ()
    else:
        (move,) = seen.happened
        assert isinstance(move, Transition)
        assert (move.model, move.before, move.after, move.standing) == ("one", state, after, one)
        assert move.upper == pytest.approx(score + 2.3263 * se)
        assert move.lower == pytest.approx(score - 1.6449 * se)


@pytest.mark.parametrize(
    "passed_us,after",
    [(6 * DAY_US + 23 * HOUR_US, E), (7 * DAY_US - 1, E), (7 * DAY_US, P), (9 * DAY_US, P)],
)
def test_eliminated_models_wait_seven_days(passed_us: int, after: State) -> None:
    """Time alone moves an eliminated model, votes or not."""
    one = standing("one", E, score=None, se=None, entered_us=NOW_US - passed_us)

    assert among_others(one).states["one"] is after


def falling(model: str, score: float, state: State = O) -> Standing:
    """A model that is eliminated at this look unless that is withheld."""
    return standing(model, state, 100, 100, 30, score, 10, looks=1)


def test_a_fall_that_leaves_fewer_than_four_is_withheld() -> None:
    """The last row: with four eligible left, the event is "withheld" and nothing moves."""
    others = [standing(f"other-{i}", A) for i in range(3)]

    seen = look([*others, falling("one", 900)], NOW_US, RULES)

    (event,) = seen.happened
    assert isinstance(event, Withheld)
    assert (event.transition.model, event.transition.cause) == ("one", Cause.BELOW)
    assert event.eligible == 4
    assert seen.states["one"] is O
    assert seen.looks_below["one"] == 2


def test_where_falls_are_withheld_the_highest_upper_bound_stays() -> None:
    """Of three falls one may happen: that of the lowest upper bound; equal bounds go by slug."""
    fallers = [falling("a", 900), falling("b", 950), falling("c", 950), falling("d", 800)]
    others = [standing(f"other-{i}", A) for i in range(2)]

    seen = look([*others, *fallers], NOW_US, RULES)

    assert [seen.states[model] for model in "abcd"] == [E, O, O, E]
    assert [type(event) for event in seen.happened] == [Transition, Withheld, Withheld, Transition]


def test_a_model_that_waited_makes_room_for_a_fall() -> None:
    """Time moves come first: the model back in Probation is one of the four that remain."""
    others = [standing(f"other-{i}", A) for i in range(3)]
    waited = standing("waited", E, score=None, se=None, entered_us=0)

    with_it = look([*others, falling("one", 900), waited], NOW_US, RULES)
    without = look([*others, falling("one", 900)], NOW_US, RULES)

    assert with_it.states["one"] is E
    assert without.states["one"] is O


def test_a_fall_to_observing_is_never_withheld() -> None:
    """Observing models can still be shown."""
    seen = look([standing(f"model-{i}", A, 60, 60, 30, 800, 10) for i in range(4)], NOW_US, RULES)

    assert set(seen.states.values()) == {O}


def test_the_order_of_a_look() -> None:
    """Time moves, revivals, recoveries, falls, each by slug."""
    standings = [
        standing("a-weak", A, 60, 60, 30, 800, 10),
        falling("b-below", 900),
        standing("c-back", O, 60, 30, 30, 1300, 10),
        standing("d-revived", P, 60, 60, 30, 1300, 10),
        standing("e-waited", E, score=None, se=None),
        standing("f-waited", E, score=None, se=None),
        standing("g-hopeless", P, 60, 60, 30, 800, 10),
        *[standing(f"other-{i}", A) for i in range(4)],
    ]

    seen = look(standings[::-1], NOW_US, RULES)

    assert [event.model for event in seen.happened if isinstance(event, Transition)] == [
        "e-waited",
        "f-waited",
        "d-revived",
        "c-back",
        "a-weak",
        "b-below",
        "g-hopeless",
    ]
