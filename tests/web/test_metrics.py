"""Metrics: one true number, whichever process is asked, and an answer also without a database."""

from __future__ import annotations

from pathlib import Path

from antiabuse.unrun_checks import Check
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite

DAY_S = 24 * 3600


def metrics(arena: ArenaSite) -> dict[str, float]:
    """Return the arena's own metrics."""
    response = arena.voter().get("/metrics")
    assert response.status_code == 200
    lines = [line for line in response.text.splitlines() if line.startswith("arena_")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def missed(arena: ArenaSite, check: Check, requests: int) -> None:
    """Let a process fail at a check so many times, and write it down."""
    for _ in range(requests):
        arena.services.unrun.count(check)
    arena.services.unrun.write()


def test_all_processes_tell_the_same_sum(open_arena: OpenArena) -> None:
    """What two processes could not check is one number, and both of them know it."""
    first, second = open_arena(seed=1), open_arena(seed=2)
    missed(first, Check.REQUEST_LIMIT, 28)
    missed(second, Check.REQUEST_LIMIT, 36)
    missed(second, Check.DEVICE, 1)

    told = metrics(first)

    assert told == metrics(second)
    assert told['arena_checks_unrun_last_day{check="request_limit"}'] == 64
    assert told['arena_checks_unrun_last_day{check="device"}'] == 1
    assert told['arena_checks_unrun_last_day{check="address"}'] == 0
    assert told["arena_database_up"] == 1


def test_what_is_old_leaves_the_day_and_then_the_week(arena: ArenaSite) -> None:
    """The number of the day falls back to 0 after a day, that of the week after a week."""
    missed(arena, Check.ADDRESS, 3)
    arena.clock.advance(DAY_S + 3600)
    day_later = metrics(arena)
    arena.clock.advance(7 * DAY_S)
    week_later = metrics(arena)

    day, week = (f'arena_checks_unrun_last_{span}{{check="address"}}' for span in ("day", "week"))
    assert (day_later[day], day_later[week]) == (0, 3)
    assert (week_later[day], week_later[week]) == (0, 0)


def test_without_the_database_the_process_still_answers(arena: ArenaSite, arena_file: Path) -> None:
    """The page says that the database cannot be read, and makes up no number."""
    arena.database.close()
    arena_file.rename(arena_file.with_name("elsewhere.sqlite3"))
    arena_file.mkdir()

    assert metrics(arena) == {"arena_database_up": 0}
