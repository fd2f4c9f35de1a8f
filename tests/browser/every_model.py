"""Goes through ballots in the browser until every model of the registry has stood on one."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.live_arena import LiveArena
from tests.browser.reading import skip

MOST = 40  # ballots among which every model must have been


def slots(page: Page) -> list[str]:
    """Return the slot ids of the ballot in the page."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('[data-slot]')].map((part) => part.dataset.slot)"
    )
    return found


def models_on(live: LiveArena, page: Page) -> frozenset[str]:
    """Return the models whose answers the page shows, once it shows four."""
    expect(page.locator("[data-slot]")).to_have_count(4)
    query = "SELECT model FROM ballot_slot WHERE slot_id IN (?, ?, ?, ?)"
    with live.site.database.read() as conn:
        return frozenset(conn.exec_driver_sql(query, tuple(slots(page))).scalars())


def in_one_page(live: LiveArena, page: Page, mode: str = "speed") -> Iterator[frozenset[str]]:
    """Open a ballot and skip on, each time within the page; yield whenever a new model is shown.

    Raises:
        AssertionError: some model of the registry is never shown.
    """
    page.goto(f"/?mode={mode}")
    left = set(live.site.models())
    for _ in range(MOST):
        shown = models_on(live, page)
        if shown & left:
            left -= shown
            yield shown
        if not left:
            return
        skip(page)
    raise AssertionError(f"never shown: {sorted(left)}")
