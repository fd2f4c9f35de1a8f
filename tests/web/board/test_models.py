"""The register, a model's page, and two models compared."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from html import unescape
from typing import Any

import pytest

from antiabuse.utc import month_of
from arena import refits
from arena.lifecycle_events import FallWithheld, StateChanged
from arena.side_boards import refit_side_boards_if_due
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import MODELS, ArenaSite, at
from tests.fixtures.simulated_month import MONTH, vote_once
from tests.fixtures.state_changes import write_change

# Frame 2, catalogue 1, months 1, states 1, pairs 1, categories 1, exposures 3, reasons 1.
MODEL_STATEMENTS = 11


def page(site: ArenaSite, address: str, status: int = 200) -> str:
    """Return a page's HTML."""
    response = site.voter().get(address)
    assert response.status_code == status, response.text
    return response.text


def test_the_register_lists_every_model(month: ArenaSite) -> None:
    """Each model is there with a link, its place in the mode voted on, and its state."""
    html = page(month, "/models")
    for slug, name, maker, *_ in MODELS:
        assert f'href="/models/{slug}"' in html
        assert name in html
        assert maker in html
    rows = json.loads(month.voter().get("/leaderboard?format=json").text)["rows"]
    ranked = [row for row in rows if row["best_place"]]
    assert len(re.findall(r"place [0-9]", html)) == len(ranked) > 0
    assert html.count("no place yet") == len(rows) - len(ranked)


def test_a_model_is_registered_before_its_first_vote(arena: ArenaSite) -> None:
    """The register says since when it lists models, and does so."""
    html = page(arena, "/models")

    assert arena.count("vote") == 0
    assert [slug for slug, *_ in MODELS if slug not in html] == []
    assert f"{len(MODELS)} models, each from its import on" in html


def test_an_empty_register_says_what_will_be_here(open_empty_arena: OpenArena) -> None:
    """Without models there is a sentence and a next step."""
    html = page(open_empty_arena(), "/models")
    assert "once answers have been imported" in html
    assert "<table" not in html


@pytest.mark.parametrize("slug", [model[0] for model in MODELS])
def test_a_model_s_page_says_where_it_stands(month: ArenaSite, slug: str) -> None:
    """The sentence has score and votes, or what is missing; every opponent met is listed."""
    rows = json.loads(month.voter().get("/leaderboard?format=json").text)["rows"]
    row = next(row for row in rows if row["model"] == slug)
    html = page(month, f"/models/{slug}")
    verdict = re.search(r'<p class="verdict">(.*?)</p>', html, re.DOTALL)
    assert verdict is not None
    if row["best_place"]:
        assert f"Arena Score {row['score']:.0f} ±" in verdict[1]
        assert f"from {row['exposures']:.0f} counted votes" in verdict[1]
    else:
        assert "has no place yet" in verdict[1]
    opponents = re.findall(rf"a={slug}&amp;b=([a-z0-9-]+)", html)
    pairs = json.loads(month.voter().get("/leaderboard?view=head-to-head&format=json").text)["rows"]
    met = [{p["first"], p["second"]} for p in pairs if p["shown"] > 0]
    assert {frozenset((slug, other)) for other in opponents} == {
        frozenset(pair) for pair in met if slug in pair
    }
    assert "It entered with its first answer" in html


def test_a_model_s_page_needs_few_statements(month: ArenaSite) -> None:
    """The page does not run a statement per opponent or category."""
    page(month, "/models/fenwhistle")
    with month.statements() as seen:
        page(month, "/models/fenwhistle")
    assert len(seen) <= MODEL_STATEMENTS, seen.all


def test_no_page_joins_an_answer_to_a_model(month: ArenaSite) -> None:
    """Neither an answer's text or id nor a question's stands on a model's page (V-169)."""
    with month.database.read() as conn:
        rows = conn.exec_driver_sql(
            "SELECT a.model, a.id, a.text, q.id, q.text FROM answer a"
            " JOIN question q ON q.id = a.question_id"
        ).all()
    for model in MODELS:
        html = page(month, f"/models/{model[0]}")
        own = [row for row in rows if row[0] == model[0]]
        assert own
        assert not [text for row in own for text in row[1:] if text in html]


def test_state_changes_are_told_with_their_numbers(month: ArenaSite) -> None:
    """A fall and a withheld fall are told with the numbers that caused them."""
    numbers = {
        "exposures": "152.000000", "exposures_in_state": "88.000000", "clusters_in_state": 31,
        "score": "980.00", "score_se": "20.000000", "lower": "933.47", "upper": "1026.53",
        "looks_below": 2,
    }  # fmt: skip
    fall: dict[str, Any] = {
        "mode": "speed", "month": MONTH, "model": "fenwhistle", "before": "observing",
        "cause": "below", "at_us": month.clock(), "numbers": numbers,
    }  # fmt: skip
    write_change(month, FallWithheld(**fall, eligible=4))
    write_change(month, StateChanged(**fall, after="eliminated", log_size=0))
    html = page(month, "/models/fenwhistle")
    assert html.count("Even its upper bound of 1026.53 was below 1150.02 at 2 daily looks") == 2
    assert "152 counted exposures this month, 88 of them under observation, from 31 voters" in html
    assert html.count("The fall was withheld: fewer than 4 models") == 1
    assert "Observing → Eliminated" in html
    assert "kept as Observing" in html


def test_a_model_without_votes_says_so(month: ArenaSite) -> None:
    """In a mode nobody voted in, the page says what will be there."""
    html = page(month, "/models/fenwhistle?mode=expert")
    assert "has no counted vote in Expert yet" in html
    assert "/charts/" not in html


def test_a_model_that_has_not_entered_a_mode_asks_for_no_vote(month: ArenaSite) -> None:
    """Without an answer in a mode, the page leads to the other one instead of to a ballot."""
    month.execute("DELETE FROM state_change WHERE mode = 'expert' AND model = 'fenwhistle'")
    html = page(month, "/models/fenwhistle?mode=expert")
    assert "has not entered Expert" in html
    assert "Cast a vote" not in html
    assert "Look at it in Speed" in html


@pytest.mark.parametrize(
    "licence, words",
    [("unknown", "maker and licence unknown"), ("MIT", "maker unknown · MIT")],
)
def test_unknown_makers_and_licences_are_called_so(
    month: ArenaSite, licence: str, words: str
) -> None:
    """Where an import names neither or one of them, the pages say which (V-005)."""
    month.execute("UPDATE model SET maker = 'unknown', licence = :licence", licence=licence)
    for address in ("/models", "/leaderboard", "/models/fenwhistle"):
        html = page(month, address)
        assert words in html
        assert "unknown · unknown" not in html


def chosen(html: str) -> list[str]:
    """Return the models that the form of a comparison shows as chosen."""
    return re.findall(r'<option value="([^"]+)" selected>', html)


def test_a_comparison_begins_with_the_two_strongest(month: ArenaSite) -> None:
    """Without a choice the form has the board's first two; one that was made is kept."""
    rows = json.loads(month.voter().get("/leaderboard?format=json").text)["rows"]
    first, second, *_, last = [row["model"] for row in rows]
    assert chosen(page(month, "/leaderboard/compare")) == [first, second]
    assert chosen(page(month, f"/leaderboard/compare?a={last}")) == [last, first]
    assert chosen(page(month, f"/leaderboard/compare?b={first}")) == [second, first]


def test_a_comparison_offers_models_of_its_mode(month: ArenaSite) -> None:
    """A model without an answer in a mode is not offered there, unless the address names it."""
    month.execute("DELETE FROM state_change WHERE mode = 'expert' AND model = 'fenwhistle'")
    html = page(month, "/leaderboard/compare?mode=expert")
    assert html.count("<option") == 2 * (len(MODELS) - 1)
    assert "fenwhistle" not in html
    html = page(month, f"/leaderboard/compare?mode=expert&a=fenwhistle&b={MODELS[0][0]}")
    assert chosen(html) == ["fenwhistle", MODELS[0][0]]


def test_unknown_models_are_not_found(month: ArenaSite) -> None:
    """A slug that never was is 404, wherever it is named."""
    page(month, "/models/nobody", 404)
    page(month, "/models/fenwhistle?mode=turbo", 404)
    page(month, "/leaderboard/compare?a=nobody&b=fenwhistle", 404)
    page(month, "/leaderboard/compare?a=fenwhistle&a=fenwhistle", 404)


def test_two_models_are_compared_with_the_error_of_their_difference(month: ArenaSite) -> None:
    """The sentence has difference and error, and the table chance and counts."""
    a, b = MODELS[0][0], MODELS[-1][0]
    found = json.loads(month.voter().get("/leaderboard?view=head-to-head&format=json").text)["rows"]
    pair = next(row for row in found if {row["first"], row["second"]} == {a, b})
    html = page(month, f"/leaderboard/compare?a={a}&b={b}")
    error = 1.96 * pair["difference_error"]
    assert f"± {error:.0f} points" in html
    assert f"{pair['chance'] * 100:.0f} %" in html
    other = page(month, f"/leaderboard/compare?a={b}&b={a}")
    assert f"± {error:.0f} points below" in other
    assert "can tell the two apart" in html


def rows_of(site: ArenaSite, address: str) -> list[dict[str, str]]:
    """Return the CSV of an address."""
    return list(csv.DictReader(io.StringIO(page(site, address))))


def compared(query: str = "") -> str:
    """Return the address that compares the first and the last model."""
    return f"/leaderboard/compare?a={MODELS[0][0]}&b={MODELS[-1][0]}{query}"


def links_of(html: str) -> list[str]:
    """Return a comparison's permanent address, and those of its CSV and JSON."""
    words = (r'class="permalink" href="([^"]+)"', r'href="([^"]+)">CSV<', r'href="([^"]+)">JSON<')
    return [unescape(re.findall(word, html)[-1]) for word in words]


def test_a_past_month_is_compared_by_its_own_board(month: ArenaSite) -> None:
    """The month named has its numbers, and the page's links stay in it; the open one has none."""
    shown = re.findall(r"stands [0-9]+ ± [0-9]+ points", page(month, compared()))
    month.clock.now_us = at("2026-12-15T12:00:00+00:00")
    html = page(month, compared("&month=2026-11"))
    assert re.findall(r"stands [0-9]+ ± [0-9]+ points", html) == shown != []
    assert '<input type="hidden" name="month" value="2026-11">' in html
    assert "/leaderboard?mode=speed&amp;month=2026-11" in html
    assert "counts in December 2026, so there is nothing" in page(month, compared())
    board = page(month, "/leaderboard?month=2026-11")
    assert "/leaderboard/compare?mode=speed&amp;month=2026-11" in board


def test_a_comparison_s_files_hold_what_the_page_shows(month: ArenaSite) -> None:
    """One row has both models, their difference, its error and the pair's counts."""
    html = page(month, compared())
    permanent, table, records = links_of(html)
    (row,) = rows_of(month, table)
    assert (row["first"], row["second"]) == (MODELS[0][0], MODELS[-1][0])
    difference, error = float(row["difference"]), 1.96 * float(row["difference_error"])
    assert f"stands {difference:.0f} ± {error:.0f} points above" in html
    assert difference == pytest.approx(float(row["first_score"]) - float(row["second_score"]))
    found = json.loads(page(month, records))
    assert found["view"] == "compare"
    assert {name: str(value) for name, value in found["rows"][0].items()} == row
    assert f"stands {difference:.0f} ± {error:.0f} points above" in page(month, permanent)


def test_a_comparison_s_permanent_link_stays_and_says_of_which_board_it_is(
    month: ArenaSite,
) -> None:
    """Newer boards change neither page nor files; an error of older votes is told as such."""
    assert "Chance, counts and the error" not in page(month, compared())
    rng = random.Random(3)
    for _ in range(5):
        vote_once(month, "0" * 32, rng)
    month.sequence()
    ports = month.services.ports
    assert refits.refit_now(ports, "speed", MONTH, month.clock())
    html = page(month, compared())
    assert "Chance, counts and the error of the difference follow the scores" in html
    addresses = links_of(html)
    before = [page(month, address) for address in addresses]
    assert refit_side_boards_if_due(ports, "speed", MONTH, month.clock() + 10**9)
    assert "Chance, counts and the error" not in page(month, compared())
    assert [page(month, address) for address in addresses] == before
    assert "This is a permanent address" in before[0]


@pytest.mark.parametrize(
    "query",
    [
        "month=2026-10",
        "month=x",
        "view=lower",
        "category=Tests",
        "since=1",
        "format=xml",
        "board=nothing",
        "board={style}",
        "board={pairs}",
        "pairs={pairs}",
        "board={scores}&pairs={style}",
        "board={scores}&pairs=nothing",
        "board={first}&pairs={pairs}",
        "board={scores}&mode=expert",
    ],
)
def test_what_cannot_be_compared_is_not_found(month: ArenaSite, query: str) -> None:
    """Other kinds of boards, and pairs that do not belong to the scores, are 404."""
    views = {"scores": "scores", "style": "style", "pairs": "head-to-head"}
    known = {
        name: json.loads(page(month, f"/leaderboard?view={view}&format=json"))["board"]
        for name, view in views.items()
    }
    course = rows_of(month, "/leaderboard?view=history&format=csv")
    known["first"] = course[0]["board"]
    page(month, compared(f"&board={known['scores']}&pairs={known['pairs']}"))
    page(month, compared("&" + query.format(**known)), 404)


def test_a_choice_on_a_snapshot_stays_on_it(month: ArenaSite) -> None:
    """The form of a pinned comparison names the board, without any model chosen too."""
    board = json.loads(page(month, "/leaderboard?format=json"))["board"]
    html = page(month, f"/leaderboard/compare?board={board}")
    assert f'<input type="hidden" name="board" value="{board}">' in html
    assert 'href="/leaderboard/compare?mode=speed"' in html


def test_a_model_is_not_compared_with_itself(month: ArenaSite) -> None:
    """The same model twice is answered with what to do."""
    html = page(month, "/leaderboard/compare?a=fenwhistle&b=fenwhistle")
    assert "Choose two different ones" in html


def test_comparing_before_the_first_board_claims_nothing(arena: ArenaSite) -> None:
    """Without a board there is no difference."""
    html = page(arena, f"/leaderboard/compare?a={MODELS[0][0]}&b={MODELS[1][0]}")
    assert "nothing to compare yet" in html


@pytest.mark.parametrize("address", ["/models", "/models/fenwhistle", "/leaderboard/compare"])
def test_tables_can_be_read_aloud(month: ArenaSite, address: str) -> None:
    """Each table has a caption, and its heads say what they head; fields have labels."""
    html = page(month, address)
    for table in re.findall(r"<table.*?</table>", html, re.DOTALL):
        assert re.search(r"<caption[^>]*>[^<]+</caption>", table)
        assert all("scope=" in head for head in re.findall(r"<th\b[^>]*>", table))
    for field in re.findall(r'<(?:select|input)[^>]* id="([^"]+)"', html):
        assert f'for="{field}"' in html


def test_reasons_are_counted_per_model_in_public(arena: ArenaSite) -> None:
    """V-170: a reason for counts for the answer picked best, one against for the worst."""
    voter = arena.voter()
    token = voter.ballot().token
    arena.clock.advance(30)
    voter.vote(token, best="A", worst="D")
    held = arena.held(token)
    arena.sequence()
    assert refits.refit_now(arena.services.ports, "speed", month_of(arena.clock()), arena.clock())
    assert "What voters said of it" not in page(arena, f"/models/{held.slots[0].model}")

    told = voter.post(f"/ballots/{held.route}/reasons", {"reason": ["clear", "wrong"]})
    assert told.status_code == 303

    said = {}
    for slot in held.slots:
        html = page(arena, f"/models/{slot.model}")
        said[slot.model] = re.findall(r"<dt>(Clear|Wrong)</dt><dd>1</dd>", html)
    assert said == {
        held.slots[0].model: ["Clear"],
        held.slots[1].model: [],
        held.slots[2].model: [],
        held.slots[3].model: ["Wrong"],
    }
