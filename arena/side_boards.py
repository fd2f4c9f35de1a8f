"""The boards beside the official one: makers, style, extended, categories, head to head, checks.

They follow the official board in their own, slower time, and name the log entries they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from antiabuse.utc import SECOND_US
from arena import boards, fit_faults, rules, standing
from arena.boards import ALL_CATEGORIES, OFFICIAL, PublishedBoard, View
from arena.catalogue import ModelInfo
from arena.checks import check_facts, link_to
from arena.events import Mode
from arena.ports import Ports
from arena.publishing import Fitted, publish
from arena.refits import counted, row_body, totals
from arena.tables import answer
from arena.tables import board as board_table
from arena.vote_columns import Columns
from ledger.errors import LedgerError
from ranking import lobster, matrix, style, subsets
from ranking.lobster import Board, Fit
from ranking.markdown_style import FEATURES, features, measure

__all__ = ["refit_side_boards_if_due"]

_PAGE: Final = 500
_Key = tuple[View, str]  # view and category
_VIEWS: Final[frozenset[_Key]] = frozenset(
    (view, ALL_CATEGORIES) for view in ("makers", "style", "extended", "head_to_head", "checks")
)


def refit_side_boards_if_due(ports: Ports, mode: Mode, month: str, now_us: int) -> bool:
    """Publish the boards beside the official one when it has moved and their time has come.

    Each is published by itself, so that none is lost with another. One that failed is kept as a
    fault until it succeeds, and tried again at the next call.

    Returns:
        Whether any was published.

    Raises:
        ExceptionGroup: some could not be made or published; a note of each says which.
        LedgerError: the database does not answer; no board is to blame.
        Exception: what they are all made of could not be had; each that is due is kept as a fault.
    """
    with ports.database.read() as conn:
        official = boards.latest(conn, mode, month)
        if official is None:
            return False
        out = _already_out(conn, official)
        missing = (_VIEWS | _faulty(conn, official)) - out
        if not missing or (not out and not _rested(conn, official, now_us)):
            return False
    try:
        with ports.database.read() as conn:
            columns = counted(standing.columns_at(ports, conn, mode, month, official.log_size))[0]
            models = ports.catalogue.current(conn).models
            texts = _texts(conn, columns)
        refit = _Refit(ports, now_us, official, columns)
    except LedgerError:
        raise
    except Exception as error:
        said = dict.fromkeys(missing, _said(error))
        fit_faults.keep_boards(ports.database, mode, month, now_us, said)
        raise
    return refit.all(models, texts, out)


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def _faulty(conn: Connection, official: PublishedBoard) -> set[_Key]:
    """Return which boards of the official one's month failed the last time."""
    return {
        (each.view, each.category)
        for each in fit_faults.standing_boards(conn)
        if (each.mode, each.month) == (official.mode, official.month)
    }


def _already_out(conn: Connection, official: PublishedBoard) -> set[_Key]:
    """Return which boards over the official board's log entries there are."""
    query = select(board_table.c.view, board_table.c.category).where(
        board_table.c.mode == official.mode,
        board_table.c.month == official.month,
        board_table.c.log_size == official.log_size,
    )
    return {(row.view, row.category) for row in conn.execute(query)} - {(OFFICIAL, ALL_CATEGORIES)}


def _rested(conn: Connection, official: PublishedBoard, now_us: int) -> bool:
    """Say whether the last round is long enough ago."""
    made = board_table.c
    query = select(made.computed_us).where(
        made.mode == official.mode,
        made.month == official.month,
        (made.view != OFFICIAL) | (made.category != ALL_CATEGORIES),
    )
    # The log tells the last round: the clock may have been set back since another.
    newest = query.order_by(made.log_size.desc(), made.computed_us.desc()).limit(1)
    last_us: int | None = conn.execute(newest).scalar()
    rest_us = rules.current().views_refit_s * SECOND_US
    return last_us is None or not 0 <= now_us - last_us < rest_us


def _categories(columns: Columns) -> dict[str, Columns]:
    """Return the votes of each category that has any which count."""
    parts = {
        name: columns.where(columns.votes["category"] == place)
        for place, name in enumerate(columns.names["categories"])
    }
    return {name: part for name, part in parts.items() if (part.votes["weight"] > 0).any()}


class _Refit:
    """One round over the same votes."""

    def __init__(
        self, ports: Ports, now_us: int, official: PublishedBoard, columns: Columns
    ) -> None:
        self._ports, self._now_us = ports, now_us
        self._official, self._columns = official, columns
        self._sums = totals(columns)
        self._choices = columns.choices()
        self._start = {row.model: row.theta for row in official.rows}
        self._fit = lobster.fit(self._choices, start=self._start)

    def all(
        self, models: Mapping[str, ModelInfo], texts: Mapping[str, str], out: set[_Key]
    ) -> bool:
        """Make every board that is not out yet."""
        makers: dict[_Key, Callable[[], bool]] = {
            ("makers", ALL_CATEGORIES): partial(self._makers, models),
            ("style", ALL_CATEGORIES): partial(self._style, texts),
            ("extended", ALL_CATEGORIES): self._extended,
            ("head_to_head", ALL_CATEGORIES): self._head_to_head,
            ("checks", ALL_CATEGORIES): self._checks,
        }
        for name, part in _categories(self._columns).items():
            makers[OFFICIAL, name] = partial(self._category, name, part)
        published, failed = False, dict[_Key, Exception]()
        for key, make in makers.items():
            if key in out:
                continue
            try:
                published |= make()
            except Exception as error:  # noqa: BLE001 - whatever it was, the others are made
                error.add_note(f"board {' '.join(filter(None, key))} of {self._official.mode}")
                failed[key] = error
        self._tell(failed)
        return published

    def _tell(self, failed: Mapping[_Key, Exception]) -> None:
        """Keep what failed as faults, and raise it."""
        errors, official = list(failed.values()), self._official
        said = {key: _said(error) for key, error in failed.items()}
        try:
            fit_faults.keep_boards(
                self._ports.database, official.mode, official.month, self._now_us, said
            )
        except LedgerError as error:
            errors.append(error)
        if errors:
            raise ExceptionGroup("boards beside the official one failed", errors)

    def _makers(self, models: Mapping[str, ModelInfo]) -> bool:
        exposures = dict(zip(self._fit.models, self._fit.exposures.tolist(), strict=True))
        makers = {slug: models[slug].maker_key for slug in self._fit.models}
        shown = [slug for slug in self._fit.models if exposures[slug] > 0]
        kept = subsets.one_per_maker(shown, exposures, makers)
        fit = lobster.fit(subsets.restrict(self._choices, kept), start=self._start)
        return self._publish("makers", self._board(fit), {"kept": list(kept)})

    def _style(self, texts: Mapping[str, str]) -> bool:
        values = np.array(
            [features(measure(texts[name])) for name in self._columns.names["answers"]]
        )
        table = values[self._columns.votes["answers"]]
        fitted = style.fit(self._choices, table, FEATURES, official=self._fit)
        facts = {
            "coefficients": [
                {
                    "feature": each.feature,
                    "beta": f"{each.beta:.6f}",
                    "se": f"{each.se:.6f}",
                    "low": f"{each.low:.6f}",
                    "high": f"{each.high:.6f}",
                    "points": f"{each.points:.2f}",
                    "deviation": f"{each.deviation:.6f}",
                }
                for each in fitted.coefficients
            ]
        }
        return self._publish("style", self._board(fitted.strengths), facts)

    def _extended(self) -> bool:
        fit = lobster.fit_extended(self._choices)
        scale = lobster.one_scale(self._choices, fit)
        made = self._board(fit)
        facts = {
            "weights": [
                {
                    "verdict": each.verdict,
                    "weight": f"{each.weight:.6f}",
                    "log_weight": f"{each.log_weight:.6f}",
                    "se": f"{each.se:.6f}",
                }
                for each in made.extra
            ],
            # None without worst picks to compare.
            "one_scale": scale
            and {
                "statistic": f"{scale.statistic:.6f}",
                "df": scale.df,
                "p": f"{scale.p:.6g}",
            },
            "log_likelihood": f"{made.log_likelihood:.6f}",
            "iterations": made.iterations,
        }
        return self._publish("extended", made, facts)

    def _head_to_head(self) -> bool:
        table = matrix.head_to_head(self._choices, self._fit)
        errors = lobster.Covariance.of(self._fit, None).error_of_differences()
        facts = {
            "models": list(table.models),
            "difference_error": _text_table(errors * lobster.POINTS_PER_NAT, ".2f"),
            "chance": _text_table(table.chance, ".4f"),
            "won": _text_table(table.won, ".2f"),
            "shown": _text_table(table.shown, ".2f"),
        }
        return self._publish("head_to_head", None, facts)

    def _checks(self) -> bool:
        basket = self._basket(self._fit)
        probability = self._columns.votes["probability"].astype(np.float64)
        facts = check_facts(self._choices, self._fit, probability, basket)
        link = link_to(self._ports, self._official, self._fit, basket)
        return self._publish("checks", None, {**facts, "link": link})

    def _category(self, name: str, part: Columns) -> bool:
        made = self._board(lobster.fit(part.choices()))
        return self._publish(OFFICIAL, made, {}, columns=part, category=name)

    def _basket(self, fit: Fit) -> tuple[str, ...]:
        """Return the official board's basket, as far as its models were shown enough here."""
        return lobster.basket_of(fit, self._official.basket) or ()

    def _board(self, fit: Fit) -> Board:
        return lobster.board(fit, basket=self._basket(fit) or None)

    def _publish(
        self,
        view: View,
        made: Board | None,
        facts: Mapping[str, Any],
        *,
        columns: Columns | None = None,
        category: str = ALL_CATEGORIES,
    ) -> bool:
        shown = columns or self._columns
        sums = self._sums if columns is None else totals(columns)
        rows: Sequence[Mapping[str, Any]] = ()
        basket: Sequence[str] = ()
        if made is not None:
            rows, basket = [row_body(row, sums) for row in made.models], made.basket or ()
        fitted = Fitted(shown, rows, basket, facts, view, category)
        return publish(self._ports, self._official.mode, self._official.month, self._now_us, fitted)


def _text_table(table: NDArray[np.float64], form: str) -> list[list[str]]:
    return [[format(value, form) for value in row] for row in table.tolist()]


def _texts(conn: Connection, columns: Columns) -> dict[str, str]:
    """Return the texts of all answers the votes showed, by id."""
    ids = list(columns.names["answers"])
    found: dict[str, str] = {}
    for start in range(0, len(ids), _PAGE):
        query = select(answer.c.id, answer.c.text).where(
            answer.c.id.in_(ids[start : start + _PAGE])
        )
        found |= {row.id: row.text for row in conn.execute(query)}
    return found
