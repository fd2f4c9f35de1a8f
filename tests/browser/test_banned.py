"""A voter banned between ballot and vote: what takes the ballot's place, scripted or not."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from antiabuse.identity import pseudonym
from arena import bans
from arena.moderation import Actor
from tests.browser.conftest import FindFaults, OpenPage, Viewport
from tests.browser.live_arena import MONTH, LiveArena


def ban(live: LiveArena, cookie: str) -> None:
    """Ban the voter of a cookie."""
    site = live.site
    ports = site.services.ports
    name = pseudonym(ports.keys, MONTH, site.services.cookies.read(cookie))
    rosa, now = Actor("Rosa", "M-0001"), site.clock()
    bans.ban(ports, rosa, MONTH, name, reason="automated", now_us=now)


@pytest.mark.parametrize("viewport", ["phone", "desktop"])
@pytest.mark.parametrize("javascript", [True, False])
def test_the_page_of_a_ban_takes_the_ballots_place(
    live: LiveArena,
    open_page: OpenPage,
    accessibility_faults: FindFaults,
    viewport: Viewport,
    javascript: bool,
) -> None:
    """The vote is refused with the whole page, its heading gets the focus, and it is accessible."""
    page = open_page(
        live.url,
        viewport=viewport,
        color_scheme="dark" if viewport == "phone" else "light",
        javascript=javascript,
        expected_statuses=frozenset({403}),
    )
    page.goto("/?mode=expert")
    (cookie,) = (c["value"] for c in page.context.cookies() if c["name"] == "voter")
    ban(live, cookie)

    page.locator("#best-A").check()
    page.locator("#vote-button").click()
    if javascript and viewport == "phone":  # the first tap says the choice
        page.locator("#vote-button").click()

    expect(page.locator("#stopped h1")).to_have_text("Your votes are stopped")
    expect(page.locator("#stopped")).to_contain_text("The account is run by a program.")
    expect(page.locator("#ballot")).to_have_count(0)
    if javascript:
        expect(page.locator("#stopped h1")).to_be_focused()
        assert accessibility_faults(page) == []
    page.goto("/me")
    expect(page.locator("#stopped")).to_contain_text("The account is run by a program.")
    if javascript:
        assert accessibility_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert live.site.count("vote") == 0
