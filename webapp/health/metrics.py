"""What Prometheus reads: true numbers of the whole arena, and this process's own beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from sqlalchemy import Connection

from antiabuse import unrun_checks
from antiabuse.unrun_checks import Check
from antiabuse.utc import DAY_US, hour_of
from ledger.database import Database
from ledger.errors import LedgerError

__all__ = ["metrics_text"]

_SPANS: Final = (("day", DAY_US), ("week", 7 * DAY_US))


def metrics_text(database: Database, now_us: int) -> bytes:
    """Return all metrics in Prometheus's text format.

    What the database knows is the same whichever process answers. Without the database there is
    only `arena_database_up` at 0, and what the process knows of itself.

    Args:
        database: the arena's.
        now_us: the moment, in microseconds since the epoch.
    """
    registry = CollectorRegistry()
    up = Gauge("arena_database_up", "Whether the database could be read", registry=registry)
    try:
        with database.read() as conn:
            found = dict(_unrun(conn, now_us))
    except LedgerError:
        found = {}
    up.set(1 if found else 0)
    for span, requests in found.items():
        gauge = Gauge(
            f"arena_checks_unrun_last_{span}",
            f"Requests of all processes within a {span} for which a check could not run",
            ["check"],
            registry=registry,
        )
        for check in Check:
            gauge.labels(check.value).set(requests[check])
    return bytes(generate_latest(registry) + generate_latest())


def _unrun(conn: Connection, now_us: int) -> Iterator[tuple[str, Counter[Check]]]:
    for span, length_us in _SPANS:
        requests: Counter[Check] = Counter()
        for each in unrun_checks.since(conn, hour_of(now_us - length_us)):
            requests[each.check] += each.requests
        yield span, requests
