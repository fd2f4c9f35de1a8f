"""The moderators' rooms in the browser: by keyboard, without script, and for everybody's eyes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FindFaults, OpenLive, OpenPage
from tests.browser.live_arena import LiveArena
from tests.fixtures.arena_votes import refit
from tests.fixtures.moderation_cases import dispute_of, flag_of, one_sided_voter, report_of
from tests.fixtures.moderators import PASSWORD, People
from tests.fixtures.review_cases import close_month

SCREENS: tuple[Literal["desktop", "phone"], ...] = ("desktop", "phone")


@pytest.fixture
def moderated(open_live: OpenLive) -> LiveArena:
    """An arena with a moderator, a board, a flag, a reported answer and a dispute."""
    live = open_live()
    site = live.site
    People(site.database, site.services.ports).add("rosa", now_us=site.clock())
    seen = one_sided_voter(site, 4, "198.51.100.7")
    one_sided_voter(site, 2, "198.51.100.7")
    refit(site)
    flag_of(site, seen)
    report_of(site)
    dispute_of(site, seen)
    site.clock.advance(3_600)
    return live


def sign_in(page: Page) -> None:
    """Sign in through the form and arrive at the queue."""
    page.goto("/moderation")
    page.get_by_label("Name").fill("rosa")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="What waits for a person")).to_be_visible()
    page.wait_for_load_state("load")  # keys do nothing before the script is there


def test_a_case_is_decided_by_keyboard(moderated: LiveArena, open_page: OpenPage) -> None:
    """J to the case, Enter, U to the decision, a reason, Enter: and nothing happens before."""
    page = open_page(moderated.url)
    sign_in(page)
    for _ in range(3):
        page.keyboard.press("j")
        if "For or against one model" in (page.locator(":focus").text_content() or ""):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="For or against one model")).to_be_visible()
    page.wait_for_load_state("load")

    page.keyboard.press("u")
    expect(page.locator("#reason-upheld")).to_be_focused()
    page.locator("#reason-upheld").select_option("one_sided")
    assert moderated.site.count("vote_strike") == 1  # the disputed one
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.get_by_text("Flag decided: upheld")).to_be_visible()
    assert moderated.site.count("vote_strike") == 4


def test_keys_can_be_turned_off(moderated: LiveArena, open_page: OpenPage) -> None:
    """With the switch off J does nothing, also on the next page (WCAG 2.1.4)."""
    page = open_page(moderated.url)
    sign_in(page)
    page.locator("#keys-on").uncheck()
    page.locator("h1").focus()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.matches('.case-link')") is False

    page.reload()
    expect(page.locator("#keys-on")).not_to_be_checked()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.matches('.case-link')") is False


def test_the_rooms_work_without_script(moderated: LiveArena, open_page: OpenPage) -> None:
    """Sign-in, queue, case, decision and audit log need no script."""
    page = open_page(moderated.url, javascript=False)
    sign_in(page)
    page.get_by_role("link", name="For or against one model").click()
    page.locator("#reason-dismissed").select_option("chance")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("Flag decided: dismissed")).to_be_visible()
    page.locator(".room-places").get_by_role("link", name="Audit log").click()
    page.locator("[name=kind]").select_option("flags")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("link", name="Flag decided")).to_be_visible()


@pytest.mark.parametrize("screen", SCREENS)
def test_an_archived_months_log_is_for_everybody(
    moderated: LiveArena,
    open_page: OpenPage,
    accessibility_faults: FindFaults,
    take_screenshot: Callable[[Page, str], object],
    screen: Literal["desktop", "phone"],
) -> None:
    """The filter is folded on a phone alone; rows lead to a vote's life; axe finds nothing."""
    site = moderated.site
    close_month(site)
    site.sequence()
    page = open_page(moderated.url, viewport=screen, javascript=False)
    page.goto("/audit?month=2026-11")
    kind = page.locator("[name=kind]")
    if screen == "phone":
        expect(kind).not_to_be_visible()
        page.locator(".audit-fold summary").click()
    kind.select_option("votes")
    page.get_by_role("button", name="Filter").click()
    expect(kind).to_have_value("votes")
    page.locator('a[href^="/audit/votes/"]').last.click()
    expect(page.get_by_role("heading", name="The life of a vote")).to_be_visible()
    expect(page.locator(".life > li").first).to_contain_text("Ballot issued")

    found: list[str] = []
    page = open_page(moderated.url, viewport=screen)
    vote = site.events("vote.cast")[0].id
    for path in ("/audit?month=2026-11", "/audit?month=2026-11&kind=flags", f"/audit/votes/{vote}"):
        page.emulate_media(color_scheme="light")
        page.goto(path)
        found += [f"{path}: {fault}" for fault in accessibility_faults(page)]
        page.emulate_media(color_scheme="dark")
        found += [f"{path}, dark: {f}" for f in accessibility_faults(page, ("color-contrast",))]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{path} is wider than the screen")
        take_screenshot(page, f"audit-{'vote' if '/votes/' in path else 'rows'}-{screen}")
    assert found == []


@pytest.mark.parametrize("screen", SCREENS)
def test_no_page_shuts_anybody_out(
    moderated: LiveArena,
    open_page: OpenPage,
    accessibility_faults: FindFaults,
    take_screenshot: Callable[[Page, str], object],
    screen: Literal["desktop", "phone"],
) -> None:
    """To axe nothing is wrong in either theme, and no page is wider than the screen."""
    page = open_page(moderated.url, viewport=screen)
    page.goto("/moderation/sign-in")
    found = accessibility_faults(page)
    sign_in(page)
    cases = page.locator(".case-link").evaluate_all("links => links.map(link => link.href)")
    vote = moderated.site.events("vote.cast")[0].id
    paths = [*cases, "/moderation", "/moderation/account", f"/moderation/votes/{vote}"]
    paths += ["/moderation/audit", "/moderation/decisions", "/audit", "/decisions", "/disputes"]
    paths += ["/moderation/influence", "/moderation/operations"]
    for path in paths:
        page.emulate_media(color_scheme="light")
        page.goto(path)
        found += [f"{path}: {fault}" for fault in accessibility_faults(page)]
        page.emulate_media(color_scheme="dark")
        found += [f"{path}, dark: {f}" for f in accessibility_faults(page, ("color-contrast",))]
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if wider > 0:
            found.append(f"{path} is {wider} px wider than the screen")
        name = "vote" if "/votes/" in path else path.rpartition("/")[2].partition(":")[0]
        take_screenshot(page, f"room-{name}-{screen}")
    assert found == []
