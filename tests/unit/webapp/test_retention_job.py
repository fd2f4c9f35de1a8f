"""The hourly job: on the timetable, and no fault of one hour stops the next."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from huey import MemoryHuey

from webapp import retention
from webapp.wiring import Services


@pytest.fixture
def queue() -> Any:  # noqa: ANN401 - the library ships no types
    """A job queue in memory."""
    return MemoryHuey("test", immediate=False)


def test_it_runs_once_an_hour(queue: Any) -> None:  # noqa: ANN401 - as above
    """Of the sixty minutes of an hour one is its own."""
    retention.register_retention(queue, cast("Services", SimpleNamespace()))
    hour = [datetime(2026, 11, 30, 5, minute, tzinfo=UTC) for minute in range(60)]
    due = [len(queue.read_periodic(moment)) for moment in hour]
    assert sum(due) == 1


def test_a_fault_is_told_and_ends_nothing(
    queue: Any,  # noqa: ANN401 - as above
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever stops the job, the worker goes on and the next hour tries again."""
    calls = []

    def fail(_services: Services) -> int:
        calls.append(1)
        raise OSError("the disk is full")

    monkeypatch.setattr(retention, "erase_old", fail)
    retention.register_retention(queue, cast("Services", SimpleNamespace()))
    (task,) = queue.read_periodic(datetime(2026, 11, 30, 5, 17, tzinfo=UTC))
    for _ in range(2):
        queue.execute(task)
    assert len(calls) == 2
