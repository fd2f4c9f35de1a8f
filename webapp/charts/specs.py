"""Figures as Altair charts: direct labels, real units, rank order from top to bottom."""

from __future__ import annotations

from math import ceil, floor
from typing import Any, Final, assert_never

import altair as alt

from webapp.charts.figures import Bars, Cells, Dots, Lines, Plate
from webapp.charts.heat import cell_colours
from webapp.charts.lines import Layered, lines_chart
from webapp.charts.theme import Palette, Size, config

__all__ = ["specification"]

_SHORT: Final = 8  # units of an axis


def specification(plate: Plate, palette: Palette, size: Size, *, picture: bool) -> dict[str, Any]:
    """Return the Vega-Lite specification of a figure.

    Args:
        plate: what to draw, and what is said of it.
        palette: the scheme's colours.
        size: of the drawing.
        picture: for sharing: with its title and a background of its own.
    """
    figure = plate.figure
    match figure:
        case Dots():
            chart = _dots(figure, palette, size)
        case Cells():
            chart = _cells(figure, palette, size)
        case Lines():
            chart = lines_chart(figure, palette, size)
        case Bars():
            chart = _bars(figure, palette, size)
        case _:
            assert_never(figure)
    made: dict[str, Any] = chart.to_dict()
    made["config"] = config(palette, size, background=picture)
    title = _title(plate, palette, size, picture=picture)
    return {**made, "title": title} if title else made


def _title(plate: Plate, palette: Palette, size: Size, *, picture: bool) -> dict[str, Any] | None:
    """Return what stands above: all of it in a picture, on a page no more than the demo's mark."""
    looks = {"anchor": "start", "frame": "bounds", "fontWeight": "normal", "offset": 14}
    if picture:
        return {
            **looks,
            "text": plate.figure.title,
            "fontSize": size.type + 5,
            "color": palette.ink,
            "subtitle": [plate.scope, *([plate.mark] if plate.mark else [])],
            "subtitleFontSize": size.type,
            "subtitleColor": palette.muted,
            "subtitlePadding": 6,
        }
    if plate.mark is None:
        return None
    return {**looks, "text": plate.mark, "fontSize": size.type, "color": palette.muted}


def _data(rows: list[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=rows)


def _height(rows: int, size: Size) -> int:
    return max(rows * size.row, size.least_height)


def _whole_axis(low: int, high: int, ticks: int, format_: str = "d") -> alt.Axis:
    """Return an axis of whole numbers: on a short one Vega sets halves, which print as wholes."""
    if high - low < _SHORT:
        return alt.Axis(values=list(range(low, high + 1)), format=format_)
    return alt.Axis(tickCount=ticks, format=format_)


def _ends(figure: Dots) -> tuple[int, int]:
    """Return the whole numbers between which all marks lie, at least one apart."""
    marks = [mark for row in figure.rows for mark in (row.low, row.at, row.high)]
    known = [mark for mark in (*marks, figure.middle) if mark is not None]
    low = floor(min(known, default=0.0))
    return low, max(ceil(max(known, default=1.0)), low + 1)


def _names(palette: Palette, size: Size) -> alt.Y:
    axis = alt.Axis(
        title=None,
        grid=False,
        labelColor=palette.ink,
        labelFontSize=size.type,
        minExtent=size.names,
    )
    return alt.Y("name:N", sort=None, axis=axis)


def _dots(figure: Dots, palette: Palette, size: Size) -> Layered:
    rows = [{"name": r.name, "low": r.low, "at": r.at, "high": r.high} for r in figure.rows]
    base = alt.Chart(_data(rows)).encode(y=_names(palette, size))
    low, high = _ends(figure)
    scale = alt.Scale(zero=False, nice=True)
    if high - low < _SHORT:
        scale = alt.Scale(domain=[low, high])
    x = alt.X("low:Q", title=figure.axis, scale=scale, axis=_whole_axis(low, high, 6))
    layers: list[alt.Chart] = []
    if figure.middle is not None:
        rule = alt.Chart(_data([{"middle": figure.middle}]))
        layers.append(
            rule.mark_rule(color=palette.rest, strokeDash=[3, 4]).encode(x=alt.X("middle:Q"))
        )
    reach = base.mark_rule(color=palette.reach, strokeWidth=6, strokeCap="round")
    layers.append(reach.encode(x=x, x2="high:Q"))
    layers.append(base.mark_circle(color=palette.accent, size=90, opacity=1).encode(x="at:Q"))
    return alt.layer(*layers).properties(width=size.plot, height=_height(len(rows), size))


def _cells(figure: Cells, palette: Palette, size: Size) -> Layered:
    rows = [
        _cell(row, column, value, palette)
        for row, values in zip(figure.names, figure.values, strict=True)
        for column, value in zip(figure.names, values, strict=True)
        if value is not None
    ]
    type_ = min(size.type, size.cells // max(len(figure.names), 1))
    left = alt.Axis(
        title=None, grid=False, labelColor=palette.ink, labelFontSize=type_, labelLimit=size.names
    )
    top = alt.Axis(
        title=None, grid=False, labelColor=palette.ink, orient="top", labelAngle=-45,
        labelFontSize=type_, labelLimit=size.names,
    )  # fmt: skip
    base = alt.Chart(_data(rows)).encode(
        y=alt.Y("row:N", sort=list(figure.names), axis=left),
        x=alt.X("column:N", sort=list(figure.names), axis=top),
    )
    fill = alt.Color("fill:N", scale=None, legend=None)
    cells = base.mark_rect(stroke=palette.paper, strokeWidth=2, cornerRadius=3).encode(color=fill)
    layers: list[alt.Chart] = [cells]
    if len(figure.names) <= size.numbers:
        ink = alt.Color("ink:N", scale=None, legend=None)
        layers.append(base.mark_text().encode(text="text:N", color=ink))
    return alt.layer(*layers).properties(width=size.cells, height=size.cells)


def _cell(row: str, column: str, value: float, palette: Palette) -> dict[str, Any]:
    fill, ink = cell_colours(value, palette)
    text = f"{value * 100:.0f}"
    return {"row": row, "column": column, "text": text, "fill": fill, "ink": ink}


def _bars(figure: Bars, palette: Palette, size: Size) -> Layered:
    rows = [
        {"name": name, "whole": whole, "part": part, "text": f"{part:,} of {whole:,}"}
        for name, whole, part in figure.rows
    ]
    base = alt.Chart(_data(rows)).encode(y=_names(palette, size))
    room = max((whole for _, whole, _ in figure.rows), default=1) * size.words
    x = alt.X(
        "whole:Q",
        title=figure.axis,
        scale=alt.Scale(domain=[0, room], nice=False),
        axis=_whole_axis(0, floor(room), 5, ",d"),
    )
    thick = min(20, size.row // 2)
    whole = base.mark_bar(color=palette.reach, height=thick, cornerRadius=3).encode(x=x)
    part = base.mark_bar(color=palette.accent, height=thick, cornerRadius=3).encode(x="part:Q")
    words = base.mark_text(align="left", dx=6, color=palette.muted).encode(
        x="whole:Q", text="text:N"
    )
    return alt.layer(whole, part, words).properties(
        width=size.plot, height=_height(len(rows), size)
    )
