"""What the page measures of reading, and that it can only be honest (V-070 to V-079)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.live_arena import LiveArena
from tests.browser.reading import skip

NEAR_MS = 400  # two samples: what a jump of the clock may add
HIDE = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def send(page: Page) -> None:
    """Vote for A and wait for the reveal."""
    page.evaluate("document.getElementById('best-A').click()")
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()


def timed(open_page: OpenPage, live: LiveArena) -> Page:
    """Open the ballot in a page whose clock the test alone moves on."""
    page = open_page(live.url)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)  # from before the page is there: no machine is too slow for that
    page.goto("/")
    return page


def test_dwell_is_the_time_in_view(live: LiveArena, open_page: OpenPage) -> None:
    """Twelve seconds of reading are sent as about 12,000 ms, and the reveal says so."""
    page = timed(open_page, live)
    live.wait(30)
    page.clock.run_for(12_000)
    send(page)
    sent = int(live.reading_sent()["dwell_ms"])
    assert 12_000 <= sent <= 12_000 + NEAR_MS
    expect(page.locator(".weight-line")).to_contain_text("counts 1 of 1")
    expect(page.locator(".weight-line")).to_contain_text(f"read for {sent / 1000:.1f} s")


def test_a_hidden_tab_does_not_read(live: LiveArena, open_page: OpenPage) -> None:
    """The minute in which the tab was hidden is not counted, the seconds before and after are."""
    page = timed(open_page, live)
    live.wait(90)
    page.clock.run_for(3_000)
    page.evaluate(HIDE, "hidden")
    page.clock.run_for(60_000)
    page.evaluate(HIDE, "visible")
    page.clock.run_for(3_000)
    send(page)
    assert 6_000 <= int(live.reading_sent()["dwell_ms"]) <= 6_000 + NEAR_MS


def test_a_sleeping_machine_does_not_read(live: LiveArena, open_page: OpenPage) -> None:
    """A gap in which no timer ran, as when a lid is closed, adds next to nothing."""
    page = timed(open_page, live)
    live.wait(4_000)
    page.clock.fast_forward(3_600_000)
    send(page)
    assert int(live.reading_sent()["dwell_ms"]) <= NEAR_MS


def test_short_answers_need_no_scroll(live: LiveArena, open_page: OpenPage) -> None:
    """Where nothing overflows the smallest share is 1, without any scrolling."""
    page = open_page(live.url)
    page.goto("/")
    send(page)
    assert live.reading_sent()["scroll"] == "1"


def test_a_way_out_carries_the_reading_too(live: LiveArena, open_page: OpenPage) -> None:
    """The second form's own copies of dwell and scroll are filled as well (V-010)."""
    page = timed(open_page, live)
    live.wait(30)
    page.clock.run_for(5_000)
    page.keyboard.press("e")
    expect(page.locator("#reveal")).to_be_visible()
    sent = live.reading_sent()
    assert 5_000 <= int(sent["dwell_ms"]) <= 5_000 + NEAR_MS
    assert sent["scroll"] == "1"


def test_answers_not_opened_on_a_phone_are_not_seen(live: LiveArena, open_page: OpenPage) -> None:
    """On a phone three answers lie outside the window until they are opened: the share is 0."""
    page = open_page(live.url, viewport="phone")
    page.goto("/")
    live.wait(20)
    page.locator("#best-A").tap()
    page.locator("#vote-button").tap()
    page.locator("#vote-button").tap()
    expect(page.locator("#reveal")).to_be_visible()
    assert live.reading_sent()["scroll"] == "0"
    expect(page.locator(".weight-line")).to_contain_text("not opened, or not scrolled")


@pytest.mark.parametrize("share, low, high", [(0.0, 0.0, 0.5), (0.5, 0.5, 0.75), (1.0, 1.0, 1.0)])
def test_the_share_seen_of_a_long_answer(
    real: LiveArena, open_page: OpenPage, share: float, low: float, high: float
) -> None:
    """The smallest share seen is what was in the card: less than half unscrolled, 1 at the end."""
    page = open_page(real.url)
    page.goto("/")
    page.locator(".answer-scroll").evaluate_all(
        """(parts, share) => {
          for (const part of parts) {
            const top = share * (part.scrollHeight - part.clientHeight);
            part.scrollTo({ top, behavior: "instant" });
          }
        }""",
        share,
    )
    send(page)
    assert low <= float(real.reading_sent()["scroll"]) <= high


def test_a_very_long_answer_not_scrolled_counts_as_unseen(
    real: LiveArena, open_page: OpenPage
) -> None:
    """In a low window the share of the longest answer stays below 0.05, so the vote weighs 0."""
    page = open_page(real.url)
    page.set_viewport_size({"width": 320, "height": 560})
    page.goto("/")
    for letter in "ABCD":
        page.locator(f"[data-go={letter}]").click()
        expect(page.locator(f"[data-go={letter}]")).not_to_have_attribute("data-seen", "unseen")
    real.wait(8)
    page.locator("#best-A").check()
    page.locator("#vote-button").click()
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()
    assert float(real.reading_sent()["scroll"]) < 0.05
    expect(page.locator(".weight-line")).to_contain_text("Your vote does not count")


def test_the_next_ballot_starts_from_nothing(live: LiveArena, open_page: OpenPage) -> None:
    """Time spent on one ballot is not carried over to the next that arrives in its place."""
    page = timed(open_page, live)
    live.wait(60)
    page.clock.run_for(30_000)
    skip(page)
    page.clock.run_for(2_000)
    send(page)
    assert int(live.reading_sent()["dwell_ms"]) == pytest.approx(2_000, abs=NEAR_MS)
