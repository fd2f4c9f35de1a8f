"""A vote by mouse: choosing, sending, the reveal in place, and what must not come back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.live_arena import LiveArena
from tests.browser.reading import box


def letters_of_models(page: Page) -> dict[str, str]:
    """Return the model that each revealed card names in its attribute."""
    cards = page.locator("#reveal .answer")
    return {
        (card.get_attribute("id") or "")[-1]: card.get_attribute("data-model") or ""
        for card in cards.all()
    }


def vote_by_mouse(page: Page, best: str = "A", worst: str | None = "D") -> None:
    """Choose and send, and wait for the reveal."""
    page.locator(f"#best-{best}").check()
    if worst is not None:
        page.locator(f"#worst-{worst}").check()
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()


def test_a_vote_by_mouse_reveals_all_four_in_place(live: LiveArena, open_page: OpenPage) -> None:
    """Best, worst and Vote turn the four cards, in their places, to their models' names."""
    page = open_page(live.url)
    page.goto("/")
    slots = [card.get_attribute("data-slot") for card in page.locator(".answer").all()]
    texts = page.locator(".answer .prose").all_inner_texts()
    page.evaluate("window.sameDocument = true")

    vote_by_mouse(page)

    held = live.site.events("vote.cast")
    assert len(held) == 1
    expect(page.locator("#reveal-heading")).to_have_text("You picked A as best, D as worst.")
    expect(page.locator("#reveal-heading")).to_be_focused()
    expect(page).to_have_url(re.compile(r"/ballots/[\w-]+$"))
    assert page.evaluate("window.sameDocument") is True
    assert page.title().startswith("Your vote")
    assert page.locator(".answer .prose").all_inner_texts() == texts
    models = letters_of_models(page)
    assert sorted(models) == list("ABCD")
    for letter, slug in models.items():
        name = live.site.models()[slug].name
        expect(page.locator(f"#answer-{letter} .model-name")).to_contain_text(name)
    assert len(set(models.values())) == len(slots) == 4
    expect(page.locator("#answer-A .mark-best")).to_be_visible()
    expect(page.locator("#answer-D .mark-worst")).to_be_visible()


def test_the_address_of_the_reveal_shows_the_same_again(
    live: LiveArena, open_page: OpenPage
) -> None:
    """Reloading the address that the vote pushed shows the same four models and picks."""
    page = open_page(live.url)
    page.goto("/")
    vote_by_mouse(page, "B", "C")
    models = letters_of_models(page)

    page.reload()

    assert letters_of_models(page) == models
    expect(page.locator("#reveal-heading")).to_have_text("You picked B as best, C as worst.")


def test_best_alone_is_a_vote(live: LiveArena, open_page: OpenPage) -> None:
    """Without a worst the vote is complete, and the reveal says so (V-013)."""
    page = open_page(live.url)
    page.goto("/")
    vote_by_mouse(page, "C", None)
    expect(page.locator("#reveal-heading")).to_have_text("You picked C as best and no worst.")
    assert live.site.count("vote", "worst IS NULL") == 1


@pytest.mark.parametrize(
    "verdict, heading",
    [("About the same", "about the same"), ("Both bad", "both bad: none of the four")],
)
def test_a_way_out_is_sent_without_the_picks(
    live: LiveArena, open_page: OpenPage, verdict: str, heading: str
) -> None:
    """A way-out pressed after picking carries neither pick: the two forms never mix (V-010)."""
    page = open_page(live.url)
    page.clock.install()
    page.goto("/")
    page.clock.run_for(5_000)  # in haste it would be held once
    page.locator("#best-A").check()
    page.locator("#worst-B").check()
    page.get_by_role("button", name=verdict).click()
    expect(page.locator("#reveal-heading")).to_contain_text(heading)
    assert page.locator(".mark-best:visible, .mark-worst:visible").count() == 0
    assert live.site.count("vote", "best IS NULL AND worst IS NULL") == 1


def test_one_answer_cannot_be_best_and_worst(live: LiveArena, open_page: OpenPage) -> None:
    """Choosing the best as worst, or the worst as best, moves the pick away from the other."""
    page = open_page(live.url)
    page.goto("/")
    page.locator("#best-A").check()
    page.locator("#worst-A").check()
    expect(page.locator("[name=best]:checked")).to_have_count(0)
    expect(page.locator("#worst-A")).to_be_checked()
    expect(page.locator("#vote-button")).to_have_attribute("aria-disabled", "true")

    page.locator("#best-B").check()
    page.locator("#best-A").check()
    expect(page.locator("#best-A")).to_be_checked()
    expect(page.locator("#worst-none")).to_be_checked()
    expect(page.locator("#vote-status")).to_have_text("A is best, no worst.")


def test_vote_says_what_is_missing(live: LiveArena, open_page: OpenPage) -> None:
    """Without a best nothing is sent: the button says so and leads to the first choice."""
    page = open_page(live.url)
    page.goto("/")
    expect(page.locator("#vote-button")).to_have_attribute("aria-disabled", "true")
    page.locator("#vote-button").click(force=True)  # it is marked as disabled, but answers
    expect(page.locator("#vote-status")).to_have_text("Choose the best answer first.")
    expect(page.locator("#best-A")).to_be_focused()
    assert live.site.count("vote") == 0


def test_a_double_click_votes_once(live: LiveArena, open_page: OpenPage) -> None:
    """Two quick clicks on Vote make one vote and one reveal, without an error."""
    page = open_page(live.url)
    page.goto("/")
    page.locator("#best-A").check()
    page.locator("#vote-button").dblclick()
    expect(page.locator("#reveal")).to_be_visible()
    assert live.site.count("vote") == 1
    assert live.site.refusals() == []


def test_the_cooldown_keeps_the_ballot_and_the_picks(live: LiveArena, open_page: OpenPage) -> None:
    """A vote too soon is answered in the bar; picks stay, and the same ballot is sent later."""
    page = open_page(live.url, expected_statuses=frozenset({429}))
    page.goto("/")
    vote_by_mouse(page)
    page.goto("/")
    expect(page.locator("#vote-wait")).to_contain_text("You can send your vote in")
    page.locator("#best-C").check()
    page.locator("#worst-B").check()
    page.locator("#vote-button").click()

    message = page.locator("#ballot-message [data-reason=cooldown]")
    expect(message).to_be_visible()
    expect(message).to_contain_text("Your ballot and your choice are kept")
    expect(page.locator("#best-C")).to_be_checked()
    expect(page.locator("#worst-B")).to_be_checked()
    assert box(message)["bottom"] <= 900
    assert page.url.endswith("/")

    live.wait(10)
    page.locator("#vote-button").click()
    expect(page.locator("#reveal-heading")).to_have_text("You picked C as best, B as worst.")


def test_a_second_tab_cannot_vote_again(live: LiveArena, open_page: OpenPage) -> None:
    """The ballot open in two tabs takes one vote; the other tab is told that the first stands."""
    first = open_page(live.url, expected_statuses=frozenset({409}))
    first.goto("/")
    second = first.context.new_page()
    second.goto("/")
    vote_by_mouse(first)

    second.locator("#best-B").check()
    second.locator("#vote-button").click()

    message = second.locator("#ballot-message [data-reason=already_voted]")
    expect(message).to_contain_text("Your first vote stands")
    expect(second.locator("#reveal")).to_have_count(0)
    assert live.site.count("vote") == 1
    message.get_by_role("link", name="Next question").click()
    expect(second.locator("#ballot")).to_be_visible()
    expect(second.locator("#best-B")).not_to_be_checked()


def test_back_never_opens_the_vote_again(live: LiveArena, open_page: OpenPage) -> None:
    """Going back from the reveal shows another ballot, never the one that was voted on."""
    page = open_page(live.url)
    page.goto("/")
    slots = {card.get_attribute("data-slot") for card in page.locator(".answer").all()}
    question = page.locator(".question h1").inner_text()
    vote_by_mouse(page)

    page.go_back()

    expect(page.locator("#ballot")).to_be_visible()
    now = {card.get_attribute("data-slot") for card in page.locator(".answer").all()}
    assert not slots & now
    assert page.locator(".question h1").inner_text() != question
    assert page.locator("[name=best]:checked").count() == 0
    page.go_forward()
    expect(page.locator("#reveal-heading")).to_have_text("You picked A as best, D as worst.")


def test_a_server_that_is_gone_loses_no_choice(live: LiveArena, open_page: OpenPage) -> None:
    """When the vote does not get through, the page says so and the choice can be sent again."""
    page = open_page(live.url, expected_errors=("net::ERR_CONNECTION_REFUSED", "Failed to fetch"))
    page.goto("/")
    page.locator("#best-B").check()
    page.route("**/vote?*", lambda route: route.abort("connectionrefused"))
    page.locator("#vote-button").click()
    expect(page.locator("#ballot-message")).to_contain_text("Your choice and your reading are kept")
    expect(page.locator("#best-B")).to_be_checked()
    page.unroute("**/vote?*")
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()
