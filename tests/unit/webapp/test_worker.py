"""The worker outlives the faults of what it leans on, and tells them without filling the log."""

from __future__ import annotations

import io
import logging
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
import structlog
from huey.api import Huey
from redis.exceptions import ConnectionError as RedisGone

from arena.sweep import Swept
from webapp import jobs
from webapp.logs import Outages
from webapp.wiring import Services
from webapp.worker import SequencerLoop

WAIT_S = 20.0


class DeadQueue:
    """A job queue whose storage cannot be reached."""

    def __init__(self) -> None:
        self.asked = 0

    def task(self, **_: object) -> Callable[[Any], Any]:
        """Return a decorator whose tasks cannot be put on the queue."""

        def enqueue(_mode: str) -> None:
            self.asked += 1
            raise RedisGone("redis://:secret@cache")

        return lambda _act: enqueue


def loop_over(step: Callable[[int], object], queue: DeadQueue) -> SequencerLoop:
    """Return a loop over one function in a sequencer's place."""
    services = SimpleNamespace(clock=lambda: 0, sequencer=lambda: SimpleNamespace(step=step))
    return SequencerLoop(cast("Services", services), cast("Huey", queue))


def run_until(loop: SequencerLoop, done: threading.Event) -> bool:
    """Let the loop run until something happened, at most for a while; tell whether it did."""
    loop.start()
    happened = done.wait(WAIT_S)
    loop.stop()
    return happened


def test_the_log_goes_on_without_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events are numbered and signed also while no fit can be asked for."""
    monkeypatch.setattr("webapp.worker._LOOP_S", 0.001)
    steps, third = [], threading.Event()

    def step(now_us: int) -> object:
        steps.append(now_us)
        if len(steps) > 2:
            third.set()
        return SimpleNamespace(added=1)

    queue = DeadQueue()
    assert run_until(loop_over(step, queue), third)
    assert queue.asked >= 2


def test_a_fault_nobody_thought_of_does_not_end_the_sequencer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After any error of a step the loop waits and tries again."""
    monkeypatch.setattr("webapp.worker._LOOP_S", 0.001)
    monkeypatch.setattr("webapp.worker._FAULT_WAIT_S", 0.001)
    steps, second = [], threading.Event()

    def step(now_us: int) -> object:
        steps.append(now_us)
        if len(steps) == 1:
            raise OSError("no space")
        second.set()
        return SimpleNamespace(added=0)

    assert run_until(loop_over(step, DeadQueue()), second)


def test_one_failing_job_keeps_no_other_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """When refusals cannot be folded, boards of both modes are fitted all the same."""
    fitted: list[str] = []

    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(jobs, "fold_refusals", fail)
    monkeypatch.setattr(jobs, "tend", lambda _services, mode: fitted.append(mode))
    monkeypatch.setattr(jobs, "refit_side_boards", fail)

    jobs.every_minute(cast("Services", SimpleNamespace(ports=None, clock=time.time_ns)))

    assert fitted == list(jobs.MODES)


def test_a_sweep_tells_of_the_detectors_that_could_not_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is logged with its fault, and the flags of the others are counted."""
    done = [
        Swept("speed", "2026-11", 2, {"burst": ZeroDivisionError()}),
        Swept("expert", "2026-11", 1, {}),
    ]
    monkeypatch.setattr("webapp.jobs.sweeps.sweep_if_due", lambda _ports, _now: done)

    with structlog.testing.capture_logs() as lines:
        flags = jobs.sweep(cast("Services", SimpleNamespace(ports=None, clock=time.time_ns)))

    assert flags == 3
    assert [line["event"] for line in lines] == ["detector_failed", "swept", "swept"]
    assert lines[0]["detector"] == "burst"


def test_an_outage_is_one_line_without_the_address() -> None:
    """A library that reports the same outage again and again is heard once, without traceback."""
    told = io.StringIO()
    handler = logging.StreamHandler(told)
    handler.addFilter(Outages())
    library = logging.Logger("library")  # noqa: LOG001 - apart from all handlers of the run
    library.addHandler(handler)

    for _ in range(3):
        library.error("Error reading from queue", exc_info=RedisGone("redis://:secret@cache"))
    library.error("Another fault of %s", "ours", exc_info=RuntimeError("told in full"))

    first, second, *rest = told.getvalue().splitlines()
    assert first == "Error reading from queue (ConnectionError)"
    assert second == "Another fault of ours"
    assert rest == ["RuntimeError: told in full"]
