"""Where in the log a month's events stand: no page of a month misses one of them."""

from __future__ import annotations

from arena import audit
from arena.audit_filter import AuditFilter
from arena.audit_span import span_of
from ledger import store
from tests.fixtures.arena_site import ArenaSite, at
from tests.fixtures.review_cases import close_month, vote


def indexes(arena: ArenaSite, month: str) -> set[int]:
    """Return where the month's events are in the log."""
    with arena.database.read() as conn:
        return {
            index
            for each in store.replay(conn)
            if each.stream.endswith(month) and (index := store.index_of(conn, each.id)) is not None
        }


def test_a_span_holds_its_month_and_little_of_others(either_arena: ArenaSite) -> None:
    """Of three months with votes the middle one ends before most of the third."""
    arena = either_arena
    for month in ("2026-10", "2026-11", "2026-12"):
        for day in ("04", "14", "24"):
            arena.clock.now_us = at(f"{month}-{day}T12:00:00+00:00")
            vote(arena)
            arena.sequence()
    found = {}
    with arena.database.read() as conn:
        size = store.head(conn).size
        for month in ("2026-10", "2026-11", "2026-12"):
            low, high = span_of(conn, month)
            found[month] = range(low, size if high is None else high)

    for month, span in found.items():
        assert indexes(arena, month) <= set(span)
    assert not indexes(arena, "2026-10") & set(found["2026-11"])
    assert not set(sorted(indexes(arena, "2026-12"))[2:]) & set(found["2026-11"])


def test_what_a_closed_month_gains_later_is_listed(either_arena: ArenaSite) -> None:
    """A span ends after the last event of the month, whenever that was written."""
    arena = either_arena
    vote(arena)
    arena.sequence()
    for day in ("01", "09"):
        arena.clock.now_us = at(f"2026-12-{day}T12:00:00+00:00")
        close_month(arena)
        arena.sequence()
        arena.clock.now_us += 2 * 86_400_000_000
        vote(arena)
        arena.sequence()

    with arena.database.read() as conn:
        for order in ("newest", "oldest"):
            page = audit.public_rows(conn, AuditFilter(month="2026-11"), order=order)
            assert {row.index for row in page.rows} == indexes(arena, "2026-11")
            assert [row.kind for row in page.rows].count("month.closed") == 2
