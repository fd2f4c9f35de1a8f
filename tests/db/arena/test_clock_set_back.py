"""A clock that ran ahead and was put right: boards, months, looks and sweeps go on as before."""

from __future__ import annotations

from collections import Counter

import pytest
from sqlalchemy import text

from arena import board_history, headers, lifecycle, state_history, sweep
from arena.lifecycle_events import StateChanged
from arena.rebuild import rebuild
from arena.side_boards import refit_side_boards_if_due
from arena.sweep_report import last_sweep, overdue_sweeps
from ranking.lifecycle import State
from tests.fixtures.arena_site import ArenaSite, at
from tests.fixtures.arena_votes import BY_NAME, published, refit, vote_by_order, votes_by_order
from tests.fixtures.state_changes import write_change
from webapp import jobs

DAY_S = 86_400
CROWD = 8  # voters of one address on one day: V-125


def tend(arena: ArenaSite, moment: str) -> None:
    """Do what the worker does each minute, at a moment of 2026."""
    arena.sequence()
    arena.clock.now_us = at(f"2026-{moment}:00+00:00")
    jobs.tend(arena.services, "speed")


def in_turn(arena: ArenaSite, count: int) -> None:
    """Let models win in turn, and sequence the votes."""
    for nth in range(count):
        turn = nth % len(BY_NAME)
        vote_by_order(arena, (*BY_NAME[turn:], *BY_NAME[:turn]))
    arena.sequence()


def counted(arena: ArenaSite, month: str = "2026-11") -> int:
    """Return the votes of a month's newest board."""
    return published(arena, month=month).votes


def looks(arena: ArenaSite) -> dict[str, int]:
    """Return the moments of the looks by day, or month for a cut."""
    query = text("SELECT day, at_us FROM lifecycle_look WHERE mode = 'speed'")
    with arena.database.read() as conn:
        return {row.day: row.at_us for row in conn.execute(query)}


def opened_us(arena: ArenaSite, month: str) -> int | None:
    """Return when a month was opened."""
    with arena.database.read() as conn:
        header = headers.latest(conn, "speed", month)
    return None if header is None else header.opened_us


def test_a_board_from_the_future_does_not_stop_the_next(either_arena: ArenaSite) -> None:
    """With the last board a week ahead, the next comes at once, and then once a minute."""
    arena = either_arena
    tend(arena, "11-10T12:00")
    in_turn(arena, 2)
    tend(arena, "11-17T12:00")
    assert counted(arena) == 2

    arena.clock.now_us = at("2026-11-10T13:00:00+00:00")
    in_turn(arena, 2)
    assert jobs.tend(arena.services, "speed")
    assert counted(arena) == 4
    in_turn(arena, 1)
    arena.clock.now_us = published(arena).computed_us + 59_000_000
    assert not jobs.tend(arena.services, "speed")
    arena.clock.advance(1)
    assert jobs.tend(arena.services, "speed")
    assert counted(arena) == 5


def test_boards_beside_one_from_the_future_keep_their_interval(either_arena: ArenaSite) -> None:
    """They come at once after the clock was put right, and then not more often than before."""
    arena = either_arena

    def beside() -> bool:
        return refit_side_boards_if_due(arena.services.ports, "speed", "2026-11", arena.clock())

    tend(arena, "11-10T12:00")
    in_turn(arena, 4)
    arena.clock.advance(7 * DAY_S)
    refit(arena)
    assert beside()

    arena.clock.advance(-7 * DAY_S)
    in_turn(arena, 2)
    refit(arena)
    assert beside()
    votes_by_order(arena, 1)
    refit(arena)
    assert not beside()


def test_the_board_before_a_moment_is_the_newest_by_the_log(either_arena: ArenaSite) -> None:
    """A board of few votes that bears a later time is not what later boards are measured from."""
    arena = either_arena
    tend(arena, "11-10T12:00")
    in_turn(arena, 2)
    arena.clock.advance(DAY_S)
    ahead = refit(arena)
    arena.clock.advance(-DAY_S)
    in_turn(arena, 2)
    right = refit(arena)
    arena.clock.advance(2 * DAY_S)
    in_turn(arena, 2)
    last = refit(arena)
    with arena.database.read() as conn:
        assert board_history.before(conn, last, last.computed_us - 1) == right
        assert board_history.before(conn, right, ahead.computed_us) == right
        assert board_history.before(conn, ahead, last.computed_us) == ahead


def test_a_month_cut_too_early_is_cut_again(either_arena: ArenaSite) -> None:
    """Votes after a clock's trip into December are on November's last board, and looked at."""
    arena = either_arena
    tend(arena, "11-20T12:00")
    in_turn(arena, 3)
    tend(arena, "12-03T12:00")
    assert counted(arena) == 3
    assert "2026-11" in looks(arena)

    tend(arena, "11-21T12:00")
    in_turn(arena, 3)
    tend(arena, "11-30T23:50")
    arena.clock.now_us = at("2026-11-30T23:56:00+00:00")
    in_turn(arena, 2)
    tend(arena, "12-01T00:05")
    for minute in ("00:06", "00:30"):
        tend(arena, f"12-01T{minute}")

    assert counted(arena) == 8
    cuts = [e.body for e in arena.events("lifecycle.looked") if e.body["day"] == "2026-11"]
    assert [body["board"] for body in cuts if body["mode"] == "speed"][1:] == [published(arena).id]
    assert looks(arena)["2026-11"] == at("2026-12-01T00:00:00+00:00") - 1
    assert opened_us(arena, "2026-12") == at("2026-12-01T00:05:00+00:00")
    assert rebuild(arena.database).differing == ()


def test_a_month_opened_too_early_carries_states_over_again(either_arena: ArenaSite) -> None:
    """The zero of December is made of the models that are Active when it begins."""
    arena, falling = either_arena, BY_NAME[-1]
    tend(arena, "11-20T12:00")
    in_turn(arena, 1)
    tend(arena, "12-03T12:00")
    tend(arena, "11-21T12:00")
    arena.execute(
        "UPDATE model_state SET state = 'eliminated', entered_us = :ahead"
        " WHERE model = :model AND mode = 'speed'",
        model=falling,
        ahead=at("2026-12-03T12:00:00+00:00"),
    )
    tend(arena, "12-01T00:05")

    with arena.database.read() as conn:
        header = headers.latest(conn, "speed", "2026-12")
        states = lifecycle.states(conn, "speed")
        known = state_history.changes(conn, "speed", falling)
    assert header is not None
    assert set(header.basket) == set(BY_NAME) - {falling}
    assert states[falling].state is State.PROBATION
    assert state_history.states_at(known, arena.clock()) == {falling: State.PROBATION}


def test_a_day_is_looked_at_although_a_clock_was_there_before(either_arena: ArenaSite) -> None:
    """A look of a day that had not come is taken again when it comes, once."""
    arena = either_arena
    tend(arena, "11-10T12:00")
    tend(arena, "11-16T12:00")
    tend(arena, "11-11T12:00")
    assert looks(arena)["2026-11-16"] == at("2026-11-16T12:00:00+00:00")
    for minute in ("00:05", "00:06", "12:01"):
        tend(arena, f"11-16T{minute}")
    assert looks(arena)["2026-11-16"] == at("2026-11-16T00:05:00+00:00")
    days = Counter(event.body["day"] for event in arena.events("lifecycle.looked"))
    assert days["2026-11-16"] == 2
    assert rebuild(arena.database).differing == ()


def test_states_are_those_that_took_effect_last(either_arena: ArenaSite) -> None:
    """A change that bears a later time does not hide the one that came after it."""
    arena, model = either_arena, BY_NAME[0]
    tend(arena, "11-10T12:00")
    for moment, before, after in (
        ("11-20T12:00", State.ACTIVE, State.OBSERVING),
        ("11-11T12:00", State.OBSERVING, State.ACTIVE),
    ):
        change = StateChanged(
            mode="speed",
            month="2026-11",
            model=model,
            before=before,
            after=after,
            cause="weak",
            at_us=at(f"2026-{moment}:00+00:00"),
            log_size=0,
            numbers={},
        )
        write_change(arena, change)
    with arena.database.read() as conn:
        known = state_history.changes(conn, "speed", model)
    assert [change.after for change in known] == [State.ACTIVE, State.OBSERVING, State.ACTIVE]
    assert state_history.states_at(known, at("2026-11-30T12:00:00+00:00")) == {model: State.ACTIVE}


def crowd(arena: ArenaSite, voters: int, address: str) -> None:
    """Let new voters of one address vote, and sequence their votes."""
    pages = []
    for _ in range(voters):
        voter = arena.voter(address)
        pages.append((voter, voter.ballot().token))
        arena.clock.advance(5)
    arena.clock.advance(30)
    for voter, token in pages:
        assert voter.vote(token).status_code == 303
    arena.sequence()


def swept(arena: ArenaSite, moment: str) -> int:
    """Let the worker sweep what is due at a moment of November, twice; return the new flags."""
    arena.clock.now_us = at(f"2026-{moment}:00+00:00")
    flags = jobs.sweep(arena.services)
    assert jobs.sweep(arena.services) == 0
    return flags


def shared_addresses(arena: ArenaSite) -> list[int]:
    """Return the days on which many voters of one address were found."""
    bodies = [event.body for event in arena.events("flag.raised")]
    return [body["look"] for body in bodies if body["detector"] == "shared_address"]


def swept_to(arena: ArenaSite) -> int:
    """Return the day of November up to which sweeps went."""
    with arena.database.read() as conn:
        last = last_sweep(conn, "speed", "2026-11", arena.clock())
    return 0 if last is None else last.days


@pytest.mark.parametrize(
    "ahead", [("11-16T12:00",), ("11-13T00:20", "11-14T00:20"), ("12-03T12:00",)]
)
def test_days_that_a_clock_ran_ahead_of_are_swept(
    either_arena: ArenaSite, ahead: tuple[str, ...]
) -> None:
    """Whatever the clock said before, eight ids of one address on a day are found, each once.

    The vote of the sixth tells of six, and the sweep of the others.
    """
    arena = either_arena
    arena.clock.now_us = at("2026-11-10T12:00:00+00:00")
    crowd(arena, 1, "203.0.113.50")
    for moment in ahead:
        swept(arena, moment)
    arena.clock.now_us = at("2026-11-10T13:00:00+00:00")
    assert swept_to(arena) <= 9

    for day in range(10, 14):
        arena.clock.now_us = at(f"2026-11-{day}T14:00:00+00:00")
        crowd(arena, CROWD if day in (11, 13) else 1, f"203.0.113.{day}")
        swept(arena, f"11-{day + 1}T00:21")
        assert swept_to(arena) == day
        swept(arena, f"11-{day + 1}T12:01")
    assert shared_addresses(arena) == [11, 11, 13, 13]

    arena.clock.now_us = at("2026-11-30T14:00:00+00:00")
    crowd(arena, CROWD, "203.0.113.77")
    swept(arena, "12-01T00:21")
    assert shared_addresses(arena) == [11, 11, 13, 13, 30, 30]
    assert swept_to(arena) == 30
    nights = Counter(
        look for event in arena.events("sweep.finished") for look in map(tuple, event.body["looks"])
    )
    assert nights["shared_address", "*", 11] <= 2
    assert rebuild(arena.database).differing == ()


def test_a_sweep_that_a_false_date_keeps_back_is_told(either_arena: ArenaSite) -> None:
    """Days that count as swept by a clock since set back are overdue when no sweep comes."""
    arena = either_arena
    arena.clock.now_us = at("2026-11-10T12:00:00+00:00")
    crowd(arena, 1, "203.0.113.50")
    swept(arena, "11-16T12:00")
    arena.clock.now_us = at("2026-11-11T12:00:00+00:00")
    crowd(arena, 1, "203.0.113.51")
    arena.clock.now_us = at("2026-11-13T12:00:00+00:00")
    with arena.database.read() as conn:
        late = overdue_sweeps(conn, arena.clock())
    assert [(each.mode, each.day) for each in late] == [("speed", "2026-11-10")]
    assert [done.mode for done in sweep.sweep_if_due(arena.services.ports, arena.clock())] == [
        "speed"
    ]
    with arena.database.read() as conn:
        assert overdue_sweeps(conn, arena.clock()) == ()
