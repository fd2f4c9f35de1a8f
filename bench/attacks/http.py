"""Runs the attacks on the web layer, each on an application of its own."""

from __future__ import annotations

import random
import socket
import tempfile
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.attacks.application import Application, application
from bench.attacks.bots import Reader
from bench.attacks.people import honest_values
from bench.attacks.real_votes import People
from bench.attacks.setting import Setting
from bench.attacks.web import (
    Flood,
    Joined,
    Outage,
    Replays,
    Reports,
    flood,
    joined,
    outage,
    replays,
    reports,
)

__all__ = ["Http", "honest_crowd", "run_http"]

FLOOD: Final = 200
ROUNDS: Final = 10
REPORTERS: Final = 30
REPORTS_EACH: Final = 5
VOTERS: Final = 60  # one a minute, so for an hour
IDS: Final = 50
CROWD: Final = 45
CROWD_VOTES: Final = 3
BETWEEN_S: Final = 12
NO_LIMIT: Final = "100000"
SETTING: Final = Setting(mode="speed", ballots=0, questions=60, read_s=30, models=12)


@dataclass(frozen=True, slots=True)
class Http:
    """What came of each attack; `proxied` is the flood through a trusted proxy."""

    direct: Flood
    proxied: Flood
    replays: Replays
    reports: Reports
    outage: Outage
    joined: Joined


def run_http(people: People) -> Http:
    """Run all of them."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as root:
        opened = _Opener(Path(root), people)
        with opened.site("direct") as app:
            direct = flood(app, sent=FLOOD)
        with opened.site("proxied", trusted_proxies="1") as app:
            proxied = flood(app, sent=FLOOD)
        with opened.site("replays", rate_limit=NO_LIMIT) as app:
            replayed = replays(app, rounds=ROUNDS)
        with opened.site("reports", rate_limit=NO_LIMIT) as app:
            reported = reports(app, ids=REPORTERS, each=REPORTS_EACH)
        with opened.site("outage", rate_limit=NO_LIMIT, redis_url=_dead_store()) as app:
            away = outage(app, voters=VOTERS, timer=time.monotonic)
        with opened.site("joined", rate_limit=NO_LIMIT) as app:
            honest_crowd(app, people, voters=CROWD, votes=CROWD_VOTES)
            one = joined(app, ids=IDS)
    return Http(direct, proxied, replayed, reported, away, one)


@dataclass(frozen=True, slots=True)
class _Opener:
    root: Path
    people: People

    def site(self, name: str, **settings: str) -> AbstractContextManager[Application]:
        folder = self.root / name
        folder.mkdir()
        return application(
            folder,
            SETTING.names(),
            SETTING.worths(self.people.scale),
            questions=SETTING.questions,
            seed=1,
            **settings,
        )


def honest_crowd(app: Application, people: People, *, voters: int, votes: int) -> None:
    """Let honest voters vote, each from a network of its own."""
    rng = random.Random(1)
    for number in range(voters):
        person = app.person(f"203.{number}.113.5")
        reader = Reader(people, {})
        for _ in range(votes):
            app.turn(person, reader, honest_values(SETTING.read_s, rng), rng)
            app.clock.advance(BETWEEN_S)


def _dead_store() -> str:
    """Return the address of a port at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"redis://127.0.0.1:{probe.getsockname()[1]}"
