"""Connections to a real PostgreSQL: never more than asked for, waited for, and counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import make_url

from ledger.database import Database, open_database
from ledger.errors import DatabaseBusy
from ledger.server_room import connections_allowed
from tests.fixtures.databases import run_on_server

CALLERS = 12
COUNT = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"


@pytest.fixture
def small(database_url: str) -> Iterator[Database]:
    """A database with two connections of each kind, for which nobody waits long."""
    opened = open_database(database_url, pool_size=2, connection_seconds=0.2)
    yield opened
    opened.close()


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_many_callers_share_few_connections(database_url: str) -> None:
    """Twelve at once all get their turn, and the server never sees more than two and two."""
    database = open_database(database_url, pool_size=2)

    def use(number: int) -> int:
        kind = database.write if number % 2 else database.read
        with kind() as conn:
            time.sleep(0.05)
            return int(conn.exec_driver_sql(COUNT).scalar_one())

    with ThreadPoolExecutor(CALLERS) as threads:
        seen = list(threads.map(use, range(CALLERS)))
    database.close()

    assert len(seen) == CALLERS
    assert max(seen) <= 4


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_who_waits_in_vain_is_told_that_it_is_busy(small: Database) -> None:
    """With all connections in use the wait has an end, and is no fault of the database."""
    with small.read(), small.read():
        before = time.monotonic()
        with pytest.raises(DatabaseBusy, match="in use"), small.read():
            pass
        waited = time.monotonic() - before
    small.ping()

    assert 0.2 <= waited < 5


def test_the_server_says_how_many_it_lets_in(database: Database) -> None:
    """PostgreSQL: its own number less the reserved ones; SQLite has no such number."""
    if database.dialect == "sqlite":
        assert connections_allowed(database) is None
        return
    with database.read() as conn:
        most = int(conn.exec_driver_sql("SHOW max_connections").scalar_one())
    allowed = connections_allowed(database)
    assert allowed is not None
    assert most - 10 <= allowed < most


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_limit_of_the_database_counts(database: Database, database_url: str) -> None:
    """Where the database itself lets in fewer, that number holds."""
    url = make_url(database_url)
    run_on_server(url, f'ALTER DATABASE "{url.database}" CONNECTION LIMIT 7')

    assert connections_allowed(database) == 7
