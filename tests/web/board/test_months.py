"""States, changes and zero within a month and after it: page, files and permanent link agree."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from typing import Any

import pytest

from arena import boards
from tests.fixtures.arena_site import ArenaSite, at
from tests.fixtures.arena_votes import upkeep_of_all
from tests.fixtures.simulated_month import MONTH

WEAK = "fenwhistle"
CUT_US = at("2026-12-01T00:00:00+00:00") - 1
SHOWN = ("scores", "exposure")


def text_of(site: ArenaSite, address: str, status: int = 200) -> str:
    """Return what an address answers."""
    response = site.voter().get(address)
    assert response.status_code == status, response.text
    return response.text


def rows_of(site: ArenaSite, address: str) -> list[dict[str, str]]:
    """Return the CSV of an address."""
    return list(csv.DictReader(io.StringIO(text_of(site, address))))


def json_of(site: ArenaSite, address: str) -> dict[str, Any]:
    """Return the JSON of an address."""
    found: dict[str, Any] = json.loads(text_of(site, address))
    return found


def links_of(html: str) -> list[str]:
    """Return a page's permanent address, and those of its CSV and JSON."""
    words = (r'class="permalink" href="([^"]+)"', r'href="([^"]+)">CSV<', r'href="([^"]+)">JSON<')
    return [unescape(re.findall(word, html)[-1]) for word in words]


def page_state(html: str) -> str:
    """Return the weak model's state on a page."""
    name = html.rindex(f'href="/models/{WEAK}"')
    found = re.search(r'data-state="([a-z]+)"', html[name:])
    assert found is not None
    return found[1]


def told_states(site: ArenaSite, address: str) -> list[str]:
    """Return the weak model's state on a page, on its permanent address, and in both files."""
    html = text_of(site, address)
    permanent, table, records = links_of(html)
    rows = [rows_of(site, table), json_of(site, records)["rows"]]
    files = [next(row["state"] for row in each if row["model"] == WEAK) for each in rows]
    return [page_state(html), page_state(text_of(site, permanent)), *files]


def end_month(site: ArenaSite) -> None:
    """Cut the month, in which the weak model falls, and open the next, in which it is back."""
    site.clock.now_us = at("2026-12-01T00:06:00+00:00")
    upkeep_of_all(site.services.ports, site.clock())


@pytest.mark.parametrize("view", SHOWN)
def test_a_past_month_shows_the_states_of_its_cut(month: ArenaSite, view: str) -> None:
    """The cut's look counts, the carry-over of the same moment does not (V-107, V-108)."""
    assert told_states(month, f"/leaderboard?view={view}") == ["active"] * 4

    end_month(month)

    assert told_states(month, f"/leaderboard?month={MONTH}&view={view}") == ["observing"] * 4
    assert page_state(text_of(month, "/models")) == "active"


@pytest.mark.parametrize("view", SHOWN)
def test_after_a_look_page_and_files_agree(month: ArenaSite, view: str) -> None:
    """Between a look and the next fit all say the present state, and the link goes on saying it."""
    board = json_of(month, "/leaderboard?format=json")["board"]
    upkeep_of_all(month.services.ports, month.clock())

    assert told_states(month, f"/leaderboard?view={view}") == ["observing"] * 4
    assert told_states(month, f"/leaderboard?board={board}&view={view}") == ["active"] * 4

    permanent = links_of(text_of(month, f"/leaderboard?view={view}"))[0]
    end_month(month)
    assert told_states(month, permanent) == ["observing"] * 4


def test_a_link_to_states_from_the_future_leads_there(month: ArenaSite) -> None:
    """After a look by a clock since set back, the page's own link opens, and no later one does."""
    month.clock.advance(3_600)
    upkeep_of_all(month.services.ports, month.clock())
    ahead_us = month.clock()
    month.clock.advance(-3_600)

    assert told_states(month, "/leaderboard") == ["observing"] * 4
    board = json_of(month, "/leaderboard?format=json")["board"]
    text_of(month, f"/leaderboard?board={board}&states={ahead_us + 1}", 404)


def test_views_of_a_pinned_moment_stay_there(month: ArenaSite) -> None:
    """A permanent page leads to its other views with the same states."""
    upkeep_of_all(month.services.ports, month.clock())
    permanent = links_of(text_of(month, "/leaderboard"))[0]
    other = re.search(r'href="([^"]+view=exposure[^"]*)"', text_of(month, permanent))
    assert other is not None
    assert told_states(month, unescape(other[1])) == ["observing"] * 4


@pytest.mark.parametrize(
    "states", ["", "x", "0", "-1", "{before}", "{later}", "{after}", "9" * 19, "{now}&states={now}"]
)
def test_states_of_no_such_moment_are_not_found(month: ArenaSite, states: str) -> None:
    """Only moments after the board, within its month and not to come can be asked for."""
    board = json_of(month, "/leaderboard?format=json")
    moments = {
        "before": board["computed_us"], "now": month.clock(), "later": month.clock() + 1,
        "after": CUT_US + 1,
    }  # fmt: skip
    text_of(month, f"/leaderboard?board={board['board']}&states={month.clock()}")
    text_of(month, f"/leaderboard?board={board['board']}&states={states.format(**moments)}", 404)
    text_of(month, f"/leaderboard?states={month.clock()}", 404)


def test_states_are_asked_for_where_there_are_some(month: ArenaSite) -> None:
    """The head-to-head view knows no states."""
    pairs = json_of(month, "/leaderboard?view=head-to-head&format=json")["board"]
    text_of(month, f"/leaderboard?board={pairs}")
    text_of(month, f"/leaderboard?board={pairs}&states={month.clock()}", 404)


def test_a_past_months_history_ends_with_it(month: ArenaSite) -> None:
    """It tells of the cut's fall, and of nothing that the next month did."""
    end_month(month)
    html = text_of(month, f"/leaderboard?month={MONTH}&view=history")
    told = re.findall(r'<li><p><time>.*?data-state="([a-z]+)"', html)
    assert told == ["observing"]
    assert "A new month opened" not in html


def test_the_files_of_history_hold_changes_of_state(month: ArenaSite) -> None:
    """CSV has them as rows of their own kind, JSON with the numbers that caused them too."""
    upkeep_of_all(month.services.ports, month.clock())
    html = text_of(month, "/leaderboard?view=history")
    _, table, records = links_of(html)
    rows = rows_of(month, table)
    assert {row["kind"] for row in rows} == {"score", "state"}
    changed = [row for row in rows if row["kind"] == "state"]
    words = [(r["model"], r["before"], r["after"], r["cause"], r["at_us"]) for r in changed]
    assert words == [(WEAK, "active", "observing", "weak", str(month.clock()))]
    assert all(row["score"] and not row["cause"] for row in rows if row["kind"] == "score")
    found = json_of(month, records)
    assert [each["model"] for each in found["changes"]] == [WEAK]
    assert f"Its score of {found['changes'][0]['numbers']['score']} was below" in html


def basket_of(site: ArenaSite) -> tuple[str, ...]:
    """Return the models whose average is the last board's zero."""
    with site.database.read() as conn:
        board = boards.latest(conn, "speed", MONTH)
    assert board is not None
    return board.basket


def test_changes_are_counted_on_the_later_zero(month: ArenaSite) -> None:
    """Where the zero moves from the ghost to the basket, the basket's mean does not change."""
    basket = basket_of(month)
    html = text_of(month, "/leaderboard?since=1")
    assert (
        "The zero moved meanwhile from a model of imagined average strength to the average of"
        " the 5 models of the basket. Changes are counted on the later zero." in html
    )
    rows = {r["model"]: float(r["change"]) for r in rows_of(month, links_of(html)[1])}
    assert sum(rows[model] for model in basket) == pytest.approx(0, abs=0.05)
    found = json_of(month, links_of(html)[2])["zero_moved"]
    assert (found["before"], tuple(found["after"])) == ([], basket)


def test_a_zero_that_stood_still_is_not_told(month: ArenaSite) -> None:
    """Two boards of one basket have plain differences and no sentence."""
    month.clock.now_us = at("2026-11-30T12:00:00+00:00")
    month.voter().read_and_vote()
    month.sequence()
    end_month(month)
    html = text_of(month, f"/leaderboard?month={MONTH}&since=1")
    assert "are changes in points against" in html
    assert "zero moved" not in html


def test_a_course_has_one_zero(month: ArenaSite) -> None:
    """Earlier boards are counted on the zero of the one shown, without errors, and it is said."""
    basket = basket_of(month)
    rows = rows_of(month, "/leaderboard?view=history&format=csv")
    ids = list(dict.fromkeys(row["board"] for row in rows))
    assert len(ids) == 3
    for board in ids:
        scores = {r["model"]: r for r in rows if r["board"] == board}
        mean = sum(float(scores[model]["score"]) for model in basket) / len(basket)
        assert mean == pytest.approx(1200, abs=0.02)
        moved = board != ids[-1]
        assert {r["zero_moved"] for r in scores.values()} == {"true" if moved else "false"}
        assert all((r["low"] == "") is moved for r in scores.values())
    html = text_of(month, "/leaderboard?view=history")
    assert "2 of them were computed on another" in html
    lines = re.findall(r'class="when">.*?</tr>', html)
    assert ["±" in line for line in lines] == [True, False, False]
    first = text_of(month, f"/leaderboard?board={ids[0]}&view=history")
    assert "The zero moved" not in first
    assert "±" in first[first.index('class="when"') :]


def test_a_models_course_names_its_month(month: ArenaSite) -> None:
    """Months later the heading still says of which month the course is."""
    month.clock.now_us = at("2027-02-15T12:00:00+00:00")
    html = text_of(month, f"/models/{WEAK}")
    assert re.search(r'<h2 id="history">Its score over November 2026</h2>', html)
    assert f"mode=speed&amp;month={MONTH}&amp;a={WEAK}" in html
