"""What a chart draws, taken from published boards; the same numbers stand in the page's table."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Bars",
    "Cells",
    "Dots",
    "Figure",
    "Lines",
    "Mark",
    "Plate",
    "Range",
    "Track",
]


@dataclass(frozen=True, slots=True)
class Range:
    """One named value with its ends, in the unit of the axis."""

    name: str
    low: float
    at: float | None
    high: float


@dataclass(frozen=True, slots=True)
class Dots:
    """Intervals with a dot, top to bottom; a dashed line marks what they are compared with."""

    title: str
    axis: str
    rows: tuple[Range, ...]
    middle: float | None


@dataclass(frozen=True, slots=True)
class Cells:
    """Chances of each row against each column, 0 to 1; None where a model meets itself."""

    title: str
    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A change of state on a track."""

    at_us: int
    value: float
    word: str


@dataclass(frozen=True, slots=True)
class Track:
    """One model's course; `place` is its number among those in focus, None for the rest."""

    name: str
    place: int | None
    points: tuple[tuple[int, float], ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Courses over time."""

    title: str
    axis: str
    tracks: tuple[Track, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """For each name a whole and a part of it."""

    title: str
    axis: str
    rows: tuple[tuple[str, int, int], ...]


Figure = Dots | Cells | Lines | Bars


@dataclass(frozen=True, slots=True)
class Plate:
    """A figure, with what must be known of it where it stands without its page.

    `scope` names month, mode and category, `mark` what limits it: None, unless it is of the demo.
    """

    figure: Figure
    scope: str
    mark: str | None
