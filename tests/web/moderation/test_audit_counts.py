"""How long the public audit log keeps its counts between requests."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from arena import audit
from arena.audit import Count
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
    asked: list[str] = []

    def counting(conn: Connection, month: str, now_us: int) -> tuple[Count, ...]:
        asked.append(month)
        return audit.public_counts(conn, month, now_us)

    monkeypatch.setattr(count_cache, "public_counts", counting)
    readers = [arena.voter() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda reader: reader.get("/audit").status_code, readers))
    readers[0].get("/audit/counts.csv")
    readers[0].get("/audit?month=2026-10")

    assert pages == [200] * 8
    assert asked == ["2026-11", "2026-10"]


def test_each_application_counts_for_itself(arena: ArenaSite, month: ArenaSite) -> None:
    """What one site counted is not told by another one."""
    arena.clock.advance(3_600)

    assert votes_counted(arena) == 0
    assert votes_counted(month) == 224
