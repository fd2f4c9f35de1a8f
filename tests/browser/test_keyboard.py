"""A vote by keyboard alone, the shortcuts, and where they must keep quiet (WCAG 2.1.4)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.live_arena import LiveArena
from tests.browser.reading import in_view, skip, until


def focused_answer(page: Page) -> str | None:
    """Return the letter of the answer that has the focus."""
    found: str | None = page.evaluate(
        "document.activeElement.closest('.answer')?.id.slice(-1) ?? null"
    )
    return found


def read(open_page: OpenPage, live: LiveArena) -> Page:
    """Open a ballot and let five seconds pass on the page's clock."""
    page = open_page(live.url)
    page.clock.install()
    page.goto("/")
    page.clock.run_for(5_000)
    return page


def hasty(open_page: OpenPage, live: LiveArena) -> Page:
    """Open a ballot on whose page no time passes."""
    page = open_page(live.url)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)  # from before the page is there: no machine is too slow for that
    page.goto("/")
    return page


def test_a_vote_by_shortcuts(live: LiveArena, open_page: OpenPage) -> None:
    """A, Shift+D and Enter cast the vote; the focus ends on the reveal's heading."""
    page = read(open_page, live)
    page.keyboard.press("a")
    page.keyboard.press("Shift+D")
    expect(page.locator("#vote-status")).to_have_text("A is best, D is worst.")
    page.keyboard.press("Enter")
    expect(page.locator("#reveal-heading")).to_be_focused()
    expect(page.locator("#reveal-heading")).to_have_text("You picked A as best, D as worst.")


def test_a_vote_by_tab_and_arrows(live: LiveArena, open_page: OpenPage) -> None:
    """Without shortcuts Tab reaches answers A to D, best, worst and Vote in this order."""
    page = read(open_page, live)
    stops: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate("""() => {
              const part = document.activeElement;
              const answer = part.closest(".answer");
              return part.id || (answer ? answer.id + " " + part.className : part.className);
            }""")
        )
        if stops[-1] == "best-A":
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowLeft")
            page.keyboard.press("ArrowRight")
        if stops[-1] == "vote-button":
            break
    scrolls = [stop for stop in stops if stop.endswith(" answer-scroll")]
    assert scrolls == [f"answer-{letter} answer-scroll" for letter in "ABCD"]
    places = [stops.index(stop) for stop in (scrolls[0], scrolls[3], "best-A", "vote-button")]
    assert places == sorted(places)
    assert stops.index("worst-none") > stops.index("best-A")
    expect(page.locator("#best-B")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator("#reveal-heading")).to_have_text("You picked B as best and no worst.")


@pytest.mark.parametrize("key, verdict", [("e", "same"), ("x", "bad")])
def test_the_way_outs_have_keys(
    live: LiveArena, open_page: OpenPage, key: str, verdict: str
) -> None:
    """E sends "About the same" and X "Both bad", at once."""
    page = read(open_page, live)
    page.keyboard.press(key)
    expect(page.locator("#reveal")).to_be_visible()
    assert live.site.count("vote", "verdict = :verdict", verdict=verdict) == 1


@pytest.mark.parametrize("keys", [("b", "Shift+C", "Enter"), ("e",), ("x",)])
def test_keys_in_haste_are_held_once(
    live: LiveArena, open_page: OpenPage, keys: tuple[str, ...]
) -> None:
    """A vote that would weigh 0 for its reading time says so; the same key again sends it."""
    page = hasty(open_page, live)
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator("#ballot-message")).to_contain_text("Not sent yet: read for 2 s or less")
    assert live.site.count("vote") == 0
    page.keyboard.press(keys[-1])
    expect(page.locator("#reveal")).to_be_visible()
    assert live.site.count("vote") == 1


def test_another_key_in_haste_is_held_too(live: LiveArena, open_page: OpenPage) -> None:
    """What was said of one way out does not send the other."""
    page = hasty(open_page, live)
    page.keyboard.press("e")
    page.keyboard.press("x")
    expect(page.locator("#ballot-message")).to_contain_text("Not sent yet")
    assert live.site.count("vote") == 0


def test_the_words_on_haste_go_once_they_hold_no_more(live: LiveArena, open_page: OpenPage) -> None:
    """Past two seconds of reading they leave the bar, and a key sends at once."""
    page = hasty(open_page, live)
    page.keyboard.press("b")
    expect(page.locator("#vote-wait")).to_have_text("Read for 2 s or less, a vote weighs 0.")
    page.keyboard.press("Enter")
    expect(page.locator("#ballot-message")).to_contain_text("Not sent yet")
    page.clock.run_for(5_000)
    expect(page.locator("#ballot-message")).to_be_empty()
    expect(page.locator("#vote-wait")).to_be_empty()
    page.keyboard.press("Enter")
    expect(page.locator("#reveal")).to_be_visible()


def test_s_skips_unrevealed(live: LiveArena, open_page: OpenPage) -> None:
    """S brings another ballot in place, and nothing is voted or revealed."""
    page = open_page(live.url)
    page.goto("/")
    skip(page)
    expect(page.locator(".answer[data-model]")).to_have_count(0)
    assert len(live.site.events("ballot.skipped")) == 1
    assert live.site.count("vote") == 0


def test_moving_between_answers(live: LiveArena, open_page: OpenPage) -> None:
    """J, K and the arrows go through the answers, round the end too."""
    page = open_page(live.url)
    page.goto("/")
    visited = []
    for key in ("j", "j", "ArrowRight", "k", "ArrowLeft", "k"):
        page.keyboard.press(key)
        visited.append(focused_answer(page))
    assert visited == ["A", "B", "C", "B", "A", "D"]


def test_arrows_scroll_the_answer_one_is_in(real: LiveArena, open_page: OpenPage) -> None:
    """An answer longer than its card scrolls by the keys alone."""
    page = open_page(real.url)
    page.goto("/")
    part = page.locator(".answer-scroll").filter(has_text="Digital Community Tax Certificates")
    part.focus()
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowDown")
    until(page, "document.activeElement.scrollTop > 100")


def test_help_lists_the_keys_and_gives_the_focus_back(live: LiveArena, open_page: OpenPage) -> None:
    """? opens the list; no shortcut acts behind it; Escape closes it."""
    page = open_page(live.url)
    page.goto("/")
    page.locator("#answer-B .answer-scroll").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("x")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("[name=best]:checked")).to_have_count(0)
    assert focused_answer(page) == "B"
    assert live.site.count("vote") == 0


def test_no_shortcut_acts_while_typing_or_with_a_modifier(
    live: LiveArena, open_page: OpenPage
) -> None:
    """Keys belong to a field that is being filled in, and Ctrl, Alt and Meta to the browser."""
    page = open_page(live.url)
    page.goto("/")
    page.locator(".more summary").click()
    page.locator("#report-slot").focus()
    for key in ("c", "x", "s"):
        page.keyboard.press(key)
    expect(page.locator("#report-slot")).to_have_value("C")
    page.locator("#answer-A .answer-scroll").focus()
    for key in ("Control+a", "Alt+b", "Control+e", "Alt+s"):
        page.keyboard.press(key)
    expect(page.locator("[name=best]:checked")).to_have_count(0)
    assert live.site.count("vote") == 0


def test_shortcuts_stay_off_once_switched_off(live: LiveArena, open_page: OpenPage) -> None:
    """Switched off in the list, no key acts, also after a reload, until switched on again."""
    page = open_page(live.url)
    page.goto("/")
    page.keyboard.press("?")
    page.locator("#keys-on").uncheck()
    page.locator("#keys-close").click()
    for _ in range(2):
        for key in ("a", "x", "?", "s"):
            page.keyboard.press(key)
        expect(page.locator("[name=best]:checked")).to_have_count(0)
        expect(page.locator("#keys-help")).to_be_hidden()
        page.reload()
    assert live.site.count("vote") == 0
    assert live.site.events("ballot.skipped") == []

    page.locator(".more summary").click()
    page.locator("#keys-open").click()
    expect(page.locator("#keys-on")).not_to_be_checked()
    page.locator("#keys-on").check()
    page.locator("#keys-close").click()
    page.keyboard.press("d")
    expect(page.locator("#best-D")).to_be_checked()


def test_enter_keeps_its_meaning_on_other_controls(live: LiveArena, open_page: OpenPage) -> None:
    """Enter on a link or a switch is that control's own, and sends no vote."""
    page = open_page(live.url)
    page.goto("/")
    page.keyboard.press("a")
    page.locator("#answer-C .read-alone").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#answer-C")).to_be_visible()
    expect(page.locator("#answer-A")).to_be_hidden()
    assert live.site.count("vote") == 0


def test_keys_move_the_row_on_narrow_windows(live: LiveArena, open_page: OpenPage) -> None:
    """Below 1,100 px J brings the next answer into view as well as into focus."""
    page = open_page(live.url, viewport="phone")
    page.goto("/")
    assert in_view(page) == ["A"]
    page.keyboard.press("j")
    expect(page.locator("#answer-B .answer-scroll")).to_be_focused()
    expect(page.locator("[data-go=B]")).to_have_attribute("aria-current", "true")
