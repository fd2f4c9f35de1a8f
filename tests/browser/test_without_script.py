"""A vote without JavaScript: both forms, all pages of the way, plain redirects (V-027)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.live_arena import LiveArena


@pytest.fixture
def page(live: LiveArena, open_page: OpenPage) -> Page:
    """The ballot in a browser that runs no script."""
    page = open_page(live.url, javascript=False)
    page.goto("/")
    return page


def test_best_and_worst(live: LiveArena, page: Page) -> None:
    """The form posts, the redirect leads to the reveal; time is the server's, scroll unknown."""
    page.locator("#best-B").check()
    page.locator("#worst-A").check()
    expect(page.locator("#answer-B .mark-best")).to_be_visible()
    expect(page.locator("#answer-A .mark-worst")).to_be_visible()
    live.wait(20)
    page.locator("#vote-button").click()

    expect(page).to_have_url(re.compile(r"/ballots/[\w-]+$"))
    expect(page.locator("#reveal-heading")).to_have_text("You picked B as best, A as worst.")
    expect(page.locator("#reveal .answer[data-model]")).to_have_count(4)
    expect(page.locator(".weight-line")).to_contain_text("counts 0.5 of 1")
    expect(page.locator(".weight-line")).to_contain_text("scrolling could not be measured")
    page.reload()
    expect(page.locator("#reveal")).to_be_visible()
    assert live.site.count("vote") == 1


def test_no_worst_is_a_choice(live: LiveArena, page: Page) -> None:
    """A worst chosen by mistake is taken back by the fifth radio, and best alone is a vote."""
    page.locator("#best-C").check()
    page.locator("#worst-D").check()
    page.locator("#worst-none").check()
    page.locator("#vote-button").click()
    expect(page.locator("#reveal-heading")).to_have_text("You picked C as best and no worst.")


@pytest.mark.parametrize("button, verdict", [("About the same", "same"), ("Both bad", "bad")])
def test_a_way_out_after_picking(live: LiveArena, page: Page, button: str, verdict: str) -> None:
    """A way-out is a form of its own, so picks left in the other form cannot contradict it."""
    page.locator("#best-A").check()
    page.locator("#worst-B").check()
    page.get_by_role("button", name=button).click()
    expect(page.locator("#reveal")).to_be_visible()
    assert live.site.count("vote", "verdict = :verdict", verdict=verdict) == 1


def test_the_browser_asks_for_a_best(live: LiveArena, page: Page) -> None:
    """Without a best the browser itself holds the form back."""
    page.locator("#vote-button").click()
    assert page.url == f"{live.url}/"
    assert live.site.count("vote") == 0
    assert live.site.refusals() == []


def test_best_equal_to_worst_is_explained(live: LiveArena, open_page: OpenPage) -> None:
    """The contradiction that only a page without script can send gets a page with a way back."""
    page = open_page(live.url, javascript=False, expected_statuses=frozenset({422}))
    page.goto("/")
    page.locator("#best-B").check()
    page.locator("#worst-B").check()
    page.locator("#vote-button").click()
    expect(page.locator("[data-reason=contradictory_choice] h1")).to_be_visible()
    page.go_back()
    page.locator("#worst-none").check()
    page.locator("#best-B").check()
    page.locator("#vote-button").click()
    expect(page.locator("#reveal-heading")).to_have_text("You picked B as best and no worst.")


def test_the_whole_way(live: LiveArena, page: Page) -> None:
    """Read alone, skip, vote, give reasons, receipt, next question: all without script."""
    page.locator("#answer-C .read-alone").click()
    expect(page.locator("#answer-A")).to_be_hidden()
    page.locator("#answer-C .all-four").click()
    expect(page.locator("#answer-A")).to_be_visible()
    page.get_by_role("button", name="Skip", exact=True).click()
    page.locator("#best-A").check()
    page.locator("#vote-button").click()
    page.locator(".chip", has_text="complete").click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#reasons-status")).to_have_text("Saved.")
    page.get_by_role("link", name="Receipt").click()
    expect(page.locator("#receipt h1")).to_have_text("Receipt for your vote")
    page.go_back()
    page.locator("#next-question").click()
    expect(page.locator("#ballot")).to_be_visible()
    assert len(live.site.events("vote.reasoned")) == 1


@pytest.mark.parametrize("mode", ["speed", "expert"])
def test_a_report(live: LiveArena, page: Page, mode: str) -> None:
    """The report form posts too, leads back to the same ballot, and is confirmed in sight."""
    page.goto(f"/?mode={mode}")
    slots = [card.get_attribute("data-slot") for card in page.locator(".answer").all()]
    page.locator(".more summary").click()
    page.locator("#report-slot").select_option("D")
    page.locator("#report-reason").select_option("broken")
    page.get_by_role("button", name="Report", exact=True).click()
    expect(page.locator("#ballot-message")).to_be_in_viewport()
    expect(page.locator("#ballot-message")).to_contain_text("Your report has arrived.")
    expect(page).to_have_url(re.compile(rf"mode={mode}"))
    assert [card.get_attribute("data-slot") for card in page.locator(".answer").all()] == slots
    reported = live.site.events("ballot.reported")
    assert [event.body["reason"] for event in reported] == ["broken"]


def test_nothing_is_offered_that_needs_script(page: Page) -> None:
    """Controls that would do nothing are not shown; the menu of small screens works."""
    page.locator(".more summary").click()
    assert page.locator(".needs-script:visible").count() == 0
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".menu summary").click()
    page.locator(".menu").get_by_role("link", name="Rules").click()
    expect(page.locator("#rules h1")).to_be_visible()


def test_answers_on_a_phone_without_script(page: Page) -> None:
    """The switcher's links bring each answer into view as plain anchors."""
    page.set_viewport_size({"width": 390, "height": 844})
    for letter in "CADB":
        page.locator(f"[data-go={letter}]").click()
        expect(page.locator(f"#answer-{letter} h2")).to_be_in_viewport()
