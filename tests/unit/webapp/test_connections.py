"""Sharing out PostgreSQL's connections: the sum stays within the budget, nobody is left without."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webapp.connections import DEFAULT_BUDGET, WORKER_POOL, least_budget, web_pool

WORKER = 2 * WORKER_POOL + 1


@given(st.integers(1, 64), st.integers(0, 500), st.integers(1, 512))
def test_all_processes_together_keep_to_the_budget(workers: int, more: int, threads: int) -> None:
    """Web processes with their tries of a write, and the worker, never take more than allowed."""
    budget = least_budget(workers) + more

    pool = web_pool(budget, workers=workers, threads=threads)

    assert workers * (2 * pool + 1) + WORKER <= budget
    assert pool >= min(2, threads)
    assert pool <= threads


def test_the_usual_budget_fits_postgresql_as_it_comes() -> None:
    """Of 100 connections 3 are the server's own; commands and backups find room beside ours."""
    assert least_budget(14) <= DEFAULT_BUDGET <= 100 - 3 - 10
    assert web_pool(DEFAULT_BUDGET, workers=1, threads=64) == 35
    assert web_pool(DEFAULT_BUDGET, workers=2, threads=64) == 17
