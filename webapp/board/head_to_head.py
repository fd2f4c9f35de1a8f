"""Two models at a time: the fitted chance beside what was seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.boards import PublishedBoard
from arena.catalogue import ModelInfo
from webapp.board.sheet import Sheet
from webapp.charts.figures import Cells

__all__ = ["HeadToHeadView", "Pair", "cells", "head_to_head_view", "pair_of", "pairs_of"]

_SHOWN_MOST: Final = 20  # models in heat map and table; a page with all pairs of 100 helps nobody


@dataclass(frozen=True, slots=True)
class Pair:
    """The first model against the second; counts are weighted ballots that showed both.

    `won` and `lost` are those on which one of the two was picked best; the rest of `shown` went to
    a third. `difference_error` is in points, None where the board does not hold it.
    """

    first: str
    second: str
    chance: float
    won: float
    lost: float
    shown: float
    difference_error: float | None

    @property
    def seen(self) -> float | None:
        """Return the share the first won of the ballots that went to one of the two."""
        decided = self.won + self.lost
        return self.won / decided if decided else None


@dataclass(frozen=True, slots=True)
class HeadToHeadView:
    """Pairs in the order of the models' strengths."""

    models: tuple[ModelInfo, ...]
    pairs: tuple[Pair, ...]
    more: int
    sheet: Callable[[], Sheet]


class _Tables:
    """The board's tables, by slug."""

    def __init__(self, board: PublishedBoard) -> None:
        facts = board.facts
        self._facts = facts
        self.place = {slug: i for i, slug in enumerate(facts["models"])}
        # The mean chance against all falls with strength, so it orders the models.
        mean = {slug: sum(map(float, facts["chance"][i])) for slug, i in self.place.items()}
        self.ordered = sorted(mean, key=lambda slug: (-mean[slug], slug))

    def pair(self, first: str, second: str) -> Pair:
        """Return what is known of two models."""
        i, j = self.place[first], self.place[second]
        errors = self._facts.get("difference_error")
        return Pair(
            first=first,
            second=second,
            chance=float(self._facts["chance"][i][j]),
            won=float(self._facts["won"][i][j]),
            lost=float(self._facts["won"][j][i]),
            shown=float(self._facts["shown"][i][j]),
            difference_error=None if errors is None else float(errors[i][j]),
        )


def pair_of(board: PublishedBoard, first: str, second: str) -> Pair | None:
    """Return two models against each other, None where one of them was never shown."""
    tables = _Tables(board)
    if first not in tables.place or second not in tables.place:
        return None
    return tables.pair(first, second)


def pairs_of(board: PublishedBoard, model: str) -> list[Pair]:
    """Return one model against every other that it met, strongest opponent first."""
    tables = _Tables(board)
    if model not in tables.place:
        return []
    pairs = [tables.pair(model, other) for other in tables.ordered if other != model]
    return [pair for pair in pairs if pair.shown > 0]


def head_to_head_view(board: PublishedBoard, models: Mapping[str, ModelInfo]) -> HeadToHeadView:
    """Return a head-to-head board for its page; the sheet holds all pairs."""
    tables = _Tables(board)
    shown = tables.ordered[:_SHOWN_MOST]
    return HeadToHeadView(
        models=tuple(models[slug] for slug in shown),
        pairs=tuple(_pairs(tables, shown)),
        more=len(tables.ordered) - len(shown),
        sheet=lambda: _sheet(_pairs(tables, tables.ordered)),
    )


def _pairs(tables: _Tables, ordered: Sequence[str]) -> list[Pair]:
    return [
        tables.pair(first, second)
        for place, first in enumerate(ordered)
        for second in ordered[place + 1 :]
    ]


def _sheet(pairs: Sequence[Pair]) -> Sheet:
    columns = ("first", "second", "chance", "won", "lost", "shown", "difference_error")
    rows = [
        (p.first, p.second, p.chance, p.won, p.lost, p.shown, p.difference_error) for p in pairs
    ]
    return Sheet(columns, tuple(rows))


def cells(board: PublishedBoard, names: Mapping[str, str], title: str) -> Cells:
    """Return the heat map of the strongest models."""
    tables = _Tables(board)
    shown = tables.ordered[:_SHOWN_MOST]
    values = tuple(
        tuple(None if a == b else tables.pair(a, b).chance for b in shown) for a in shown
    )
    return Cells(title, tuple(names[slug] for slug in shown), values)
