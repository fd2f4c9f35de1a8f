"""The charts' looks: one set of marks and sizes, two palettes that match the pages' tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = ["PALETTES", "SIZES", "Palette", "Size", "SizeName", "ThemeName", "config"]

ThemeName = Literal["light", "dark"]
SizeName = Literal["wide", "half", "narrow"]

_FONT: Final = "-apple-system, Segoe UI, Roboto, Noto Sans, Helvetica Neue, Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one scheme; every one has a contrast of 3 or more to `paper`, text 4.5.

    `middle` is the cell of a heat map that favours nobody, so it is a grey.
    """

    paper: str
    ink: str
    muted: str
    line: str
    rest: str
    accent: str
    reach: str
    rust: str
    middle: str
    focus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """Pixels of a drawing: width of the plot and of the names beside it, a row, type, a heat map.

    `moments` are the ticks of a time axis; `numbers` is the most models whose cells of a heat map
    have room for numbers; `words` is how much wider than its longest bar a plot is, for its words.
    """

    plot: int
    names: int
    row: int
    type: int
    cells: int
    moments: int
    numbers: int
    words: float

    @property
    def least_height(self) -> int:
        """Return the height that makes the plot no flatter than two to one."""
        return (self.plot + self.names) // 2


PALETTES: Final[dict[ThemeName, Palette]] = {
    "light": Palette(
        paper="#fbfaf6",
        ink="#1c1b18",
        muted="#5e5c55",
        line="#dfdcd3",
        rest="#8d8a80",
        accent="#0b655d",
        reach="#5a9b92",
        rust="#a3441a",
        middle="#ededed",
        focus=("#0b655d", "#a3441a", "#3f4fa0", "#7a5a00", "#8a2f6b"),
    ),
    "dark": Palette(
        paper="#131514",
        ink="#eceae3",
        muted="#a5a49c",
        line="#323534",
        rest="#6f736f",
        accent="#63c7b9",
        reach="#2f6f67",
        rust="#ea9a72",
        middle="#2c2c2c",
        focus=("#63c7b9", "#ea9a72", "#a4b1f5", "#d9b95c", "#e596c9"),
    ),
}
SIZES: Final[dict[SizeName, Size]] = {
    "wide": Size(
        plot=760, names=180, row=40, type=13, cells=560, moments=6, numbers=14, words=1.18
    ),
    "half": Size(
        plot=430, names=140, row=40, type=13, cells=470, moments=4, numbers=14, words=1.28
    ),
    "narrow": Size(
        plot=216, names=124, row=34, type=12, cells=216, moments=2, numbers=5, words=1.7
    ),
}


def config(palette: Palette, size: Size, *, background: bool) -> dict[str, Any]:
    """Return Vega-Lite's configuration; the page shows through unless a background is asked for."""
    axis = {
        "labelColor": palette.muted,
        "titleColor": palette.muted,
        "labelFontSize": size.type,
        "titleFontSize": size.type,
        "titleFontWeight": "normal",
        "titlePadding": 10,
        "gridColor": palette.line,
        "domain": False,
        "ticks": False,
        "labelPadding": 8,
        "labelLimit": size.names,
    }
    return {
        "font": _FONT,
        "background": palette.paper if background else "transparent",
        "padding": 12 if background else 2,
        "view": {"stroke": None},
        "axis": axis,
        "text": {"fontSize": size.type, "color": palette.ink},
    }
