"""The boards beside the official one: extended, style, makers, head to head, checks, categories.

They follow the official board in their own, slower time, and name the log entries they are made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from antiabuse.utc import SECOND_US
from arena import boards, rules
from arena.boards import PublishedBoard, View
from arena.catalogue import ModelInfo
from arena.events import Mode
from arena.ports import Ports
from arena.refits import Fitted, of_one_kind, publish, row_body, totals
from arena.tables import answer
from arena.vote_columns import Columns
from ranking import lobster, matrix, style, subsets
from ranking.lobster import Fit
from ranking.markdown_style import FEATURES, features, measure

__all__ = ["refit_side_boards_if_due"]

_PAGE = 500


def refit_side_boards_if_due(ports: Ports, mode: Mode, month: str, now_us: int) -> bool:
    """Publish the boards beside the official one when it has moved and their time has come."""
    with ports.database.read() as conn:
        official = boards.latest(conn, mode, month)
        last = boards.latest(conn, mode, month, "head_to_head")
        if official is None or not _due(official, last, now_us):
            return False
        columns = of_one_kind(ports.columns.read(conn, mode, month, official.log_size))
        models = ports.catalogue.current(conn).models
        texts = _texts(conn, columns)
    _Refit(ports, mode, month, now_us, official, columns).all(models, texts)
    return True


def _due(official: PublishedBoard, last: PublishedBoard | None, now_us: int) -> bool:
    if last is None:
        return True
    rested = now_us - last.computed_us >= rules.current().views_refit_s * SECOND_US
    return rested and official.log_size > last.log_size


class _Refit:
    """One round over the same votes."""

    def __init__(
        self,
        ports: Ports,
        mode: Mode,
        month: str,
        now_us: int,
        official: PublishedBoard,
        columns: Columns,
    ) -> None:
        self._ports, self._mode, self._month, self._now_us = ports, mode, month, now_us
        self._official, self._columns = official, columns
        self._sums = totals(columns)
        self._choices = columns.choices()
        self._start = {row.model: row.theta for row in official.rows}
        self._fit = lobster.fit(self._choices, start=self._start)

    def all(self, models: Mapping[str, ModelInfo], texts: Mapping[str, str]) -> None:
        """Make every board; each is published by itself, so that none is lost with another."""
        self._makers(models)
        self._style(texts)
        self._categories()
        self._head_to_head()

    def _makers(self, models: Mapping[str, ModelInfo]) -> None:
        exposures = dict(zip(self._fit.models, self._fit.exposures.tolist(), strict=True))
        makers = {slug: models[slug].maker_key for slug in self._fit.models}
        shown = [slug for slug in self._fit.models if exposures[slug] > 0]
        kept = subsets.one_per_maker(shown, exposures, makers)
        choices = subsets.restrict(self._choices, kept)
        self._publish("makers", lobster.fit(choices, start=self._start), {"kept": list(kept)})

    def _style(self, texts: Mapping[str, str]) -> None:
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
        self._publish("style", fitted.strengths, facts)

    def _categories(self) -> None:
        for place, name in enumerate(self._columns.names["categories"]):
            part = self._columns.where(self._columns.votes["category"] == place)
            if (part.votes["weight"] > 0).any():
                fit = lobster.fit(part.choices())
                self._publish("official", fit, {}, columns=part, category=name)

    def _head_to_head(self) -> None:
        table = matrix.head_to_head(self._choices, self._fit)
        errors = lobster.Covariance.of(self._fit, None).error_of_differences()
        facts = {
            "models": list(table.models),
            "difference_error": _text_table(errors * lobster.POINTS_PER_NAT, ".2f"),
            "chance": _text_table(table.chance, ".4f"),
            "won": _text_table(table.won, ".2f"),
            "shown": _text_table(table.shown, ".2f"),
        }
        self._publish("head_to_head", None, facts)

    def _publish(
        self,
        view: View,
        fit: Fit | None,
        facts: Mapping[str, Any],
        *,
        columns: Columns | None = None,
        category: str = boards.ALL_CATEGORIES,
    ) -> None:
        """Lay a fit out by the official board's basket, as far as its models are in the fit."""
        shown = columns or self._columns
        sums = self._sums if columns is None else totals(columns)
        rows: Sequence[Mapping[str, Any]] = ()
        basket: Sequence[str] = ()
        if fit is not None:
            basket = self._basket(fit)
            made = lobster.board(fit, basket=basket or None)
            rows = tuple(row_body(row, sums) for row in made.models)
        fitted = Fitted(shown, rows, basket, facts, view, category)
        publish(self._ports, self._mode, self._month, self._now_us, fitted)

    def _basket(self, fit: Fit) -> tuple[str, ...]:
        return lobster.basket_of(fit, self._official.basket) or ()


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
