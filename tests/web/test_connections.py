"""A crowd before a PostgreSQL that lets in few: no vote is lost, and others find room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from click.testing import CliRunner
from sqlalchemy import URL, make_url

from tests.fixtures.arena_site import ArenaSite, Clock, Voter, open_site
from tests.fixtures.databases import postgres_database, run_on_server
from webapp.cli import main
from webapp.settings import Settings

BUDGET = 21
SPARE = 2
LIMIT = 20
CROWD = 60
ASKS = 3
HONEST = 20
ROLE = "arena_let_in_few"


@pytest.fixture
def few_connections(postgres_server: URL, postgres_arena_template: str) -> Iterator[str]:
    """The address of a database, for a role that the server lets in only so many times."""
    for address in postgres_database(postgres_server, postgres_arena_template):
        url = make_url(address)
        run_on_server(url, f"CREATE ROLE {ROLE} LOGIN CONNECTION LIMIT {BUDGET + SPARE}")
        for grant in ("pg_read_all_data", "pg_write_all_data"):
            run_on_server(url, f"GRANT {grant} TO {ROLE}")
        yield url.set(username=ROLE).render_as_string(hide_password=False)
        run_on_server(url, f"DROP OWNED BY {ROLE}")
        run_on_server(url, f"DROP ROLE {ROLE}")


@pytest.fixture
def site(few_connections: str, tmp_path: Path, clock: Clock) -> Iterator[ArenaSite]:
    """A site whose threads are many more than its connections."""
    opened = open_site(
        few_connections,
        tmp_path / "data",
        clock=clock,
        threads=str(CROWD + HONEST),
        database_connections=str(BUDGET),
        rate_limit=str(LIMIT),
    )
    yield opened
    opened.close()


def test_a_crowd_of_one_address_costs_nobody_a_vote(site: ArenaSite) -> None:
    """180 requests of one address and 20 votes at once: the limit holds, every vote counts."""
    voters = [site.voter() for _ in range(HONEST)]
    tokens = [voter.ballot().token for voter in voters]
    crowd = [site.voter("203.0.113.9") for _ in range(CROWD)]
    site.clock.advance(30)
    start = Barrier(CROWD + HONEST)

    def flood(one: Voter) -> list[int]:
        start.wait(timeout=60)
        return [one.get("/").status_code for _ in range(ASKS)]

    def vote(at: int) -> int:
        start.wait(timeout=60)
        return voters[at].vote(tokens[at]).status_code

    with ThreadPoolExecutor(CROWD + HONEST) as threads:
        flooding = [threads.submit(flood, one) for one in crowd]
        voting = [threads.submit(vote, at) for at in range(HONEST)]
        votes = Counter(each.result() for each in voting)
        answers = Counter(status for each in flooding for status in each.result())

    assert votes == {303: HONEST}
    assert site.count("vote") == HONEST
    assert answers == {200: LIMIT, 429: CROWD * ASKS - LIMIT}
    assert site.count("refusal_tally", "refusals = :all", all=CROWD * ASKS - LIMIT) == 1


def test_the_check_tells_of_too_few_connections(
    few_connections: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`arena db check` names the setting and the server's number, and is silent where both fit."""
    monkeypatch.setenv("ARENA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ARENA_DATABASE_URL", few_connections)
    short = CliRunner().invoke(main, ["db", "check"])
    monkeypatch.setenv("ARENA_DATABASE_CONNECTIONS", str(BUDGET - SPARE - 1))
    fits = CliRunner().invoke(main, ["db", "check"])

    assert short.exit_code == 1
    assert f"in {BUDGET + SPARE} times at once" in short.stderr
    assert "ARENA_DATABASE_CONNECTIONS" in short.stderr
    assert (fits.exit_code, fits.stderr) == (0, "")


def test_the_web_half_says_so_at_its_start(
    few_connections: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too few connections are told in one line, and pages are served all the same."""
    served: list[Settings] = []
    monkeypatch.setattr("webapp.server.run_web", served.append)
    monkeypatch.setenv("ARENA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ARENA_DATABASE_URL", few_connections)

    started = CliRunner().invoke(main, ["web"])

    assert started.exit_code == 0
    assert started.stderr.count("\n") == 1
    assert "ARENA_DATABASE_CONNECTIONS" in started.stderr
    assert [each.database_connections for each in served] == [80]
