"""Checks of time: point 7 of the list of leaks.

What another process takes from the machine only ever adds to a time. So of many times of the same
request, taken in turn with those of other ballots, the shortest one is compared, and more are taken
as long as ballots seem to differ: what waits for one model's sake waits each time.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tests.fixtures.arena_site import ArenaSite, Page, Voter, page_of
from tests.web.blindness import crawl

NOISE_S = 0.010
ROUNDS, AT_LEAST = 30, 4
FRESH_ROUNDS = 8
_WAITING = frozenset(
    name for name in ("sleep", "select", "poll", "epoll", "kqueue", "recv", "recv_into", "accept")
)
_WAITING_MODULES = frozenset({"time", "select", "_socket", "socket", "_posixsubprocess"})


def answers_come_apart(arena: ArenaSite) -> Iterator[str]:
    """Point 7: the four do not come at once, or one takes other work or longer than another."""
    # The first ballots of a process also fill caches.
    for voter, page, _ in crawl.ballots(arena):
        voter.post("/skip", {"ballot": page.token})
    yield from _other_statements(arena)
    yield from _streamed(arena)
    yield from _waits(arena)
    yield from _longer(arena)


def _other_statements(arena: ArenaSite) -> Iterator[str]:
    """Say whether ballots of any model take other statements than those of others."""
    ways: dict[str, set[tuple[str, ...]]] = {}
    for voter, page, _ in crawl.ballots(arena):
        for name, ask in _ways(voter, page).items():
            with arena.statements() as seen:
                got = ask()
            ways.setdefault(name, set()).add(tuple(seen.all))
            if len(crawl.texts(page_of(got))) != 4:
                yield f"{name}: not four answers in the response"
    yield from (f"{name}: ballots differ in their work" for name, w in ways.items() if len(w) > 1)


def _ways(voter: Voter, page: Page) -> Mapping[str, Callable[[], Any]]:
    """Return the ways to a ballot: the same again, as page and as part of one, and the next."""
    return {
        "again": lambda: voter.get("/"),
        "as a part": lambda: voter.get("/", htmx=True),
        "after a skip": lambda: voter.post("/skip", {"ballot": page.token}, htmx=True),
    }


def _streamed(arena: ArenaSite) -> Iterator[str]:
    # Asked without buffering: what is streamed has no length when it begins.
    length = arena.app.test_client().get("/").headers.get("Content-Length")
    if not length:
        yield "the page is streamed"


def _waits(arena: ArenaSite) -> Iterator[str]:
    """Say what a ballot waits for: it is read from the store, so for nothing, however short."""
    for voter, page, _ in crawl.ballots(arena):
        for name, ask in _ways(voter, page).items():
            with waiting() as found:
                ask()
            yield from (f"{name}: {call}" for call in found)


@contextmanager
def waiting() -> Iterator[list[str]]:
    """Collect the calls of this thread that wait: for time, a socket or another process."""
    found: list[str] = []

    def note(_frame: FrameType, event: str, called: Any) -> None:  # noqa: ANN401 - as it is given
        if event == "c_call" and called.__name__ in _WAITING:
            owner = getattr(called, "__module__", None) or type(called.__self__).__module__
            if owner in _WAITING_MODULES:
                found.append(f"{owner}.{called.__name__}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


def _longer(arena: ArenaSite) -> Iterator[str]:
    """Say whose ballots take longer than those of others, new ones and such as are shown again."""
    shown = {voter: models for voter, _, models in crawl.ballots(arena)}
    times: dict[Voter, float] = {}
    for round_ in range(ROUNDS):
        least = min(times.values(), default=0)
        for voter in shown:
            # What was as quick as others once need not be asked again.
            if round_ < AT_LEAST or times[voter] - least >= NOISE_S:
                times[voter] = min(_timed(voter), times.get(voter, 3600))
        if round_ >= AT_LEAST and _alike(times):
            break
    else:
        slow = max(times, key=lambda voter: times[voter])
        yield f"again: {_said(times)}, longest {sorted(shown[slow])}"
    yield from _longer_when_new(arena)


def _longer_when_new(arena: ArenaSite) -> Iterator[str]:
    """Say whose new ballots take longer: of each model the shortest time that showed it."""
    fresh: dict[str, float] = {}
    for _ in range(FRESH_ROUNDS):
        times = Counter[str]()
        while min((times[model] for model in arena.models()), default=0) < AT_LEAST:
            voter = arena.voter("198.51.100.77")
            took = _timed(voter)
            page = voter.ballot()
            for slot in arena.held(page.token).slots:
                fresh[slot.model] = min(took, fresh.get(slot.model, took))
                times[slot.model] += 1
        if _alike(fresh):
            return
    yield f"new: {_said(fresh)}"


def _timed(voter: Voter) -> float:
    began = time.perf_counter()
    voter.get("/")
    return time.perf_counter() - began


def _alike(times: Mapping[Any, float]) -> bool:
    return max(times.values()) - min(times.values()) < NOISE_S


def _said(times: Mapping[Any, float]) -> str:
    return f"{min(times.values()) * 1000:.1f} to {max(times.values()) * 1000:.1f} ms"
