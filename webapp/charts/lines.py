"""Courses over time: at most five in colour with their names at the end, the rest grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from webapp.charts.figures import Lines, Track
from webapp.charts.theme import Palette, Size

__all__ = ["lines_chart", "spread"]

_LABEL_GAP: Final = 1.5  # lines of type
_MILLI: Final = 1_000


def lines_chart(figure: Lines, palette: Palette, size: Size) -> alt.LayerChart:
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
        axis=alt.Axis(grid=False, tickCount=8 if size.plot > 400 else 3, labelFlush=False),  # noqa: PLR2004
    )
    y = alt.Y("value:Q", title=figure.axis, scale=alt.Scale(domain=domain, nice=False))
    y = y.axis(tickCount=6, format="d")
    layers = _courses(figure, palette, x, y)
    layers += _labels(focus, palette, gap, x)
    layers += _marks(figure, palette, x)
    width = size.plot if size.plot > 400 else size.plot + 10  # noqa: PLR2004
    return alt.layer(*layers).properties(width=width, height=height)


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Move ascending values apart so that each stands at least `gap` above the one before."""
    placed: list[float] = []
    for value in values:
        placed.append(max(value, placed[-1] + gap) if placed else value)
    # Half of the push goes back down, so that a crowd stays around its own middle.
    pushed = max((p - v for p, v in zip(placed, values, strict=True)), default=0.0)
    return [p - pushed / 2 for p in placed]


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
