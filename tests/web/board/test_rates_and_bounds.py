"""Rates of votes that pick no model, votes left out in words, and intervals at the scale's ends."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest

from antiabuse.sincerity import ANOMALIES
from arena.boards import View
from tests.fixtures.arena_site import MODELS, ArenaSite
from tests.web.board.test_checks import page, published, reword, row_of

MODEL = "fenwhistle"


def set_row(site: ArenaSite, view: View = "official", **values: Any) -> None:  # noqa: ANN401
    """Give the model other numbers on the last board of a kind."""

    def change(body: dict[str, Any]) -> None:
        next(row for row in body["rows"] if row["model"] == MODEL).update(values)

    reword(site, view, change)


def text_of(site: ArenaSite, address: str) -> str:
    """Return a page without tags and without more than one space at a time."""
    response = site.voter().get(address)
    assert response.status_code == 200
    return unescape(response.text)


def test_a_model_has_public_rates_of_votes_without_a_pick(month: ArenaSite) -> None:
    """V-044, V-045: both rates are of all votes that showed the model, on its page and board."""
    set_row(month, exposures="60.0", best="30.0", worst="6.0", same="12.0", bad="8.0")
    html = text_of(month, f"/models/{MODEL}")
    assert "<dt>“About the same” when shown</dt><dd>15 % " in html
    assert "<dt>Rejected: “Both bad” when shown</dt><dd>10 % " in html
    row = row_of(page(month), MODEL)
    assert '<td class="number count-beside" role="cell">15 %</td>' in row
    assert '<td class="number count-beside" role="cell">10 %</td>' in row
    assert ">Same</abbr>" in page(month)
    assert ">Rejected</abbr>" in page(month)


def test_a_model_never_shown_has_no_rates(month: ArenaSite) -> None:
    """Without a vote that showed it there is nothing to divide by."""
    set_row(month, exposures="0.0", best="0.0", worst="0.0", same="0.0", bad="0.0")
    assert "Rejected: “Both bad”" not in text_of(month, f"/models/{MODEL}")
    assert row_of(page(month), MODEL).count('count-beside" role="cell">–<') == 2


@pytest.mark.parametrize("count, words", [(1, "1 vote left out"), (3, "3 votes left out")])
@pytest.mark.parametrize("reason", sorted(ANOMALIES))
def test_votes_left_out_are_told_of_a_voter(
    month: ArenaSite, reason: str, count: int, words: str
) -> None:
    """Everybody reads the board, so its reasons never say "you", and one vote is one vote."""

    def leave_out(body: dict[str, Any]) -> None:
        body["excluded"] = {reason: count}

    reword(month, "official", leave_out)
    html = page(month)
    sentence = html[html.index(words) :].split("</li>")[0]
    assert sentence.endswith(".")
    assert " you" not in sentence
    assert reason not in sentence


@pytest.mark.parametrize(
    "moved, shown", [("-0.5", "±0"), ("-0.4", "±0"), ("0.5", "±0"), ("-0.6", "−1"), ("2.0", "+2")]
)
def test_no_change_has_no_sign(month: ArenaSite, moved: str, shown: str) -> None:
    """What rounds to nothing is ±0 on the extended board."""
    official = published(month, "official").row_of(MODEL)
    assert official is not None
    set_row(month, "official", score="1200.0")
    set_row(month, "extended", score=str(1200 + float(moved)))
    row = row_of(page(month, "?view=extended"), MODEL)
    assert f'<small class="change">{shown}</small>' in row


@pytest.mark.parametrize(
    "address",
    [
        f"/models/{MODEL}",
        "/models",
        "/leaderboard?view=history",
        f"/leaderboard/compare?a={MODEL}&b={MODELS[1][0]}",
    ],
)
def test_the_whole_interval_stands_after_the_sign(month: ArenaSite, address: str) -> None:
    """A score of 300 with an error of 300 points is ±588, though the scale ends at 0."""
    set_row(month, score="300.0", score_se="300.0", low="0.0", high="888.0")
    assert "± 588" in text_of(month, address)


@pytest.mark.parametrize("low, high, cut", [("0.0", "888.0", True), ("1.0", "2400.0", True),
                                            ("12.0", "888.0", False)])  # fmt: skip
def test_an_interval_cut_by_the_scale_is_marked(
    month: ArenaSite, low: str, high: str, cut: bool
) -> None:
    """Table and chart say where the drawn interval ends with the scale and not by itself."""

    def set_all(body: dict[str, Any]) -> None:
        for row in body["rows"]:
            ends = (low, high) if row["model"] == MODEL else ("1000.0", "1400.0")
            row.update(low=ends[0], high=ends[1], score_se="300.0")

    reword(month, "official", set_all)
    html = page(month)
    assert ("‡" in row_of(html, MODEL)) is cut
    assert ("past the printed scale of 0 to 2400" in html) is cut
    assert ">588" in row_of(html, MODEL)
    assert ("‡" in row_of(page(month, "?view=lower"), MODEL)) is cut
    chart = month.voter().get(f"/charts/{published(month, 'official').id}/scores.svg").text
    assert ("cut at 0 and 2400" in chart) is cut


def test_all_pairs_of_few_models_are_shown(month: ArenaSite) -> None:
    """The table of pairs is not cut where six models make fifteen."""
    html = page(month, "?view=head-to-head")
    assert html.count("rather than") >= 15
    assert "table-scroll tall" not in html


def test_a_state_is_not_parted_from_its_full_stop(month: ArenaSite) -> None:
    """On a phone the line breaks before the state's mark, not after its name."""
    html = text_of(month, f"/models/{MODEL}")
    assert '<span class="unbroken"><span class="state-mark"' in html
    assert "</span>.</span>" in html
