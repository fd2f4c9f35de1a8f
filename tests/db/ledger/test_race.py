"""Many processes append while two sequencers run: nothing is lost and nothing comes twice."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from ledger import store
from ledger.database import open_database
from ledger.sequencer import Sequencer

from .conftest import MINUTE, ORIGIN, Logbook

PROCESSES = 8
EVENTS = 200


def test_race(logbook: Logbook, database_url: str, project_root: Path) -> None:
    """Eight processes of 200 appends each, sequenced meanwhile, give one whole tree."""
    script = Path(__file__).with_name("appender.py")
    second_database = open_database(database_url, pool_size=1)
    second = Sequencer(second_database, logbook.signer, ORIGIN, logbook.kept, logbook.rng)
    writers = [
        subprocess.Popen(
            [sys.executable, str(script), database_url, str(EVENTS), f"writer-{number}"],
            env={**os.environ, "PYTHONPATH": str(project_root)},
        )
        for number in range(PROCESSES)
    ]
    try:
        busy_steps = 0
        while any(writer.poll() is None for writer in writers):
            busy_steps += logbook.step(MINUTE).added > 0
            second.step(logbook.now_us)
            time.sleep(0.05)
        assert [writer.returncode for writer in writers] == [0] * PROCESSES
        assert busy_steps > 1
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
        second_database.close()
    while logbook.step(MINUTE).added:
        pass
    check_whole(logbook)


def check_whole(logbook: Logbook) -> None:
    """Check that each event is in the log once, in its writer's order, and that all verifies."""
    with logbook.database.read() as conn:
        replayed = [(event.body["name"], event.body["number"]) for event in store.replay(conn)]
        assert store.head(conn).size == PROCESSES * EVENTS
    assert Counter(replayed) == Counter(
        (f"writer-{number}", event) for number in range(PROCESSES) for event in range(EVENTS)
    )
    for number in range(PROCESSES):
        own = [event for name, event in replayed if name == f"writer-{number}"]
        assert own == list(range(EVENTS))
    report = logbook.verify(kept=[logbook.kept.read_text(encoding="utf-8")])
    assert (report.fault, report.size, report.pending) == (None, PROCESSES * EVENTS, 0)
