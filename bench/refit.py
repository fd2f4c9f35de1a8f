"""A refit from the column cache against one read from the database, on a month of many votes.

Votes are laid straight into a throw-away SQLite database, as an arena would have stored them; no
other benchmark could wait for a million ballots. Ratios of one run are what counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# As the worker is to be run: where others want the processor, OpenBLAS's threads spin in vain.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from arena import boards, refits
from bench.synthetic import votes as synthetic_votes
from ledger import store
from ledger.migrate import upgrade
from ranking.lobster import Choices
from webapp.paths import MIGRATIONS
from webapp.settings import read_settings
from webapp.wiring import Services, build_services

MONTH: Final = "2026-11"
STREAM: Final = f"arena/speed/{MONTH}"
NOW_US: Final = 1_796_000_000_000_000
QUESTIONS: Final = 50
NEW_VOTES: Final = 1_000
DIGEST: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class Result:
    """Processor seconds of each refit; reading, interval and writing the board are included."""

    votes: int
    models: int
    from_database: float
    from_cache: float
    new_votes_read: float
    new_votes_refit: float


def main(arguments: Sequence[str] | None = None) -> Result:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.refit", description=__doc__)
    parser.add_argument("--votes", type=int, default=1_000_000)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="arena-refit-") as folder:
        result = measure(Path(folder), options.votes, options.models)
    if options.json:
        print(json.dumps({name: getattr(result, name) for name in result.__slots__}))
    else:
        print(table(result))
    return result


def measure(folder: Path, votes: int, models: int) -> Result:
    """Fill a database, and refit it cold, from the cache's file, and after new votes."""
    settings = read_settings({"ARENA_DATA_DIR": str(folder), "ARENA_DEMO": "off"})
    upgrade(settings.database_url, MIGRATIONS)
    path = Path(settings.database_url.removeprefix("sqlite:///"))
    choices = synthetic_votes(votes + 2 * NEW_VOTES, models, seed=1, worst=True)
    lay_catalogue(path, choices)
    lay_votes(path, choices, 0, votes)
    from_database = timed(folder, refit)
    lay_votes(path, choices, votes, votes + NEW_VOTES)
    from_cache = timed(folder, refit)
    services = build_services(settings, clock=lambda: NOW_US)
    refit(services)
    lay_votes(path, choices, votes + NEW_VOTES, votes + 2 * NEW_VOTES)
    start = time.process_time()
    read(services)
    new_votes_read = time.process_time() - start
    start = time.process_time()
    refit(services)
    new_votes_refit = time.process_time() - start
    services.close()
    return Result(votes, models, from_database, from_cache, new_votes_read, new_votes_refit)


def timed(folder: Path, step: Callable[[Services], None]) -> float:
    """Return how long a step takes in services of its own, which have nothing in memory."""
    settings = read_settings({"ARENA_DATA_DIR": str(folder), "ARENA_DEMO": "off"})
    services = build_services(settings, clock=lambda: NOW_US)
    start = time.process_time()
    step(services)
    seconds = time.process_time() - start
    services.close()
    return seconds


def refit(services: Services) -> None:
    """Fit all votes and publish the board; a board that did not come out is a failed bench."""
    with services.database.read() as conn:
        before = boards.latest(conn, "speed", MONTH)
    refits.refit_now(services.ports, "speed", MONTH, NOW_US)
    with services.database.read() as conn:
        after = boards.latest(conn, "speed", MONTH)
    assert after is not None
    assert before is None or after.log_size >= before.log_size


def read(services: Services) -> None:
    """Bring the columns up to date."""
    with services.database.read() as conn:
        services.ports.columns.read(conn, "speed", MONTH, store.head(conn).size)


def lay_catalogue(path: Path, choices: Choices) -> None:
    """Store models, questions and answers without events."""
    with closing(sqlite3.connect(path)) as base:
        base.executemany(
            "INSERT INTO model VALUES (?, ?, 'Maker', 'MIT', '', 0, 0, 1, NULL)",
            [(slug, slug) for slug in choices.models],
        )
        base.executemany(
            "INSERT INTO question VALUES (?, ?, ?, 'General', 'en', 'speed', 'bench', 'CC0-1.0',"
            " 1, 0, 0, NULL)",
            [(f"q{n}", f"Question {n}", f"key{n}") for n in range(QUESTIONS)],
        )
        base.executemany(
            "INSERT INTO answer (id, question_id, model, mode, text, origin, licence, state,"
            " held_for, reveals) VALUES (?, ?, ?, 'speed', 'text', 'bench', 'CC0-1.0', 'showable',"
            " '', 0)",
            [(f"a{n}-{slug}", f"q{n}", slug) for n in range(QUESTIONS) for slug in choices.models],
        )
        base.execute("INSERT INTO catalogue_head VALUES (1, 1)")
        base.commit()


def lay_votes(path: Path, choices: Choices, first: int, last: int) -> None:
    """Store votes as an arena does: event, place in the log, ballot, slots, vote."""
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA synchronous=OFF")
        base.execute("PRAGMA recursive_triggers=ON")
        low = base.execute("SELECT size FROM log_head").fetchone()[0]
        base.executemany(
            "INSERT INTO event (id, kind, version, stream, ruleset, disclosure, shuffled, body,"
            " body_salt, body_sha256) VALUES (?, 'vote.cast', 1, ?, 'arena.2026.1', 'archive', 1,"
            " '{}', ?, ?)",
            ((f"v{n}", STREAM, DIGEST, DIGEST) for n in range(first, last)),
        )
        base.executemany(
            "INSERT INTO log_entry VALUES (?, ?)",
            ((low + place, f"v{n}") for place, n in enumerate(range(first, last))),
        )
        base.execute("UPDATE log_head SET size = ?", (low + last - first,))
        base.executemany(
            "INSERT INTO ballot (id, mode, month, hour, question_id, voter, state,"
            " set_probability) VALUES (?, 'speed', ?, ?, ?, ?, 'voted', '0.000001')",
            (
                (f"b{n}", MONTH, f"{MONTH}-30T00:00Z", f"q{n % QUESTIONS}", f"voter{c}")
                for n, c in zip(range(first, last), choices.cluster[first:last], strict=True)
            ),
        )
        base.executemany(
            "INSERT INTO ballot_slot VALUES (?, ?, ?, ?, ?)", slots(choices, first, last)
        )
        base.executemany(
            "INSERT INTO vote (id, ballot_id, mode, month, hour, question_id, voter, cluster,"
            " models, verdict, best, worst, weight_micro, weight_parts, reasons, p_win, changes)"
            " VALUES (?, ?, 'speed', ?, ?, ?, ?, ?, ?, 'best_worst', ?, ?, ?, '{}', '[]', '[]', ?)",
            vote_rows(choices, first, last),
        )
        base.commit()


def slots(choices: Choices, first: int, last: int) -> Iterator[tuple[str, int, str, str, str]]:
    """Yield the four slots of each ballot."""
    for n in range(first, last):
        for position, model in enumerate(choices.sets[n].tolist()):
            slug = choices.models[model]
            yield f"b{n}", position, f"s{n}-{position}", f"a{n % QUESTIONS}-{slug}", slug


def vote_rows(choices: Choices, first: int, last: int) -> Iterator[tuple[object, ...]]:
    """Yield each vote as the table keeps it."""
    changes = json.dumps(["16.000000", "-2.666667", "-2.666667", "-10.666666"])
    for n in range(first, last):
        four = choices.sets[n].tolist()
        worst = int(choices.worst[n])
        voter = f"voter{choices.cluster[n]}"
        yield (
            f"v{n}", f"b{n}", MONTH, f"{MONTH}-30T00:00Z", f"q{n % QUESTIONS}", voter, voter,
            json.dumps([choices.models[model] for model in four]), four.index(choices.best[n]),
            four.index(worst) if worst >= 0 else None, int(choices.weight[n]), changes,
        )  # fmt: skip


def table(result: Result) -> str:
    """Write the result for people."""
    cold = result.from_database
    lines = (
        ("refit read from the database", cold),
        ("refit from the cache's file", result.from_cache),
        (f"reading {NEW_VOTES:,} new votes", result.new_votes_read),
        (f"refit after {NEW_VOTES:,} new votes, warm", result.new_votes_refit),
    )
    head = f"{result.votes:,} votes, {result.models} models (interval and board included)"
    return "\n".join(
        [head, *(f"{name:<40} {s:8.2f} s   1/{cold / s:.1f} of cold" for name, s in lines)]
    )


if __name__ == "__main__":
    main()
