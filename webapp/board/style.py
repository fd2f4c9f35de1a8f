"""What length and formatting do to the chance of being picked (V-165)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena.boards import PublishedBoard
from ranking.markdown_style import FEATURES
from webapp.charts.figures import Dots, Range

__all__ = ["StyleEffect", "effects", "style_dots"]


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """One feature's coefficient: points, odds and error for one standard deviation more of it."""

    feature: str
    is_length: bool
    beta: float
    se: float
    points: float
    points_error: float
    odds: float
    deviation: float
    clear: bool

    @property
    def times(self) -> float:
        """Return how many times as much one standard deviation of a logarithm is."""
        return math.exp(self.deviation)


def effects(board: PublishedBoard) -> tuple[StyleEffect, ...]:
    """Return the coefficients of a style board."""
    found = []
    for each in board.facts["coefficients"]:
        beta, points = float(each["beta"]), float(each["points"])
        per_nat = points / beta if beta else 0.0
        low, high = float(each["low"]), float(each["high"])
        found.append(
            StyleEffect(
                feature=each["feature"],
                is_length=each["feature"] == FEATURES[0],
                beta=beta,
                se=float(each["se"]),
                points=points,
                points_error=per_nat * (high - low) / 2,
                odds=math.exp(beta),
                deviation=float(each["deviation"]),
                clear=low > 0 or high < 0,
            )
        )
    return tuple(found)


def style_dots(board: PublishedBoard, title: str) -> Dots:
    """Return the coefficients as a chart, in points."""
    words = {True: "Length", False: "Formatting"}
    rows = [
        Range(words[e.is_length], e.points - e.points_error, e.points, e.points + e.points_error)
        for e in effects(board)
    ]
    return Dots(title, "Points for one standard deviation more", tuple(rows), 0.0)
