"""Nothing tells who wrote an answer before the vote: each point of the list of leaks (V-002)."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.catalogue import render_missing
from arena.demo_pack import load_demo
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, write_pack
from tests.fixtures.leaks import leaks, words_of
from tests.web.blindness import crawl
from tests.web.blindness.checklist import CHECKS


@pytest.mark.parametrize("point", CHECKS)
def test_no_leak_at_this_point(arena: ArenaSite, point: str) -> None:
    """The point's check finds nothing, over all responses and for every model of the registry."""
    assert list(CHECKS[point](arena)) == []


def test_every_point_has_a_check() -> None:
    """All 24 points are looked for, but style, which no code can take away."""
    points = {int(name.split()[0]) for name in CHECKS if name[0].isdigit()}
    assert points == set(range(1, 25)) - {22}


def test_twenty_models_are_blind(open_empty_arena: OpenArena, tmp_path: Path) -> None:
    """Point 2 as the list words it: with 20 models, whoever stands on it, no page names one."""
    models = [
        (f"vexmodel-{n}b", f"Vexmodel {n} Deep", f"Vexmaker {n}", f"Vex-L-{n}", f"https://v{n}.invalid")
        for n in range(20)
    ]  # fmt: skip
    arena = open_empty_arena()
    for mode in ("speed", "expert"):
        arena.import_pack(write_pack(tmp_path / mode, mode, questions=6, models=models))
    render_missing(arena.database)
    words = words_of(arena.models().values())
    seen: set[str] = set()
    for mode in ("speed", "expert"):
        for _, page, shown in crawl.ballots(arena, 20, mode):
            assert leaks(page.response, words) == []
            seen |= shown
    assert len(seen) == 20
    voter = arena.voter()
    for each in crawl.before_the_vote(arena, voter, voter.ballot()):
        assert leaks(each, words) == [], each.request.path


def test_the_demo_is_blind(open_empty_arena: OpenArena) -> None:
    """The same crawl over the content that every new installation begins with."""
    arena = open_empty_arena()
    services = arena.services
    load_demo(arena.database, services.ports.log, clock=arena.clock, rng=services.rng)
    render_missing(arena.database)
    # The demo's licence is also that of its votes, which pages name for their own sake.
    words = words_of(arena.models().values(), licences=False)

    for mode in ("speed", "expert"):
        seen: set[str] = set()
        for voter, page in crawl.of_every_model(arena, mode):
            seen |= {slot.model for slot in arena.held(page.token).slots}
            for response in crawl.before_the_vote(arena, voter, page):
                assert leaks(response, words) == [], response.request.path
        assert seen == set(arena.models())
