"""What the browser itself does before the vote: requests, referrers, storage, history, paper."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import OpenPage
from tests.browser.every_model import in_one_page, slots
from tests.browser.live_arena import LiveArena
from tests.browser.reading import skip, told
from tests.fixtures.arena_site import MODELS
from tests.fixtures.leaks import words_of
from tests.web.blindness.planting import for_one

KEPT = """async () => ({
  local: { ...localStorage }, session: { ...sessionStorage },
  databases: await indexedDB.databases(),
  caches: "caches" in window ? await caches.keys() : [],
  workers: (await navigator.serviceWorker?.getRegistrations() ?? []).length,
  name: window.name,
})"""


LOOK = """() => JSON.stringify([...document.querySelectorAll("article.answer")].map((part) => [
  part, part.querySelector(".answer-head"), part.querySelector(".answer-scroll"),
  part.querySelector(".answer-text"),
].map((box) => {
  const { x, y, width } = box.getBoundingClientRect();
  const { fontFamily, fontSize, fontWeight, color, backgroundColor, order } = getComputedStyle(box);
  return [x, y, width, fontFamily, fontSize, fontWeight, color, backgroundColor, order];
})))"""


@pytest.fixture
def words(live: LiveArena) -> set[str]:
    """Every string that the registry knows the models by."""
    return words_of(live.site.models().values())


def read_all(page: Page) -> None:
    """Read each answer alone, then its raw text, as an attentive voter does."""
    for letter in "ABCD":
        page.locator(f"#answer-{letter} .read-alone").click()
        page.get_by_label(f"Raw text: {letter}").check()
        page.keyboard.press("Escape")
    page.wait_for_load_state("networkidle")


def per_slot(requests: list[Request], ids: list[str], before: int) -> list[str]:
    """Return the requests that reading caused, pictures of the page aside, and those for a slot."""
    named = [each.url for each in requests if any(slot in each.url for slot in ids)]
    return [each.url for each in requests[before:] if "/static/" not in each.url] + named


def test_reading_sends_no_request(live: LiveArena, open_page: OpenPage) -> None:
    """Points 7, 8: the page comes whole; reading asks the server nothing, whoever wrote."""
    page = open_page(live.url)
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108 - as it must be
    for _ in in_one_page(live, page):
        page.wait_for_load_state("networkidle")
        before = len(requests)
        assert before > 10
        read_all(page)
        assert per_slot(requests, slots(page), before) == []
    before = len(requests)
    page.evaluate("slot => fetch('/healthz?' + slot).then((got) => got.text())", slots(page)[1])
    assert len(per_slot(requests, slots(page), before)) == 2


def test_requests_stay_here_and_say_not_whence(live: LiveArena, open_page: OpenPage) -> None:
    """Points 11, 12: every request goes to this origin, and none bears a referrer."""
    page = open_page(live.url)
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108 - as it must be
    page.goto("/")
    read_all(page)
    skip(page)
    page.wait_for_load_state("networkidle")
    page.goto("/leaderboard")

    assert [each.url for each in requests if not each.url.startswith(f"{live.url}/")] == []
    assert [h for each in requests if (h := each.all_headers().get("referer"))] == []
    assert page.evaluate("document.referrer") == ""
    # Asked to, the browser does say it: the line above would find it.
    page.evaluate("fetch('/healthz', {referrerPolicy: 'unsafe-url'}).then((got) => got.text())")
    assert requests[-1].all_headers().get("referer")


def test_answers_have_no_active_parts(live: LiveArena, open_page: OpenPage) -> None:
    """Point 11: in the answers nothing can be clicked that leads away, and nothing loads."""
    page = open_page(live.url)
    active = ".answer-text :is(a, img, iframe, video, audio, object, embed, form, script, style)"
    for _ in in_one_page(live, page):
        assert page.locator(active).count() == 0
    page.evaluate("document.querySelector('.answer-text').append(document.createElement('a'))")
    assert page.locator(active).count() == 1


def test_nothing_is_kept_before_the_vote(
    live: LiveArena, open_page: OpenPage, words: set[str]
) -> None:
    """No storage of the browser holds a slot or a name, and no worker or cache is set up."""
    page = open_page(live.url)
    for _ in in_one_page(live, page):
        read_all(page)
        page.locator("#best-B").check()
        kept: dict[str, Any] = page.evaluate(KEPT)
        empty = (kept["databases"], kept["caches"], kept["workers"], kept["name"])
        assert empty == ([], [], 0, "")
        text = json.dumps(kept).lower()
        assert [each for each in (*words, *slots(page)) if each.lower() in text] == []
    page.evaluate("slot => sessionStorage.setItem('seen', slot)", slots(page)[0])
    assert slots(page)[0] in json.dumps(page.evaluate(KEPT))


def test_paper_and_title_tell_nothing(
    live: LiveArena, open_page: OpenPage, words: set[str]
) -> None:
    """Point 13: printed, with forced colours or on a phone the ballot names nobody."""
    titles: set[str] = set()
    page = open_page(live.url)
    for _ in in_one_page(live, page):
        titles.add(page.title())
        page.emulate_media(media="print")
        assert told(page, words) == []
        printed = page.evaluate(
            "[...document.querySelectorAll('*')].flatMap((part) => ['::before', '::after']"
            ".map((kind) => getComputedStyle(part, kind).content)).join(' ').toLowerCase()"
        )
        assert [word for word in (*words, *slots(page)) if word.lower() in printed] == []
    assert len(titles) == 1


def tree(page: Page) -> list[tuple[str, str]]:
    """Return role and name of each node of the accessibility tree, without the texts to read."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    spoken = [
        # What is left of the day's skips and votes is said as well.
        (each["role"]["value"], re.sub(r"\d+", "N", each.get("name", {}).get("value", "")))
        for each in nodes
        if not each.get("ignored") and "role" in each
    ]
    return [
        (role, name)
        for role, name in spoken
        if not name.startswith(("View ", "What of "))
        and role not in ("InlineTextBox", "StaticText", "LabelText")
        # A box without a name is silent, and comes and goes with the wait before a vote.
        and (role, name) != ("generic", "")
    ]


Tree = tuple[tuple[str, str], ...]


def trees(live: LiveArena, open_page: OpenPage) -> set[Tree]:
    """Return the trees of ballots with every model of the registry."""
    page = open_page(live.url)
    return {tuple(tree(page)) for _ in in_one_page(live, page)}


def test_the_accessibility_tree_is_the_same_for_all_models(
    live: LiveArena, open_page: OpenPage
) -> None:
    """Point 23: what a screen reader says around the answers is the same, whoever wrote them."""
    found = trees(live, open_page)
    assert len(found) == 1
    assert len(next(iter(found))) > 40


@pytest.mark.parametrize("model", [model[0] for model in MODELS])
def test_a_label_of_one_models_answers_alone_is_heard(
    live: LiveArena, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """Whichever model it is: another role said of its answers turns the check above red."""
    for_one(model, 'role="group"')(live.site, monkeypatch)

    assert len(trees(live, open_page)) > 1


def looks(live: LiveArena, open_page: OpenPage) -> set[str]:
    """Return place, size and type of the four answers, on ballots with every model."""
    page = open_page(live.url)
    return {page.evaluate(LOOK) for _ in in_one_page(live, page)}


def test_answers_look_alike_whoever_wrote_them(live: LiveArena, open_page: OpenPage) -> None:
    """Point 9: one place, width, font and colour for all that stands in a slot."""
    assert len(looks(live, open_page)) == 1


def test_a_look_of_one_models_answers_is_seen(
    live: LiveArena, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One model's answers out of their place are enough for the check above."""
    for_one("fenwhistle", "hidden")(live.site, monkeypatch)

    assert len(looks(live, open_page)) > 1


def go_back(page: Page) -> None:
    """Go back in the browser's history."""
    page.go_back()


def reload(page: Page) -> None:
    """Load the page again."""
    page.reload()


@pytest.mark.parametrize("way, shown", [(go_back, "#ballot"), (reload, "#reveal")])
def test_after_the_reveal_the_old_ballot_is_gone(
    live: LiveArena, open_page: OpenPage, way: Callable[[Page], None], shown: str
) -> None:
    """Point 16: back shows another ballot and reload the reveal, never the old one to vote on."""
    page = open_page(live.url)
    page.goto("/")
    old = slots(page)
    page.locator("#best-A").check()
    live.wait(30)
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()

    way(page)
    expect(page.locator(shown)).to_be_visible()

    assert not set(slots(page)) & set(old)
    assert live.site.count("vote") == 1


def test_a_second_tab_cannot_vote_again(live: LiveArena, open_page: OpenPage) -> None:
    """Point 16: the same ballot in two tabs takes one vote, and the other tab is told so."""
    page = open_page(live.url, expected_statuses=frozenset({409}))
    page.goto("/")
    second = page.context.new_page()
    second.goto("/")
    assert slots(second) == slots(page)
    live.wait(30)
    page.locator("#best-A").check()
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()
    live.wait(30)

    second.locator("#best-B").check()
    second.locator("#vote-button").click()

    expect(second.locator("#ballot-message")).to_contain_text("You have voted on this ballot")
    assert live.site.count("vote") == 1
