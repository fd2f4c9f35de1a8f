"""Quotas, cooldown and tallies on both databases, races included."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from threading import Barrier

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from antiabuse import erased, quotas
from antiabuse.errors import UnknownVoter
from antiabuse.quotas import LimitScope, RefusalTally
from antiabuse.tables import voter
from antiabuse.voter import Consent, VoterState
from ledger.database import Database, open_database

VOTER = "0123456789abcdef0123456789abcdef"
OTHER = "f" * 32
SECOND = 1_000_000
DAY = 86_400 * SECOND
MIDNIGHT = 20_000 * DAY
NOON = MIDNIGHT + DAY // 2
THREADS = 8

Spend = Callable[[Connection, str, int], bool]


@pytest.fixture(autouse=True)
def registered(database: Database) -> None:
    """The voter has come once."""
    with database.write() as conn:
        assert quotas.register(conn, VOTER, NOON)


def spend(database: Database, way: Spend, now_us: int = NOON) -> bool:
    """Spend one of something in a transaction of its own."""
    with database.write() as conn:
        return way(conn, VOTER, now_us)


def state(database: Database, now_us: int = NOON) -> VoterState:
    """Return the voter's state, which must exist."""
    with database.read() as conn:
        found = quotas.read(conn, VOTER, now_us)
    assert found is not None
    return found


def test_registering_twice_changes_nothing(database: Database) -> None:
    """A voter that comes again keeps what it has used."""
    spend(database, quotas.spend_ballot)
    with database.write() as conn:
        assert not quotas.register(conn, VOTER, NOON + DAY)

    assert state(database).ballots == 1


def test_an_unknown_voter_is_told_apart(database: Database) -> None:
    """Nobody can read, lock, spend or consent for a voter without a row."""
    with database.write() as conn:
        assert quotas.read(conn, OTHER, NOON) is None
        assert not quotas.spend_vote(conn, OTHER, NOON)
        assert not quotas.spend_ballot(conn, OTHER, NOON)
        assert not quotas.spend_skip(conn, OTHER, NOON)
        with pytest.raises(UnknownVoter):
            quotas.lock(conn, OTHER, NOON)
        with pytest.raises(UnknownVoter):
            quotas.set_consent(conn, OTHER, "yes")


@pytest.mark.parametrize(
    "way, cap",
    [(quotas.spend_vote, 50), (quotas.spend_ballot, 150), (quotas.spend_skip, 60)],
    ids=["votes", "ballots", "skips"],
)
def test_each_cap_holds_exactly_and_ends_with_the_day(
    database: Database, way: Spend, cap: int
) -> None:
    """The last allowed one passes, the next does not, and a new day starts from nothing."""
    with database.write() as conn:
        answers = [way(conn, VOTER, NOON + n * 10 * SECOND) for n in range(cap + 3)]

    assert answers == [True] * cap + [False] * 3
    assert not spend(database, way, MIDNIGHT + DAY - 1)
    assert spend(database, way, MIDNIGHT + DAY)


def test_each_spending_counts_its_own(database: Database) -> None:
    """A vote, a ballot and a skip do not touch each other's counts."""
    spend(database, quotas.spend_vote)
    for _ in range(2):
        spend(database, quotas.spend_ballot)
    for _ in range(3):
        spend(database, quotas.spend_skip)

    seen = state(database)
    assert (seen.votes, seen.ballots, seen.skips) == (1, 2, 3)
    assert (seen.votes_left, seen.ballots_left, seen.skips_left) == (49, 148, 57)


@pytest.mark.parametrize(
    "way, counts",
    [
        (quotas.spend_vote, (1, 0, 0)),
        (quotas.spend_ballot, (0, 1, 0)),
        (quotas.spend_skip, (0, 0, 1)),
    ],
    ids=["vote", "ballot", "skip"],
)
def test_the_first_spending_of_a_day_clears_all_counts(
    database: Database, way: Spend, counts: tuple[int, int, int]
) -> None:
    """Whatever comes first on a new day also ends the old day's other counts."""
    for used in (quotas.spend_vote, quotas.spend_ballot, quotas.spend_skip):
        assert spend(database, used)
    assert spend(database, way, NOON + DAY)

    seen = state(database, NOON + DAY)
    assert (seen.votes, seen.ballots, seen.skips) == counts


def test_a_clock_set_back_over_midnight_gives_no_second_quota(database: Database) -> None:
    """The counters' day moves forward only."""
    before, after = MIDNIGHT + DAY - 1, MIDNIGHT + DAY
    for _ in range(60):
        assert spend(database, quotas.spend_skip, after)

    assert not spend(database, quotas.spend_skip, before)
    assert spend(database, quotas.spend_ballot, before)
    assert not spend(database, quotas.spend_skip, after)


@pytest.mark.parametrize(
    "after_us, accepted", [(0, False), (9_999_000, False), (9_999_999, False), (10_000_000, True)]
)
def test_the_cooldown_is_exact(database: Database, after_us: int, accepted: bool) -> None:
    """A vote at 9.999 s changes nothing, one at 10.000 s is accepted; the state says the same."""
    spend(database, quotas.spend_vote)

    assert (state(database, NOON + after_us).wait_s == 0) == accepted
    assert spend(database, quotas.spend_vote, NOON + after_us) == accepted
    assert state(database, NOON + after_us).votes == 1 + accepted


@pytest.mark.parametrize("back_s, accepted", [(1, False), (10, False), (11, True), (86_400, True)])
def test_a_clock_set_back_ends_the_wait(database: Database, back_s: int, accepted: bool) -> None:
    """A clock that went back further than machines differ makes nobody wait until it is back."""
    assert spend(database, quotas.spend_vote)

    assert spend(database, quotas.spend_vote, NOON - back_s * SECOND) == accepted
    assert spend(database, quotas.spend_vote, NOON + 10 * SECOND)
    assert state(database, NOON + 10 * SECOND).votes == 2 + accepted


def test_an_erased_voter_does_not_come_back(database: Database) -> None:
    """Who had all erased has no row, gets none again, and spends nothing."""
    assert spend(database, quotas.spend_vote)
    with database.write() as conn:
        erased.forget(conn, VOTER, NOON)
        erased.forget(conn, VOTER, NOON + 1)
        assert not quotas.register(conn, VOTER, NOON)
        assert erased.is_erased(conn, VOTER)
        assert not erased.is_erased(conn, OTHER)
        assert quotas.register(conn, OTHER, NOON)
        with pytest.raises(UnknownVoter):
            quotas.lock(conn, VOTER, NOON)

    assert not spend(database, quotas.spend_vote, NOON + DAY)
    assert not spend(database, quotas.spend_ballot, NOON + DAY)


def test_the_cooldown_holds_over_midnight(database: Database) -> None:
    """A new day gives new votes and does not end the wait."""
    assert spend(database, quotas.spend_vote, MIDNIGHT + DAY - 1)
    assert not spend(database, quotas.spend_vote, MIDNIGHT + DAY)
    assert spend(database, quotas.spend_vote, MIDNIGHT + DAY - 1 + 10 * SECOND)


def test_a_banned_voter_spends_no_vote(database: Database) -> None:
    """The update itself refuses, whatever was read before."""
    with database.write() as conn:
        conn.execute(voter.update().values(banned_us=NOON))

    assert state(database).banned
    assert not spend(database, quotas.spend_vote)
    assert state(database).votes == 0


def test_a_vote_rolled_back_is_not_spent(database: Database) -> None:
    """When the transaction fails, neither the count nor the cooldown stays."""

    def vote_and_fail() -> None:
        with database.write() as conn:
            assert quotas.spend_vote(conn, VOTER, NOON)
            raise RuntimeError("the rest of the vote fails")

    with pytest.raises(RuntimeError, match="the rest"):
        vote_and_fail()

    assert (state(database).votes, state(database).wait_s) == (0, 0)


@pytest.mark.parametrize("attempt", range(3))
def test_eight_votes_at_the_same_instant_are_one(database: Database, attempt: int) -> None:
    """Of eight threads that vote at once exactly one is accepted, and one vote is counted."""
    now_us = NOON + attempt
    answers = at_once(lambda: spend(database, quotas.spend_vote, now_us))

    assert sorted(answers) == [False] * 7 + [True]
    assert state(database, now_us).votes == 1


def test_the_last_vote_of_the_day_goes_to_one_of_eight(database: Database) -> None:
    """At 49 votes, eight threads that see one left take one together."""
    with database.write() as conn:
        conn.execute(voter.update().values(votes=49, day="2024-10-04"))

    def look_and_vote() -> bool:
        assert state(database).votes_left in {0, 1}
        return spend(database, quotas.spend_vote)

    assert sum(at_once(look_and_vote)) == 1
    assert state(database).votes_left == 0


def test_a_lock_keeps_other_votes_waiting(database: Database) -> None:
    """Who locks, looks and then spends is never overtaken between look and spending."""

    def lock_and_vote() -> bool:
        with database.write() as conn:
            may = quotas.lock(conn, VOTER, NOON).wait_s == 0
            assert quotas.spend_vote(conn, VOTER, NOON) == may
            return may

    assert sum(at_once(lock_and_vote)) == 1


def test_registering_at_once_makes_one_voter(database: Database) -> None:
    """Eight first requests of one new voter make one row and no error."""

    def register() -> bool:
        with database.write() as conn:
            return quotas.register(conn, OTHER, NOON)

    assert sum(at_once(register)) == 1


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_consent_is_kept(database: Database, answer: Consent) -> None:
    """Before an answer there is none; afterwards the last one holds."""
    assert state(database).consent is None
    with database.write() as conn:
        quotas.set_consent(conn, VOTER, "yes")
        quotas.set_consent(conn, VOTER, answer)

    assert state(database).consent == answer


def test_no_other_consent_can_be_stored(database: Database) -> None:
    """The database refuses what is neither yes nor no."""
    with pytest.raises(IntegrityError), database.write() as conn:
        quotas.set_consent(conn, VOTER, "perhaps")  # type: ignore[arg-type]


def test_refusals_by_rate_fold_per_address_and_minute(database: Database) -> None:
    """Finished minutes are taken once, summed by limit; the running one stays."""
    with database.write() as conn:
        for second in (0, 1, 59):
            quotas.tally_rate_refusal(conn, "aa", NOON + second * SECOND, LimitScope.BALLOTS)
        quotas.tally_rate_refusal(conn, "aa", NOON, LimitScope.READING)
        quotas.tally_rate_refusal(conn, "bb", NOON, LimitScope.READING)
        quotas.tally_rate_refusal(conn, "aa", NOON + 60 * SECOND, LimitScope.BALLOTS)
        early = quotas.take_tallies(conn, NOON + 60 * SECOND - 1)
        taken = quotas.take_tallies(conn, NOON + 119 * SECOND)
        again = quotas.take_tallies(conn, NOON + 119 * SECOND)
        later = quotas.take_tallies(conn, NOON + 120 * SECOND)

    assert (early, again) == ([], [])
    assert taken == [
        RefusalTally("aa", NOON, ((LimitScope.BALLOTS, 3), (LimitScope.READING, 1))),
        RefusalTally("bb", NOON, ((LimitScope.READING, 1),)),
    ]
    assert taken[0].count == 4
    assert later == [RefusalTally("aa", NOON + 60 * SECOND, ((LimitScope.BALLOTS, 1),))]


def test_no_refusal_is_lost_when_many_come_at_once(database: Database) -> None:
    """Eight threads of one address in one minute are counted as eight."""

    def tally() -> bool:
        with database.write() as conn:
            quotas.tally_rate_refusal(conn, "aa", NOON, LimitScope.BALLOTS)
        return True

    at_once(tally)
    with database.write() as conn:
        assert [found.count for found in quotas.take_tallies(conn, NOON + DAY)] == [THREADS]


def skip_often(url: str) -> int:
    """Skip forty times as a process of its own, and return how often it was allowed."""
    opened = open_database(url)
    try:
        return sum(spend(opened, quotas.spend_skip) for _ in range(40))
    finally:
        opened.close()


def test_a_cap_holds_over_processes(database: Database, database_url: str) -> None:
    """Three processes that want twice the day's skips together get exactly the cap."""
    with get_context("spawn").Pool(3) as processes:
        allowed = processes.map(skip_often, [database_url] * 3, chunksize=1)

    assert sum(allowed) == 60
    assert state(database).skips == 60


def at_once(work: Callable[[], bool]) -> list[bool]:
    """Run the work in eight threads that start together, and return their answers."""
    barrier = Barrier(THREADS)

    def wait_and_work(_: int) -> bool:
        barrier.wait(timeout=30)
        return work()

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(wait_and_work, range(THREADS)))
