"""Renders charts and keeps the last ones; a chart belongs to one board and never changes."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final, Literal

from webapp.charts.figures import Plate
from webapp.charts.theme import PALETTES, SIZES, SizeName, ThemeName

__all__ = ["ChartCache", "ChartKey", "Format"]

Format = Literal["svg", "png"]
_KEPT: Final = 128
_PNG_SCALE: Final = 2.0


@dataclass(frozen=True, slots=True)
class ChartKey:
    """Which drawing of which board."""

    board: str
    kind: str
    focus: tuple[str, ...]
    theme: ThemeName
    size: SizeName
    format: Format


class ChartCache:
    """Renders one chart at a time: each run keeps a core busy for a fraction of a second."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._charts: OrderedDict[ChartKey, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, key: ChartKey, plate: Callable[[], Plate]) -> bytes:
        """Return a chart, drawn when it is not kept."""
        with self._lock:
            if key in self._charts:
                self._charts.move_to_end(key)
                return self._charts[key]
        drawn = plate()
        with self._lock:
            if key not in self._charts:
                self._charts[key] = _render(drawn, key)
                if len(self._charts) > self._kept:
                    self._charts.popitem(last=False)
            return self._charts[key]


def _render(plate: Plate, key: ChartKey) -> bytes:
    # Altair and the renderer take seconds and many megabytes to load: only who draws pays.
    import altair as alt  # noqa: PLC0415
    import vl_convert  # noqa: PLC0415

    from webapp.charts.specs import specification  # noqa: PLC0415

    picture = key.format == "png"
    spec = specification(plate, PALETTES[key.theme], SIZES[key.size], picture=picture)
    text = json.dumps(spec)
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # No address is allowed: all data stand in the specification.
    if picture:
        return vl_convert.vegalite_to_png(
            text, vl_version=version, scale=_PNG_SCALE, allowed_base_urls=[]
        )
    return vl_convert.vegalite_to_svg(text, vl_version=version, allowed_base_urls=[]).encode()
