"""Past boards, exposures and faults are read alike from both databases."""

from __future__ import annotations

import random
from dataclasses import replace

from antiabuse.identity import new_voter_id
from arena import board_history, boards, fit_faults, refits, state_history
from arena.exposure_counts import ExposureCounts
from arena.side_boards import refit_side_boards_if_due
from ranking.lifecycle import State
from tests.fixtures.arena_site import MODELS, ArenaSite
from tests.fixtures.arena_votes import upkeep_of_all
from tests.fixtures.simulated_month import MONTH, vote_once


def fill(site: ArenaSite, rounds: int) -> None:
    """Vote and publish a few times."""
    rng = random.Random(2)
    upkeep_of_all(site.services.ports, site.clock())
    for _ in range(rounds):
        for _ in range(4):
            vote_once(site, new_voter_id(rng), rng)
        site.sequence(after_s=120)
        assert refits.refit_now(site.services.ports, "speed", MONTH, site.clock())
    assert refit_side_boards_if_due(site.services.ports, "speed", MONTH, site.clock())


def test_the_past_is_read_back(either_arena: ArenaSite) -> None:
    """Course, kinds, months' ends and the board before a moment agree with what was published."""
    fill(either_arena, 4)
    with either_arena.database.read() as conn:
        last = boards.latest(conn, "speed", MONTH)
        assert last is not None
        course = board_history.course(conn, last, 100)
        kinds = board_history.kinds(conn, "speed", MONTH)
        ends = board_history.month_ends(conn, "speed")
        parts = board_history.category_boards(conn, "speed", MONTH)
        before = board_history.before(conn, last, last.computed_us - 1)
        first = board_history.before(conn, course[0], course[0].computed_us - 1)
        style = boards.latest(conn, "speed", MONTH, "style")
        assert style is not None
        beside = board_history.official_beside(conn, style)
        checks = [board_history.checks_beside(conn, each) for each in (last, course[2])]
        checks += [board_history.checks_beside(conn, replace(last, demo=not last.demo))]
        published = boards.latest(conn, "speed", MONTH, "checks")
        thinned = board_history.course(conn, course[2], 1)
    assert len(course) == 4
    assert course[-1] == last
    assert [each.log_size for each in course] == sorted(each.log_size for each in course)
    assert kinds.views == {
        "official",
        "style",
        "makers",
        "extended",
        "head_to_head",
        "checks",
    }
    assert kinds.categories == ("Tests",)
    assert list(ends) == [last]
    assert [each.category for each in parts] == ["Tests"]
    assert before == course[2]
    assert first is None
    assert beside == last
    assert published is not None
    assert checks == [published, None, None]
    assert thinned[-1] == course[2]
    assert len(thinned) <= 2


def test_exposures_grow_with_the_board(either_arena: ArenaSite) -> None:
    """Counts of a board are the same whether counted anew or added to an older board's."""
    fill(either_arena, 3)
    with either_arena.database.read() as conn:
        last = boards.latest(conn, "speed", MONTH)
        assert last is not None
        course = board_history.course(conn, last, 100)
        growing = ExposureCounts()
        grown = [growing.of(conn, each) for each in course]
        anew = [ExposureCounts().of(conn, each) for each in course]
        again = growing.of(conn, course[0])
    assert [(e.ballots, dict(e.issued), dict(e.voted)) for e in grown] == [
        (e.ballots, dict(e.issued), dict(e.voted)) for e in anew
    ]
    assert [each.ballots for each in grown] == [4, 8, 12]
    assert dict(again.issued) == dict(anew[0].issued)
    assert sum(grown[-1].issued.values()) == 48


def test_states_are_known_at_a_moment(either_arena: ArenaSite) -> None:
    """Before it entered a model has no state, and is Active from then on."""
    began = either_arena.clock()
    fill(either_arena, 1)
    with either_arena.database.read() as conn:
        known = state_history.changes(conn, "speed")
        own = state_history.changes(conn, "speed", MODELS[0][0])
    assert len(known) == len(MODELS)
    assert [change.model for change in own] == [MODELS[0][0]]
    assert state_history.states_at(known, began - 1) == {}
    found = state_history.states_at(known, either_arena.clock())
    assert found == {model[0]: State.ACTIVE for model in MODELS}


def test_a_fault_keeps_its_first_moment(either_arena: ArenaSite) -> None:
    """Repeated failures keep the first moment and the last words; each mode has its own."""
    database = either_arena.database
    fit_faults.record(database, "speed", 10, "first")
    fit_faults.record(database, "speed", 20, "second")
    fit_faults.record(database, "expert", 30, "other")
    fit_faults.clear(database, "expert")
    fit_faults.clear(database, "expert")
    with database.read() as conn:
        found = fit_faults.standing(conn)
    assert found == {"speed": fit_faults.FitFault("speed", 10, "second")}
