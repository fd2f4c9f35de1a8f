"""What stands beside the scores: who decides the first place, cap, draws, the month before."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from sqlalchemy import text

from antiabuse.identity import new_voter_id
from arena import boards, refits
from arena.boards import PublishedBoard, View
from arena.side_boards import refit_side_boards_if_due
from tests.fixtures.arena_site import MODELS, ArenaSite, at
from tests.fixtures.arena_votes import upkeep_of_all
from tests.fixtures.simulated_month import MONTH, vote_once

NAMES = {model[0]: model[1] for model in MODELS}
MARKED = "score differs by more than 2 standard errors once unequal draws are allowed for"


def page(site: ArenaSite, query: str = "") -> str:
    """Return the text of a page of the board."""
    response = site.voter().get(f"/leaderboard{query}")
    assert response.status_code == 200, response.text
    return unescape(response.text)


def json_of(site: ArenaSite, query: str = "?") -> dict[str, Any]:
    """Return the JSON of a page of the board."""
    found: dict[str, Any] = json.loads(site.voter().get(f"/leaderboard{query}&format=json").text)
    return found


def published(site: ArenaSite, view: View, month: str = MONTH) -> PublishedBoard:
    """Return the last board of a kind."""
    with site.database.read() as conn:
        found = boards.latest(conn, "speed", month, view)
    assert found is not None
    return found


def reword(site: ArenaSite, view: View, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the body of the last board of a kind, as if the votes had said so."""
    board = published(site, view)
    with site.database.read() as conn:
        stored = conn.execute(text("SELECT body FROM board WHERE id = :id"), {"id": board.id})
        body = json.loads(stored.scalar_one())
    change(body)
    site.execute("UPDATE board SET body = :body WHERE id = :id", body=json.dumps(body), id=board.id)


def row_of(html: str, model: str) -> str:
    """Return a model's row of the table."""
    start = html.index(f'data-model="{model}"')
    return html[start : html.index("</tr>", start)]


def test_the_first_place_hangs_on_so_many_voters(month: ArenaSite) -> None:
    """The smallest number of voters found stands on the page and in its JSON (V-164)."""
    found = published(month, "checks").facts["fragility"]
    assert found is not None
    html = page(month)
    assert f"at most {found['voters']} voter" in html
    assert f"{NAMES[found['instead']]} would be ahead of {NAMES[found['first']]}" in html
    assert json_of(month)["checks"]["fragility"] == dict(found)


def test_one_voter_is_said_as_one(month: ArenaSite) -> None:
    """A first place that hangs on one voter is said in the singular."""

    def one(body: dict[str, Any]) -> None:
        body["facts"]["fragility"]["voters"] = 1

    reword(month, "checks", one)
    assert "at most 1 voter: without that one’s votes" in page(month)


def test_a_first_place_that_nobody_tips_is_said(month: ArenaSite) -> None:
    """Where no removal changes the first place the page says so, and names no number."""

    def none(body: dict[str, Any]) -> None:
        body["facts"]["fragility"] = None

    reword(month, "checks", none)
    html = page(month)
    assert "No removal of voters that was tried" in html
    assert "at most" not in html


@pytest.mark.parametrize(
    "capped, words", [(1, "1 vote was lowered"), (17, "17 votes were lowered")]
)
def test_votes_lowered_by_the_cap_are_counted(month: ArenaSite, capped: int, words: str) -> None:
    """The official board's count is on the page and in its facts; none needs no words (V-155)."""
    as_published = published(month, "official").facts["cap"]
    assert ("lowered by the influence cap" in page(month)) is any(as_published.values())

    def lower(body: dict[str, Any]) -> None:
        body["facts"]["cap"] = {"voters": capped - 1, "networks": 1}

    reword(month, "official", lower)
    said = page(month)
    assert f"{words} by the influence cap: no voter and no network supplies more than 5 %" in said
    assert (
        "network was the reason for 1 of them" if capped > 1 else "Its network was the reason"
    ) in said
    assert '<small class="code">cap</small>' in said
    assert json_of(month)["facts"]["cap"] == {"voters": capped - 1, "networks": 1}


def test_weighted_back_scores_are_as_published(month: ArenaSite) -> None:
    """Each row's JSON has the score of the 1/P(S) check, and marks are where it marks (V-163)."""
    models = {row["model"]: row for row in published(month, "checks").facts["propensity"]["models"]}
    html = page(month)
    rows = json_of(month)["rows"]
    assert len(rows) == len(models) == len(MODELS)
    for row in rows:
        model = row["model"]
        assert row["reweighted_score"] == float(models[model]["reweighted"])
        assert row["reweighted_marked"] is models[model]["marked"]
        assert (MARKED in row_of(html, model)) is models[model]["marked"]


def test_a_model_that_draws_bend_is_marked(month: ArenaSite) -> None:
    """One that moves too far is marked in words at its row, and both scores are told."""

    def mark(body: dict[str, Any]) -> None:
        for row in body["facts"]["propensity"]["models"]:
            row["marked"] = row["model"] == "fenwhistle"
            if row["marked"]:
                row |= {"official": "1210.40", "reweighted": "1130.60", "errors": "2.9000"}

    reword(month, "checks", mark)
    html = page(month)
    assert MARKED in row_of(html, "fenwhistle")
    assert html.count(MARKED) == 2
    assert f"† {NAMES['fenwhistle']}: {MARKED}, 1131 instead of 1210." in html
    marked = [row["model"] for row in json_of(month)["rows"] if row["reweighted_marked"]]
    assert marked == ["fenwhistle"]


def test_a_month_is_linked_to_the_one_before(month: ArenaSite) -> None:
    """With a real month behind it the page gives the link constant with its error."""
    assert "Link to" not in page(month)
    december = "2026-12"
    month.clock.now_us = at("2026-12-01T08:00:00+00:00")
    ports, rng = month.services.ports, random.Random(11)
    upkeep_of_all(ports, month.clock())
    voters = [new_voter_id(rng) for _ in range(60)]
    for number in range(240):
        vote_once(month, voters[number % len(voters)], rng)
    month.sequence()
    assert refits.refit_now(ports, "speed", december, month.clock())
    assert refit_side_boards_if_due(ports, "speed", december, month.clock())
    link = published(month, "checks", december).facts["link"]
    assert link is not None
    constant, error = float(link["constant"]), 1.96 * float(link["se"])
    assert error > 0  # the baskets differ, else the link would be 0 by definition
    size, side = f"{abs(constant):.1f} ± {error:.1f}", "higher" if constant > 0 else "lower"
    words = f"the {len(link['models'])} models in both baskets stand {size} points {side} here"
    assert f"Link to November 2026: {words} than there." in page(month)
    assert json_of(month)["checks"]["link"] == dict(link)


@pytest.mark.parametrize(
    "constant, se, words",
    [
        ("-3.21", "4.100000", "the 4 models in both baskets stand 3.2 ± 8.0 points lower"),
        ("12.00", "2.000000", "the 4 models in both baskets stand 12.0 ± 3.9 points higher"),
        ("0.00", "0.000000", "0 ± 0 points, as both months have the same basket"),
    ],
)
def test_the_link_is_one_sentence(month: ArenaSite, constant: str, se: str, words: str) -> None:
    """Above, below or the same by definition: the sentence says which, and that none is shifted."""

    def link(body: dict[str, Any]) -> None:
        names = [model[0] for model in MODELS[:4]]
        body["facts"]["link"] = {
            "month": "2026-10", "board": "b", "constant": constant, "se": se,
            "spread": None, "models": names,
        }  # fmt: skip

    reword(month, "checks", link)
    html = page(month)
    assert f"Link to October 2026: {words}" in html
    assert "No score is shifted by it" in html


def test_older_checks_say_how_old_they_are(month: ArenaSite) -> None:
    """On a newer board the checks of the one before stand with their own time."""
    assert "these were computed" not in page(month)
    rng = random.Random(5)
    vote_once(month, new_voter_id(rng), rng)
    month.sequence()
    assert refits.refit_now(month.services.ports, "speed", MONTH, month.clock())
    html = page(month)
    assert "Checks follow the board every few minutes; these were computed 2026-11-29" in html
    assert json_of(month)["checks"]["board"] == published(month, "checks").id


@pytest.mark.parametrize("query", ["?category=Tests", "?view=style", "?view=makers"])
def test_checks_stand_beside_the_official_board_alone(month: ArenaSite, query: str) -> None:
    """They are made of the official board's votes, so other boards do not borrow them."""
    assert 'id="checks"' in page(month)
    assert 'id="checks"' not in page(month, query)
    assert "checks" not in json_of(month, query)


def test_never_and_always_best_are_marked(month: ArenaSite) -> None:
    """Models at the ends are ranked and marked, on the page and in its files (V-160)."""
    usual = page(month)
    assert "never picked best" not in usual
    assert "always picked best" not in usual

    def ends(body: dict[str, Any]) -> None:
        body["rows"][0]["best"] = body["rows"][0]["exposures"]
        body["rows"][-1]["best"] = "0.000000"

    reword(month, "official", ends)
    rows = json_of(month)["rows"]
    html = page(month)
    assert "always picked best" in row_of(html, rows[0]["model"])
    assert "never picked best" in row_of(html, rows[-1]["model"])
    assert html.count("picked best</span>") == 2
    assert [row["model"] for row in rows if row["never_best"]] == [rows[-1]["model"]]
    assert [row["model"] for row in rows if row["always_best"]] == [rows[0]["model"]]


def test_a_group_apart_is_not_yet_comparable(month: ArenaSite) -> None:
    """A model that no counted ballot links to the largest group is marked and has no place."""

    def apart(body: dict[str, Any]) -> None:
        for place in (-1, -2):
            body["rows"][place] |= {"comparable": False, "best_place": None, "worst_place": None}
        body["rows"][-1]["provisional"] = True

    reword(month, "official", apart)
    rows = json_of(month)["rows"]
    html = page(month)
    unranked = html[html.index('id="unranked"') :]
    for row in rows[-2:]:
        cells = row_of(unranked, row["model"])
        assert "not yet comparable" in cells
        assert "ballots shared with the other models" in cells
        assert ("provisional" in cells) is row["provisional"]
    assert html.count("not yet comparable</span>") == 2
