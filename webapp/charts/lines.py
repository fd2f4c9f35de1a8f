"""Courses over time: at most five in colour with their names at the end, the rest grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from antiabuse.utc import DAY_US
from webapp.charts.figures import Lines, Track
from webapp.charts.theme import Palette, Size

__all__ = ["Layered", "lines_chart", "spread"]

Layered = alt.LayerChart | alt.FacetChart

_LABEL_GAP: Final = 1.5  # lines of type
_MILLI: Final = 1_000
_DAYS_ALONE: Final = 6


def lines_chart(figure: Lines, palette: Palette, size: Size) -> Layered:
    """Draw tracks with their changes of state."""
    height = max(size.least_height, 300)
    values = [value for track in figure.tracks for _, value in track.points]
    low, high = min(values, default=0.0), max(values, default=1.0)
    margin = max((high - low) * 0.06, 5.0)
    domain = [low - margin, high + margin]
    gap = size.type * _LABEL_GAP * (domain[1] - domain[0]) / height
    focus = sorted((t for t in figure.tracks if t.place is not None), key=lambda t: t.points[-1][1])
    x = alt.X(
        "at:T",
        title=None,
        scale=alt.Scale(type="utc"),
        axis=alt.Axis(grid=False, tickCount=size.moments, format=_moment_format(figure)),
    )
    y = alt.Y("value:Q", title=figure.axis, scale=alt.Scale(domain=domain, nice=False))
    y = y.axis(tickCount=6, format="d")
    layers = _courses(figure, palette, x, y)
    layers += _labels(focus, palette, gap, x)
    layers += _marks(figure, palette, x)
    return alt.layer(*layers).properties(width=size.plot, height=height)


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Move ascending values apart to at least `gap`, together by as little as possible.

    Least squares by pooling neighbours that come too near (isotonic regression).
    """
    pools: list[tuple[float, int]] = []
    for place, value in enumerate(values):
        total, count = value - place * gap, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before = pools.pop()
            total, count = total + before[0], count + before[1]
        pools.append((total, count))
    bases = [total / count for total, count in pools for _ in range(count)]
    return [base + place * gap for place, base in enumerate(bases)]


def _moment_format(figure: Lines) -> str:
    """Write days, and the time with them where the whole course is a matter of days."""
    moments = [at for track in figure.tracks for at, _ in track.points]
    span = max(moments, default=0) - min(moments, default=0)
    return "%-d %b" if span > _DAYS_ALONE * DAY_US else "%-d %b %H:%M"


def _colour(track: Track, palette: Palette) -> str:
    return palette.rest if track.place is None else palette.focus[track.place]


def _courses(figure: Lines, palette: Palette, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """The rest first, so that the lines in focus lie above them."""
    ordered = sorted(figure.tracks, key=lambda track: track.place is not None)
    layers = []
    for track in ordered:
        rows = [{"at": at // _MILLI, "value": value} for at, value in track.points]
        shown = track.place is not None
        line = alt.Chart(alt.InlineData(values=rows)).mark_line(
            color=_colour(track, palette),
            strokeWidth=2.25 if shown else 1,
            opacity=1 if shown else 0.55,
            point=len(rows) == 1,
            strokeJoin="round",
        )
        layers.append(line.encode(x=x, y=y))
    return layers


def _labels(focus: Sequence[Track], palette: Palette, gap: float, x: alt.X) -> list[alt.Chart]:
    heights = spread([track.points[-1][1] for track in focus], gap)
    layers = []
    for track, height in zip(focus, heights, strict=True):
        row = {"at": track.points[-1][0] // _MILLI, "value": height, "name": track.name}
        text = alt.Chart(alt.InlineData(values=[row])).mark_text(
            align="left", dx=8, color=_colour(track, palette), fontWeight=600, limit=150
        )
        layers.append(text.encode(x=x, y="value:Q", text="name:N"))
    return layers


def _marks(figure: Lines, palette: Palette, x: alt.X) -> list[alt.Chart]:
    layers: list[alt.Chart] = []
    for track in figure.tracks:
        if not track.marks:
            continue
        rows: list[dict[str, Any]] = [
            {"at": mark.at_us // _MILLI, "value": mark.value, "word": mark.word}
            for mark in track.marks
        ]
        base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, y="value:Q")
        paint = _colour(track, palette)
        layers.append(
            base.mark_point(shape="diamond", size=70, filled=True, color=paint, opacity=1)
        )
        if track.place is not None:
            words = base.mark_text(dy=-13, color=palette.ink, align="center")
            layers.append(words.encode(text="word:N"))
    return layers
