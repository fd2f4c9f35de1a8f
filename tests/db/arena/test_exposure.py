"""The draw as the arena does it: it follows states and board, and logs its probability."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from itertools import combinations

import pytest
from sqlalchemy import text

from arena import boards, exposure
from arena.boards import PublishedBoard
from ranking import rules as ranking_rules
from ranking import ucbe
from ranking.exposure import SET_SIZE
from ranking.lifecycle import State, multiplier
from ranking.ucbe import Indices, Standing
from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.fixtures.arena_votes import BY_NAME, refit, upkeep_of_all, vote_by_order, votes_by_order


def indices(board: PublishedBoard | None, states: Mapping[str, State]) -> Indices:
    """Compute the indices anew from a board and states, past the arena's own way."""
    rows = {row.model: row for row in board.rows} if board else {}
    rules = ranking_rules.current()
    return ucbe.indices(
        [
            Standing(
                model,
                rows[model].gamma if model in rows else 1.0,
                rows[model].showings if model in rows else 0,
                multiplier(state, rules),
            )
            for model, state in states.items()
        ],
        rules,
    )


def enter(arena: ArenaSite, **states: State) -> dict[str, State]:
    """Let all models enter, and put some into other states directly."""
    upkeep_of_all(arena.services.ports, arena.clock())
    named = {name.replace("_", "-"): state for name, state in states.items()}
    for model, state in named.items():
        arena.execute(
            "UPDATE model_state SET state = :state WHERE model = :model",
            state=state.value,
            model=model,
        )
    return {model: named.get(model, State.ACTIVE) for model in BY_NAME}


def check_logged(arena: ArenaSite, states: Mapping[str, State]) -> int:
    """Recompute P(S) of every ballot in the log; return how many named a board."""
    on_board = 0
    for event in arena.events("ballot.issued"):
        draw, shown = event.body["draw"], [slot["model"] for slot in event.body["slots"]]
        with arena.database.read() as conn:
            board = boards.by_id(conn, event.body["board"]) if event.body["board"] else None
        known = indices(board, states)
        expected = ucbe.set_probability(shown, draw["pool"], known, ranking_rules.current())
        assert float(draw["probability"]) == pytest.approx(expected, rel=1e-12)
        assert draw["models"] == shown
        assert draw["exploration"] == repr(known.exploration)
        assert (draw["policy"], draw["pool_size"]) == (ucbe.POLICY, len(draw["pool"]))
        on_board += board is not None
    return on_board


def test_the_logged_probability_can_be_recomputed(either_arena: ArenaSite) -> None:
    """V-063: P(S) follows from the event's pool, the board that it names, and the states."""
    arena = either_arena
    states = enter(arena)
    votes_by_order(arena, 4)
    refit(arena)
    votes_by_order(arena, 3)
    refit(arena)
    votes_by_order(arena, 2)

    assert check_logged(arena, states) == 5
    pools = {tuple(event.body["draw"]["pool"]) for event in arena.events("ballot.issued")}
    assert {len(pool) for pool in pools} == {len(BY_NAME)}


def test_the_logged_probability_follows_the_states(either_arena: ArenaSite) -> None:
    """V-062: with models in all four states, the eliminated one is in no pool at all."""
    arena = either_arena
    states = enter(
        arena, zanthor_9b=State.OBSERVING, corvath_mini=State.ELIMINATED, fenwhistle=State.PROBATION
    )
    votes_by_order(arena, 4)
    refit(arena)
    votes_by_order(arena, 4)

    assert check_logged(arena, states) == 4
    for event in arena.events("ballot.issued"):
        assert set(event.body["draw"]["pool"]) == set(BY_NAME) - {"corvath-mini"}


def test_an_eliminated_model_is_never_shown(arena: ArenaSite) -> None:
    """V-062: in no ballot of its mode, while the other mode goes on showing it."""
    upkeep_of_all(arena.services.ports, arena.clock())
    arena.execute(
        "UPDATE model_state SET state = 'eliminated'"
        " WHERE mode = 'speed' AND model IN ('zanthor-9b', 'fenwhistle')"
    )

    shown = [set(vote_by_order(arena)) for _ in range(12)]
    expert = [set(vote_by_order(arena, mode="expert")) for _ in range(12)]

    assert all(models == set(BY_NAME) - {"zanthor-9b", "fenwhistle"} for models in shown)
    assert {"zanthor-9b", "fenwhistle"} <= set.union(*expert)


def chance_of(model: str, pool: list[str], known: Indices) -> float:
    """Return the chance that a draw shows a model, over all sets of the pool."""
    rules = ranking_rules.current()
    return sum(
        ucbe.set_probability(chosen, pool, known, rules)
        for chosen in combinations(pool, SET_SIZE)
        if model in chosen
    )


@pytest.mark.parametrize("voted", [False, True], ids=["no board", "board"])
def test_weaker_states_are_shown_less(arena: ArenaSite, voted: bool) -> None:
    """V-062: Active before Observing before Probation, by the probabilities that are logged."""
    model = BY_NAME[2]
    if voted:
        votes_by_order(arena, 5)
        refit(arena)
    chances = []
    for state in (State.ACTIVE, State.OBSERVING, State.PROBATION):
        enter(arena, corvath_mini=state)
        with arena.database.read() as conn:
            snapshot = arena.services.ports.catalogue.current(conn)
            board = boards.latest(conn, "speed", "2026-11")
            known = exposure.mode_indices(conn, snapshot, "speed", board)
        assert known.multiplier[model] == multiplier(state, ranking_rules.current())
        pool = sorted(known.index)
        assert sum(chance_of(each, pool, known) for each in pool) == pytest.approx(SET_SIZE)
        chances.append(chance_of(model, pool, known))

    assert chances[0] > chances[1] > chances[2] > 0
    assert chances[1] < 0.6 * chances[0]


def test_a_model_the_lifecycle_has_not_met_is_shown_as_active(either_arena: ArenaSite) -> None:
    """Between its import and the worker's next minute a newcomer is drawn as it will be."""
    arena = either_arena
    for _ in range(3):
        vote_by_order(arena)
    assert arena.count("model_state") == 0

    assert check_logged(arena, dict.fromkeys(BY_NAME, State.ACTIVE)) == 0
    assert len(arena.events("ballot.issued")) == 3


def test_fewer_than_four_eligible_models_show_nothing(either_arena: ArenaSite) -> None:
    """V-004: without four models to choose from the page says so, and no ballot is written."""
    arena = either_arena
    enter(arena, **{name.replace("-", "_"): State.ELIMINATED for name in BY_NAME[:3]})

    response = arena.voter().get("/?mode=speed")

    assert response.status_code == 503
    assert reason_of(response) is not None
    assert arena.events("ballot.issued") == []


def test_the_same_seed_draws_the_same_ballot(either_arena: ArenaSite) -> None:
    """A draw is a function of the pool, the indices and the source of randomness."""
    arena = either_arena
    enter(arena, fenwhistle=State.OBSERVING)
    with arena.database.read() as conn:
        snapshot = arena.services.ports.catalogue.current(conn)
        known = exposure.mode_indices(conn, snapshot, "speed", None)
    pool = exposure.eligible(snapshot.questions("speed")[0].answers, known)

    drawn = [exposure.draw(pool, known, random.Random(seed)) for seed in (3, 3, 4, 5)]

    assert drawn[0] == drawn[1]
    assert len({draw.models for draw in drawn}) > 1
    body = exposure.draw_body(drawn[0], pool)
    assert json.loads(json.dumps(body)) == body
    assert float(body["exploration"]) == known.exploration


def test_the_table_keeps_the_logged_probability(either_arena: ArenaSite) -> None:
    """The check by 1 / P(S) reads the very text that the log holds."""
    arena = either_arena
    enter(arena)
    votes_by_order(arena, 2)
    logged = {e.id: e.body["draw"]["probability"] for e in arena.events("ballot.issued")}
    with arena.database.read() as conn:
        rows = conn.execute(text("SELECT id, set_probability FROM ballot")).all()
    assert {row.id: row.set_probability for row in rows} == logged
