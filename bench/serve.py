"""Speed of ballot, vote and board against a bare Flask page, one server, one run.

`python -m bench.serve --help`. It serves a throw-away installation on this machine, sends a
bounded number of requests, checks that every accepted vote was stored once, and stops by itself.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from bench import client
from bench.client import Answer, Load
from bench.installation import Installation, installation, serving
from bench.web import BARE_PATH

__all__ = ["Result", "Row", "main", "measure"]

WARM_UP: Final = 40
REPLAYS: Final = 20
TOKEN: Final = re.compile(rb'name="ballot" value="([^"]+)"')
COOKIE: Final = re.compile(r"(?i)^set-cookie: (voter=[^;]+)", re.MULTILINE)
HTMX: Final = {"HX-Request": "true"}


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of request; `ratio` is how many bare pages the server sends in its time."""

    name: str
    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Result:
    """One run on one kind of database."""

    database: str
    content: str
    connections: int
    threads: int
    rows: tuple[Row, ...]
    votes_accepted: int
    log_entries: int


@dataclass(frozen=True, slots=True)
class Voter:
    """A voter with an open ballot: what to send for it."""

    address: str
    cookie: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers this voter's browser and proxy send."""
        return {"X-Forwarded-For": self.address, "Cookie": self.cookie}

    def vote(self, number: int, extra: dict[str, str]) -> bytes:
        """Return the request of a vote; numbers spread best and worst over the answers."""
        best, worst = "ABCD"[number % 4], "ABCD"[(number + 1 + number // 4 % 3) % 4]
        form = f"ballot={self.token}&verdict=best_worst&best={best}&worst={worst}"
        return client.post("/vote", {**self.headers, **extra}, form.encode())


class Bench:
    """Loads one server, phase by phase.

    Args:
        port: of the server.
        connections: kept open at a time.
        seconds: the most a phase may take.
    """

    def __init__(self, port: int, connections: int, seconds: float) -> None:
        self._port = port
        self._connections = connections
        self._seconds = seconds
        self._addresses = _addresses()

    def load(self, requests: Sequence[bytes], status: int = 200) -> Load:
        """Send requests and insist on the status of every answer."""
        load = client.run(
            self._port, requests, connections=self._connections, seconds=self._seconds
        )
        others = [answer for answer in load.answers if answer.status != status]
        assert not others, f"{len(others)} answers, the first {others[0].status}, not {status}"
        return load

    def newcomers(self, count: int) -> tuple[Load, list[Voter]]:
        """Send so many new voters to the ballot; return them with the ballots they got."""
        addresses = [next(self._addresses) for _ in range(count)]
        load = self.load([client.get("/", {"X-Forwarded-For": address}) for address in addresses])
        return load, [_voter(addresses[answer.number], answer) for answer in load.answers]

    def readers(self, path: str, count: int) -> Load:
        """Let so many readers, each with an address of its own, read a page."""
        addresses = (next(self._addresses) for _ in range(count))
        return self.load([client.get(path, {"X-Forwarded-For": each}) for each in addresses])


def measure(installed: Installation, database: str, options: argparse.Namespace) -> Result:
    """Serve an installation, load it, and check what it stored.

    Raises:
        AssertionError: an answer of the wrong status, a vote lost or doubled, or a broken log.
    """
    with serving(installed) as port:
        bench = Bench(port, options.clients, options.seconds)
        accepted = _warm_up(bench, installed)
        loads, voted = _phases(bench, options.requests)
        accepted += voted
    installed.settle()
    stored = installed.stored()
    assert stored.votes == stored.ballots_with_votes == stored.vote_events == accepted, stored
    assert stored.log_fault is None, stored.log_fault
    assert stored.events_waiting == 0, stored
    bare = loads["bare Flask page"].per_second
    rows = tuple(
        Row(
            name,
            len(load.answers),
            load.per_second,
            load.quantile_ms(0.50),
            load.quantile_ms(0.99),
            bare / load.per_second,
        )
        for name, load in loads.items()
    )
    return Result(
        database,
        installed.content,
        options.clients,
        options.threads,
        rows,
        accepted,
        stored.log_entries,
    )


def _warm_up(bench: Bench, installed: Installation) -> int:
    """Cast the first votes and publish the first board, so that every phase reads one."""
    _load, voters = bench.newcomers(WARM_UP)
    bench.load([voter.vote(at, HTMX) for at, voter in enumerate(voters)])
    installed.settle()
    bench.readers(BARE_PATH + "/", WARM_UP)
    bench.readers("/leaderboard", WARM_UP)
    return WARM_UP


def _phases(bench: Bench, count: int) -> tuple[dict[str, Load], int]:
    """Return the loads by name, and how many votes were accepted."""
    bare = bench.readers(BARE_PATH + "/", count)
    new, voters = bench.newcomers(count)
    again = bench.load([client.get("/", voter.headers) for voter in voters])
    half = len(voters) // 2
    plain = [voter.vote(at, {}) for at, voter in enumerate(voters[:half])]
    vote = bench.load(plain, status=303)
    htmx = bench.load([voter.vote(at, HTMX) for at, voter in enumerate(voters[half:])])
    accepted = len(vote.answers) + len(htmx.answers)
    bench.load(plain[: min(REPLAYS, len(vote.answers))], status=409)
    board = bench.readers("/leaderboard", count)
    loads = {
        "bare Flask page": bare,
        "GET / new ballot": new,
        "GET / open ballot again": again,
        "POST /vote": vote,
        "POST /vote with reveal": htmx,
        "GET /leaderboard": board,
    }
    return loads, accepted


def _addresses() -> Iterator[str]:
    """Yield different addresses of the block that is kept for benchmarks (RFC 2544)."""
    for number in range(1 << 17):
        yield f"198.{18 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


def _voter(address: str, answer: Answer) -> Voter:
    cookie, token = COOKIE.search(answer.head), TOKEN.search(answer.body)
    assert cookie is not None, "a new voter got no cookie"
    assert token is not None, "a new voter got no ballot"
    return Voter(address, cookie[1], token[1].decode())


@contextmanager
def _postgres_url() -> Iterator[str]:
    """Yield the address of an empty database on a PostgreSQL of its own."""
    # The server of the tests; asked for here only, since it needs the packages of `make setup`.
    from tests.fixtures.databases import run_on_server  # noqa: PLC0415
    from tests.fixtures.postgresql import running_server  # noqa: PLC0415

    with running_server() as server:
        run_on_server(server, "CREATE DATABASE arena_bench")
        yield server.set(database="arena_bench").render_as_string(hide_password=False)


def _run(options: argparse.Namespace, database_url: str | None) -> Result:
    with installation(
        database_url=database_url, questions=options.questions, threads=options.threads
    ) as installed:
        return measure(installed, "SQLite" if database_url is None else "PostgreSQL", options)


def _table(result: Result) -> str:
    setting = f"{result.content}, {result.connections} connections, {result.threads} threads"
    lines = [
        f"{result.database}, {setting}: every one of {result.votes_accepted:,} accepted votes",
        f"is stored once, and the log of {result.log_entries:,} entries verifies.",
        f"{'':24}{'requests':>9}{'per s':>8}{'p50 ms':>8}{'p99 ms':>8}{'ratio':>7}",
    ]
    lines += [
        f"{row.name:24}{row.requests:9,}{row.per_second:8,.0f}{row.p50_ms:8.1f}{row.p99_ms:8.1f}"
        f"{row.ratio:7.1f}"
        for row in result.rows
    ]
    return "\n".join(lines)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.serve", description=__doc__)
    parser.add_argument("--questions", type=Path, help="folder of AlpacaEval outputs to import")
    parser.add_argument("--postgres", action="store_true", help="run on PostgreSQL as well")
    parser.add_argument("--requests", type=int, default=1_000, help="requests of each kind")
    parser.add_argument("--clients", type=int, default=8, help="connections at a time")
    parser.add_argument("--seconds", type=float, default=20.0, help="most time of one kind")
    parser.add_argument("--threads", type=int, default=64, help="threads of the web process")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> list[Result]:
    """Run, print and return the results."""
    options = _options(arguments)
    results = [_run(options, None)]
    if options.postgres:
        with _postgres_url() as url:
            results.append(_run(options, url))
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=1))
    else:
        print("\n\n".join(_table(result) for result in results))
    return results


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"bench: {error}")
