"""What models' pages get: standing, course, opponents, states; never a single answer (V-169)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from arena import board_history, boards, state_history
from arena.boards import BoardRow, PublishedBoard
from arena.catalogue import ModelInfo
from arena.events import Mode
from arena.exposure_counts import ExposureCounts
from arena.state_history import StateChange
from ranking.lifecycle import State
from webapp.board.exposure import ExposureRow, exposure_rows
from webapp.board.head_to_head import Pair, pairs_of
from webapp.board.intervals import half_width
from webapp.board.scores import needs
from webapp.vote.view_models import place_text

__all__ = ["IndexRow", "ModelView", "Standing", "index_rows", "load_model"]

_CATEGORIES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """A model on one board; `ranked` counts the models with a place.

    `judged` is the weight of all votes that showed it, those that picked no model too.
    """

    board: PublishedBoard
    row: BoardRow
    place: str | None
    half: float
    judged: float
    ranked: int
    needs: str | None

    @classmethod
    def on(cls, board: PublishedBoard | None, model: str) -> Standing | None:
        """Return where a model stands on a board, None where it is not on it."""
        row = board.row_of(model) if board else None
        if board is None or row is None:
            return None
        ranked = sum(each.best_place is not None for each in board.rows)
        judged = row.exposures + row.same + row.bad
        return cls(board, row, place_text(row), half_width(row), judged, ranked, needs(row))


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A model in the register with its standing and state in each mode."""

    model: ModelInfo
    standings: Mapping[str, Standing | None]
    states: Mapping[str, State | None]


@dataclass(frozen=True, slots=True)
class ModelView:
    """One model in one mode."""

    model: ModelInfo
    mode: Mode
    state: State | None
    standing: Standing | None
    pairs: Sequence[Pair]
    changes: Sequence[StateChange]
    exposure: ExposureRow | None
    ballots: int
    best_categories: Sequence[Standing]
    worst_categories: Sequence[Standing]
    months: Sequence[Standing]
    pairs_board: PublishedBoard | None


def index_rows(
    conn: Connection, models: Mapping[str, ModelInfo], month: str
) -> tuple[IndexRow, ...]:
    """Return all models ever known, the living ones first, by name."""
    official = {mode: boards.latest(conn, mode, month) for mode in boards.MODES}
    states = {mode: _states(state_history.changes(conn, mode)) for mode in boards.MODES}
    ordered = sorted(
        models.values(), key=lambda m: (m.retired_us is not None, m.name.casefold(), m.slug)
    )
    return tuple(
        IndexRow(
            model,
            {mode: Standing.on(official[mode], model.slug) for mode in boards.MODES},
            {mode: states[mode].get(model.slug) for mode in boards.MODES},
        )
        for model in ordered
    )


def load_model(
    conn: Connection,
    models: Mapping[str, ModelInfo],
    slug: str,
    mode: Mode,
    counts: ExposureCounts,
) -> ModelView:
    """Return a model's page in a mode; it speaks of the last month that has a board."""
    ends = board_history.month_ends(conn, mode)
    last = ends[0] if ends else None
    changes = state_history.changes(conn, mode, slug)
    states = _states(changes)
    pairs_board, categories, exposure, ballots = None, [], None, 0
    if last is not None:
        pairs_board = boards.latest(conn, mode, last.month, "head_to_head")
        categories = _by_place(board_history.category_boards(conn, mode, last.month), slug)
        counted = counts.of(conn, last)
        rows = exposure_rows(last, counted, models, states)
        exposure = next((each for each in rows if each.model.slug == slug), None)
        ballots = counted.ballots
    months = [found for board in ends if (found := Standing.on(board, slug)) is not None]
    shown = min(_CATEGORIES_SHOWN, len(categories) // 2)
    return ModelView(
        model=models[slug],
        mode=mode,
        state=states.get(slug),
        standing=Standing.on(last, slug),
        pairs=pairs_of(pairs_board, slug) if pairs_board else (),
        changes=changes[::-1],
        exposure=exposure,
        ballots=ballots,
        best_categories=categories[:shown],
        worst_categories=categories[::-1][:shown],
        months=months,
        pairs_board=pairs_board,
    )


def _states(changes: Sequence[StateChange]) -> dict[str, State]:
    return state_history.states_at(changes, max((each.at_us for each in changes), default=0))


def _by_place(found: Sequence[PublishedBoard], slug: str) -> list[Standing]:
    """Return the categories where a model has a score of its own, best first.

    By the score, as each category's own basket or ghost is 1200; provisional ones are left out.
    """
    standings = [Standing.on(board, slug) for board in found]
    known = [each for each in standings if each is not None and each.place is not None]
    return sorted(known, key=lambda each: -each.row.score)
