"""The demo's mark in files that leave the pages (X-014)."""

from __future__ import annotations

import csv
import io
import json

from antiabuse.utc import month_of
from arena import refits
from arena.catalogue import render_missing
from arena.demo_pack import load_demo
from tests.fixtures.arena_app import OpenArena


def test_the_demo_is_marked_in_every_file(open_empty_arena: OpenArena) -> None:
    """Rows of a demo board carry the mark in CSV, and its JSON says it too."""
    arena = open_empty_arena()
    services = arena.services
    load_demo(arena.database, services.ports.log, clock=arena.clock, rng=services.rng)
    render_missing(arena.database)
    arena.voter().read_and_vote()
    arena.sequence()
    assert refits.refit_now(services.ports, "speed", month_of(arena.clock()), arena.clock())

    rows = list(csv.DictReader(io.StringIO(arena.voter().get("/leaderboard?format=csv").text)))
    body = json.loads(arena.voter().get("/leaderboard?format=json").text)

    assert rows
    assert {row["demo"] for row in rows} == {"true"}
    assert body["demo"] is True
