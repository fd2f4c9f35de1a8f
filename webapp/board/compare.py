"""Two models beside each other: scores, their difference with its error, chance and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.boards import BoardRow, PublishedBoard
from arena.catalogue import ModelInfo
from ranking import rules
from webapp.board.head_to_head import Pair, pair_of
from webapp.vote.view_models import place_text

__all__ = ["CompareView", "Side", "compare_view"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two; `row` is None where it was never shown this month."""

    model: ModelInfo
    row: BoardRow | None
    place: str | None


@dataclass(frozen=True, slots=True)
class CompareView:
    """The choice, and once two models are chosen what is known of them.

    `difference` and `error` (half of the 95 % interval) are in points; the error is None where the
    head-to-head board does not hold it.
    """

    choices: Sequence[ModelInfo]
    a: str | None
    b: str | None
    sides: tuple[Side, Side] | None
    difference: float | None
    error: float | None
    pair: Pair | None
    computed_us: int | None

    @property
    def clear(self) -> bool:
        """Tell whether the interval of the difference leaves no doubt who is ahead."""
        known = self.difference is not None and self.error is not None
        return known and abs(self.difference or 0.0) > (self.error or 0.0)


def compare_view(
    official: PublishedBoard | None,
    pairs: PublishedBoard | None,
    models: Mapping[str, ModelInfo],
    a: str | None,
    b: str | None,
) -> CompareView:
    """Return two models for the page that compares them.

    Args:
        official: the month's board, if there is one.
        pairs: its head-to-head board, which may be some minutes older.
        models: the catalogue's models by slug.
        a: the first model chosen, if any.
        b: the second.
    """
    choices = sorted(models.values(), key=lambda model: model.name.casefold())
    moment = official.computed_us if official else None
    if not a or not b or a == b:
        return CompareView(choices, a, b, None, None, None, None, moment)
    sides = (_side(models[a], official), _side(models[b], official))
    rows = [side.row for side in sides]
    difference = rows[0].score - rows[1].score if rows[0] and rows[1] else None
    pair = pair_of(pairs, a, b) if pairs else None
    error = None
    if pair is not None and pair.difference_error is not None:
        error = rules.current().interval_z * pair.difference_error
    return CompareView(choices, a, b, sides, difference, error, pair, moment)


def _side(model: ModelInfo, board: PublishedBoard | None) -> Side:
    row = board.row_of(model.slug) if board else None
    return Side(model, row, place_text(row))
