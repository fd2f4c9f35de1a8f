"""Boards of one month whose zero moved: an earlier one's scores counted on a later one's zero.

Log-strengths are published to six decimals, so that another mean can be taken out of them; errors
are contrasts with the zero they were computed for and cannot be moved so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.boards import BoardRow, PublishedBoard
from ranking import rules
from ranking.lobster import POINTS_PER_NAT
from webapp.vote.view_models import place_text

__all__ = ["Before", "ZeroMove", "same_zero", "scores_on"]


@dataclass(frozen=True, slots=True)
class ZeroMove:
    """Slugs of the models whose average was and is 1200, none for the ghost.

    `counted` says whether the earlier board could be counted on the later zero.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    counted: bool


@dataclass(frozen=True, slots=True)
class Before:
    """The board that changes are counted from, with its scores on the zero of the one shown."""

    board: PublishedBoard | None
    scores: Mapping[str, float]
    zero: ZeroMove | None

    @classmethod
    def of(cls, shown: PublishedBoard, past: PublishedBoard | None) -> Before:
        """Return a board, if there is one, as seen from the one shown."""
        scores = scores_on(shown, past) if past else None
        return cls(past, scores or {}, _zero_move(shown, past))

    def change(self, row: BoardRow) -> float | None:
        """Return by how many points a score changed, None where it is not known."""
        before = self.scores.get(row.model)
        return None if before is None else row.score - before

    def place(self, row: BoardRow) -> str | None:
        """Return the place that a model had."""
        return place_text(self.board.row_of(row.model)) if self.board else None


def same_zero(one: PublishedBoard, other: PublishedBoard) -> bool:
    """Tell whether two boards have the same basket, or both the ghost, as their zero."""
    return set(one.basket) == set(other.basket)


def scores_on(zero_of: PublishedBoard, board: PublishedBoard) -> Mapping[str, float] | None:
    """Return a board's scores by model, counted on the zero of another board of its month.

    None where that zero is not known on this board: the ghost's place is not published with a
    basket, and neither is that of a model nobody was shown. Without a basket both are at 0.
    """
    if same_zero(zero_of, board):
        return {row.model: row.score for row in board.rows}
    thetas = {row.model: row.theta for row in board.rows}
    known = not board.basket or set(zero_of.basket) <= thetas.keys()
    if not zero_of.basket or not known:
        return None
    zero = sum(thetas.get(model, 0.0) for model in zero_of.basket) / len(zero_of.basket)
    return {model: _score(theta - zero) for model, theta in thetas.items()}


def _zero_move(later: PublishedBoard, earlier: PublishedBoard | None) -> ZeroMove | None:
    """Return how the zero moved between two boards, None where it stood still."""
    if earlier is None or same_zero(later, earlier):
        return None
    return ZeroMove(earlier.basket, later.basket, scores_on(later, earlier) is not None)


def _score(theta: float) -> float:
    """Return the printed score of a log-strength, which ends where the scale does."""
    numbers = rules.current()
    score = numbers.score_base + POINTS_PER_NAT * theta
    return min(max(score, numbers.score_lowest), numbers.score_highest)
