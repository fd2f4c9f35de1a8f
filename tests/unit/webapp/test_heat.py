"""Colours of a heat map's cells."""

from __future__ import annotations

import pytest

from webapp.charts.heat import cell_colours, contrast
from webapp.charts.theme import PALETTES, ThemeName

THEMES: tuple[ThemeName, ...] = ("light", "dark")


def channels(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


@pytest.mark.parametrize("theme", THEMES)
def test_every_number_can_be_read(theme: ThemeName) -> None:
    """The number in a cell has a contrast of 4.5 or more, whatever its value."""
    drawn = {value: cell_colours(value / 1000, PALETTES[theme]) for value in range(1001)}
    assert {v: pair for v, pair in drawn.items() if contrast(*pair) < 4.5} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_hue_says_which_side_of_the_middle(theme: ThemeName) -> None:
    """Below one half a cell is rust, above it teal, and never the other way round."""
    for value in range(1, 50):
        red, green, blue = channels(cell_colours(value / 100, PALETTES[theme])[0])
        assert red > green > blue, value
    for value in range(51, 101):
        red, green, blue = channels(cell_colours(value / 100, PALETTES[theme])[0])
        assert green > red, value
        assert blue > red, value


@pytest.mark.parametrize("theme", THEMES)
def test_the_middle_is_grey(theme: ThemeName) -> None:
    """A chance of one half favours nobody, so it has no hue."""
    assert len(set(channels(cell_colours(0.5, PALETTES[theme])[0]))) == 1


@pytest.mark.parametrize("theme", THEMES)
def test_the_ends_are_the_palette_s(theme: ThemeName) -> None:
    """The colours of 0 and 1 are those that mean worst and best on every page."""
    palette = PALETTES[theme]
    assert cell_colours(0, palette)[0] == palette.rust
    assert cell_colours(1, palette)[0] == palette.accent


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan")])
def test_what_is_no_chance_has_no_colour(value: float) -> None:
    """A value outside 0 to 1 is refused."""
    with pytest.raises(ValueError, match="no chance"):
        cell_colours(value, PALETTES["light"])


def test_contrast_is_that_of_wcag() -> None:
    """Black on white is 21, a colour on itself 1, and a known grey on white 4.54."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#63c7b9", "#63c7b9") == 1
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
