"""Speed of the moderators' and the voter's pages on a busy month, and how it grows with the month.

Each page is asked for in this process, on a throw-away SQLite database and on one with a tenth of
the votes: `times` says how much slower it is on the large one. Times are of the processor, which
other work on the machine hardly moves.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Final

# As the worker is to be run: where others want the processor, OpenBLAS's threads spin in vain.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from flask.testing import FlaskClient
from sqlalchemy import event

from antiabuse import accounts, sessions
from antiabuse.utc import month_of
from arena import refits, rules
from arena.ballot_events import ANY_MODE, arena_stream
from bench.busy_month import BusyMonth, lay_month
from ledger.event import Disclosure, NewEvent
from ledger.ids import uuid7
from webapp.app import create_app
from webapp.prepare import prepare
from webapp.settings import read_settings
from webapp.wiring import Services, build_services

NOW_US: Final = 1_796_025_600_000_000  # 2026-11-30, so that the month is nearly over
VOTES_PER_FLAG: Final = 33
RUNS: Final = 5
PAGES: Final = (
    "/audit", "/audit/counts.csv", "/decisions", "/decisions/{decision}", "/disputes", "/me",
    "/me/data.json", "/moderation", "/moderation?kind=flag", "/moderation/cases/flag:{flag}",
    "/moderation/cases/voter:{month}:{pseudonym}", "/moderation/votes/{vote}",
    "/moderation/operations", "/moderation/influence", "/moderation/decisions/{decision}",
    "/moderation/audit", "/moderation/audit?voter={pseudonym}", "/moderation/audit?vote={vote}",
    "/moderation/audit?flag={flag}", "/moderation/audit.csv?voter={pseudonym}",
)  # fmt: skip
ARCHIVED: Final = (
    "/audit?month={month}", "/audit?month={month}&voter={pseudonym}",
    "/audit?month={month}&vote={vote}", "/audit?month={month}&kind=votes&model=demo-kestrel",
    "/audit/votes/{vote}", "/audit/rows.csv?month={month}&voter={pseudonym}",
)  # fmt: skip
"""What everybody may ask for once the month's archive is out."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One page: the first view, the median of the next ones, both in processor time; statements."""

    page: str
    first_ms: float
    median_ms: float
    statements: int


def main(arguments: Sequence[str] | None = None) -> list[Timing]:
    """Measure and print; return the timings on the large month."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--votes", type=int, default=200_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    small, large = (measured(options.votes // share) for share in (10, 1))
    if options.json:
        print(json.dumps([asdict(timing) for timing in large], indent=1))
        return large
    print(f"{options.votes:,} votes{'first ms':>41}{'median ms':>11}{'statements':>12}{'times':>7}")
    for before, now in zip(small, large, strict=True):
        times = now.median_ms / before.median_ms
        print(
            f"{now.page:44}{now.first_ms:9.0f}{now.median_ms:11.0f}{now.statements:12}{times:7.1f}"
        )
    return large


def measured(votes: int) -> list[Timing]:
    """Time the pages on a month of so many votes."""
    with tempfile.TemporaryDirectory(prefix="arena-pages-") as folder:
        environ = {"ARENA_DATA_DIR": folder, "ARENA_RATE_LIMIT": "1000000000"}
        settings = read_settings(environ)
        prepare(settings, say=lambda _line: None)
        services = build_services(settings, clock=lambda: NOW_US)
        month = lay_month(services, votes, votes // VOTES_PER_FLAG)
        refits.refit_now(services.ports, "speed", month_of(NOW_US), NOW_US)
        browser = signed_in(services, month)
        timings = [timed(services, browser, page, month) for page in PAGES]
        close_month(services)
        timings += [timed(services, browser, page, month) for page in ARCHIVED]
        services.close()
        return timings


def signed_in(services: Services, month: BusyMonth) -> FlaskClient:
    """Return the browser of a moderator who is the keen voter as well."""
    with services.database.write() as conn:
        accounts.add(
            conn, services.ports, name="bench", role="moderator", password_hash="-",  # noqa: S106
            totp_secret=None, now_us=NOW_US,
        )  # fmt: skip
        token = sessions.open_session(conn, services.rng, "bench", NOW_US)
    browser = create_app(services).test_client()
    browser.set_cookie("moderator", token)
    browser.set_cookie("voter", services.cookies.issue(month.voter))
    return browser


def close_month(services: Services) -> None:
    """Log that the month's archive is out."""
    month = month_of(NOW_US)
    closed = NewEvent(
        id=uuid7(NOW_US, services.rng), kind="month.closed", version=1,
        stream=arena_stream(ANY_MODE, month), ruleset=rules.current().id, body={"month": month},
        disclosure=Disclosure.AT_ONCE,
    )  # fmt: skip
    with services.database.write() as conn:
        services.ports.log.append(conn, closed)


def timed(services: Services, browser: FlaskClient, page: str, month: BusyMonth) -> Timing:
    """Ask for one page several times; any answer but 200 is a failed bench."""
    path = page.format(month=month_of(NOW_US), **asdict(month))
    seconds, counts = [], []
    for run in range(RUNS + 1):
        with statements(services) as seen:
            start = time.process_time()
            # Addresses of the block for benchmarks (RFC 2544); no limit is to be reached.
            there = {"REMOTE_ADDR": f"198.18.{(*PAGES, *ARCHIVED).index(page)}.{run + 1}"}
            answer = browser.get(path, environ_overrides=there)
            assert answer.status_code == HTTPStatus.OK, f"{path}: {answer.status}"
            assert answer.data
            seconds.append(time.process_time() - start)
        counts.append(len(seen))
    return Timing(page, seconds[0] * 1_000, statistics.median(seconds[1:]) * 1_000, counts[-1])


@contextmanager
def statements(services: Services) -> Iterator[list[str]]:
    """Collect the SQL statements that reads run."""
    seen: list[str] = []
    engine = services.database._reader  # noqa: SLF001 - a bench counts what no caller need know

    def record(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        seen.append(statement)

    event.listen(engine, "before_cursor_execute", record)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", record)


if __name__ == "__main__":
    main()
