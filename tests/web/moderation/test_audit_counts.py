"""How long the public audit log keeps its counts between requests."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from sqlalchemy import Connection

from arena import audit
from arena.audit import LoggedCounts
from ledger import store
from tests.fixtures.arena_site import ArenaSite
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
        size, whole = store.head(conn).size, audit.public_counts(conn, "2026-11", arena.clock())

    spans = [span for _, span in asked]
    assert spans[0][0] == 0
    assert spans[-1][1] == size
    assert all(low == high for (_, high), (low, _) in pairwise(spans))
    assert told.splitlines()[1:] == [
        f"{each.kind},{each.hour},{each.reason or ''},{each.count}" for each in whole
    ]


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
