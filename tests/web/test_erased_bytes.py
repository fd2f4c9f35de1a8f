"""After an erasing, what is gone stands in no file of the arena any more, free pages included."""

from __future__ import annotations

import time
from pathlib import Path

from antiabuse.utc import DAY_US
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Voter, at, route_of
from tests.fixtures.review_cases import strike
from webapp.retention import erase_old

WORDS = "I did read all four of them, word by word."
DWELL_MS = "31337"
FINGERPRINT = "ab" * 32
OVER = at("2026-12-01T00:00:00+00:00") + 60 * DAY_US
AT_ONCE_S = 1.0  # far below the patience of a writer


def one_who_leaves_traces(site: ArenaSite) -> tuple[Voter, dict[str, str]]:
    """Return a voter who voted and disputed, and all that stands for them in the database."""
    voter = site.voter()
    voter.ballot()
    voter.post("/consent", {"fingerprint": "yes"})
    fields = {"fingerprint": FINGERPRINT, "dwell_ms": DWELL_MS}
    route = route_of(voter.read_and_vote(fields=fields))
    site.sequence()
    strike(site, site.events("vote.cast")[0])
    assert voter.post("/disputes", {"vote": route, "text": WORDS}).status_code == 303
    with site.database.read() as conn:
        seen = conn.exec_driver_sql("SELECT device, address FROM sighting").one()
    traces = {
        "id": voter.id,
        "words": WORDS,
        "dwell": f'"dwell_ms":"{DWELL_MS}"',
        "route": route,
        "device": seen.device,
        "address": seen.address,
    }
    assert all(traces.values())
    return voter, traces


def left_in_files(folder: Path, traces: dict[str, str]) -> set[str]:
    """Return which of the traces stand in any file below a folder."""
    content = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return {
        name for name, trace in traces.items() if any(trace.encode() in each for each in content)
    }


def test_a_voters_erasing_leaves_no_byte(open_arena: OpenArena, tmp_path: Path) -> None:
    """Neither the database nor its write-ahead file holds what its voter had erased.

    Digests of the day may stand, nameless, until its sweep is over.
    """
    site = open_arena(fingerprint="consent")
    voter, traces = one_who_leaves_traces(site)
    before = left_in_files(tmp_path, traces)

    voter.post("/me/erase")
    after = left_in_files(tmp_path, traces)
    site.clock.advance(3 * 86_400)
    erase_old(site.services, pause_s=0)

    assert before == set(traces)
    assert after <= {"address", "device"}
    assert left_in_files(tmp_path, traces) == set()


def test_retention_leaves_no_byte(open_arena: OpenArena, tmp_path: Path) -> None:
    """Nor what the hourly job erased; the id and its ballot's address stay while its cookie may."""
    site = open_arena(fingerprint="consent")
    _, traces = one_who_leaves_traces(site)

    site.clock.now_us = OVER
    erase_old(site.services, pause_s=0, clock_is_right=True)

    assert left_in_files(tmp_path, traces) == {"id", "route"}


def test_erasing_waits_for_no_reader(open_arena: OpenArena, tmp_path: Path) -> None:
    """While somebody reads, the voter's rows go at once, their bytes within the hour."""
    site = open_arena(fingerprint="consent")
    voter, traces = one_who_leaves_traces(site)
    voter.get("/me")
    with site.database.read() as reader:
        rows = reader.exec_driver_sql("SELECT body FROM event")
        rows.fetchone()
        before = time.monotonic()
        erased = voter.post("/me/erase")
        waited = time.monotonic() - before
        site.voter().read_and_vote()
        rows.close()

    assert erased.status_code == 303
    assert waited < AT_ONCE_S
    assert site.count("voter", "id = :id", id=traces["id"]) == 0
    assert left_in_files(tmp_path, traces) >= {"words", "id"}
    site.clock.advance(3 * 86_400)
    erase_old(site.services, pause_s=0)
    assert left_in_files(tmp_path, traces) == set()
