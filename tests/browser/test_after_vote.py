"""What goes with a vote: the wait, reasons, receipt, report, consent, modes, caps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenLive, OpenPage
from tests.browser.live_arena import LiveArena


def voted(page: Page) -> None:
    """Open a ballot, vote and wait for the reveal."""
    page.goto("/")
    page.locator("#best-A").check()
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()


def test_the_wait_counts_down_in_next_question(live: LiveArena, open_page: OpenPage) -> None:
    """The button counts the seconds; pressed early it opens the question by itself when over."""
    page = open_page(live.url)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    voted(page)
    following = page.locator("#next-question")
    expect(following).to_have_text(re.compile(r"^Next question in (10|9|8) s$"))
    expect(following).to_have_attribute("aria-disabled", "true")
    page.clock.run_for(5_000)
    expect(following).to_have_text(re.compile(r"^Next question in [345] s$"))
    following.click(force=True)
    expect(following).to_have_text(re.compile(r"^Opens in [2345] s$"))
    expect(page.locator("#reveal")).to_be_visible()
    live.wait(10)
    page.clock.run_for(6_000)
    expect(page.locator("#ballot")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/\?mode=speed$"))


def test_next_question_comes_in_place(live: LiveArena, open_page: OpenPage) -> None:
    """After the wait a press brings a new blind ballot without loading the page anew."""
    page = open_page(live.url)
    page.clock.install()
    voted(page)
    page.evaluate("window.sameDocument = true")
    live.wait(10)
    page.clock.run_for(11_000)
    following = page.locator("#next-question")
    expect(following).to_have_text("Next question")
    expect(following).not_to_have_attribute("aria-disabled", "true")
    following.click()
    expect(page.locator("#ballot")).to_be_visible()
    assert page.evaluate("window.sameDocument") is True
    expect(page.locator("[data-model]")).to_have_count(0)
    expect(page.locator("#vote-wait")).to_be_empty()


def test_reasons_save_themselves(live: LiveArena, open_page: OpenPage) -> None:
    """Each chip is saved as it is pressed, can be taken back, and is there after a reload."""
    page = open_page(live.url)
    voted(page)
    for word, words in (("correct", "Saved: correct."), ("clear", "Saved: correct, clear.")):
        page.locator(".chip").filter(has_text=re.compile(f"^{word}$")).click()
        expect(page.locator("#reasons-status")).to_have_text(words)
    page.locator(".chip").filter(has_text=re.compile("^correct$")).click()
    expect(page.locator("#reasons-status")).to_have_text("Saved: clear.")
    page.reload()
    assert page.locator(".chip input:checked").evaluate_all(
        "(boxes) => boxes.map((box) => box.value)"
    ) == ["clear"]
    assert live.site.events("vote.reasoned")[-1].body["reasons"] == ["clear"]


def test_a_report_does_not_touch_the_vote(live: LiveArena, open_page: OpenPage) -> None:
    """A report is thanked for in the bar, is stored for its answer, and leaves the picks alone."""
    page = open_page(live.url)
    page.goto("/")
    page.locator("#best-B").check()
    page.locator("#worst-C").check()
    page.locator(".more summary").click()
    page.get_by_label("Answer", exact=True).select_option("C")
    page.get_by_label("Reason").select_option("It says which model it is")
    page.get_by_role("button", name="Report", exact=True).click()
    expect(page.locator("#ballot-message")).to_contain_text("A moderator will look at the answer")
    expect(page.locator("#best-B")).to_be_checked()
    expect(page.locator("#worst-C")).to_be_checked()
    held = live.site.held(page.locator("#report-form [name=ballot]").input_value())
    bodies = [event.body for event in live.site.events("ballot.reported")]
    assert [(body["answer"], body["reason"]) for body in bodies] == [
        (held.slots[2].answer, "identity")
    ]
    page.keyboard.press("Escape")
    page.locator("#vote-button").click()
    expect(page.locator("#reveal-heading")).to_have_text("You picked B as best, C as worst.")


def test_a_report_that_arrived_gives_the_place_back(live: LiveArena, open_page: OpenPage) -> None:
    """The panel closes with the focus on its name, and the thanks leave the bar after a while."""
    page = open_page(live.url, viewport="phone")
    page.clock.install()
    page.goto("/")
    page.locator(".more summary").tap()
    page.get_by_role("button", name="Report", exact=True).tap()
    expect(page.locator("#ballot-message")).to_contain_text("Your report has arrived.")
    expect(page.locator("#report-form")).to_be_hidden()
    expect(page.locator(".more summary")).to_be_focused()
    page.clock.run_for(10_000)
    expect(page.locator("#ballot-message")).to_be_empty()


@pytest.fixture
def asking(open_live: OpenLive) -> LiveArena:
    """An arena that asks for consent to a device code."""
    return open_live(fingerprint="consent")


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_consent_is_asked_once(asking: LiveArena, open_page: OpenPage, answer: str) -> None:
    """The answer closes the question for good; only after Yes is a code made, and sent at once."""
    page = open_page(asking.url)
    page.goto("/")
    question = page.locator("#consent-question")
    expect(question).to_be_visible()
    expect(page.locator("[name=fingerprint][type=hidden]")).to_have_count(0)
    page.locator("#best-A").check()
    question.get_by_role("button", name=answer).click()
    expect(question).to_have_count(0)
    expect(page.locator("#best-A")).to_be_checked()
    fields = page.locator("[name=fingerprint][type=hidden]")
    if answer == "No":
        expect(fields).to_have_count(0)
    else:
        expect(fields).to_have_count(2)
        for field in fields.all():
            expect(field).to_have_value(re.compile("^[0-9a-f]{64}$"))
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()
    assert bool(asking.reading_sent().get("fingerprint")) is (answer == "Yes")

    page.goto("/")
    expect(page.locator("#ballot")).to_be_visible()
    expect(question).to_have_count(0)
    expect(fields).to_have_count(2 if answer == "Yes" else 0)


def test_consent_is_not_asked_where_none_is_needed(live: LiveArena, open_page: OpenPage) -> None:
    """With the device code switched off the ballot asks nothing and holds no field for it."""
    page = open_page(live.url)
    page.goto("/")
    expect(page.locator("#ballot")).to_be_visible()
    expect(page.locator("#consent-question, [name=fingerprint]")).to_have_count(0)


def test_the_mode_switch(live: LiveArena, open_page: OpenPage) -> None:
    """The other mode has its own ballot, and each mode's open ballot is found again."""
    page = open_page(live.url)
    page.goto("/")
    question = page.locator(".question h1")
    speed = question.inner_text()
    page.locator(".site-tools .drop.only-wide summary").click()
    page.get_by_role("link", name="Expert").click()
    expect(question).to_contain_text("What of expert")
    page.goto("/?mode=speed")
    expect(question).to_have_text(speed)


def test_the_menu_of_a_phone(live: LiveArena, open_page: OpenPage) -> None:
    """On a phone all places and both modes are in the menu, which closes by itself."""
    page = open_page(live.url, viewport="phone")
    page.goto("/")
    menu = page.locator(".menu")
    menu.locator("summary").tap()
    for name in ("Vote", "Board", "Rules", "Verify", "Your votes", "Expert"):
        expect(menu.get_by_role("link", name=name).first).to_be_visible()
    page.locator("#best-A").tap()
    expect(menu.get_by_role("link", name="Board")).to_be_hidden()
    menu.locator("summary").tap()
    menu.get_by_role("link", name="Board").tap()
    expect(page.locator("#board h1")).to_be_visible()


def test_own_votes_lead_to_reveal_and_receipt(live: LiveArena, open_page: OpenPage) -> None:
    """The voter's page lists the vote with what was said, and leads back to it."""
    page = open_page(live.url)
    voted(page)
    page.get_by_role("link", name="Your votes").first.click()
    row = page.locator("#me tbody tr").first
    expect(row).to_contain_text("A best, no worst")
    row.get_by_role("link", name="Receipt").click()
    expect(page.locator("#receipt h1")).to_be_visible()
    expect(page.get_by_role("link", name="Download the proof")).to_have_count(0)
    live.site.sequence()
    page.reload()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the proof").click()
    assert download.value.suggested_filename.endswith(".tlog-proof")


def test_a_strangers_reveal_is_not_shown(live: LiveArena, open_page: OpenPage) -> None:
    """The address of a reveal, opened in another browser, tells nothing of the models (V-017)."""
    page = open_page(live.url)
    voted(page)
    other = open_page(live.url, expected_statuses=frozenset({403}))
    other.goto(page.url)
    expect(other.locator("[data-reason=not_yours]")).to_be_visible()
    expect(other.locator("[data-model]")).to_have_count(0)
