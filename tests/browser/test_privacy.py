"""Privacy in a browser: the device code only with consent, one step back, and erasing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FindFaults, OpenLive, OpenPage
from tests.browser.live_arena import LiveArena

# Counts every reading of the traits that a code could be made of.
WATCH_TRAITS = """
globalThis.traitsRead = 0;
for (const [owner, name] of [
  [HTMLCanvasElement.prototype, "toDataURL"], [HTMLCanvasElement.prototype, "getContext"],
  [OfflineAudioContext.prototype, "startRendering"], [SubtleCrypto.prototype, "digest"],
]) {
  const own = owner[name];
  owner[name] = function (...given) { globalThis.traitsRead += 1; return own.apply(this, given); };
}
"""
FIELD = "#ballot [data-device]"


@pytest.fixture
def asking(open_live: OpenLive) -> LiveArena:
    """An arena that asks for consent to a device code."""
    return open_live(fingerprint="consent")


def watched(page: Page) -> Page:
    """Count what the page reads of the device."""
    page.add_init_script(WATCH_TRAITS)
    return page


def answer(page: Page, word: str) -> None:
    """Answer the question about the device code."""
    page.goto("/")
    page.locator("#consent-question").get_by_role("button", name=word).click()
    expect(page.locator("#consent-question")).to_have_count(0)


def code_of(page: Page) -> str:
    """Load the ballot and return the code that it would send."""
    page.goto("/")
    expect(page.locator(FIELD).first).not_to_have_value("")
    return page.locator(FIELD).first.input_value()


def test_a_code_is_stable_in_one_browser(asking: LiveArena, open_page: OpenPage) -> None:
    """Two loads, and a second visitor in the same browser, make the same code."""
    first, second = open_page(asking.url), open_page(asking.url)
    for page in (first, second):
        answer(page, "Yes")
    codes = {code_of(first), code_of(first), code_of(second)}
    assert len(codes) == 1


def test_another_device_has_another_code(asking: LiveArena, open_page: OpenPage) -> None:
    """A phone's screen and touch points change the code: it is not the same for everybody."""
    desk, phone = open_page(asking.url), open_page(asking.url, viewport="phone")
    for page in (desk, phone):
        answer(page, "Yes")
    assert code_of(desk) != code_of(phone)


@pytest.mark.parametrize("path", ["/", "/me", "/leaderboard", "/privacy"])
def test_nothing_is_read_without_consent(asking: LiveArena, open_page: OpenPage, path: str) -> None:
    """Before an answer, and after No, no trait of the device is read on any page."""
    page = watched(open_page(asking.url))
    for step in ("before", "after No"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("traitsRead") == 0, step
        answer(page, "No") if step == "before" else None


def test_with_consent_traits_are_read_on_the_vote_page_alone(
    asking: LiveArena, open_page: OpenPage
) -> None:
    """After Yes the ballot reads them, and no other page does."""
    page = watched(open_page(asking.url))
    answer(page, "Yes")
    code_of(page)
    assert page.evaluate("traitsRead") > 0
    for path in ("/me", "/leaderboard", "/privacy"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("traitsRead") == 0, path


def test_both_answers_look_alike(asking: LiveArena, open_page: OpenPage) -> None:
    """Yes and No have the same style and height, and neither is chosen beforehand."""
    page = open_page(asking.url)
    page.goto("/")
    looks = page.locator("#consent-question button").evaluate_all(
        """buttons => buttons.map(button => {
          const style = getComputedStyle(button);
          return [style.color, style.backgroundColor, style.borderColor, style.fontWeight,
            style.fontSize, button.getBoundingClientRect().height, button.className,
            button === document.activeElement];
        })"""
    )
    assert len(looks) == 2
    assert looks[0] == looks[1]
    assert looks[0][-1] is False


def test_taking_it_back_is_one_click(asking: LiveArena, open_page: OpenPage) -> None:
    """On the own page one button ends it; the next ballot has no field and reads nothing."""
    page = watched(open_page(asking.url))
    answer(page, "Yes")
    page.goto("/me")
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_role("button", name="Allow it")).to_be_visible()
    page.goto("/")
    page.wait_for_load_state("networkidle")
    expect(page.locator(FIELD)).to_have_count(0)
    assert page.evaluate("traitsRead") == 0


def test_all_that_is_kept_can_be_read_and_erased(
    asking: LiveArena, open_page: OpenPage, accessibility_faults: FindFaults
) -> None:
    """From the vote to the file to the erased page, by mouse, without a breach of WCAG."""
    page = open_page(asking.url)
    answer(page, "Yes")
    code_of(page)
    page.locator("#best-A").check()
    asking.wait(30)
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()
    page.goto("/me")
    records = page.locator("details.kept-records")
    expect(records.first).to_be_visible()
    for each in records.all():
        each.locator("summary").click()
    expect(page.get_by_role("rowheader", name="Reading time, in micro").first).to_be_visible()
    assert accessibility_faults(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything").click()
    assert download.value.suggested_filename == "my-votes.json"

    page.get_by_role("link", name="What is erased and what stays").click()
    expect(page.get_by_role("heading", name="This stays, and why")).to_be_visible()
    assert accessibility_faults(page) == []
    page.get_by_role("button", name="Erase it all").click()
    expect(page.get_by_role("heading", name="It is erased")).to_be_visible()
    assert accessibility_faults(page) == []
    assert page.context.cookies() == []
    page.goto("/me")
    expect(page.get_by_text("has no voter number")).to_be_visible()
    assert asking.site.count("vote") == 1
    assert asking.site.count("voter") == 0
