"""Colours of a heat map's cells: a diverging scale, grey in its middle, with ink that can be read.

Mixed in Oklab (Ottosson 2020), where a straight line from grey keeps the hue of its end.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from webapp.charts.theme import Palette

__all__ = ["cell_colours", "contrast"]

_Floats = NDArray[np.float64]
# Of black and white one always has a contrast of 4.58 or more: it is the last resort.
_INKS: Final = ("#000000", "#ffffff")
_ENOUGH: Final = 4.5
_GAMMA_FROM: Final = 0.04045
_LINEAR_FROM: Final = 0.0031308
_LUMINANCE: Final = np.array([0.2126, 0.7152, 0.0722])
_TO_CONES: Final = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB: Final = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def cell_colours(value: float, palette: Palette) -> tuple[str, str]:
    """Return the colour of a cell and that of the number in it.

    Args:
        value: a chance, 0 to 1; one half is the middle of the scale.
        palette: the scheme's colours.

    Raises:
        ValueError: the value is no chance.
    """
    if not 0 <= value <= 1:
        raise ValueError(f"{value} is no chance")
    end = palette.accent if value > 1 / 2 else palette.rust
    fill = _mixed(palette.middle, end, abs(2 * value - 1))
    own = max((palette.ink, palette.paper), key=lambda ink: contrast(ink, fill))
    if contrast(own, fill) >= _ENOUGH:
        return fill, own
    return fill, max(_INKS, key=lambda ink: contrast(ink, fill))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21, as WCAG 2 defines it."""
    low, high = sorted(float(_LUMINANCE @ _linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _mixed(one: str, other: str, share: float) -> str:
    start, end = (_TO_LAB @ np.cbrt(_TO_CONES @ _linear(colour)) for colour in (one, other))
    cones = np.linalg.solve(_TO_LAB, start + share * (end - start)) ** 3
    return _written(np.linalg.solve(_TO_CONES, cones))


def _linear(colour: str) -> _Floats:
    """Return the light (3,) of a colour written `#rrggbb`."""
    parts = np.frombuffer(bytes.fromhex(colour[1:]), dtype=np.uint8) / 255
    light: _Floats = np.where(parts <= _GAMMA_FROM, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return light


def _written(light: _Floats) -> str:
    kept = np.clip(light, 0.0, 1.0)
    parts = np.where(
        kept <= _LINEAR_FROM, kept * 12.92, 1.055 * np.maximum(kept, 1e-9) ** (1 / 2.4) - 0.055
    )
    return "#" + bytes(np.rint(parts * 255).astype(np.uint8)).hex()
