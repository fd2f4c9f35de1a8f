"""Drawings of boards: safe, kept for ever, in both schemes, with the numbers of the board."""

from __future__ import annotations

import json
import re

import pytest
from werkzeug.test import TestResponse

from tests.fixtures.arena_site import MODELS, ArenaSite
from webapp.charts.figures import Bars, Dots, Figure, Plate, Range
from webapp.charts.render import ChartCache, ChartKey

OFFICIAL = ("scores", "lower", "ranges", "history", "exposure")
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def board_of(site: ArenaSite, view: str = "scores") -> str:
    """Return the id of the board behind a view."""
    found: str = json.loads(site.voter().get(f"/leaderboard?view={view}&format=json").text)["board"]
    return found


def draw(
    site: ArenaSite, view: str, kind: str, ending: str = "svg", query: str = ""
) -> TestResponse:
    """Return a drawing."""
    response = site.voter().get(f"/charts/{board_of(site, view)}/{kind}.{ending}{query}")
    assert response.status_code == 200, response.text
    return response


@pytest.mark.parametrize(
    "view, kind",
    [
        *(("scores", kind) for kind in OFFICIAL),
        ("head-to-head", "head-to-head"),
        ("style", "style"),
        ("style", "scores"),
        ("makers", "scores"),
    ],
)
def test_a_drawing_holds_no_script_and_no_outside_address(
    month: ArenaSite, view: str, kind: str
) -> None:
    """A drawing is marks and text alone, and may be kept for ever."""
    for query in ("", "?theme=dark&size=narrow", "?size=half"):
        response = draw(month, view, kind, query=query)
        svg = response.text
        assert response.mimetype == "image/svg+xml"
        assert "<script" not in svg
        assert "<foreignObject" not in svg
        assert not re.search(r"\son[a-z]+=", svg)
        assert not re.search(r"url\((?!#)|@import|<image|<use", svg)
        assert set(re.findall(r"https?://[^\s\"'<]+", svg)) <= NAMESPACES
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_the_schemes_differ_in_colour_alone(month: ArenaSite) -> None:
    """Light and dark hold the same words."""
    light, dark = (
        draw(month, "scores", "scores", query=f"?theme={t}").text for t in ("light", "dark")
    )
    assert light != dark
    texts = [re.findall(r"<text[^>]*>([^<]*)</text>", svg) for svg in (light, dark)]
    assert texts[0] == texts[1]


def test_scores_are_drawn_in_the_board_s_order(month: ArenaSite) -> None:
    """Names of models with a place stand from top to bottom as on the board."""
    rows = json.loads(month.voter().get("/leaderboard?format=json").text)["rows"]
    names = {model[0]: model[1] for model in MODELS}
    svg = draw(month, "scores", "scores").text
    found = [text for text in re.findall(r">([^<>]+)</text>", svg) if text in names.values()]
    assert found == [names[row["model"]] for row in rows if row["best_place"]]


def test_at_most_five_lines_have_names(month: ArenaSite) -> None:
    """Of six models five are named; the one asked for is named alone."""
    names = {model[1] for model in MODELS}
    svg = draw(month, "scores", "history").text
    assert len(names & set(re.findall(r">([^<>]+)</text>", svg))) == 5
    alone = draw(month, "scores", "history", query="?model=fenwhistle").text
    assert names & set(re.findall(r">([^<>]+)</text>", alone)) == {"Fenwhistle"}


def test_a_picture_for_sharing_is_a_png_with_the_title(month: ArenaSite) -> None:
    """The picture is of a size that fits to share."""
    response = draw(month, "scores", "scores", "png")
    assert response.mimetype == "image/png"
    assert response.data.startswith(b"\x89PNG")
    width, height = (int.from_bytes(response.data[at : at + 4]) for at in (16, 20))
    assert width > 1200
    assert height * 2 >= width * 0.95


def test_a_drawing_is_made_once(month: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second request is answered from what is kept."""
    first = draw(month, "scores", "scores").data

    def refuse(*_: object, **__: object) -> bytes:
        raise AssertionError("drawn again")

    monkeypatch.setattr("webapp.charts.render._render", refuse)
    assert draw(month, "scores", "scores").data == first


@pytest.mark.parametrize(
    "rest",
    [
        "nothing.svg",
        "scores.gif",
        "scores.svg?theme=red",
        "scores.svg?size=huge",
        "scores.svg?theme=dark&theme=light",
        "head-to-head.svg",
        "history.svg?model=nobody",
        "scores.svg?model=fenwhistle",
        "history.svg?" + "&".join(f"model={model[0]}" for model in MODELS),
    ],
)
def test_what_cannot_be_drawn_is_not_found(month: ArenaSite, rest: str) -> None:
    """Unknown kinds, endings, schemes, sizes and models are 404."""
    assert month.voter().get(f"/charts/{board_of(month)}/{rest}").status_code == 404
    assert month.voter().get("/charts/nothing/scores.svg").status_code == 404


def test_pages_show_drawings_from_here_only(month: ArenaSite) -> None:
    """Every image of a page is one of ours, and loads."""
    for view in ("head-to-head", "history", "exposure", "style"):
        html = month.voter().get(f"/leaderboard?view={view}").text
        found = re.findall(r'(?:src|srcset)="([^"]+)"', html[html.index('id="main"') :])
        assert len(found) == 4
        for address in found:
            assert address.startswith("/charts/")
            assert month.voter().get(address.replace("&amp;", "&")).status_code == 200


FEW = Range("one", 0.1, 0.5, 0.9)


@pytest.mark.parametrize(
    "figure, ticks",
    [
        (Bars("title", "Ballots", (("one", 1, 1), ("two", 1, 0))), ["0", "1"]),
        (Dots("title", "Picks", (FEW,), None), ["0", "1"]),
        (Dots("title", "Picks", (FEW, Range("two", 0.2, 1.9, 1.4)), None), ["0", "1", "2"]),
        (Dots("title", "Place", (Range("one", 1, None, 1),), None), ["1", "2"]),
    ],
)
def test_axes_of_small_numbers_are_whole(figure: Figure, ticks: list[str]) -> None:
    """No number stands twice on an axis, however small what it counts is."""
    key = ChartKey("few", "exposure", (), "light", "wide", "svg")
    svg = ChartCache().get(key, lambda: Plate(figure, "scope", None)).decode()
    assert re.findall(r">([0-9]+)</text>", svg) == ticks
