"""Picks of a case's votes against what the votes of all let expect, for moderators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, Connection, select

from antiabuse.detectors.evidence import any_worst_chances
from arena.tables import vote

__all__ = ["Picks", "Tally", "picks_for_moderators"]


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a model could be picked and was, against what the votes of all let expect.

    `expected` sums the chances that the model had when the votes were cast, `variance` theirs.
    """

    shown: int = 0
    picked: int = 0
    expected: float = 0.0
    variance: float = 0.0

    def and_one(self, chance: float, *, picked: bool) -> Tally:
        """Return the tally with one more showing."""
        return Tally(
            self.shown + 1,
            self.picked + picked,
            self.expected + chance,
            self.variance + chance * (1 - chance),
        )


@dataclass(frozen=True, slots=True)
class Picks:
    """One model's picks: best, and worst of the votes that name a worst."""

    model: str
    best: Tally
    worst: Tally


def picks_for_moderators(conn: Connection, where: ColumnElement[bool]) -> tuple[Picks, ...]:
    """Count the picks of the votes that fulfil a condition on `vote`; most picked first.

    Only votes with a best count, so picks and expectations have the same sum; those that name no
    worst do not count for it.
    """
    query = select(vote.c.models, vote.c.best, vote.c.worst, vote.c.p_win)
    rows = conn.execute(query.where(where, vote.c.best.is_not(None)).order_by(vote.c.id)).all()
    if not rows:
        return ()
    chances = np.array([json.loads(row.p_win) for row in rows], dtype=np.float64)
    of_worst = any_worst_chances(chances).tolist()
    best: dict[str, Tally] = {}
    worst: dict[str, Tally] = {}
    for row, of_best, of_last in zip(rows, chances.tolist(), of_worst, strict=True):
        models = json.loads(row.models)
        _count(best, models, of_best, row.best)
        if row.worst is not None:
            _count(worst, models, of_last, row.worst)
    picks = [Picks(each, best[each], worst.get(each, Tally())) for each in best]
    return tuple(sorted(picks, key=lambda each: (-each.best.picked, each.model)))


def _count(
    tallies: dict[str, Tally], models: Sequence[str], chances: Sequence[float], picked: int
) -> None:
    """Count one vote's showings."""
    for slot, (model, chance) in enumerate(zip(models, chances, strict=True)):
        known = tallies.get(model, Tally())
        tallies[model] = known.and_one(chance, picked=slot == picked)
