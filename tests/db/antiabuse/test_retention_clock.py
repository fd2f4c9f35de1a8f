"""A clock far ahead of the last erasing erases nothing until a person says that it is right."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from huey import MemoryHuey

from antiabuse import retention_clock
from antiabuse.errors import ClockAhead
from antiabuse.rules import current
from antiabuse.utc import DAY_US
from tests.fixtures.arena_site import NOON_US, ArenaSite
from webapp.retention import erase_old, register_retention

GAP_US = current().retention_gap_days * DAY_US
YEARS_US = 3 * 365 * DAY_US


@pytest.fixture
def site(either_arena: ArenaSite) -> ArenaSite:
    """A site with votes in a signed log, on which erasing has run once."""
    for _ in range(2):
        either_arena.voter().read_and_vote()
    either_arena.sequence()
    erase_old(either_arena.services, pause_s=0)
    return either_arena


def kept(site: ArenaSite) -> tuple[int, ...]:
    """Return how many rows there are of all that erasing takes, and how many keys."""
    tables = ("event_private", "sighting", "voter", "ballot_holder")
    keys = len(list(site.services.settings.key_dir.iterdir()))
    return (*map(site.count, tables), keys)


def waits(site: ArenaSite) -> int | None:
    """Return since when erasing waits."""
    with site.database.read() as conn:
        return retention_clock.waits_since(conn, site.clock())


def test_a_jump_ahead_erases_nothing(site: ArenaSite) -> None:
    """Years ahead nothing goes, not even keys, however often it is tried and the log is signed."""
    before, began = kept(site), site.clock()
    site.clock.now_us += YEARS_US

    for _ in range(3):
        with pytest.raises(ClockAhead, match="--clock-is-right"):
            erase_old(site.services, pause_s=0)
        site.voter().get("/")
        site.sequence()

    assert waits(site) == began
    assert all(now >= then for now, then in zip(kept(site), before, strict=True))
    site.clock.now_us = began + DAY_US
    assert waits(site) is None
    erase_old(site.services, pause_s=0)
    assert site.count("sighting") == before[1]


def test_a_person_may_say_that_the_clock_is_right(site: ArenaSite) -> None:
    """Then all that is over goes, and from there on the hourly job goes on by itself."""
    site.clock.now_us += YEARS_US

    assert erase_old(site.services, pause_s=0, clock_is_right=True) > 0

    assert kept(site)[:4] == (0, 0, 0, 0)
    assert waits(site) is None
    site.clock.advance(3_600)
    assert erase_old(site.services, pause_s=0) == 0


@pytest.mark.parametrize("later_us, allowed", [(GAP_US, True), (GAP_US + 1, False)])
def test_the_gap_is_that_of_the_rules(site: ArenaSite, later_us: int, allowed: bool) -> None:
    """A worker that stood still for up to a week goes on by itself."""
    site.clock.now_us += later_us

    assert (waits(site) is None) is allowed


def test_a_clock_behind_erases_nothing_and_asks_when_it_comes_back(site: ArenaSite) -> None:
    """A machine that wakes in 1970 erases nothing; back in the present a person is asked."""
    before, now = kept(site), site.clock()
    site.clock.now_us = DAY_US

    erase_old(site.services, pause_s=0)

    assert kept(site)[:4] == before[:4]
    site.clock.now_us = now
    assert waits(site) == DAY_US


def test_before_the_first_time_the_log_tells(either_arena: ArenaSite) -> None:
    """An installation that never erased goes by its last signature; without one it may begin."""
    either_arena.clock.now_us = NOON_US + YEARS_US
    assert waits(either_arena) is None
    either_arena.clock.now_us = NOON_US
    either_arena.voter().read_and_vote()
    either_arena.sequence()
    signed = either_arena.clock()

    either_arena.clock.now_us += YEARS_US

    assert waits(either_arena) == signed


def test_the_hourly_job_tries_again_by_itself(
    site: ArenaSite, caplog: pytest.LogCaptureFixture
) -> None:
    """While it waits the job ends quietly; when the clock is put right the next hour erases."""
    queue: Any = MemoryHuey("test", immediate=False)
    register_retention(queue, site.services)
    (task,) = queue.read_periodic(datetime(2026, 11, 30, 5, 17, tzinfo=UTC))
    now = site.clock()
    site.clock.now_us = now + YEARS_US
    queue.execute(task)
    assert site.count("retention_run", "at_us = :now", now=now) == 1

    site.clock.now_us = now + DAY_US
    queue.execute(task)

    assert site.count("retention_run", "at_us = :now", now=now + DAY_US) == 1
