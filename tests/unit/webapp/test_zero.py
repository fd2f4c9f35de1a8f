"""Scores of one board counted on another's zero, and where that is not known."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from arena.boards import BoardRow, PublishedBoard
from ranking.lobster import POINTS_PER_NAT
from webapp.board.zero import Before, scores_on


def row(model: str, theta: float) -> BoardRow:
    """Return a model's row."""
    return BoardRow(
        model=model, theta=theta, gamma=1.0, score=round(1200 + POINTS_PER_NAT * theta, 2),
        se=0.1, score_se=17.4, low=0.0, high=2400.0, exposures=100.0, showings=100, best=25.0,
        worst=25.0, same=0.0, bad=0.0, points=0.0, best_place=1, worst_place=1, provisional=False,
        comparable=True, few_voters=False, limited=False,
    )  # fmt: skip


def board(thetas: Mapping[str, float], *basket: str) -> PublishedBoard:
    """Return a board of these log-strengths; without a basket the ghost is at 0."""
    return PublishedBoard(
        id="b", mode="speed", month="2026-11", view="official", category="", computed_us=1,
        log_size=1, code_version="1", demo=False, votes=1, voters=1, verdicts={}, excluded={},
        basket=basket, rows=tuple(row(*pair) for pair in thetas.items()), facts={},
        output_sha256="",
    )  # fmt: skip


def test_the_same_zero_keeps_the_printed_scores() -> None:
    """The order of the basket's names is no other basket."""
    thetas = {"a": 0.5, "b": -0.5}
    assert scores_on(board(thetas, "a", "b"), board(thetas, "b", "a")) == {
        "a": row("a", 0.5).score,
        "b": row("b", -0.5).score,
    }


def test_a_basket_is_taken_out_of_a_board_with_the_ghost() -> None:
    """Differences stay, and the mean of the later basket comes to stand at 1200."""
    earlier = {"a": 0.9, "b": 0.3, "c": -0.6}
    found = scores_on(board({"a": 0.0, "b": 0.0}, "a", "b"), board(earlier))
    assert found is not None
    assert (found["a"] + found["b"]) / 2 == pytest.approx(1200)
    assert found["a"] - found["c"] == pytest.approx(POINTS_PER_NAT * 1.5)


def test_a_model_never_shown_stands_at_the_ghost() -> None:
    """Without a basket its log-strength is 0, so it can be part of the later zero."""
    found = scores_on(board({"a": 0.0, "b": 0.0}, "a", "b"), board({"a": 1.0}))
    assert found is not None
    assert dict(found) == pytest.approx({"a": 1200 + POINTS_PER_NAT * 0.5})


@pytest.mark.parametrize("basket", [(), ("a", "z")])
def test_what_a_board_with_a_basket_does_not_know_is_not_guessed(basket: tuple[str, ...]) -> None:
    """Neither the ghost nor a model that was not shown has a place on it."""
    later, earlier = board({"a": 0.1}, *basket), board({"a": 0.2, "b": -0.2}, "a", "b")
    assert scores_on(later, earlier) is None
    before = Before.of(later, earlier)
    assert before.change(later.rows[0]) is None
    assert before.zero is not None
    assert before.zero.counted is False


def test_scores_end_where_the_scale_does() -> None:
    """A score on another zero is printed as any other."""
    found = scores_on(board({"a": 0.0}, "a"), board({"a": 5.0, "b": -5.0}))
    assert found == {"a": pytest.approx(1200), "b": 0.0}
