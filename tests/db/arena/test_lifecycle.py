"""The lifecycle as it is lived: newcomers, months, daily looks, and what the log says of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from arena import headers, lifecycle, refits
from arena.rebuild import rebuild
from arena.side_boards import refit_side_boards_if_due
from ledger import store
from ranking import lobster
from ranking import rules as ranking_rules
from ranking.lifecycle import State
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import MODELS, ArenaSite, at, write_pack
from tests.fixtures.arena_votes import (
    BY_NAME,
    published,
    refit,
    upkeep_of_all,
    vote_by_order,
    votes_by_order,
)

WEAK = "fenwhistle"
OTHERS = tuple(model for model in BY_NAME if model != WEAK)
NEW = ("grobnik-1", "Grobnik One", "Hollin Labs", "Vexley-Lic-7", "https://grobnik.invalid/m")

Easier = Callable[..., None]


@pytest.fixture
def easier(monkeypatch: pytest.MonkeyPatch) -> Easier:
    """Lowers numbers of the rules, so that a handful of votes is enough."""

    def lower(**numbers: float) -> None:
        changed = replace(ranking_rules.current(), **numbers)  # type: ignore[arg-type]
        monkeypatch.setattr(ranking_rules, "current", lambda: changed)

    return lower


def quick(easier: Easier) -> None:
    """Let a weak model fall by scores alone, after a few votes."""
    easier(
        observing_exposures=4,
        observing_below=1000.0,
        recovery_from=1010.0,
        elimination_exposures=6,
        elimination_exposures_observing=1,
        elimination_z=0.0,
        lifecycle_clusters=1,
        multiplier_observing=20.0,
    )


def upkeep(arena: ArenaSite, moment: str | None = None) -> None:
    """Do what the worker does each minute, at a moment of 2026 if one is given."""
    if moment is not None:
        arena.clock.now_us = at(f"2026-{moment}+00:00")
    upkeep_of_all(arena.services.ports, arena.clock())


def states(arena: ArenaSite, mode: str = "speed") -> dict[str, str]:
    """Return the models' states by slug."""
    with arena.database.read() as conn:
        known = lifecycle.states(conn, "speed" if mode == "speed" else "expert")
    return {model: state.state.value for model, state in known.items()}


def plant(arena: ArenaSite, **models: str) -> None:
    """Put models of speed into states directly; dashes of a slug are written as underlines."""
    for name, state in models.items():
        arena.execute(
            "UPDATE model_state SET state = :state WHERE model = :model AND mode = 'speed'",
            state=state,
            model=name.replace("_", "-"),
        )


def votes_against(arena: ArenaSite, count: int, weak: str = WEAK) -> None:
    """Let the others win in turn and one model lose wherever it is shown."""
    others = [model for model in BY_NAME if model != weak]
    for nth in range(count):
        turn = nth % len(others)
        vote_by_order(arena, (*others[turn:], *others[:turn], weak))
    arena.sequence()


def moves(arena: ArenaSite, cause: str | None = None) -> list[dict[str, object]]:
    """Return the bodies of the changes of state in speed, for one cause if told."""
    bodies = [event.body for event in arena.events("model.state") if event.body["mode"] == "speed"]
    return [body for body in bodies if cause is None or body["cause"] == cause]


def history(arena: ArenaSite, model: str) -> Sequence[tuple[str | None, str | None, str]]:
    """Return a model's history in speed: before, after, cause."""
    query = text(
        "SELECT before, after, cause FROM state_change"
        " WHERE model = :model AND mode = 'speed' ORDER BY at_us"
    )
    with arena.database.read() as conn:
        return [tuple(row) for row in conn.execute(query, {"model": model})]


def fallen(arena: ArenaSite, easier: Easier) -> None:
    """Live through the days in which the weak model is eliminated: 10 to 13 November."""
    quick(easier)
    upkeep(arena, "11-10T12:00:00")
    votes_against(arena, 14)
    refit(arena)
    upkeep(arena, "11-11T00:05:00")
    votes_against(arena, 8)
    refit(arena)
    upkeep(arena, "11-12T00:05:00")
    upkeep(arena, "11-13T00:05:00")


def test_newcomers_enter_once(either_arena: ArenaSite, tmp_path: Path) -> None:
    """V-080: Active in each mode, with the first showable answer, at the worker's next minute."""
    arena = either_arena
    assert states(arena) == {}
    upkeep(arena)
    assert states(arena) == states(arena, "expert") == dict.fromkeys(sorted(BY_NAME), "active")
    models = (*MODELS[:3], NEW)
    arena.import_pack(
        write_pack(tmp_path / "new", "speed", questions=2, models=models, topic="new")
    )
    arena.sequence()
    with arena.database.read() as conn:
        size = store.head(conn).size

    upkeep(arena)
    upkeep(arena)

    assert states(arena)[NEW[0]] == "active"
    assert NEW[0] not in states(arena, "expert")
    assert len(arena.events("model.state")) == 2 * len(MODELS) + 1
    last = arena.events("model.state")[-1].body
    assert (last["model"], last["before"], last["after"]) == (NEW[0], None, "active")
    assert (last["cause"], last["log_size"], last["numbers"]) == ("entered", size, {})
    assert history(arena, NEW[0]) == [(None, "active", "entered")]


def test_workers_that_race_write_everything_once(either_arena: ArenaSite) -> None:
    """Four workers in the same minute: one enters the models, opens the month, takes the look."""
    arena = either_arena
    gate = threading.Barrier(4)

    def work(_: int) -> None:
        gate.wait(10)
        upkeep(arena)

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))

    assert len(arena.events("model.state")) == 2 * len(MODELS)
    assert len(arena.events("month.opened")) == len(arena.events("lifecycle.looked")) == 2
    votes_by_order(arena, 2)

    def fit(_: int) -> bool:
        gate.wait(10)
        return refits.refit_now(arena.services.ports, "speed", "2026-11", arena.clock())

    with ThreadPoolExecutor(4) as workers:
        assert sorted(workers.map(fit, range(4))) == [False, False, False, True]


def test_a_held_answer_admits_nobody(either_arena: ArenaSite) -> None:
    """A model whose answers are all held, failed or retired does not enter."""
    arena = either_arena
    arena.execute("UPDATE answer SET state = 'held' WHERE model = :model", model=WEAK)
    upkeep(arena)
    assert WEAK not in states(arena)


def test_the_look_is_taken_at_five_past_midnight_once_a_day(either_arena: ArenaSite) -> None:
    """V-091: not before, not twice, and votes or not."""
    arena = either_arena
    upkeep(arena, "11-10T00:04:59")
    assert arena.count("lifecycle_look") == 0
    upkeep(arena, "11-10T00:05:00")
    upkeep(arena, "11-10T00:06:00")
    upkeep(arena, "11-10T23:59:59")
    assert arena.count("lifecycle_look", "mode = 'speed' AND day = '2026-11-10'") == 1
    upkeep(arena, "11-11T00:04:59")
    assert arena.count("lifecycle_look", "mode = 'speed'") == 1
    upkeep(arena, "11-12T07:00:00")

    days = [e.body["day"] for e in arena.events("lifecycle.looked") if e.body["mode"] == "speed"]
    assert days == ["2026-11-10", "2026-11-12"]
    assert set(states(arena).values()) == {"active"}


def test_a_weak_model_falls_step_by_step(either_arena: ArenaSite, easier: Easier) -> None:
    """V-085, V-087, V-088: observed, below twice, eliminated, probation after 7 days."""
    arena = either_arena
    quick(easier)
    upkeep(arena, "11-10T12:00:00")
    votes_against(arena, 14)
    first = refit(arena)
    assert states(arena)[WEAK] == "active"
    upkeep(arena, "11-11T00:05:00")
    assert states(arena)[WEAK] == "observing"
    votes_against(arena, 8)
    second = refit(arena)
    upkeep(arena, "11-12T00:05:00")
    assert states(arena)[WEAK] == "observing"
    looks = arena.count("model_state", "model = :m AND looks_below = 1", m=WEAK)
    assert looks == 1
    upkeep(arena, "11-13T00:05:00")
    assert states(arena) == {**dict.fromkeys(sorted(OTHERS), "active"), WEAK: "eliminated"}
    upkeep(arena, "11-20T00:04:59")
    assert states(arena)[WEAK] == "eliminated"
    upkeep(arena, "11-20T00:05:00")

    assert states(arena)[WEAK] == "probation"
    assert history(arena, WEAK) == [
        (None, "active", "entered"),
        ("active", "observing", "weak"),
        ("observing", "eliminated", "below"),
        ("eliminated", "probation", "waited"),
    ]
    for board, cause in ((first, "weak"), (second, "below")):
        row = board.row_of(WEAK)
        (move,) = moves(arena, cause)
        numbers = move["numbers"]
        assert row is not None
        assert isinstance(numbers, dict)
        assert numbers["score"] == f"{row.score:.2f}"
        assert numbers["score_se"] == f"{row.score_se:.6f}"
        assert numbers["exposures"] == f"{row.exposures:.6f}"
    assert states(arena, "expert")[WEAK] == "active"


def test_the_numbers_in_a_state_are_those_since_it_was_entered(
    either_arena: ArenaSite, easier: Easier
) -> None:
    """Votes before the log size of entering do not count for the next step; later ones all do."""
    arena = either_arena
    fallen(arena, easier)
    (weak,) = moves(arena, "weak")
    (below,) = moves(arena, "below")
    with arena.database.read() as conn:
        rows = conn.execute(
            store.sequenced("arena/speed/2026-11", "vote.cast", 0, store.head(conn).size)
        ).all()
    places = {row.event_id: row.idx for row in rows}
    shown = [e for e in arena.events("vote.cast") if WEAK in e.body["models"]]
    log_size = weak["log_size"]
    assert isinstance(log_size, int)
    since = [event for event in shown if places[event.id] >= log_size]

    numbers = below["numbers"]

    assert isinstance(numbers, dict)
    assert 0 < len(since) < len(shown)
    assert numbers["exposures_in_state"] == f"{len(since):.6f}"
    assert numbers["clusters_in_state"] == len({event.body["cluster"] for event in since})
    assert numbers["exposures"] == f"{len(shown):.6f}"
    assert numbers["looks_below"] == 2


def test_falls_are_withheld_when_four_models_are_left(
    either_arena: ArenaSite, easier: Easier
) -> None:
    """V-093: of three that would fall out of six, that of the highest upper bound stays."""
    arena = either_arena
    quick(easier)
    easier(observing_below=1170.0, recovery_from=1180.0)
    upkeep(arena, "11-10T12:00:00")
    votes_by_order(arena, 24)
    refit(arena)
    upkeep(arena, "11-11T00:05:00")
    observed = [model for model, state in states(arena).items() if state == "observing"]
    assert sorted(observed) == sorted(BY_NAME[3:])
    easier(elimination_exposures_observing=0, lifecycle_clusters=0)
    upkeep(arena, "11-12T00:05:00")
    upkeep(arena, "11-13T00:05:00")

    (withheld,) = [e.body for e in arena.events("model.withheld")]

    board = published(arena)
    rows = {row.model: row for row in board.rows}
    highest = max(observed, key=lambda model: rows[model].score)
    assert withheld["model"] == highest
    assert (withheld["before"], withheld["cause"], withheld["eligible"]) == (
        "observing", "below", 4,
    )  # fmt: skip
    assert withheld["numbers"]["score"] == f"{rows[highest].score:.2f}"
    assert states(arena)[highest] == "observing"
    assert list(states(arena).values()).count("eliminated") == 2
    assert history(arena, highest)[-1] == ("observing", None, "below")
    assert arena.voter().get("/").status_code == 200


def test_a_month_opens_once_and_carries_states_over(either_arena: ArenaSite) -> None:
    """V-108: after the cut of the month before; the calendar is no revival."""
    arena = either_arena
    upkeep(arena, "11-30T23:59:59")
    plant(arena, brimwick_x="observing", corvath_mini="eliminated", drumlow_70="probation")
    with arena.database.read() as conn:
        assert headers.latest(conn, "speed", "2026-12") is None

    upkeep(arena, "12-01T00:05:00")
    upkeep(arena, "12-01T00:06:00")

    assert states(arena) == {
        "brimwick-x": "active",
        "corvath-mini": "probation",
        "drumlow-70": "probation",
        "eskerine-2": "active",
        "fenwhistle": "active",
        "zanthor-9b": "active",
    }
    with arena.database.read() as conn:
        header = headers.latest(conn, "speed", "2026-12")
    assert header is not None
    assert header.basket == ("brimwick-x", "eskerine-2", "fenwhistle", "zanthor-9b")
    assert header.opened_us == at("2026-12-01T00:05:00+00:00")
    carried = moves(arena, "month")
    assert [(m["model"], m["before"], m["after"], m["month"]) for m in carried] == [
        ("brimwick-x", "observing", "active", "2026-12"),
        ("corvath-mini", "eliminated", "probation", "2026-12"),
    ]
    opened = [e.body for e in arena.events("month.opened") if e.body["mode"] == "speed"]
    assert [body["month"] for body in opened] == ["2026-11", "2026-12"]


def test_votes_and_boards_go_by_the_month_of_the_vote(either_arena: ArenaSite) -> None:
    """V-101, V-103: a vote after midnight is the new month's, whose board starts from nothing."""
    arena = either_arena
    upkeep(arena, "11-30T23:50:00")
    votes_by_order(arena, 3)
    old = refit(arena)
    upkeep(arena, "12-01T00:00:30")
    votes_by_order(arena, 2)

    new = refit(arena, month="2026-12")

    assert (old.votes, new.votes) == (3, 2)
    assert published(arena).id == old.id
    assert not refits.refit_if_due(arena.services.ports, "speed", "2026-11", arena.clock(), 1)


def december(arena: ArenaSite, **planted: str) -> None:
    """Open December with these states of November."""
    upkeep(arena, "11-30T12:00:00")
    plant(arena, **planted)
    upkeep(arena, "12-01T08:00:00")


def basket_after(arena: ArenaSite, votes: int) -> tuple[str, ...]:
    """Return the basket of December's board after so many more votes."""
    votes_by_order(arena, votes)
    board = refit(arena, month="2026-12")
    if board.basket:
        rows = {row.model: row for row in board.rows}
        mean = sum(rows[model].theta for model in board.basket) / len(board.basket)
        assert mean == pytest.approx(0, abs=1e-6)
    return board.basket


def test_the_header_sets_the_basket(
    either_arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models Active at the opening that were shown enough, when four of them were."""
    monkeypatch.setattr(lobster, "BASKET_EXPOSURES", 4)
    arena = either_arena
    december(arena, zanthor_9b="eliminated", brimwick_x="probation")

    assert basket_after(arena, 1) == ()
    assert basket_after(arena, 20) == tuple(sorted(BY_NAME[2:]))


def test_without_four_active_models_the_first_fit_sets_the_basket(
    either_arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first fit in which four were shown enough fixes it; later ones keep it."""
    monkeypatch.setattr(lobster, "BASKET_EXPOSURES", 4)
    arena = either_arena
    december(arena, zanthor_9b="eliminated", brimwick_x="probation", corvath_mini="probation")
    with arena.database.read() as conn:
        header = headers.latest(conn, "speed", "2026-12")
    assert header is not None
    assert len(header.basket) == 3
    baskets = [basket_after(arena, 2) for _ in range(8)]

    first = next(basket for basket in baskets if basket)

    assert baskets[0] == ()
    assert len(first) >= 4
    assert baskets[-1] == first
    shown = [row.model for row in published(arena, month="2026-12").rows if row.exposures >= 4]
    assert len(shown) > len(first), "later models joined no basket"


def test_real_votes_take_over_from_the_demo(
    open_empty_arena: OpenArena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """V-174: from the first real vote on, nothing of the demo is in board, basket or lifecycle."""
    monkeypatch.setattr(lobster, "BASKET_EXPOSURES", 2)
    arena = open_empty_arena()
    demo = [(f"demo-{m[0]}", m[1], m[2], m[3], m[4]) for m in MODELS]
    pack = write_pack(tmp_path / "demo", "speed", questions=9, models=demo, demo=True, topic="demo")
    arena.import_pack(pack)
    upkeep(arena)
    votes_by_order(arena, 12, [model[0] for model in demo])
    before = refit(arena)
    assert before.demo
    assert len(before.basket) >= 4
    arena.import_pack(write_pack(tmp_path / "real", "speed", questions=9))
    upkeep(arena)
    votes_by_order(arena, 1)

    after = refit(arena)

    assert not after.demo
    assert after.votes == 1
    assert {row.model for row in after.rows} <= set(BY_NAME)
    assert after.basket == ()
    assert set(states(arena)) == set(BY_NAME)


def test_a_rebuild_gives_equal_states_and_boards(either_arena: ArenaSite, easier: Easier) -> None:
    """V-054: states, history, looks, headers and all boards come back from the log alone."""
    arena = either_arena
    fallen(arena, easier)
    assert refit_side_boards_if_due(arena.services.ports, "speed", "2026-11", arena.clock())
    arena.sequence()
    upkeep(arena, "12-01T00:05:00")
    before = states(arena)
    boards = arena.count("board")

    done = rebuild(arena.database)

    assert done.differing == ()
    assert states(arena) == before
    assert before[WEAK] == State.PROBATION
    assert boards == done.rows["board"] >= 8
    assert done.rows["state_change"] == 12 + 3
    assert done.rows["month_header"] == 4
    arena.execute("UPDATE model_state SET looks_below = 5")
    assert rebuild(arena.database).differing == ("model_state",)


def test_history_rows_keep_the_numbers(either_arena: ArenaSite, easier: Easier) -> None:
    """The page of a model can show what caused each step, as the event says it."""
    arena = either_arena
    fallen(arena, easier)
    events = {event.id: event.body for event in arena.events("model.state", "model.withheld")}
    with arena.database.read() as conn:
        rows = conn.execute(text("SELECT id, numbers, at_us FROM state_change")).all()

    assert {row.id for row in rows} == set(events)
    for row in rows:
        assert json.loads(row.numbers) == events[row.id]["numbers"]
        assert row.at_us == events[row.id]["at_us"]
