"""Every view and filter of the board: what it shows, what it refuses, how it is addressed."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from html import unescape

import pytest
from werkzeug.test import TestResponse

from arena import refits
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import MODELS, ArenaSite
from tests.fixtures.simulated_month import MONTH, vote_once

VIEWS = (
    "scores",
    "lower",
    "ranges",
    "head-to-head",
    "history",
    "exposure",
    "style",
    "makers",
)
MONTH_VIEWS = (*VIEWS, "extended")  # which no month has before its first board beside the scores
# Frame 2, what exists 1, board 1, catalogue 1, content up to 4, months 1, official and waiting 3,
# fault 1.
STATEMENTS = 14


def get(site: ArenaSite, address: str, status: int = 200) -> TestResponse:
    """Return a page, which has the status expected."""
    response = site.voter().get(address)
    assert response.status_code == status, response.text
    return response


def rows_of(site: ArenaSite, address: str) -> list[dict[str, str]]:
    """Return the CSV of an address."""
    return list(csv.DictReader(io.StringIO(get(site, address).text)))


def json_of(site: ArenaSite, address: str) -> dict[str, object]:
    """Return the JSON of an address."""
    found: dict[str, object] = json.loads(get(site, address).text)
    return found


def shown_models(html: str) -> list[str]:
    """Return the models of the tables with one row each, in order."""
    return re.findall(r'<tr role="row"[^>]* data-model="([^"]+)"', html)


def permalink_of(html: str) -> str:
    """Return the page's permanent address."""
    found = re.search(r'class="permalink" href="([^"]+)"', html)
    assert found is not None
    return unescape(found[1])


def body_of(html: str) -> str:
    """Return what a page shows below its filters, without what tells a pinned page apart."""
    return html[html.index("</nav>", html.index("board-links")) : html.index("</main>")]


@pytest.mark.parametrize("view", MONTH_VIEWS)
def test_each_view_names_every_model(month: ArenaSite, view: str) -> None:
    """A view shows all models that it is about, and says from how many votes."""
    html = get(month, f"/leaderboard?view={view}").text
    named = [model[1] for model in MODELS if model[1] in html]
    assert len(named) == (len(MODELS) - 1 if view == "makers" else len(MODELS))
    assert "<strong>224</strong> votes of <strong>40</strong> voters" in html
    assert "400 points are odds of 10 to 1" in html or view in ("head-to-head", "exposure")


@pytest.mark.parametrize("view", MONTH_VIEWS)
def test_each_view_needs_few_statements(month: ArenaSite, view: str) -> None:
    """No view runs a statement per model or per board."""
    get(month, f"/leaderboard?view={view}")
    with month.statements() as seen:
        get(month, f"/leaderboard?view={view}")
    assert len(seen) <= STATEMENTS, seen.all


@pytest.mark.parametrize("view", MONTH_VIEWS)
def test_a_permanent_link_stays_as_it_was(month: ArenaSite, view: str) -> None:
    """A page's permanent address shows the same when newer boards are out."""
    address = permalink_of(get(month, f"/leaderboard?view={view}").text)
    before = body_of(get(month, address).text)
    files = [get(month, f"{address}&format={kind}").text for kind in ("csv", "json")]
    rng = random.Random(5)
    for _ in range(5):
        vote_once(month, "0" * 32, rng)
    month.sequence()
    assert refits.refit_now(month.services.ports, "speed", MONTH, month.clock())
    assert body_of(get(month, address).text) == before
    assert [get(month, f"{address}&format={kind}").text for kind in ("csv", "json")] == files
    assert "See the latest" in get(month, address).text


@pytest.mark.parametrize("view", ["scores", "lower", "ranges", "style", "makers", "extended"])
def test_files_hold_what_the_page_shows(month: ArenaSite, view: str) -> None:
    """CSV and JSON have the page's models in the page's order with the page's scores."""
    html = get(month, f"/leaderboard?view={view}").text
    rows = rows_of(month, f"/leaderboard?view={view}&format=csv")
    assert [row["model"] for row in rows] == shown_models(html)
    found = json_of(month, f"/leaderboard?view={view}&format=json")
    records = found["rows"]
    assert isinstance(records, list)
    assert [(r["model"], str(r["score"])) for r in records] == [
        (r["model"], r["score"]) for r in rows
    ]
    assert found["votes"] == 224
    shown = re.findall(r'score-cell" role="cell">([0-9]+)', html)
    assert shown == [f"{float(row['low' if view == 'lower' else 'score']):.0f}" for row in rows]


def test_head_to_head_shows_chance_and_counts(month: ArenaSite) -> None:
    """Each pair has its chance and what was observed, on the page as in the file."""
    rows = rows_of(month, "/leaderboard?view=head-to-head&format=csv")
    html = get(month, "/leaderboard?view=head-to-head").text
    assert len(rows) == 15
    for row in rows:
        assert f"{float(row['chance']) * 100:.0f} %" in html
        assert float(row["won"]) + float(row["lost"]) <= float(row["shown"])
        assert float(row["difference_error"]) > 0


def test_history_has_a_point_per_board(month: ArenaSite) -> None:
    """The month's course holds its three boards, and the table links each."""
    rows = rows_of(month, "/leaderboard?view=history&format=csv")
    boards = {row["board"] for row in rows}
    html = get(month, "/leaderboard?view=history").text
    assert len(boards) == 3
    assert all(f"/leaderboard?board={board}" in html for board in boards)


def test_history_shows_the_models_asked_for(month: ArenaSite) -> None:
    """A model can be put into focus by its address, and the chart follows."""
    html = get(month, "/leaderboard?view=history&model=fenwhistle").text
    heads = re.findall(r'<th scope="col" class="number">([^<]+)</th>', html)
    assert heads == ["Fenwhistle"]
    assert "history.svg?model=fenwhistle" in html


def test_exposure_adds_up(month: ArenaSite) -> None:
    """Every ballot issued shows four models, and what is voted on was issued."""
    rows = rows_of(month, "/leaderboard?view=exposure&format=csv")
    assert sum(int(row["issued"]) for row in rows) == 4 * 224
    assert sum(int(row["voted"]) for row in rows) == 4 * 224
    assert sum(float(row["share"]) for row in rows) == pytest.approx(4, abs=1e-5)
    for row in rows:
        assert int(row["counted"]) <= int(row["voted"])
        assert float(row["weighted"]) <= int(row["counted"])


def test_issued_ballots_count_without_a_vote(month: ArenaSite) -> None:
    """A ballot that was only issued is counted once a newer board knows of it."""
    month.voter().ballot()
    month.voter().read_and_vote()
    month.sequence()
    assert refits.refit_now(month.services.ports, "speed", MONTH, month.clock())
    rows = rows_of(month, "/leaderboard?view=exposure&format=csv")
    assert sum(int(row["issued"]) for row in rows) == 4 * 226
    assert sum(int(row["voted"]) for row in rows) == 4 * 225


def test_lower_bound_orders_by_it(month: ArenaSite) -> None:
    """The lower-bound view is in the order of the interval's lower end."""
    rows = rows_of(month, "/leaderboard?view=lower&format=csv")
    lows = [float(row["low"]) for row in rows if row["best_place"]]
    assert lows == sorted(lows, reverse=True)


def test_one_maker_has_one_model(month: ArenaSite) -> None:
    """The makers' view holds one model of each maker."""
    found = shown_models(get(month, "/leaderboard?view=makers").text)
    makers = {model[0]: model[2] for model in MODELS}
    assert len(found) == len({makers[slug] for slug in found}) == 5


def test_change_is_counted_from_the_chosen_day(month: ArenaSite) -> None:
    """The change is the difference to the board of that day, on the zero of the one shown."""
    now = {r["model"]: float(r["score"]) for r in rows_of(month, "/leaderboard?format=csv")}
    changed = rows_of(month, "/leaderboard?since=1&format=csv")
    address = f"/leaderboard?board={changed[0]['change_from_board']}&format=csv"
    then = {r["model"]: float(r["score"]) for r in rows_of(month, address)}
    basket = json_of(month, "/leaderboard?format=json")["basket"]
    assert isinstance(basket, list)
    zero = sum(now[model] - then[model] for model in basket) / len(basket)
    for row in changed:
        model = row["model"]
        assert float(row["change"]) == pytest.approx(now[model] - then[model] - zero, abs=0.02)
    assert "has no board that is 7 days older" in get(month, "/leaderboard?since=7").text


def test_a_category_has_its_own_board(month: ArenaSite) -> None:
    """The category's board is reached by a link and holds its votes only."""
    html = get(month, "/leaderboard").text
    assert "/leaderboard?mode=speed&amp;category=Tests" in html
    found = json_of(month, "/leaderboard?category=Tests&format=json")
    assert found["category"] == "Tests"


def test_the_first_board_has_models_without_a_place(month: ArenaSite) -> None:
    """Provisional models stand in a block of their own with what they still need."""
    rows = rows_of(month, "/leaderboard?view=history&format=csv")
    html = get(month, f"/leaderboard?board={rows[0]['board']}").text
    unranked = html[html.index('id="unranked"') :]
    assert len(shown_models(unranked)) == len(MODELS)
    assert re.search(r"[0-9]+ more counted votes?", unranked)


def test_shared_places_are_bracketed(month: ArenaSite) -> None:
    """Rows are marked as sharing a place exactly where their best place is the same."""
    rows = rows_of(month, "/leaderboard?format=csv")
    html = get(month, "/leaderboard").text
    shared = re.findall(r'<tr role="row" class="shared[^"]*" data-model="([^"]+)"', html)
    places = [row["best_place"] for row in rows]
    assert shared == [row["model"] for row in rows if places.count(row["best_place"]) > 1]


def test_a_retired_model_stays_and_is_marked(month: ArenaSite) -> None:
    """A model that was retired keeps its row, with a word on it."""
    month.execute("UPDATE model SET retired_us = 1 WHERE slug = 'fenwhistle'")
    month.execute("UPDATE catalogue_head SET version = version + 1")
    html = get(month, "/leaderboard").text
    row = html[html.index('data-model="fenwhistle"') :]
    assert ">retired<" in row[: row.index("</tr>")]


def test_newer_votes_are_told(month: ArenaSite) -> None:
    """Votes that the board does not hold yet are counted on the page."""
    for words in ("1 newer vote waits", "2 newer votes wait"):
        month.voter().read_and_vote()
        month.sequence()
        assert words in get(month, "/leaderboard").text


@pytest.mark.parametrize(
    "query",
    [
        "mode=turbo",
        "mode=speed&mode=expert",
        "view=nothing",
        "mode=expert&view=extended",
        "month=2026-10",
        "month=2026-13",
        "month=november",
        "category=Nothing",
        "category=Tests&view=history",
        "since=2",
        "since=1&view=history",
        "format=xml",
        "board=nothing",
        "model=nobody&view=history",
        "model=fenwhistle",
        "view=history&model=fenwhistle&model=fenwhistle",
    ],
)
def test_what_there_is_not_is_not_found(month: ArenaSite, query: str) -> None:
    """Unknown values and combinations that do not exist are 404, not something else's page."""
    get(month, f"/leaderboard?{query}", 404)


@pytest.mark.parametrize("query", ["mode=expert", "month=2026-10", "view=style", "category=Tests"])
def test_a_pinned_board_is_no_other(month: ArenaSite, query: str) -> None:
    """An address that names a snapshot and contradicts it is 404."""
    board = json_of(month, "/leaderboard?format=json")["board"]
    get(month, f"/leaderboard?board={board}&mode=speed&month=2026-11")
    get(month, f"/leaderboard?board={board}&{query}", 404)


@pytest.mark.parametrize("view", VIEWS)
def test_before_the_first_board_a_view_says_what_will_be_here(
    open_empty_arena: OpenArena, view: str
) -> None:
    """Without a board each view offers the next act, and its files are empty."""
    site = open_empty_arena()
    html = get(site, f"/leaderboard?view={view}").text
    assert "Cast a vote" in html
    assert "<table" not in html
    assert json_of(site, f"/leaderboard?view={view}&format=json")["rows"] == []


@pytest.mark.parametrize("view", MONTH_VIEWS)
def test_tables_can_be_read_aloud(month: ArenaSite, view: str) -> None:
    """Each table has a caption, its heads say what they head, and drawings have a text."""
    html = get(month, f"/leaderboard?view={view}").text
    tables = re.findall(r"<table.*?</table>", html, re.DOTALL)
    assert tables
    for table in tables:
        assert re.search(r"<caption[^>]*>[^<]+</caption>", table)
        assert all("scope=" in head for head in re.findall(r"<th\b[^>]*>", table))
    assert all(re.search(r'alt="[^"]{20,}"', image) for image in re.findall(r"<img[^>]*>", html))


def test_links_of_a_page_lead_somewhere(month: ArenaSite) -> None:
    """Every address of ours on every view answers."""
    found: set[str] = set()
    for view in MONTH_VIEWS:
        html = get(month, f"/leaderboard?view={view}").text
        found |= {unescape(a) for a in re.findall(r'href="(/(?:leaderboard|models)[^"]*)"', html)}
    assert len(found) > 40
    for address in sorted(found):
        get(month, address)
