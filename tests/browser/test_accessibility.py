"""axe finds nothing on any page, in both themes, on desktop and phone; and it would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FindFaults, OpenLive, OpenPage
from tests.browser.live_arena import LiveArena

SCREENS: tuple[Literal["desktop", "phone"], ...] = ("desktop", "phone")
STANDING = ("/rules", "/about", "/privacy", "/verify", "/me", "/leaderboard", "/no-such-page")


def faults_in_both_themes(page: Page, accessibility_faults: FindFaults) -> Iterator[str]:
    """Yield what axe finds: all in the light, then in the dark, which differs in colours only."""
    page.emulate_media(color_scheme="light")
    yield from (f"{page.url}: {fault}" for fault in accessibility_faults(page))
    page.emulate_media(color_scheme="dark")
    for fault in accessibility_faults(page, ("color-contrast",)):
        yield f"{page.url}, dark: {fault}"


@pytest.fixture
def faults(accessibility_faults: FindFaults) -> Callable[[Page], list[str]]:
    """Returns what axe finds on a page in either theme."""
    return lambda page: list(faults_in_both_themes(page, accessibility_faults))


@pytest.mark.parametrize("screen", SCREENS)
def test_a_vote_from_end_to_end(
    open_live: OpenLive,
    open_page: OpenPage,
    faults: Callable[[Page], list[str]],
    take_screenshot: Callable[[Page, str], object],
    screen: Literal["desktop", "phone"],
) -> None:
    """Ballot, open menus, help, message, reveal, receipt and own votes have no breach."""
    live = open_live("real")
    page = open_page(live.url, viewport=screen, expected_statuses=frozenset({429}))
    page.goto("/")
    page.locator("#best-A").check()
    page.locator("#worst-C").check()
    take_screenshot(page, f"ballot-{screen}")
    assert faults(page) == []

    page.locator(".more summary").click()
    assert faults(page) == []
    page.locator("#keys-open").click()
    assert faults(page) == []
    page.locator("#keys-close").click()

    for _ in range(2 if screen == "phone" else 1):
        page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()
    page.locator(".chip").first.click()
    expect(page.locator("#reasons-status")).to_contain_text("Saved")
    take_screenshot(page, f"reveal-{screen}")
    assert faults(page) == []

    live.site.sequence()
    page.get_by_role("link", name="Receipt").click()
    expect(page.locator("#receipt")).to_be_visible()
    take_screenshot(page, f"receipt-{screen}")
    assert faults(page) == []
    page.goto("/me")
    assert faults(page) == []


@pytest.mark.parametrize("screen", SCREENS)
def test_the_standing_pages(
    open_live: OpenLive,
    open_page: OpenPage,
    faults: Callable[[Page], list[str]],
    take_screenshot: Callable[[Page, str], object],
    screen: Literal["desktop", "phone"],
) -> None:
    """Board, rules, about, privacy, verify, own votes and an error page have no breach."""
    live = open_live("voted")
    page = open_page(live.url, viewport=screen, expected_statuses=frozenset({404}))
    found: list[str] = []
    for path in STANDING:
        page.goto(path)
        expect(page.locator("main h1")).to_be_visible()
        take_screenshot(page, f"page-{path.strip('/')}-{screen}")
        found += faults(page)
    assert found == []


def test_a_board_with_places(open_live: OpenLive, open_page: OpenPage) -> None:
    """The board that axe looked at has ranked models with their intervals, not an empty table."""
    page = open_page(open_live("voted").url)
    page.goto("/leaderboard")
    ranks = page.get_by_role("table", name="Ranked models")
    expect(ranks.get_by_role("row").nth(2)).to_be_visible()
    expect(page.get_by_role("img", name="from").first).to_be_visible()


def test_the_demo_says_so(
    open_live: OpenLive, open_page: OpenPage, faults: Callable[[Page], list[str]]
) -> None:
    """The demo's answers with code, tables and formulas have no breach, under the demo line."""
    page = open_page(open_live("demo").url)
    page.goto("/")
    expect(page.get_by_text("Demo: the models and answers here are invented")).to_be_visible()
    assert faults(page) == []
    page.goto("/?mode=expert")
    assert faults(page) == []


def test_pages_without_a_question(
    open_live: OpenLive, open_page: OpenPage, faults: Callable[[Page], list[str]]
) -> None:
    """The empty arena and its empty board have no breach and lead on."""
    page = open_page(open_live("empty").url, expected_statuses=frozenset({503}))
    page.goto("/")
    expect(page.locator("#empty h1")).to_be_visible()
    assert faults(page) == []
    page.goto("/leaderboard")
    assert faults(page) == []


BREACHES = {
    "color-contrast": "document.querySelector('.pick-name').style.color = '#bbb'",
    "select-name": "document.getElementById('report-slot').labels[0].remove()",
    "button-name": "document.getElementById('vote-button').replaceChildren()",
    "html-has-lang": "document.documentElement.removeAttribute('lang')",
    "aria-roles": "document.querySelector('.bar').setAttribute('role', 'ballot')",
}


def test_a_breach_put_in_is_found(
    live: LiveArena, open_page: OpenPage, accessibility_faults: FindFaults
) -> None:
    """A pale word, a field or button without a name, a page without language: each goes red."""
    page = open_page(live.url)
    page.goto("/")
    page.locator(".more summary").click()
    assert accessibility_faults(page) == []
    for breach in BREACHES.values():
        page.evaluate(f"() => {{ {breach} }}")
    found = {line.split(":")[0] for line in accessibility_faults(page)}
    assert found == set(BREACHES)


def test_structure_for_screen_readers(live: LiveArena, open_page: OpenPage) -> None:
    """One heading of first order, answers A to D in order, two named groups, polite live places."""
    page = open_page(live.url)
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    headings = page.locator("#answers").get_by_role("heading", level=2).all_inner_texts()
    assert headings == ["Answer A", "Answer B", "Answer C", "Answer D"]
    best = page.get_by_role("group", name="Best answer")
    expect(best.get_by_role("radio")).to_have_count(4)
    worst = page.get_by_role("group", name="Worst answer")
    expect(worst.get_by_role("radio")).to_have_count(5)
    assert page.locator("[aria-live]:not([aria-live=polite])").count() == 0
    for letter in "ABCD":
        expect(page.get_by_role("article", name=f"Answer {letter}")).to_be_visible()
