"""Readiness tries to write: refusals are 503, what cannot be tried is told and is no fault."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.pool import QueuePool

from ledger.database import open_database
from ledger.errors import DatabaseUnavailable
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.databases import Backend
from webapp.health import writing


def ready(arena: ArenaSite) -> tuple[int, dict[str, Any]]:
    """Return the status of readiness and what it says."""
    response = arena.voter().get("/readyz")
    assert response.json is not None
    return response.status_code, response.json


@contextmanager
def another_writer(arena: ArenaSite) -> Iterator[None]:
    """Hold the database as the longest of our transactions would, and longer."""
    with arena.database.write() as conn:
        if arena.database.dialect == "postgresql":
            # Whoever makes a table waits for this one.
            conn.execute(text("LOCK TABLE pg_catalog.pg_class IN SHARE MODE"))
        yield


def refuse_writes(arena: ArenaSite, backend: Backend) -> None:
    """Let no new connection write."""
    if backend == "postgresql":
        name = arena.database.url.database
        arena.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        arena.database._writer.dispose()
    else:
        # Root may write to any file, so the flag in its head says that this one is of a later form.
        with closing(sqlite3.connect(str(arena.database.url.database))) as conn:
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with Path(str(arena.database.url.database)).open("r+b") as file:
            file.seek(18)
            file.write(bytes([3]))


def tables(arena: ArenaSite) -> int:
    """Return how many tables there are."""
    with arena.database.read() as conn:
        if arena.database.dialect == "sqlite":
            query = "SELECT count(*) FROM sqlite_schema"
        else:
            query = "SELECT count(*) FROM pg_class WHERE relkind = 'r'"
        found: int = conn.execute(text(query)).scalar_one()
    return found


def test_a_database_that_writes_is_ready(either_arena: ArenaSite, backend: Backend) -> None:
    """The write is made and taken back: nothing of it is there afterwards."""
    before = tables(either_arena)

    status, said = ready(either_arena)

    assert (status, said["status"]) == (200, "ok")
    assert said["checks"]["writes"] == "ok"
    assert said["checks"].get("disk") == ("ok" if backend == "sqlite" else None)
    assert tables(either_arena) == before


def test_a_read_only_database_is_not_ready(either_arena: ArenaSite, backend: Backend) -> None:
    """Reading still works, and readiness says all the same that no vote can be stored."""
    refuse_writes(either_arena, backend)

    status, said = ready(either_arena)

    assert (status, said["status"]) == (503, "failing")
    assert said["checks"] == {
        "database": "ok",
        "log": "ok",
        "writes": "DatabaseUnavailable",
        **({"disk": "ok"} if backend == "sqlite" else {}),
    }
    with pytest.raises(DatabaseUnavailable), either_arena.database.write() as conn:
        conn.execute(text("DELETE FROM unrun_check"))


def test_another_writer_is_no_fault(either_arena: ArenaSite) -> None:
    """While the database is held the write cannot be tried: told within a second, and still 200."""
    with another_writer(either_arena):
        begun = time.monotonic()
        status, said = ready(either_arena)
        waited = time.monotonic() - begun

    assert (status, said["status"], said["checks"]["writes"]) == (200, "ok", "unchecked")
    assert waited < 2


def test_a_crowd_that_has_all_connections_is_no_fault(
    either_arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy process must not be taken out: what could not be read is told, and still 200."""
    pool = either_arena.database._reader.pool
    assert isinstance(pool, QueuePool)
    monkeypatch.setattr(pool, "_timeout", 0.1)
    with ExitStack() as crowd:
        for _ in range(pool.size() + max(0, pool._max_overflow)):
            crowd.enter_context(either_arena.database.read())
        status, said = ready(either_arena)
    later, _ = ready(either_arena)

    assert (status, said["status"], said["degraded"]) == (200, "ok", [])
    assert (said["checks"]["database"], said["checks"]["log"]) == ("unchecked", "unchecked")
    assert said["checks"]["writes"] == "ok"
    assert later == 200


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_role_without_temporary_tables_is_no_fault(either_arena: ArenaSite) -> None:
    """Votes need no such right, so without it the write cannot be tried."""
    name = either_arena.database.url.database
    with either_arena.database.write() as conn:
        conn.execute(text(f'REVOKE TEMPORARY ON DATABASE "{name}" FROM PUBLIC'))
        conn.execute(text("CREATE ROLE plain LOGIN"))
        conn.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO plain"))
    url = either_arena.database.url.set(username="plain")
    database = open_database(url.render_as_string(hide_password=False))
    states = writing.Writing(database).states()
    database.close()
    either_arena.execute("DROP OWNED BY plain")
    either_arena.execute("DROP ROLE plain")

    assert states == {"writes": "unchecked"}


def test_a_full_disk_is_not_ready(arena: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is tried with a file, for what SQLite takes back never reaches it."""

    def full(**_: object) -> IO[bytes]:
        return Path("/dev/full").open("wb", buffering=0)

    monkeypatch.setattr(writing, "TemporaryFile", full)

    status, said = ready(arena)

    assert (status, said["checks"]["disk"], said["checks"]["writes"]) == (503, "ENOSPC", "ok")


def test_a_full_database_is_not_ready(tmp_path: Path, arena_file: Path) -> None:
    """A file that may not grow refuses the page that the write asks for."""
    database = open_database(f"sqlite:///{arena_file}")
    check = writing.Writing(database)
    engine = check._check._engine
    with engine.connect() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()

    @event.listens_for(engine, "connect")
    def _bound(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    assert check.states()["writes"] == "DatabaseFull"
    database.close()


def test_what_cannot_be_tried_is_told(arena: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many open files say nothing of the disk."""

    def none_left(**_: object) -> IO[bytes]:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(writing, "TemporaryFile", none_left)

    status, said = ready(arena)

    assert (status, said["status"], said["checks"]["disk"]) == (200, "ok", "unchecked")


def test_it_leaves_no_file(arena: ArenaSite, arena_file: Path) -> None:
    """Beside the database and its own files there is nothing new."""
    arena.voter().read_and_vote()
    before = sorted(path.name for path in arena_file.parent.iterdir())
    ready(arena)
    assert sorted(path.name for path in arena_file.parent.iterdir()) == before


def test_however_often_it_is_asked_it_writes_now_and_then(arena_file: Path) -> None:
    """Anybody may ask, so within five seconds the last answer stands."""
    database = open_database(f"sqlite:///{arena_file}")
    now = [0.0]
    states = writing.Writing(database, elapsed=lambda: now[0])
    assert states.states()["writes"] == "ok"
    with closing(sqlite3.connect(arena_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        now[0] = 4.9
        soon = states.states()["writes"]
        now[0] = 5.1
        later = states.states()["writes"]
    database.close()
    assert (soon, later) == ("ok", "unchecked")


def test_asking_makes_no_voter_wait(arena: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Votes go through while readiness is asked without a pause and writes each time."""
    monkeypatch.setattr(writing, "_EVERY_S", 0.0)
    stop, asked = threading.Event(), []

    def ask() -> None:
        client = arena.app.test_client()
        while not stop.is_set():
            asked.append(client.get("/readyz").json)

    asking = threading.Thread(target=ask)
    asking.start()
    begun = time.monotonic()
    voter = arena.voter()
    for _ in range(10):
        voter.read_and_vote()
    took = time.monotonic() - begun
    stop.set()
    asking.join()

    assert took < 5
    assert len(asked) > 2
    assert {each["status"] for each in asked if each} == {"ok"}
