"""Nothing jumps: on load, on a pick, on the reveal (cumulative layout shift below 0.02)."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.live_arena import LiveArena
from tests.browser.reading import SHIFTS, box, layout_shift

MOST = 0.02


def opened(live: LiveArena, open_page: OpenPage, viewport: Literal["desktop", "phone"]) -> Page:
    """Open the ballot and count its shifts from the first paint."""
    page = open_page(live.url, viewport=viewport)
    page.add_init_script(SHIFTS)
    page.goto("/")
    return page


@pytest.mark.parametrize("viewport", ["desktop", "phone"])
def test_nothing_jumps(
    real: LiveArena, open_page: OpenPage, viewport: Literal["desktop", "phone"]
) -> None:
    """From load over the picks to the reveal the page stays where it is, on both screens."""
    page = opened(real, open_page, viewport)
    assert layout_shift(page) < MOST, "on load"
    for pick in ("#best-A", "#worst-D", "#best-B"):
        page.locator(pick).check()
    assert layout_shift(page) < MOST, "on a pick"
    page.locator("#vote-button").click()
    if viewport == "phone":
        page.locator("#vote-button").click()
    expect(page.locator("#reveal-heading")).to_be_focused()
    assert layout_shift(page) < MOST, "on the reveal"


def test_the_cards_keep_their_places(real: LiveArena, open_page: OpenPage) -> None:
    """On a desktop each card of the reveal lies exactly where the blind one lay."""
    page = opened(real, open_page, "desktop")
    before = {letter: box(page.locator(f"#answer-{letter}")) for letter in "ABCD"}
    page.locator("#best-A").check()
    page.locator("#vote-button").click()
    expect(page.locator("#reveal-heading")).to_be_focused()
    after = {letter: box(page.locator(f"#answer-{letter}")) for letter in "ABCD"}
    for letter in "ABCD":
        for side in ("x", "y", "right", "bottom"):
            assert abs(before[letter][side] - after[letter][side]) < 4, (letter, side)
    assert page.evaluate("scrollY") == 0


def test_a_jump_would_be_noticed(live: LiveArena, open_page: OpenPage) -> None:
    """A box that pushes the ballot down is counted by the check above."""
    page = opened(live, open_page, "desktop")
    assert layout_shift(page) < MOST
    page.evaluate(
        """() => {
          const box = document.createElement("div");
          box.style.height = "200px";
          document.getElementById("main").prepend(box);
        }"""
    )
    assert layout_shift(page) > MOST


def test_motion_is_short_and_can_be_off(live: LiveArena, open_page: OpenPage) -> None:
    """No transition or animation exceeds 150 ms, nor 1 ms where less motion is wanted."""
    page = open_page(live.url)
    page.goto("/")
    longest = """() => Math.max(...[...document.querySelectorAll("*")].flatMap((part) => {
      const style = getComputedStyle(part);
      return [style.transitionDuration, style.animationDuration]
        .flatMap((text) => text.split(",").map(parseFloat));
    }))"""
    assert page.evaluate(longest) <= 0.001
    page.emulate_media(reduced_motion="no-preference")
    assert 0 < page.evaluate(longest) <= 0.15
