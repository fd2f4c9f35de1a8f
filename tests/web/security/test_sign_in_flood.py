"""A flood of sign-ins against the real server: voters' pages go on (X-009)."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest

from tests.fixtures.served import Server, served

ATTEMPTS: Final = 100
MOST_S: Final = 2.0
"""A page takes some hundredths of a second; each of these attempts waited for all before it."""


@pytest.fixture
def server(arena_template: Path, tmp_path: Path, project_root: Path) -> Iterator[Server]:
    """The web half with a few threads, behind one proxy."""
    shutil.copyfile(arena_template, tmp_path / "arena.sqlite3")
    with served(tmp_path, project_root, threads="16", trusted_proxies="1") as running:
        yield running


def attempt(server: Server, number: int, address: str) -> int:
    """Try to sign in under a name of its own; return the status."""
    form = urlencode({"name": f"nobody{number}", "password": "some guess of a stranger"})
    head = (
        "POST /moderation/sign-in HTTP/1.1\r\nHost: arena.example\r\nConnection: close\r\n"
        f"X-Forwarded-For: {address}\r\nSec-Fetch-Site: same-origin\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(form)}\r\n\r\n"
    )
    return status_of(server.ask((head + form).encode(), wait_s=60))


def ballot_time(server: Server) -> float:
    """Open the ballot page as a visitor from elsewhere; return the seconds it took."""
    begun = time.monotonic()
    answer = server.ask(
        b"GET / HTTP/1.1\r\nHost: arena.example\r\nConnection: close\r\n"
        b"X-Forwarded-For: 198.18.7.7\r\n\r\n",
        wait_s=60,
    )
    assert status_of(answer) == 200
    return time.monotonic() - begun


def status_of(answer: bytes) -> int:
    """Return an answer's status."""
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("addresses", [1, ATTEMPTS])
def test_a_flood_of_sign_ins_leaves_the_ballot_to_voters(server: Server, addresses: int) -> None:
    """A hundred attempts at once, from one address or a hundred: most are refused at once."""
    ballot_time(server)
    with ThreadPoolExecutor(ATTEMPTS) as strangers:
        flood = [
            strangers.submit(attempt, server, number, f"203.0.113.{number % addresses}")
            for number in range(ATTEMPTS)
        ]
        time.sleep(0.3)
        took = max(ballot_time(server) for _ in range(3))
        wait(flood)

    statuses = Counter(each.result() for each in flood)
    assert took < MOST_S
    assert set(statuses) <= {403, 429, 503}
    assert statuses[403] >= 1
    assert statuses[503] >= 1
    assert statuses[429] + statuses[503] > ATTEMPTS / 2
