"""What a picture says of itself once it has left its page (V-146, X-014)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from antiabuse.utc import month_of
from arena import boards, refits
from arena.catalogue import render_missing
from arena.demo_pack import load_demo
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite
from tests.web.board.test_charts import board_of, draw

DEMO = "Demo: the models and answers here are invented"


@pytest.fixture
def titles(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Collect the titles of the pictures that are drawn."""
    found: list[dict[str, Any]] = []

    def collect(text: str, **_: object) -> bytes:
        found.append(json.loads(text)["title"])
        return b"\x89PNG"

    monkeypatch.setattr("vl_convert.vegalite_to_png", collect)
    return found


@pytest.mark.parametrize(
    "view, kind, words",
    [
        ("scores", "scores", "Board, by score"),
        ("scores", "lower", "Board, by lower bound"),
        ("scores", "history", "Board, Arena Score over the month"),
        ("extended", "scores", "Extended board (experimental), by score"),
        ("style", "scores", "Board with style held equal, by score"),
        ("makers", "scores", "Board with one model per maker, by score"),
    ],
)
def test_a_picture_names_its_view(
    month: ArenaSite, titles: list[dict[str, Any]], view: str, kind: str, words: str
) -> None:
    """No board beside the official one can be taken for it, and the extended is experimental."""
    draw(month, view, kind, "png")
    assert [title["text"] for title in titles] == [words]
    assert titles[0]["subtitle"] == ["November 2026, Speed, all categories"]


def test_a_picture_names_its_category(month: ArenaSite, titles: list[dict[str, Any]]) -> None:
    """The board of one category says which."""
    with month.database.read() as conn:
        category = boards.categories(conn, "speed", "2026-11")[0]
        found = boards.latest(conn, "speed", "2026-11", "official", category)
    assert found is not None
    assert month.voter().get(f"/charts/{found.id}/scores.png").status_code == 200
    assert titles[0]["subtitle"] == [f"November 2026, Speed, {category}"]


def test_the_demo_is_marked_in_every_drawing(
    open_empty_arena: OpenArena, titles: list[dict[str, Any]]
) -> None:
    """Pictures and drawings of demo votes say that the models are invented."""
    arena = open_empty_arena()
    services = arena.services
    load_demo(arena.database, services.ports.log, clock=arena.clock, rng=services.rng)
    render_missing(arena.database)
    arena.voter().read_and_vote()
    arena.sequence()
    assert refits.refit_now(services.ports, "speed", month_of(arena.clock()), arena.clock())
    for kind in ("scores", "history", "exposure"):
        draw(arena, "scores", kind, "png")
        svg = arena.voter().get(f"/charts/{board_of(arena)}/{kind}.svg").text
        assert DEMO in re.sub(r"<[^>]+>", "", svg)
    assert [title["subtitle"][-1] for title in titles] == [DEMO] * 3


def test_other_drawings_bear_no_mark(month: ArenaSite) -> None:
    """An installation with real models does not call them invented."""
    assert "Demo" not in draw(month, "scores", "scores").text
