"""What is over is erased in batches, with its trace; the log verifies and the votes stay."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from antiabuse import unrun_checks
from antiabuse.retention import kept_at
from antiabuse.unrun_checks import Check
from antiabuse.utc import DAY_US
from arena import retention
from ledger import private_parts
from tests.fixtures.arena_site import ArenaSite, at
from webapp.retention import erase_old

NOVEMBER_ENDS = at("2026-12-01T00:00:00+00:00")
OVER = NOVEMBER_ENDS + 60 * DAY_US  # when November's private parts go


def vote_some(site: ArenaSite, voters: int = 2, votes: int = 2) -> None:
    """Let voters vote, and sequence it."""
    for _ in range(voters):
        voter = site.voter()
        for _ in range(votes):
            voter.read_and_vote()
    site.sequence()


@pytest.mark.parametrize(
    "moment, month, key_month, day",
    [
        ("2027-01-29T23:59:59+00:00", "2026-11", "2027-01", "2027-01-27"),
        ("2027-01-30T00:00:00+00:00", "2026-12", "2027-01", "2027-01-28"),
        ("2027-02-02T23:59:59+00:00", "2026-12", "2027-01", "2027-01-31"),
        ("2027-02-03T00:00:00+00:00", "2026-12", "2027-02", "2027-02-01"),
        ("2027-03-01T12:00:00+00:00", "2026-12", "2027-02", "2027-02-27"),
        ("2027-03-02T00:00:00+00:00", "2027-01", "2027-02", "2027-02-28"),
    ],
)
def test_the_first_months_and_day_kept(moment: str, month: str, key_month: str, day: str) -> None:
    """A month goes 60 days after its end to the second; keys two days after theirs."""
    kept = kept_at(at(moment))
    assert (kept.month, kept.key_month, kept.key_day) == (month, key_month, day)


def test_private_parts_and_sightings_go_with_their_trace(either_arena: ArenaSite) -> None:
    """After the period no private part is left, each has its trace, and all votes count on."""
    site = either_arena
    vote_some(site)
    parts, votes = site.count("event_private"), site.count("vote", "weight_micro > 0")
    assert (parts, votes, site.count("sighting")) == (8, 4, 4)
    shown = site.count("reveal_network")
    assert shown == 16

    site.clock.now_us = OVER - 1
    erase_old(site.services, pause_s=0, clock_is_right=True)
    early = site.count("event_private")
    site.clock.now_us = OVER
    erased = erase_old(site.services, pause_s=0, clock_is_right=True)

    assert early == parts
    assert erased == parts + 4 + shown
    assert site.count("event_private") == 0
    assert (
        site.count("event_erasure", "reason = 'retention' AND erased_us = :now", now=OVER) == parts
    )
    assert site.count("sighting") == site.count("reveal_network") == 0
    assert site.count("vote", "weight_micro > 0") == votes
    assert site.count("ballot_holder") == 4  # the voter still finds votes and receipts
    assert site.verified().erased == parts
    assert erase_old(site.services, pause_s=0, clock_is_right=True) == 0


def test_the_months_that_are_not_over_stay(either_arena: ArenaSite) -> None:
    """Of two months only the older one's parts go."""
    site = either_arena
    vote_some(site, voters=1)
    november = site.count("event_private")
    site.clock.now_us = at("2026-12-15T12:00:00+00:00")
    vote_some(site, voters=1)
    december = site.count("event_private") - november

    site.clock.now_us = OVER
    erase_old(site.services, pause_s=0, clock_is_right=True)

    assert site.count("event_private") == december
    assert site.count("sighting", "month = '2026-12'") == site.count("sighting") == 2
    site.verified()


def test_killed_half_way_it_goes_on(
    either_arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any number of batches the log is whole, and the next run erases the rest once."""
    site = either_arena
    vote_some(site)
    parts = site.count("event_private")
    small = type("Small", (), {"retention_batch": 3})()
    monkeypatch.setattr("arena.retention.current", lambda: small)
    site.clock.now_us = OVER

    list(islice(retention.erase_old(site.services.ports, OVER), 2))
    half = site.count("event_private")
    site.verified()
    rest = sum(retention.erase_old(site.services.ports, OVER))

    assert half == parts - 6
    assert site.count("event_private") == 0
    assert rest == half + 4 + 16  # sightings, and networks of answers
    assert site.count("event_erasure") == parts
    site.verified()


def test_a_batch_that_fails_erases_nothing_of_it(
    either_arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trace and part go in one transaction, or neither does."""
    site = either_arena
    vote_some(site, voters=1)
    parts = site.count("event_private")
    site.clock.now_us = OVER
    erase = private_parts.erase_streams

    def die(*given: Any, **named: Any) -> int:  # noqa: ANN401 - passed on
        erase(*given, **named)
        raise RuntimeError("killed")

    monkeypatch.setattr("ledger.private_parts.erase_streams", die)
    with pytest.raises(RuntimeError, match="killed"):
        erase_old(site.services, pause_s=0, clock_is_right=True)

    assert (site.count("event_private"), site.count("event_erasure")) == (parts, 0)


def test_keys_are_destroyed_on_their_day(either_arena: ArenaSite) -> None:
    """Two days after their day, and two days after their month; what they made stays."""
    site = either_arena
    folder = site.services.settings.key_dir

    def left_at(moment: str) -> set[str]:
        site.clock.now_us = at(moment)
        erase_old(site.services, pause_s=0, clock_is_right=True)
        return {path.name for path in folder.iterdir()}

    site.clock.now_us = at("2026-11-27T12:00:00+00:00")
    site.voter().read_and_vote()
    made = left_at("2026-11-29T23:59:59+00:00")
    day_later = left_at("2026-11-30T00:00:00+00:00")
    in_december = left_at("2026-12-02T23:59:59+00:00")
    two_days_on = left_at("2026-12-03T00:00:00+00:00")

    assert made == {"day-2026-11-27.key", "month-2026-11.key"}
    assert day_later == in_december == {"month-2026-11.key"}
    assert two_days_on == set()
    assert site.count("sighting", "network IS NOT NULL") == 1


def test_an_id_whose_cookie_has_run_out_goes(either_arena: ArenaSite) -> None:
    """A year on, the voter's row and what joins it to ballots go; a younger voter stays."""
    site = either_arena
    vote_some(site, voters=1)
    site.clock.advance(200 * 86_400)
    younger = site.voter()
    younger.read_and_vote()
    site.clock.advance(166 * 86_400)

    erase_old(site.services, pause_s=0, clock_is_right=True)

    assert site.count("voter") == site.count("voter", "id = :id", id=younger.id) == 1
    assert site.count("ballot_holder") == 1
    assert site.count("vote") == 3


def test_small_traces_go(either_arena: ArenaSite) -> None:
    """Counts of checks, erased ids, failed sign-ins and sessions are dropped once over."""
    site = either_arena
    now = site.clock()
    with site.database.write() as conn:
        unrun_checks.add(conn, "2026-11-30T12:00Z", {Check.DEVICE: 1})
    site.execute("INSERT INTO erased_voter VALUES ('aa', :now)", now=now)
    site.execute("INSERT INTO sign_in_failure VALUES ('1', 'name', 'address', :now)", now=now)
    site.execute("INSERT INTO moderator (name, handle, role, password_hash, created_us)"
                 " VALUES ('n', 'M-1', 'operator', 'x', 1)")  # fmt: skip
    site.execute("INSERT INTO moderator_session VALUES ('s', 'n', 'c', :now, :now)", now=now)
    tables = ("unrun_check", "erased_voter", "sign_in_failure", "moderator_session")

    def counts() -> list[int]:
        erase_old(site.services, pause_s=0, clock_is_right=True)
        return [site.count(table) for table in tables]

    assert counts() == [1, 1, 1, 1]
    site.clock.advance(86_400)
    assert counts() == [1, 1, 0, 0]
    site.clock.now_us = OVER
    assert counts() == [0, 1, 0, 0]
    site.clock.now_us = now + 366 * DAY_US
    assert counts() == [0, 0, 0, 0]


def test_cached_columns_of_old_months_go(either_arena: ArenaSite) -> None:
    """Digests of networks stand in the files of columns too, which are made again when needed."""
    site = either_arena
    vote_some(site)
    folder = site.services.ports.columns.folder
    with site.database.read() as conn:
        site.services.ports.columns.read(conn, "speed", "2026-11", 1)
    assert list(folder.glob("votes-speed-2026-11.*"))

    site.clock.now_us = OVER
    erase_old(site.services, pause_s=0, clock_is_right=True)

    assert list(folder.glob("votes-*")) == []
    assert site.services.ports.columns.kept == {}


def test_erasing_waits_for_no_voter(either_arena: ArenaSite) -> None:
    """While old parts go, a vote is taken between two batches."""
    site = either_arena
    vote_some(site)
    site.clock.now_us = OVER
    batches = retention.erase_old(site.services.ports, OVER)
    next(batches)

    site.voter().read_and_vote()

    assert sum(1 for _ in batches) > 1
    assert site.count("vote") == 5
    assert site.count("event_private", "subject IS NOT NULL") == 2
