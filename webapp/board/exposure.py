"""How often each model was drawn, voted on and counted (V-066)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from arena.boards import PublishedBoard
from arena.catalogue import ModelInfo
from arena.exposure_counts import Exposures
from ranking.lifecycle import State
from webapp.board.sheet import Sheet
from webapp.charts.figures import Bars

__all__ = ["ExposureRow", "ExposureView", "bars", "exposure_rows", "exposure_view"]


@dataclass(frozen=True, slots=True)
class ExposureRow:
    """One model; `share` is of the ballots issued, `weighted` is Σ of weights of counted votes."""

    model: ModelInfo
    state: State | None
    issued: int
    voted: int
    counted: int
    weighted: float
    share: float


@dataclass(frozen=True, slots=True)
class ExposureView:
    """All models, most issued first."""

    ballots: int
    rows: tuple[ExposureRow, ...]
    sheet: Callable[[], Sheet]


def exposure_rows(
    board: PublishedBoard,
    counts: Exposures,
    models: Mapping[str, ModelInfo],
    states: Mapping[str, State],
) -> list[ExposureRow]:
    """Return the models of the board's kind that were issued, most issued first."""
    found = []
    for slug in set(counts.issued) | {row.model for row in board.rows}:
        row = board.row_of(slug)
        if row is None and models[slug].demo != board.demo:
            continue
        found.append(
            ExposureRow(
                model=models[slug],
                state=states.get(slug),
                issued=counts.issued.get(slug, 0),
                voted=counts.voted.get(slug, 0),
                counted=row.showings if row else 0,
                weighted=row.exposures if row else 0.0,
                share=counts.issued.get(slug, 0) / counts.ballots if counts.ballots else 0.0,
            )
        )
    return sorted(found, key=lambda each: (-each.issued, each.model.slug))


def exposure_view(
    board: PublishedBoard,
    counts: Exposures,
    models: Mapping[str, ModelInfo],
    states: Mapping[str, State],
) -> ExposureView:
    """Return the exposure table for its page."""
    rows = exposure_rows(board, counts, models, states)
    return ExposureView(counts.ballots, tuple(rows), partial(_sheet, rows))


def _sheet(rows: Sequence[ExposureRow]) -> Sheet:
    columns = ("model", "state", "issued", "voted", "counted", "weighted", "share")
    cells = [
        (r.model.slug, r.state.value if r.state else None, r.issued, r.voted, r.counted,
         r.weighted, round(r.share, 6))
        for r in rows
    ]  # fmt: skip
    return Sheet(columns, tuple(cells))


def bars(board: PublishedBoard, counts: Exposures, names: Mapping[str, str], title: str) -> Bars:
    """Return issued and voted ballots as a chart."""
    known = sorted(
        (slug for slug in counts.issued if board.row_of(slug)),
        key=lambda slug: (-counts.issued[slug], slug),
    )
    rows = [(names[slug], counts.issued[slug], counts.voted.get(slug, 0)) for slug in known]
    return Bars(title, "Ballots voted on (full) of ballots issued (pale)", tuple(rows))
