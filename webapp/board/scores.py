"""The boards with one row per model: scores, lower bound, ranges, and the boards beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from arena.boards import BoardRow, PublishedBoard
from arena.catalogue import ModelInfo
from ranking import rules
from ranking.lifecycle import State
from webapp.board.checks import ChecksView, Reweighted, checks_view, reweighted_scores
from webapp.board.intervals import half_width, is_cut
from webapp.board.score_dots import ordered
from webapp.board.sheet import Cell, Sheet
from webapp.board.zero import Before, ZeroMove
from webapp.vote.view_models import place_text

__all__ = ["RowView", "Scale", "ScoresView", "needs", "scores_view"]

_SCALE_STEP: Final = 50  # points; ends of the scale stand on round numbers
_ROW_FIELDS: Final = (*BoardRow.__dataclass_fields__, "never_best", "always_best")
_CHECKS_SHOWN: Final = ("fragility", "propensity", "link")


@dataclass(frozen=True, slots=True)
class Span:
    """Where an interval bar lies, in the scale's own unit."""

    low: float
    at: float | None
    high: float


@dataclass(frozen=True, slots=True)
class RowView:
    """One model of the board; `change` is in points, `half` is what stands after the ±.

    Best and worst rates are shares of its exposures, the others of all votes that showed it and
    weigh (V-044, V-045). `cut` says that the drawn interval ends where the printed scale does.
    `reweighted` is set where the score moves too far when draws are weighted back.
    """

    place: str | None
    model: ModelInfo
    score: float
    low: float
    high: float
    half: float
    cut: bool
    span: Span
    votes: float
    best_rate: float | None
    worst_rate: float | None
    same_rate: float | None
    rejected_rate: float | None
    points: float
    state: State | None
    provisional: bool
    comparable: bool
    never_best: bool
    always_best: bool
    reweighted: Reweighted | None
    limited: bool
    needs: str | None
    few_voters: bool
    group_start: bool
    change: float | None
    place_before: str | None


@dataclass(frozen=True, slots=True)
class Scale:
    """Ends of the common scale of all bars, and the value that is marked on it."""

    low: float
    high: float
    middle: float | None


@dataclass(frozen=True, slots=True)
class Excluded:
    """How many votes weigh nothing, for one reason."""

    reason: str
    votes: int


@dataclass(frozen=True, slots=True)
class ScoresView:
    """Ranked rows first, then those without a place; `past` is what changes are counted from.

    `zero` is set where its zero was another; changes are then counted on that of the board shown.
    `capped` is how many votes the influence cap lowered, some of them for their network (V-155).
    """

    rows: tuple[RowView, ...]
    unranked: tuple[RowView, ...]
    scale: Scale
    past: PublishedBoard | None
    zero: ZeroMove | None
    basket: Sequence[str]
    excluded: tuple[Excluded, ...]
    same_rate: float
    bad_rate: float
    checks: ChecksView | None
    capped: int
    capped_networks: int
    sheet: Callable[[], Sheet]


def scores_view(
    board: PublishedBoard,
    models: Mapping[str, ModelInfo],
    states: Mapping[str, State],
    past: PublishedBoard | None,
    checks: PublishedBoard | None,
    view: str,
) -> ScoresView:
    """Return a board for its page.

    Args:
        board: the snapshot.
        models: the catalogue's models by slug, retired ones too.
        states: of the models, at the moment the page speaks of.
        past: the board that changes are counted from, if any.
        checks: the checks that belong to it, if any.
        view: `lower` orders by the lower bound, `ranges` draws places instead of scores.
    """
    ranked = ordered([row for row in board.rows if row.best_place is not None], view)
    rest = [row for row in board.rows if row.best_place is None]
    scale = _place_scale(len(ranked)) if view == "ranges" else _score_scale(board.rows)
    starts = [
        i == 0 or view == "lower" or ranked[i - 1].best_place != row.best_place
        for i, row in enumerate(ranked)
    ]
    checked = checks_view(checks) if checks else None
    before = Before.of(board, past)
    marked = {row.model: row for row in checked.marked} if checked else {}
    views = [
        _row(row, models[row.model], states, before, marked, view, group_start=start)
        for row, start in zip([*ranked, *rest], starts + [True] * len(rest), strict=True)
    ]
    cap: dict[str, int] = board.facts.get("cap", {})
    return ScoresView(
        rows=tuple(views[: len(ranked)]),
        unranked=tuple(views[len(ranked) :]),
        scale=scale,
        past=past,
        zero=before.zero,
        basket=[models[slug].name for slug in board.basket],
        excluded=tuple(Excluded(*pair) for pair in sorted(board.excluded.items())),
        same_rate=_share(board.verdicts.get("same", 0), board.votes),
        bad_rate=_share(board.verdicts.get("bad", 0), board.votes),
        checks=checked,
        capped=sum(cap.values()),
        capped_networks=cap.get("networks", 0),
        sheet=partial(_sheet, [*ranked, *rest], states, before, checks),
    )


def _row(
    row: BoardRow,
    model: ModelInfo,
    states: Mapping[str, State],
    past: Before,
    marked: Mapping[str, Reweighted],
    view: str,
    *,
    group_start: bool,
) -> RowView:
    places = Span(row.best_place or 0, None, row.worst_place or 0)
    return RowView(
        place=place_text(row),
        model=model,
        score=row.score,
        low=row.low,
        high=row.high,
        half=half_width(row),
        cut=is_cut(row),
        span=places if view == "ranges" else Span(row.low, row.score, row.high),
        votes=row.exposures,
        best_rate=_rate(row.best, row.exposures),
        worst_rate=_rate(row.worst, row.exposures),
        same_rate=_rate(row.same, row.exposures + row.same + row.bad),
        rejected_rate=_rate(row.bad, row.exposures + row.same + row.bad),
        points=row.points,
        state=states.get(row.model),
        provisional=row.provisional,
        comparable=row.comparable,
        never_best=row.never_best,
        always_best=row.always_best,
        reweighted=marked.get(row.model),
        limited=row.limited,
        needs=needs(row),
        few_voters=row.few_voters,
        group_start=group_start,
        change=past.change(row),
        place_before=past.place(row),
    )


def needs(row: BoardRow) -> str | None:
    """Say what a model without a place still needs."""
    if not row.comparable:
        return "ballots shared with the other models"
    if row.provisional:
        missing = math.ceil(rules.current().provisional_below - row.exposures)
        return f"{missing} more counted vote{'' if missing == 1 else 's'}"
    return None


def _rate(count: float, exposures: float) -> float | None:
    return None if exposures == 0 else count / exposures


def _share(count: int, votes: int) -> float:
    return count / votes if votes else 0.0


def _place_scale(ranked: int) -> Scale:
    return Scale(1, max(ranked, 2), None)


def _score_scale(rows: Sequence[BoardRow]) -> Scale:
    """Return round ends that hold all intervals and the average of 1200."""
    book = rules.current()
    base = book.score_base
    low = min([base, *(row.low for row in rows)])
    high = max([base, *(row.high for row in rows)])
    return Scale(
        low=max(book.score_lowest, math.floor(low / _SCALE_STEP - 1) * _SCALE_STEP),
        high=min(book.score_highest, math.ceil(high / _SCALE_STEP + 1) * _SCALE_STEP),
        middle=base,
    )


def _sheet(
    rows: Sequence[BoardRow],
    states: Mapping[str, State],
    past: Before,
    checks: PublishedBoard | None,
) -> Sheet:
    columns = [*_ROW_FIELDS, "state"]
    cells = [[*_fields(row), _state(states, row)] for row in rows]
    if past.board:
        columns += ["change", "change_from_board"]
        for row, line in zip(rows, cells, strict=True):
            change = past.change(row)
            line.extend([None if change is None else round(change, 2), past.board.id])
    if checks:
        columns += ["reweighted_score", "reweighted_marked"]
        scores = reweighted_scores(checks)
        for row, line in zip(rows, cells, strict=True):
            again = scores.get(row.model)
            line.extend([again.reweighted, again.marked] if again else [None, None])
    return Sheet(tuple(columns), tuple(map(tuple, cells)), _beside(checks, past.zero))


def _fields(row: BoardRow) -> list[Cell]:
    return [getattr(row, name) for name in _ROW_FIELDS]


def _state(states: Mapping[str, State], row: BoardRow) -> Cell:
    state = states.get(row.model)
    return state.value if state else None


def _beside(checks: PublishedBoard | None, zero: ZeroMove | None) -> dict[str, Any]:
    """Return the checks as they were published, and how the zero moved since the board before."""
    found: dict[str, Any] = {"zero_moved": asdict(zero)} if zero else {}
    if checks is None:
        return found
    facts = {name: checks.facts[name] for name in _CHECKS_SHOWN}
    return {
        **found,
        "checks": {
            "board": checks.id,
            "computed_us": checks.computed_us,
            "log_size": checks.log_size,
            **facts,
        },
    }
