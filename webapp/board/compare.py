"""Two models beside each other: scores, their difference with its error, chance and counts.

Scores are of one board, chance, counts and error of the head-to-head board of the same votes or
the last before it; where it is an older one the page says which.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from flask import abort
from sqlalchemy import Connection

from arena import board_history, boards
from arena.boards import BoardRow, PublishedBoard
from arena.catalogue import ModelInfo
from ranking import rules
from webapp.board.asked import Asked, single
from webapp.board.head_to_head import Pair, pair_of
from webapp.board.sheet import Cell, Sheet
from webapp.vote.view_models import place_text

__all__ = ["CompareView", "Side", "compare_view", "find_pairs"]

_SIDE_FIELDS: Final = ("score", "low", "high", "exposures", "best_place", "worst_place")
_PAIR_FIELDS: Final = ("difference_error", "chance", "won", "lost", "shown")
_COLUMNS: Final = (
    *("first", *(f"first_{name}" for name in _SIDE_FIELDS)),
    *("second", *(f"second_{name}" for name in _SIDE_FIELDS)),
    *("difference", *_PAIR_FIELDS, "pairs_board", "pairs_log_size"),
)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two; `row` is None where it was never shown this month."""

    model: ModelInfo
    row: BoardRow | None
    place: str | None


@dataclass(frozen=True, slots=True)
class CompareView:
    """The choice, and once two models are chosen what is known of them.

    `choices` are the models of the mode, `start` the two that the form shows as chosen.
    `difference` and `error` (half of the 95 % interval) are in points; the error is None where the
    head-to-head board, `pairs`, does not hold it. `older_us` says when that was computed, where it
    is of fewer votes than the scores.
    """

    choices: Sequence[ModelInfo]
    start: tuple[str | None, str | None]
    a: str | None
    b: str | None
    sides: tuple[Side, Side] | None
    difference: float | None
    error: float | None
    pair: Pair | None
    computed_us: int | None
    pairs: PublishedBoard | None
    older_us: int | None
    sheet: Callable[[], Sheet]

    @property
    def clear(self) -> bool:
        """Tell whether the interval of the difference leaves no doubt who is ahead."""
        known = self.difference is not None and self.error is not None
        return known and abs(self.difference or 0.0) > (self.error or 0.0)


def find_pairs(conn: Connection, asked: Asked) -> PublishedBoard | None:
    """Return the head-to-head board beside the scores asked for.

    A permanent address names it, as one of the same votes may follow the scores; 404 where it
    names one that does not belong to them.
    """
    named, official = single("pairs"), asked.board
    if named is None:
        return board_history.pairs_beside(conn, official) if official else None
    found = boards.by_id(conn, named)
    if found is None or official is None or not asked.pinned:
        abort(404)
    kind = (found.view, found.mode, found.month)
    if kind != ("head_to_head", official.mode, official.month):
        abort(404)
    if found.log_size > official.log_size:
        abort(404)
    return found


def compare_view(
    official: PublishedBoard | None,
    pairs: PublishedBoard | None,
    models: Mapping[str, ModelInfo],
    entered: Collection[str],
    a: str | None,
    b: str | None,
) -> CompareView:
    """Return two models for the page that compares them.

    Args:
        official: the month's board, if there is one.
        pairs: the head-to-head board beside it, which may be some minutes older.
        models: the catalogue's models by slug.
        entered: the slugs of those that have entered the mode.
        a: the first model chosen, if any.
        b: the second.
    """
    choices = _choices(official, models, {*entered, *filter(None, (a, b))})
    start = _start(choices, official, a, b)
    moment = official.computed_us if official else None
    if not a or not b or a == b:
        empty = Sheet(_COLUMNS, ())
        return CompareView(
            choices, start, a, b, None, None, None, None, moment, pairs, None, lambda: empty
        )
    sides = (_side(models[a], official), _side(models[b], official))
    rows = [side.row for side in sides]
    difference = rows[0].score - rows[1].score if rows[0] and rows[1] else None
    pair = pair_of(pairs, a, b) if pairs else None
    error = None
    if pair is not None and pair.difference_error is not None:
        error = rules.current().interval_z * pair.difference_error
    older = pairs and official and pair and pairs.log_size < official.log_size
    return CompareView(
        choices, start, a, b, sides, difference, error, pair, moment, pairs,
        older_us=pairs.computed_us if pairs and older else None,
        sheet=partial(_sheet, sides, difference, pair, pairs),
    )  # fmt: skip


def _choices(
    official: PublishedBoard | None, models: Mapping[str, ModelInfo], also: Collection[str]
) -> list[ModelInfo]:
    """Return the models that may be compared, by name: those of the board and some more."""
    on_board = {row.model for row in official.rows} if official else set()
    found = [models[slug] for slug in on_board.union(also) if slug in models]
    return sorted(found, key=lambda model: (model.name.casefold(), model.slug))


def _start(
    choices: Sequence[ModelInfo], official: PublishedBoard | None, a: str | None, b: str | None
) -> tuple[str | None, str | None]:
    """Return what the form begins with: the models asked for, else the board's two strongest."""
    strongest = sorted(official.rows, key=lambda row: -row.score) if official else []
    slugs = [row.model for row in strongest] + [model.slug for model in choices]
    first = a or next((slug for slug in slugs if slug != b), None)
    return first, b or next((slug for slug in slugs if slug != first), None)


def _sheet(
    sides: tuple[Side, Side],
    difference: float | None,
    pair: Pair | None,
    pairs: PublishedBoard | None,
) -> Sheet:
    """Return the two as one row; `difference_error` is one standard error, in points."""
    cells: list[Cell] = []
    for side in sides:
        cells.append(side.model.slug)
        cells += [getattr(side.row, name) if side.row else None for name in _SIDE_FIELDS]
    cells.append(None if difference is None else round(difference, 2))
    cells += [getattr(pair, name) if pair else None for name in _PAIR_FIELDS]
    cells += [pairs.id, pairs.log_size] if pairs and pair else [None, None]
    return Sheet(_COLUMNS, (tuple(cells),))


def _side(model: ModelInfo, board: PublishedBoard | None) -> Side:
    row = board.row_of(model.slug) if board else None
    return Side(model, row, place_text(row))
