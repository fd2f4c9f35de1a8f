"""A database that is locked, full, bare or half migrated: clear words, and no half stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from arena.rebuild import rebuild
from tests.fixtures.arena_site import ArenaSite, Voter, open_site, reason_of, vote_form


def wait_shortly(arena: ArenaSite) -> None:
    """Make the open connections give up after 50 ms instead of seconds."""
    arena.database._busy_seconds = 0.05
    for opened in (arena.database.write, arena.database.read, arena.database.durable):
        with opened() as conn:
            conn.exec_driver_sql("PRAGMA busy_timeout=50")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the write lock from another process's connection."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def sizes(arena: ArenaSite) -> tuple[int, ...]:
    """Return how many rows every table has that a vote touches."""
    names = ("event", "event_private", "event_pending", "ballot", "ballot_slot", "vote", "voter")
    return (*map(arena.count, names), arena.count("voter", "votes > 0"))


def writes(voter: Voter, token: str) -> Iterator[TestResponse]:
    """Send everything that writes."""
    yield voter.vote(token)
    yield voter.vote(token, htmx=True)
    yield voter.vote("nonsense")
    yield voter.post("/skip", {"ballot": token})
    yield voter.post("/report", {"ballot": token, "slot": "A", "reason": "other"})
    yield voter.post("/consent", {"fingerprint": "no"})
    yield voter.get("/")
    yield voter.site.voter().get("/")


def test_a_locked_database_answers_503_and_stores_nothing(
    arena: ArenaSite, arena_file: Path
) -> None:
    """Each write answers `busy` with Retry-After, whole pages still read, then all goes on."""
    voter = arena.voter()
    token = voter.ballot().token
    arena.clock.advance(30)
    wait_shortly(arena)
    before = sizes(arena)

    with locked(arena_file):
        for response in writes(voter, token):
            assert (response.status_code, reason_of(response)) == (503, "busy")
            assert int(response.headers["Retry-After"]) >= 1
        assert voter.get("/leaderboard").status_code == 200
        assert voter.get("/me").status_code == 200
        assert sizes(arena) == before

    assert voter.vote(token).status_code == 303


def test_a_full_disk_answers_507_and_stores_nothing(arena: ArenaSite) -> None:
    """Where no page can be added a write is refused whole; with room again it counts."""
    # A vote may still fit into half-filled pages, so several stand ready until one does not.
    waiting = [(voter, voter.ballot().token) for voter in (arena.voter() for _ in range(40))]
    arena.clock.advance(30)
    fill_up(arena)

    before, answer = sizes(arena), None
    for voter, token in waiting:
        before, answer = sizes(arena), voter.vote(token)
        if answer.status_code != 303:
            break
    assert answer is not None
    assert (answer.status_code, reason_of(answer)) == (507, "storage_full")
    assert "Nothing was counted" in answer.text
    assert sizes(arena) == before
    again = voter.vote(token, htmx=True)
    assert (again.status_code, reason_of(again)) == (507, "storage_full")
    assert sizes(arena) == before

    with arena.database.write() as conn:
        conn.exec_driver_sql("PRAGMA max_page_count=1000000")
    assert voter.vote(token).status_code == 303
    assert rebuild(arena.database).differing == ()


def fill_up(arena: ArenaSite) -> None:
    """Let the database grow by no page more."""
    with arena.database.write() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count={pages}")


def test_without_migrations_every_page_says_what_to_do(tmp_path: Path) -> None:
    """A database without tables is 503 `not_migrated` with the command, not a fault."""
    site = open_site(f"sqlite:///{tmp_path / 'bare.sqlite3'}", tmp_path / "data")
    voter = site.voter()
    paths = ("/", "/me", "/leaderboard", "/log/checkpoint", "/ballots/x", "/receipts/x", "/verify")
    answers = {path: voter.get(path) for path in paths}
    answers["POST"] = voter.post("/vote", {"ballot": "x"})

    for path, response in answers.items():
        assert (response.status_code, reason_of(response)) == (503, "not_migrated"), path
        assert "arena db upgrade" in response.text
    ready = voter.get("/readyz")
    site.close()
    assert ready.status_code == 503
    assert ready.json is not None
    assert ready.json["checks"]["log"] == "DatabaseNotMigrated"


def test_half_a_migration_is_said_too(arena: ArenaSite) -> None:
    """A missing table and a missing column are the same clear message, and store nothing."""
    voter = arena.voter()
    token = voter.ballot().token
    arena.execute("ALTER TABLE vote RENAME COLUMN p_win TO p_later")
    before = sizes(arena)

    response = voter.vote(token)

    assert (response.status_code, reason_of(response)) == (503, "not_migrated")
    assert sizes(arena) == before


def test_a_broken_file_is_no_riddle(tmp_path: Path) -> None:
    """A file that is no database answers 503 with our page, and readiness names the fault."""
    path = tmp_path / "broken.sqlite3"
    path.write_bytes(b"this is no database at all, whatever its name says" * 100)
    site = open_site(f"sqlite:///{path}", tmp_path / "data")
    voter = site.voter()

    page, ready, alive = voter.get("/"), voter.get("/readyz"), voter.get("/healthz")
    site.close()

    assert (page.status_code, reason_of(page)) == (503, "unavailable")
    assert page.headers["Retry-After"]
    assert "sqlite" not in page.text.lower()
    assert ready.status_code == 503
    assert ready.json is not None
    assert ready.json["checks"]["database"] == "DatabaseUnavailable"
    assert alive.status_code == 200


def test_a_fault_of_ours_is_500_in_plain_words(
    arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error nobody foresaw shows our page, tells no secret, and stores nothing."""
    voter = arena.voter()
    token = voter.ballot().token
    before = sizes(arena)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("zanthor-9b at /secret/path")

    monkeypatch.setattr("arena.votes.weigh", fail)
    for htmx in (False, True):
        response = voter.post("/vote", vote_form(token), htmx=htmx)
        assert (response.status_code, reason_of(response)) == (500, "internal_error")
        assert "zanthor" not in response.text
        assert "secret" not in response.text
    assert sizes(arena) == before


def test_a_flood_against_a_locked_database_is_still_429(
    arena: ArenaSite, arena_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refusing by rate does not depend on counting the refusal."""
    monkeypatch.setattr("webapp.limits._ballot_rate", lambda: "1 per 60 seconds")
    voter = arena.voter("198.51.100.99")
    for _ in range(120):
        voter.get("/me")
    wait_shortly(arena)

    with locked(arena_file):
        response = voter.get("/me")

    assert (response.status_code, reason_of(response)) == (429, "rate_limited")


def test_ready_when_all_is_well(arena: ArenaSite) -> None:
    """Readiness pings each service, writes, says ok, and names no fit, board or sweep."""
    response = arena.voter().get("/readyz")
    assert response.status_code == 200
    assert response.json == {
        "status": "ok",
        "checks": {"database": "ok", "log": "ok", "writes": "ok", "disk": "ok"},
        "degraded": [],
        "failed_fits": {},
        "failed_boards": [],
        "overdue_sweeps": {},
    }
