"""The lifecycle: facts that hold for any models at any look. The worked examples are W-6."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking import rules
from ranking.lifecycle import Standing, State, carry_over, look, multiplier

RULES = rules.current()
DAY_US = 86_400_000_000
NOW_US = 30 * DAY_US

numbers = st.sampled_from([0.0, 1.0, 24.5, 25.0, 49.5, 50.0, 99.0, 100.0, 400.0])
scores = st.tuples(st.floats(0, 2400), st.floats(0, 300)) | st.none()
standings_of_some = st.lists(
    st.builds(
        lambda state, days, n, part, k, known, looks: Standing(
            model="",
            state=state,
            entered_us=NOW_US - days * DAY_US,
            exposures=n,
            exposures_in_state=min(n, part),
            clusters_in_state=k,
            score=known and known[0],
            score_se=known and known[1],
            looks_below=looks,
        ),
        st.sampled_from(State),
        st.integers(0, 9),
        numbers,
        numbers,
        st.sampled_from([0, 1, 9, 10, 50]),
        scores,
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=12,
).map(lambda models: [replace(model, model=f"m{i:02d}") for i, model in enumerate(models)])
ALLOWED = {
    (State.ACTIVE, State.OBSERVING),
    (State.OBSERVING, State.ACTIVE),
    (State.OBSERVING, State.ELIMINATED),
    (State.ELIMINATED, State.PROBATION),
    (State.PROBATION, State.ACTIVE),
    (State.PROBATION, State.ELIMINATED),
}


def eligible(states: object) -> int:
    """How many models may be shown."""
    assert isinstance(states, dict)
    return sum(state is not State.ELIMINATED for state in states.values())


@given(standings_of_some)
def test_only_the_published_moves_happen(standings: list[Standing]) -> None:
    """V-081, V-082: never from Active straight to Eliminated, never from there to Active."""
    seen = look(standings, NOW_US, RULES)

    before = {standing.model: standing.state for standing in standings}
    moves = {(before[model], state) for model, state in seen.states.items()}
    assert {(old, new) for old, new in moves if old is not new} <= ALLOWED
    assert seen.states.keys() == seen.looks_below.keys() == before.keys()


@given(standings_of_some)
def test_four_eligible_models_remain(standings: list[Standing]) -> None:
    """V-093: with fewer than four to begin with, none is lost."""
    before = {standing.model: standing.state for standing in standings}

    seen = look(standings, NOW_US, RULES)

    assert eligible(dict(seen.states)) >= min(4, eligible(before))


@given(standings_of_some, st.permutations(range(12)))
def test_the_order_of_the_models_does_not_matter(
    standings: list[Standing], order: list[int]
) -> None:
    """A look is a function of the set of standings."""
    shuffled = [standings[i] for i in order if i < len(standings)]

    assert look(shuffled, NOW_US, RULES) == look(standings, NOW_US, RULES)


@given(standings_of_some, st.integers(0, 40))
def test_one_win_revives_nobody(standings: list[Standing], score: int) -> None:
    """V-084: one exposure in Probation moves nothing, however high the score."""
    lucky = Standing("zz", State.PROBATION, 0, 1, 1, 1, 1200 + 30.0 * score, 0, 0)

    assert look([*standings, lucky], NOW_US, RULES).states["zz"] is State.PROBATION


@given(standings_of_some)
def test_a_second_look_at_once_moves_nobody_further(standings: list[Standing]) -> None:
    """A model that moved starts its new state with no exposures in it, so it stays there."""
    seen = look(standings, NOW_US, RULES)
    moved = [
        replace(
            standing,
            state=seen.states[standing.model],
            entered_us=NOW_US,
            exposures_in_state=0,
            clusters_in_state=0,
            looks_below=seen.looks_below[standing.model],
        )
        for standing in standings
        if seen.states[standing.model] is not standing.state
    ]

    again = look(moved, NOW_US, RULES)

    assert again.happened == ()


def test_a_model_without_score_neither_falls_nor_returns() -> None:
    """Nothing is known of it: its bounds are infinite."""
    unknown = Standing("m", State.ACTIVE, 0, 90, 90, 50, None, None, 1)
    for state in (State.ACTIVE, State.OBSERVING, State.PROBATION):
        assert look([replace(unknown, state=state)], NOW_US, RULES).happened == ()
    assert unknown.bound(1) == -unknown.bound(-1) == float("inf")


def test_a_new_month_is_no_revival() -> None:
    """V-108: Active and Observing open Active, the others in Probation."""
    assert [carry_over(state) for state in State] == [
        State.ACTIVE,
        State.ACTIVE,
        State.PROBATION,
        State.PROBATION,
    ]


def test_multipliers_and_names_of_the_states() -> None:
    """V-062, V-104: 1, 0.3, 0, 0.15, and lower-case names in files."""
    shares = {str(state): multiplier(state, RULES) for state in State}

    assert shares == {"active": 1, "observing": 0.3, "eliminated": 0, "probation": 0.15}


@pytest.mark.parametrize(
    "change", [{"score": None}, {"exposures": -1.0}, {"score_se": -1.0}, {"looks_below": -1}]
)
def test_contradictory_standings_are_refused(change: dict[str, float | None]) -> None:
    """Negative numbers, and a score without error."""
    sound = Standing("m", State.ACTIVE, 0, 10, 10, 3, 1200, 50, 0)

    with pytest.raises(ValueError, match="m: "):
        replace(sound, **change)  # type: ignore[arg-type]


def test_a_model_named_twice_is_refused() -> None:
    """Two standings of one model contradict each other."""
    one = Standing("m", State.ACTIVE, 0, 10, 10, 3, 1200, 50, 0)

    with pytest.raises(ValueError, match="twice"):
        look([one, one], NOW_US, RULES)
