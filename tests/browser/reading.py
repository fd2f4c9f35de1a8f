"""What the tests look at on a page: rectangles, focus, shifts, and what a page tells of models."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any

from playwright.sync_api import Locator, Page, expect

# All shifts count, also those right after a click: what jumps under the reader's eye jumps.
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""


def layout_shift(page: Page) -> float:
    """Return the sum of all layout shifts since the page began; needs `SHIFTS` in the page."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    found: float = page.evaluate("window.shifts.reduce((sum, value) => sum + value, 0)")
    return found


def until(page: Page, condition: str) -> None:
    """Wait until an expression holds; Playwright's own way would break the page's policy."""
    for _ in range(150):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"this did not come to hold: {condition}")


def skip(page: Page) -> None:
    """Skip the ballot by its key and wait until the next one stands in its place."""
    answer = page.locator("#answer-A")
    slot = answer.get_attribute("data-slot")
    assert slot
    page.keyboard.press("s")
    expect(answer).not_to_have_attribute("data-slot", slot)


def box(locator: Locator) -> dict[str, float]:
    """Return an element's rectangle in the window: x, y, width, height, right, bottom."""
    found: dict[str, float] = locator.evaluate("(part) => part.getBoundingClientRect().toJSON()")
    return found


def told(page: Page, words: Iterable[str]) -> list[str]:
    """Return the words that a page tells: source, accessibility tree, cookies, storage, URLs."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")
    kept: dict[str, Any] = page.evaluate(
        """() => ({
          local: { ...localStorage }, session: { ...sessionStorage }, title: document.title,
          url: location.href, history: history.state,
          loaded: performance.getEntriesByType("resource").map((each) => each.name),
        })"""
    )
    source = page.content()
    everything = [
        source, html.unescape(source), page.locator("body").aria_snapshot(),
        json.dumps(tree, ensure_ascii=False), json.dumps(kept, ensure_ascii=False),
        json.dumps(page.context.cookies()),
    ]  # fmt: skip
    return [word for word in words if any(word in text.lower() for text in everything)]


def in_view(page: Page) -> list[str]:
    """Return the letters that the switcher says are in view."""
    current = page.locator("[data-go][aria-current=true]")
    return [link.get_attribute("data-go") or "" for link in current.all()]
