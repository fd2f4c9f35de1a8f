"""How long the public audit log keeps its counts between requests."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Event

import pytest
from sqlalchemy import Connection

from arena import audit
from arena.audit import LoggedCounts
from ledger import store
from ledger.errors import DatabaseBusy
from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.fixtures.moderation_cases import one_sided_voter
from webapp.audit import count_cache


def votes_counted(arena: ArenaSite) -> int:
    """Return how many votes the public page counts."""
    found = re.search(
        r'vote.cast</small></td><td class="number">(\d+)<', arena.voter().get("/audit").text
    )
    return int(found[1]) if found else 0


def test_the_hours_last_votes_appear_within_five_minutes(arena: ArenaSite) -> None:
    """A vote of the past hour that waited for its place while they were counted is not lost."""
    one_sided_voter(arena, 1)
    arena.clock.now_us += 3_540_000_000 - arena.clock.now_us % 3_600_000_000
    arena.voter().read_and_vote(seconds=30)
    arena.clock.advance(40)
    assert votes_counted(arena) == 1
    arena.sequence()

    assert votes_counted(arena) == 1
    arena.clock.advance(240)
    assert votes_counted(arena) == 2


def test_readers_at_once_wait_for_one_count(
    arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight readers and the file cost one counting; another month costs its own."""
    asked = watch_counting(monkeypatch)
    readers = [arena.voter() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda reader: reader.get("/audit").status_code, readers))
    readers[0].get("/audit/counts.csv")
    readers[0].get("/audit?month=2026-10")

    assert pages == [200] * 8
    assert [month for month, _ in asked] == ["2026-11", "2026-10"]


def test_an_entry_is_counted_once(arena: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later counts read only what the log gained, and come to the same as one from the start."""
    asked = watch_counting(monkeypatch)
    for _ in range(3):
        one_sided_voter(arena, 2)
        arena.sequence()
        arena.clock.advance(3_600)
        assert arena.voter().get("/audit").status_code == 200
    told = arena.voter().get("/audit/counts.csv").text
    with arena.database.read() as conn:
        size = store.head(conn).size
        logged = audit.logged_counts(conn, "2026-11", 0, size)

    spans = [span for _, span in asked]
    assert spans[0][0] == 0
    assert spans[-1][1] == size
    assert all(low == high for (_, high), (low, _) in pairwise(spans))
    assert told.splitlines()[1:] == [
        f"{each.kind},{each.hour},{each.reason or ''},{each.count}"
        for each in audit.told_counts(logged, arena.clock())
    ]


def test_counts_outlive_a_busy_database(arena: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they cannot be made anew the old ones are told, and the next goes on from them."""
    one_sided_voter(arena, 2)
    arena.sequence()
    arena.clock.advance(3_600)
    before = votes_counted(arena)
    arena.clock.advance(301)

    with monkeypatch.context() as patch:
        patch.setattr(count_cache, "logged_counts", busy)
        meanwhile = votes_counted(arena)
        first = arena.voter().get("/audit?month=2026-10")
    asked = watch_counting(monkeypatch)

    assert (before, meanwhile, votes_counted(arena)) == (2, 2, 2)
    assert (first.status_code, reason_of(first)) == (503, "busy")
    assert [low > 0 for _, (low, _) in asked] == [True]


def busy(*_: object) -> LoggedCounts:
    """Stand for a database all of whose connections are in use."""
    raise DatabaseBusy("all connections are in use")


def test_nobody_waits_for_another_readers_count(
    arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one reader counts, others are told what is known."""
    one_sided_voter(arena, 2)
    arena.sequence()
    arena.clock.advance(3_600)
    assert votes_counted(arena) == 2
    arena.clock.advance(301)
    began, go_on = Event(), Event()

    def slow(conn: Connection, month: str, low: int, high: int) -> LoggedCounts:
        began.set()
        assert go_on.wait(30)
        return audit.logged_counts(conn, month, low, high)

    monkeypatch.setattr(count_cache, "logged_counts", slow)
    with ThreadPoolExecutor(2) as pool:
        counting = pool.submit(votes_counted, arena)
        assert began.wait(30)
        other = pool.submit(votes_counted, arena)
        try:
            told = other.result(timeout=5)
        finally:
            go_on.set()

    assert (told, counting.result()) == (2, 2)


def watch_counting(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[int, int]]]:
    """Return a list that every counting adds its month and entries to."""
    asked: list[tuple[str, tuple[int, int]]] = []

    def counting(conn: Connection, month: str, low: int, high: int) -> LoggedCounts:
        asked.append((month, (low, high)))
        return audit.logged_counts(conn, month, low, high)

    monkeypatch.setattr(count_cache, "logged_counts", counting)
    return asked


def test_each_application_counts_for_itself(arena: ArenaSite, month: ArenaSite) -> None:
    """What one site counted is not told by another one."""
    arena.clock.advance(3_600)

    assert votes_counted(arena) == 0
    assert votes_counted(month) == 224
