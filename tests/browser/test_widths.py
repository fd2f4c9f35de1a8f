"""Phone, tablet and desktop with the longest and the shortest real answers."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.live_arena import LiveArena
from tests.browser.reading import box, in_view, until

TAP_PX = 44
# Every control of one's own; links inside a sentence are as tall as their line (WCAG 2.5.8).
CONTROLS = """
.site-header a, .site-header button, .site-header summary, .switcher a, .more > summary,
.answer-tools a, .answer-tools label, .bar .option, .bar button, .bar-links a, .chip, .button,
.site-footer a
"""
LAST_LINE = """
(scroll) => {
  const walker = document.createTreeWalker(scroll, NodeFilter.SHOW_TEXT);
  let last = null;
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const line of range.getClientRects()) {
      if (line.height && (!last || line.bottom > last.bottom)) last = line;
    }
  }
  const on = document.elementFromPoint(last.left + 2, last.bottom - 3);
  return { bottom: last.bottom, frame: scroll.getBoundingClientRect().bottom,
           free: scroll.contains(on) };
}
"""


def small_controls(page: Page) -> list[str]:
    """Return the visible controls below 44 px in height or width."""
    found = []
    for control in page.locator(CONTROLS).locator("visible=true").all():
        size = box(control)
        if min(size["width"], size["height"]) < TAP_PX - 0.5:
            name = " ".join(control.inner_text().split())
            found.append(f"{name!r}: {size['width']:.0f} x {size['height']:.0f}")
    return found


def last_line(page: Page, letter: str) -> dict[str, Any]:
    """Scroll an answer to its end and return where its last line of text lies."""
    scroll = page.locator(f"#answer-{letter} .answer-scroll")
    scroll.evaluate("(part) => part.scrollTo({ top: part.scrollHeight, behavior: 'instant' })")
    found: dict[str, Any] = scroll.evaluate(LAST_LINE)
    return found


def uncovered(page: Page, letter: str) -> bool:
    """Tell whether the last line lies inside its card, above the bar, with nothing over it."""
    line = last_line(page, letter)
    floor = min(line["frame"], box(page.locator(".bar"))["y"])
    return bool(line["free"]) and line["bottom"] <= floor + 0.5


def sideways(page: Page) -> float:
    """Return how far the page as a whole can be scrolled sideways."""
    found: float = page.evaluate(
        "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


@pytest.fixture
def phone(real: LiveArena, open_page: OpenPage) -> Page:
    """The ballot of real answers on a phone."""
    page = open_page(real.url, viewport="phone")
    page.goto("/")
    return page


@pytest.fixture
def desktop(real: LiveArena, open_page: OpenPage) -> Page:
    """The ballot of real answers on a desktop."""
    page = open_page(real.url)
    page.goto("/")
    return page


def test_the_switcher_and_the_seen_dots(phone: Page) -> None:
    """Tapping a letter brings its answer alone; its dot fills when it was read to the end."""
    for letter in "ABCD":
        link = phone.locator(f"[data-go={letter}]")
        link.tap()
        expect(link).to_have_attribute("aria-current", "true")
        expect(phone.locator(f"#answer-{letter} h2")).to_be_in_viewport()
        assert in_view(phone) == [letter]
        last_line(phone, letter)
        expect(link).to_have_attribute("data-seen", "seen")
        expect(link).to_contain_text("seen to the end")
        assert box(link)["bottom"] <= box(phone.locator(f"#answer-{letter}"))["y"]


def test_a_long_answer_is_partly_seen_first(phone: Page) -> None:
    """What was not opened is unseen, and the longest answer is only partly seen when opened."""
    longest = phone.locator(".answer").filter(has_text="Digital Community Tax Certificates")
    letter = (longest.get_attribute("id") or "")[-1]
    link = phone.locator(f"[data-go={letter}]")
    if letter != "A":
        expect(link).to_have_attribute("data-seen", "unseen")
    link.tap()
    expect(link).to_have_attribute("data-seen", "begun")


def test_swiping_snaps_to_the_next_answer(phone: Page) -> None:
    """A swipe to the left lands exactly on the next answer, never between two."""
    row = box(phone.locator("#answers"))
    session = phone.context.new_cdp_session(phone)
    for right in range(320, 100, -10):
        point = {"x": right, "y": row["y"] + 150}
        kind = "touchStart" if right == 320 else "touchMove"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(phone.locator("[data-go=B]")).to_have_attribute("aria-current", "true")
    until(phone, "document.getElementById('answer-B').getBoundingClientRect().left === 16")


def test_the_bar_covers_no_line_on_a_phone(phone: Page) -> None:
    """Scrolled to its end, each answer shows its last line above the bar, nothing over it."""
    for letter in "ABCD":
        phone.locator(f"[data-go={letter}]").tap()
        expect(phone.locator(f"#answer-{letter} h2")).to_be_in_viewport()
        assert uncovered(phone, letter), letter
    assert box(phone.locator(".bar"))["bottom"] <= 844.5


def test_a_bar_over_the_text_would_be_noticed(phone: Page) -> None:
    """With the bar pulled up over the answers the check above finds a covered line."""
    assert uncovered(phone, "A")
    phone.locator(".bar").evaluate("(bar) => { bar.style.marginTop = '-90px'; }")
    assert not uncovered(phone, "A")


def test_the_first_tap_says_the_choice_and_the_second_sends(phone: Page, real: LiveArena) -> None:
    """Vote first shows the picks in words and can be changed; only the second tap sends."""
    vote = phone.locator("#vote-button")
    expect(vote).to_have_text("Choose a best")
    phone.locator("#best-B").tap()
    phone.locator("#worst-C").tap()
    vote.tap()
    expect(vote).to_have_text("Send: B best, C worst")
    expect(phone.locator("#vote-change")).to_be_visible()
    assert real.site.count("vote") == 0

    phone.locator("#vote-change").tap()
    expect(vote).to_have_text("Vote")
    phone.locator("#worst-C").tap()
    expect(phone.locator("#worst-none")).to_be_checked()
    vote.tap()
    expect(vote).to_have_text("Send: B best, no worst")
    vote.tap()
    expect(phone.locator("#reveal-heading")).to_have_text("You picked B as best and no worst.")
    expect(phone.locator("#reveal-heading")).to_be_in_viewport()


def test_controls_are_large_enough_for_a_thumb(phone: Page) -> None:
    """Every control of ballot and reveal is at least 44 px high and wide on a phone."""
    assert small_controls(phone) == []
    phone.locator("#best-A").tap()
    phone.locator("#vote-button").tap()
    assert small_controls(phone) == []
    phone.locator("#vote-button").tap()
    expect(phone.locator("#reveal")).to_be_visible()
    assert small_controls(phone) == []


def test_a_small_control_would_be_noticed(phone: Page) -> None:
    """A control of 30 px is found by the check above."""
    phone.locator("#vote-button").evaluate("(part) => { part.style.minHeight = '30px'; }")
    assert [line.split(":")[0] for line in small_controls(phone)] == ["'Choose a best'"]


def test_the_question_takes_two_lines_once_reading_began(phone: Page) -> None:
    """After the first scroll the long question shrinks to leave room; a tap opens it again."""
    question = phone.locator(".question")
    before = box(question)["height"]
    phone.locator("#answer-A .answer-scroll").evaluate("(part) => part.scrollTo(0, 0)")
    longest = phone.locator(".answer").filter(has_text="Digital Community Tax Certificates")
    phone.locator(f"[data-go={(longest.get_attribute('id') or '')[-1]}]").tap()
    longest.locator(".answer-scroll").evaluate("(part) => part.scrollTo(0, 200)")
    expect(phone.locator("#ballot")).to_have_class("ballot frame is-reading")
    assert box(question)["height"] < before
    question.tap()
    assert box(question)["height"] == before


def test_nothing_reaches_beyond_the_window(desktop: Page) -> None:
    """At every width, down to 320 px, neither ballot nor reveal scrolls sideways (WCAG 1.4.10)."""
    for page_is in ("ballot", "reveal"):
        for width in (320, 390, 699, 700, 900, 1099, 1100, 1440):
            desktop.set_viewport_size({"width": width, "height": 900})
            assert sideways(desktop) == 0, (page_is, width)
        if page_is == "ballot":
            desktop.keyboard.press("e")
            expect(desktop.locator("#ballot-message, #reveal").first).not_to_be_empty()
            if desktop.locator("[data-light]").count():  # read in haste: held once
                assert sideways(desktop) == 0
                desktop.keyboard.press("e")
            expect(desktop.locator("#reveal")).to_be_visible()


def test_a_wide_line_would_be_noticed(desktop: Page) -> None:
    """A line that cannot be broken and has no box of its own makes the check above go red."""
    desktop.evaluate("document.querySelector('.site-footer').append('x'.repeat(2000))")
    desktop.evaluate("document.querySelector('.site-footer').style.overflowWrap = 'normal'")
    assert sideways(desktop) > 0


def test_two_by_two_on_a_tablet(real: LiveArena, open_page: OpenPage) -> None:
    """Between 700 and 1,100 px two answers stand side by side, and tabs change the pair."""
    page = open_page(real.url, viewport="tablet")
    page.goto("/")
    assert in_view(page) == ["A", "B"]
    page.locator("[data-go=C]").click()
    until(page, "document.querySelectorAll('[data-go=D][aria-current]').length === 1")
    assert in_view(page) == ["C", "D"]
    left, right = (box(page.locator(f"#answer-{letter}")) for letter in "CD")
    assert left["y"] == right["y"]
    assert (left["x"], right["right"]) == (24, 876)
    for letter in "CD":
        assert uncovered(page, letter)


def test_equal_cards_on_a_desktop(desktop: Page) -> None:
    """At 1440 x 900 four cards of equal size stand two by two, above the bar, in one window."""
    cards = {letter: box(desktop.locator(f"#answer-{letter}")) for letter in "ABCD"}
    for side in ("width", "height"):
        sizes = [card[side] for card in cards.values()]
        assert max(sizes) - min(sizes) < 0.5
    assert cards["A"]["y"] == cards["B"]["y"] < cards["C"]["y"] == cards["D"]["y"]
    assert cards["A"]["x"] == cards["C"]["x"] < cards["B"]["x"] == cards["D"]["x"]
    bar = box(desktop.locator(".bar"))
    assert cards["D"]["bottom"] <= bar["y"]
    assert bar["bottom"] <= 900
    for letter in "ABCD":
        assert uncovered(desktop, letter)


def test_reading_one_alone(desktop: Page) -> None:
    """Reading alone gives one answer the full width; arrows step on; Escape returns to four."""
    row = box(desktop.locator("#answers"))
    desktop.locator("#answer-B .read-alone").click()
    assert box(desktop.locator("#answer-B"))["width"] == row["width"]
    expect(desktop.locator(".answer:visible")).to_have_count(1)
    desktop.get_by_role("link", name="Next: answer C").click()
    expect(desktop.locator("#answer-C")).to_be_visible()
    expect(desktop.locator("#answer-C .answer-scroll")).to_be_focused()
    desktop.keyboard.press("ArrowRight")
    expect(desktop.locator("#answer-D")).to_be_visible()
    desktop.keyboard.press("ArrowRight")
    expect(desktop.locator("#answer-A")).to_be_visible()
    desktop.keyboard.press("Escape")
    expect(desktop.locator(".answer:visible")).to_have_count(4)
    assert box(desktop.locator("#answers")) == row


def test_raw_text(desktop: Page) -> None:
    """The raw text switch shows the answer as stored, for this card alone, and back."""
    card = desktop.locator(".answer").filter(has=desktop.locator(".prose table"))
    card.get_by_label("Raw text").check()
    expect(card.locator("pre.raw-text")).to_be_visible()
    expect(card.locator(".prose")).to_be_hidden()
    assert "|" in card.locator("pre.raw-text").inner_text()
    expect(desktop.locator(".answer .prose:visible")).to_have_count(3)
    card.get_by_label("Raw text").uncheck()
    expect(card.locator(".prose")).to_be_visible()
