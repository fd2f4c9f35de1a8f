"""What board pages keep between requests; one set for each application."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from flask import Flask, current_app

from arena.exposure_counts import ExposureCounts
from webapp.charts.render import ChartCache

__all__ = ["BoardCaches", "board_caches", "init_board_caches"]

_EXTENSION = "board_caches"


@dataclass(frozen=True, slots=True)
class BoardCaches:
    """Counts of exposures, and drawn charts."""

    exposures: ExposureCounts = field(default_factory=ExposureCounts)
    charts: ChartCache = field(default_factory=ChartCache)


def init_board_caches(app: Flask) -> None:
    """Give an application its own caches."""
    app.extensions[_EXTENSION] = BoardCaches()


def board_caches() -> BoardCaches:
    """Return the caches of the application at hand."""
    return cast("BoardCaches", current_app.extensions[_EXTENSION])
