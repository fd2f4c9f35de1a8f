"""What the board's template gets: rows with places and rates, and the bars' common scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.boards import BoardRow, PublishedBoard
from arena.catalogue import ModelInfo
from ranking import rules
from webapp.filters import month_name
from webapp.vote.view_models import place_text

__all__ = ["BoardView", "RowView", "ScaleView", "board_view"]

_SCALE_STEP: Final = 50  # points; ends of the scale stand on round numbers


@dataclass(frozen=True, slots=True)
class RowView:
    """One model of the board; rates are shares of its exposures."""

    place: str | None
    model: ModelInfo
    score: float
    low: float
    high: float
    half: float
    votes: float
    best_rate: float | None
    worst_rate: float | None
    points: float
    state: str
    provisional: bool
    needs: str | None
    few_voters: bool
    group_start: bool


@dataclass(frozen=True, slots=True)
class ScaleView:
    """Ends of the common scale of all interval bars, in points."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ExcludedView:
    """How many votes weigh nothing, for one reason."""

    reason: str
    votes: int


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board for its page: ranked rows first, then those without a place."""

    mode: str
    month: str
    month_name: str
    computed_us: int
    votes: int
    voters: int
    basket: Sequence[str]
    rows: tuple[RowView, ...]
    unranked: tuple[RowView, ...]
    scale: ScaleView
    excluded: tuple[ExcludedView, ...]
    same_rate: float
    bad_rate: float
    waiting: int
    log_size: int
    code_version: str
    csv_url: str
    json_url: str


def board_view(
    published: PublishedBoard, models: Mapping[str, ModelInfo], waiting: int
) -> BoardView:
    """Return a published board for its page.

    Args:
        published: the board.
        models: the catalogue's models by slug, retired ones too.
        waiting: sequenced votes that came after it.
    """
    rows = [row for row in published.rows if row.best_place is not None]
    rest = [row for row in published.rows if row.best_place is None]
    starts = [i == 0 or rows[i - 1].best_place != row.best_place for i, row in enumerate(rows)]
    address = f"/leaderboard?mode={published.mode}"
    return BoardView(
        mode=published.mode,
        month=published.month,
        month_name=month_name(published.month),
        computed_us=published.computed_us,
        votes=published.votes,
        voters=published.voters,
        basket=[models[slug].name for slug in published.basket],
        rows=tuple(
            _row(row, models[row.model], group_start=start)
            for row, start in zip(rows, starts, strict=True)
        ),
        unranked=tuple(_row(row, models[row.model], group_start=True) for row in rest),
        scale=_scale(published.rows),
        excluded=tuple(ExcludedView(*pair) for pair in sorted(published.excluded.items())),
        same_rate=_share(published.verdicts.get("same", 0), published.votes),
        bad_rate=_share(published.verdicts.get("bad", 0), published.votes),
        waiting=waiting,
        log_size=published.log_size,
        code_version=published.code_version,
        csv_url=f"{address}&format=csv",
        json_url=f"{address}&format=json",
    )


def _row(row: BoardRow, model: ModelInfo, *, group_start: bool) -> RowView:
    return RowView(
        place=place_text(row),
        model=model,
        score=row.score,
        low=row.low,
        high=row.high,
        half=(row.high - row.low) / 2,
        votes=row.exposures,
        best_rate=_rate(row.best, row.exposures),
        worst_rate=_rate(row.worst, row.exposures),
        points=row.points,
        state="Active",
        provisional=row.provisional,
        needs=_needs(row),
        few_voters=row.few_voters,
        group_start=group_start,
    )


def _needs(row: BoardRow) -> str | None:
    """Say what a model without a place still needs."""
    if not row.comparable:
        return "ballots shared with the other models"
    if row.provisional:
        missing = rules.current().provisional_below - row.exposures
        return f"{math.ceil(missing)} more counted votes"
    return None


def _rate(count: float, exposures: float) -> float | None:
    return None if exposures == 0 else count / exposures


def _share(count: int, votes: int) -> float:
    return count / votes if votes else 0.0


def _scale(rows: Sequence[BoardRow]) -> ScaleView:
    """Return round ends that hold all intervals and the average of 1200."""
    base = rules.current().score_base
    low = min([base, *(row.low for row in rows)])
    high = max([base, *(row.high for row in rows)])
    return ScaleView(
        low=math.floor(low / _SCALE_STEP) * _SCALE_STEP - _SCALE_STEP,
        high=math.ceil(high / _SCALE_STEP) * _SCALE_STEP + _SCALE_STEP,
    )
