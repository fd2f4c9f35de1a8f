"""Shares out the connections to PostgreSQL among the processes of one machine, within a budget."""

from __future__ import annotations

from typing import Final

__all__ = [
    "DEFAULT_BUDGET",
    "SPARE_CONNECTIONS",
    "WORKER_POOL",
    "least_budget",
    "web_pool",
]

DEFAULT_BUDGET: Final = 80
"""PostgreSQL lets in 100 by itself and keeps 3 of them; the rest is for commands and backups."""

SPARE_CONNECTIONS: Final = 5
"""What commands, a backup and the operator's own look need beside the budget."""

WORKER_POOL: Final = 4
"""Connections of the worker for each kind: its loop and its two jobs, and one to spare."""

_WORKER: Final = 2 * WORKER_POOL + 1  # and one for what must reach the disk
_WRITE_CHECK: Final = 1  # readiness tries a write on a connection of its own
_LEAST_POOL: Final = 2


def least_budget(workers: int) -> int:
    """Return the smallest budget that a number of web processes can work with."""
    return _WORKER + workers * (2 * _LEAST_POOL + _WRITE_CHECK)


def web_pool(budget: int, *, workers: int, threads: int) -> int:
    """Return how many connections of each kind, to read and to write, one web process may have.

    Args:
        budget: connections of all processes of the machine, the worker's among them.
        workers: web processes.
        threads: of each web process; none needs more than one of a kind.
    """
    share = (budget - _WORKER) // workers - _WRITE_CHECK
    return min(threads, share // 2)
