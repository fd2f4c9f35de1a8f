"""The extended board's facts in plain words (V-146)."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.fixtures.arena_site import ArenaSite
from tests.web.board.test_checks import json_of, page, published, reword


def test_weights_stand_with_their_errors(month: ArenaSite) -> None:
    """Both weights have interval, logarithm and error, and a sentence that says what they mean."""
    html = page(month, "?view=extended")
    weights = {each["verdict"]: each for each in published(month, "extended").facts["weights"]}
    assert set(weights) == {"same", "bad"}
    for verdict, each in weights.items():
        start = html.index(f'data-verdict="{verdict}"')
        row = html[start : html.index("</tr>", start)]
        log, se = float(each["log_weight"]), float(each["se"])
        assert f">{float(each['weight']):.3f}<" in row
        assert f">{math.exp(log - 1.96 * se):.3f} to {math.exp(log + 1.96 * se):.3f}<" in row
        assert f">{log:.3f}<".replace("-", "−") in row
        assert f">{se:.3f}<" in row
    assert f"chosen {float(weights['same']['weight']):.2f} times as often as any one" in html
    score = 1200 + 400 * math.log10(float(weights["bad"]["weight"]))
    assert f"a fifth answer would be picked best whose score is {score:.0f}" in html


def test_the_test_of_one_scale_is_told_whole(month: ArenaSite) -> None:
    """Statistic, degrees of freedom and p are as published, with what limits them."""
    test = published(month, "extended").facts["one_scale"]
    assert test is not None
    html = page(month, "?view=extended")
    p = float(test["p"])
    words = "p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}0.001"
    if p >= 0.0005:
        words = f"p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{p:.3f}"
    statistic = f"{float(test['statistic']):.2f}"
    assert f"is {statistic} with {test['df']} degrees of freedom" in html
    assert words in html
    assert "takes all votes as independent" in html
    assert "Experimental" in html
    assert "changes no official number" in html
    assert json_of(month, "?view=extended")["facts"]["one_scale"] == dict(test)


@pytest.mark.parametrize(
    "p, verdict, words",
    [
        ("0.0499", "No: strengths of their own", "=\N{NO-BREAK SPACE}0.050"),
        ("0.0501", "It may: strengths of their own", "=\N{NO-BREAK SPACE}0.050"),
        ("1e-09", "No: strengths of their own", "<\N{NO-BREAK SPACE}0.001"),
    ],
)
def test_the_sentence_follows_p(month: ArenaSite, p: str, verdict: str, words: str) -> None:
    """One scale is refused where chance would explain the gain less than 5 times of 100."""

    def set_p(body: dict[str, Any]) -> None:
        body["facts"]["one_scale"]["p"] = p

    reword(month, "extended", set_p)
    html = page(month, "?view=extended")
    assert verdict in html
    assert words in html


def test_without_worst_picks_nothing_is_tested(month: ArenaSite) -> None:
    """Where no worst was picked the page says so."""

    def no_test(body: dict[str, Any]) -> None:
        body["facts"]["one_scale"] = None

    reword(month, "extended", no_test)
    html = page(month, "?view=extended")
    assert "No worst pick counts yet" in html
    assert "degrees of freedom" not in html


def test_ties_are_said_to_move_this_score(month: ArenaSite) -> None:
    """The words of the official board, where ties move no score, are not repeated here."""
    assert "they move points, not the score" in page(month)
    html = page(month, "?view=extended")
    assert "they move points, not the score" not in html
    assert "here they move the score" in html
