"""Published boards, read back: the latest, one by its id, the last of each day.

A board is a function of the log's first `log_size` entries, so anyone can compute it again (V-051).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Connection, text

from antiabuse.statements import Statement
from antiabuse.utc import DAY_US
from arena.ballot_events import BoardPublished, View
from arena.errors import UnknownCode
from arena.events import Mode

__all__ = [
    "ALL_CATEGORIES",
    "OFFICIAL",
    "BoardRow",
    "PublishedBoard",
    "View",
    "as_mode",
    "by_id",
    "categories",
    "last_of_each_day",
    "latest",
    "months",
    "parsed",
]

MODES: Final[tuple[Mode, ...]] = ("speed", "expert")
OFFICIAL: Final[View] = "official"
ALL_CATEGORIES: Final = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One model of a published board; places are None for provisional or not comparable models.

    `se` is in natural logs, `score_se` in points; `showings` are counted ballots voted on that
    showed the model, `exposures`, `best`, `worst`, `same` and `bad` are weighted.
    """

    model: str
    theta: float
    gamma: float
    score: float
    se: float
    score_se: float
    low: float
    high: float
    exposures: float
    showings: int
    best: float
    worst: float
    same: float
    bad: float
    points: float
    best_place: int | None
    worst_place: int | None
    provisional: bool
    comparable: bool
    few_voters: bool
    limited: bool

    @property
    def never_best(self) -> bool:
        """Tell whether it was shown and never picked best (V-160)."""
        return self.exposures > 0 and self.best == 0

    @property
    def always_best(self) -> bool:
        """Tell whether it was picked best whenever it was shown (V-160)."""
        return self.exposures > 0 and self.best == self.exposures


@dataclass(frozen=True, slots=True, eq=False)
class PublishedBoard:
    """A board as published, in display order; `facts` are what its view knows beside the rows.

    A board is itself and nothing else: what is computed from it may be cached by it.
    """

    id: str
    mode: Mode
    month: str
    view: View
    category: str
    computed_us: int
    log_size: int
    code_version: str
    demo: bool
    votes: int
    voters: int
    verdicts: Mapping[str, int]
    excluded: Mapping[str, int]
    basket: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    facts: Mapping[str, Any]
    output_sha256: str

    def gamma_of(self, model: str) -> float:
        """Return a model's strength; 1, the ghost's, for a model the board does not know."""
        row = self.row_of(model)
        return 1.0 if row is None else row.gamma

    def row_of(self, model: str) -> BoardRow | None:
        """Return a model's row, or None when it was never shown."""
        return next((row for row in self.rows if row.model == model), None)


def as_mode(name: str) -> Mode:
    """Return a mode's name as its type.

    Raises:
        UnknownCode: it is neither `speed` nor `expert`.
    """
    for mode in MODES:
        if mode == name:
            return mode
    raise UnknownCode(f"there is no mode {name}")


_LATEST = Statement(
    "SELECT id, body FROM board WHERE mode = :mode AND month = :month AND view = :view"
    " AND category = :category ORDER BY log_size DESC LIMIT 1"
)
_BY_ID = text("SELECT id, body FROM board WHERE id = :id")
_CATEGORIES = text(
    "SELECT DISTINCT category FROM board WHERE mode = :mode AND month = :month"
    " AND view = 'official' AND category <> '' ORDER BY category"
)
_MONTHS = text("SELECT DISTINCT month FROM board WHERE mode = :mode ORDER BY month DESC")
_DAYS = text(
    """
    SELECT b.id, b.body FROM board b
    JOIN (SELECT mode, computed_us / :day AS day, max(log_size) AS log_size FROM board
          WHERE view = 'official' AND category = ''
          GROUP BY mode, computed_us / :day ORDER BY day DESC LIMIT :most) d
      ON d.mode = b.mode AND d.log_size = b.log_size AND d.day = b.computed_us / :day
    WHERE b.view = 'official' AND b.category = ''
    ORDER BY b.computed_us DESC
    """
)


def latest(
    conn: Connection,
    mode: str,
    month: str,
    view: View = OFFICIAL,
    category: str = ALL_CATEGORIES,
) -> PublishedBoard | None:
    """Return the board that was published last, or None before the first."""
    row = _LATEST.run(conn, mode=mode, month=month, view=view, category=category).one_or_none()
    return None if row is None else parsed(row.id, row.body)


def by_id(conn: Connection, board_id: str) -> PublishedBoard | None:
    """Return one board, or None when there is none of that id."""
    row = conn.execute(_BY_ID, {"id": board_id}).one_or_none()
    return None if row is None else parsed(row.id, row.body)


def categories(conn: Connection, mode: str, month: str) -> Sequence[str]:
    """Return the categories that have a board of their own."""
    return conn.execute(_CATEGORIES, {"mode": mode, "month": month}).scalars().all()


def months(conn: Connection, mode: str) -> Sequence[str]:
    """Return the months that have a board, newest first."""
    return conn.execute(_MONTHS, {"mode": mode}).scalars().all()


def last_of_each_day(conn: Connection, most: int = 30) -> list[PublishedBoard]:
    """Return the last official board of each mode and UTC day, newest first, at most so many."""
    rows = conn.execute(_DAYS, {"day": DAY_US, "most": most})
    return [parsed(row.id, row.body) for row in rows]


@lru_cache(maxsize=1024)
def parsed(board_id: str, body: str) -> PublishedBoard:
    """Read a stored board; a published board never changes, so it is read once per process."""
    event = BoardPublished.from_body(json.loads(body))
    return PublishedBoard(
        id=board_id,
        mode=event.mode,
        month=event.month,
        view=event.view,
        category=event.category,
        computed_us=event.computed_us,
        log_size=event.log_size,
        code_version=event.code_version,
        demo=event.demo,
        votes=event.votes,
        voters=event.voters,
        verdicts=event.verdicts,
        excluded=event.excluded,
        basket=tuple(event.basket),
        rows=tuple(_row(row) for row in event.rows),
        facts=event.facts,
        output_sha256=event.output_sha256,
    )


_NUMBERS: Final = (
    "theta", "gamma", "score", "se", "score_se", "low", "high", "exposures", "best", "worst",
    "same", "bad", "points",
)  # fmt: skip
_AS_IS: Final = (
    "model", "showings", "best_place", "worst_place", "provisional", "comparable", "few_voters",
    "limited",
)  # fmt: skip


def _row(row: Mapping[str, Any]) -> BoardRow:
    numbers: dict[str, Any] = {name: float(row[name]) for name in _NUMBERS}
    return BoardRow(**numbers, **{name: row[name] for name in _AS_IS})
