"""Light and dark: by the system, by the switch, remembered, and readable in print."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.live_arena import LiveArena

LIGHT, DARK = "rgb(251, 250, 246)", "rgb(19, 21, 20)"


def paper(page: Page) -> str:
    """Return the page's background colour."""
    found: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


@pytest.mark.parametrize("javascript", [True, False])
def test_the_system_decides_first(live: LiveArena, open_page: OpenPage, javascript: bool) -> None:
    """Without a choice the page follows the system's colour scheme, with script and without."""
    page = open_page(live.url, color_scheme="dark", javascript=javascript)
    page.goto("/")
    assert paper(page) == DARK
    page.emulate_media(color_scheme="light")
    assert paper(page) == LIGHT


def test_the_switch_is_remembered(live: LiveArena, open_page: OpenPage) -> None:
    """The switch goes from system to light to dark and says so; the choice holds on every page."""
    page = open_page(live.url)
    page.goto("/")
    switch = page.locator("#theme-switch")
    expect(switch).to_have_accessible_name("Theme: follows your system")
    switch.click()
    expect(switch).to_have_accessible_name("Theme: light")
    switch.click()
    expect(switch).to_have_accessible_name("Theme: dark")
    assert paper(page) == DARK

    page.goto("/rules")
    assert paper(page) == DARK
    expect(page.locator("#theme-switch")).to_have_accessible_name("Theme: dark")
    page.locator("#theme-switch").click()
    assert paper(page) == LIGHT
    page.reload()
    assert paper(page) == LIGHT
    page.emulate_media(color_scheme="dark")
    assert paper(page) == DARK


def test_the_choice_is_there_before_the_first_paint(live: LiveArena, open_page: OpenPage) -> None:
    """A remembered dark theme stands in the document before its body does, so nothing flashes."""
    page = open_page(live.url)
    page.goto("/about")
    page.evaluate("localStorage.setItem('theme', 'dark')")
    page.add_init_script(
        """new MutationObserver((_, watch) => {
          if (!document.body) return;
          window.themeAtBody = document.documentElement.dataset.theme;
          watch.disconnect();
        }).observe(document, { childList: true, subtree: true });"""
    )
    page.goto("/")
    assert page.evaluate("window.themeAtBody") == "dark"


def test_a_nonsense_theme_is_ignored(live: LiveArena, open_page: OpenPage) -> None:
    """What else may stand in the browser's storage falls back to the system's scheme."""
    page = open_page(live.url, color_scheme="dark")
    page.goto("/")
    page.evaluate("localStorage.setItem('theme', 'purple')")
    page.reload()
    assert paper(page) == DARK


def test_print_shows_all_text_and_no_controls(real: LiveArena, open_page: OpenPage) -> None:
    """On paper bar and switches are gone, and all four answers stand whole one after the other."""
    page = open_page(real.url, color_scheme="dark")
    page.goto("/")
    page.emulate_media(media="print", color_scheme="dark")
    for part in (".bar", ".site-places", ".site-tools", ".answer-tools", ".more"):
        expect(page.locator(part).first).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 27, 24)"
    expect(page.locator(".answer .prose:visible")).to_have_count(4)
    cut = page.locator(".answer-scroll").evaluate_all(
        "(parts) => parts.filter((part) => part.scrollHeight > part.clientHeight + 1).length"
    )
    assert cut == 0
    tops = page.locator(".answer").evaluate_all(
        "(parts) => parts.map((part) => part.getBoundingClientRect().top)"
    )
    assert tops == sorted(set(tops))
