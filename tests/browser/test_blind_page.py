"""Before the vote nothing in the browser names a model: source, tree, storage, addresses."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import OpenPage
from tests.browser.every_model import in_one_page
from tests.browser.live_arena import LiveArena
from tests.browser.reading import told
from tests.fixtures.arena_site import MODELS
from tests.fixtures.leaks import words_of
from tests.web.blindness.planting import for_one


@pytest.fixture
def words(live: LiveArena) -> set[str]:
    """Every string that the registry knows the models by."""
    return words_of(live.site.models().values())


def use_all(page: Page) -> None:
    """Touch what a voter may touch before voting."""
    page.locator("#best-A").check()
    page.locator("#worst-B").check()
    page.locator("#answer-C .read-alone").click()
    page.keyboard.press("Escape")
    page.get_by_label("Raw text: D").check()
    page.locator(".more summary").click()
    page.keyboard.press("Escape")


def named(live: LiveArena, page: Page, words: set[str], mode: str = "speed") -> list[str]:
    """Return what ballots with every model of the registry tell, as they come and as used."""
    found: list[str] = []
    for _ in in_one_page(live, page, mode):
        found += told(page, words)
        use_all(page)
        found += told(page, words)
    return found


@pytest.mark.parametrize("mode", ["speed", "expert"])
def test_nothing_names_a_model_before_the_vote(
    live: LiveArena, open_page: OpenPage, words: set[str], mode: str
) -> None:
    """Source, accessibility tree, cookies, storage, history and addresses tell no name of any."""
    assert named(live, open_page(live.url), words, mode) == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model[0])
def test_a_name_on_one_models_answers_alone_is_found(
    live: LiveArena,
    open_page: OpenPage,
    words: set[str],
    monkeypatch: pytest.MonkeyPatch,
    model: tuple[str, str, str, str, str],
) -> None:
    """Whichever model it is: a label that only its answers bear turns the check above red."""
    slug, name, *_ = model
    for_one(slug, f'aria-label="{name}"')(live.site, monkeypatch)

    assert set(named(live, open_page(live.url), words)) == {name.lower()}


def test_no_request_or_answer_before_the_vote_names_a_model(
    live: LiveArena, open_page: OpenPage, words: set[str]
) -> None:
    """Whatever the browser sends and gets until the vote, headers included, holds no name."""
    page = open_page(live.url)
    responses: list[Response] = []
    # Playwright hangs attributes on what it calls, which a bound method does not bear.
    page.on("response", lambda response: responses.append(response))  # noqa: PLW0108
    for _ in in_one_page(live, page):
        use_all(page)
    page.wait_for_load_state("networkidle")
    heard = [f"{each.url} {each.all_headers()} {each.text()}".lower() for each in responses]
    assert len(heard) > 10
    assert [word for word in words if any(word in each for each in heard)] == []


def test_the_next_ballot_after_a_reveal_is_blind_again(
    live: LiveArena, open_page: OpenPage, words: set[str]
) -> None:
    """Names of the reveal do not stay behind in the page when the next question replaces it."""
    page = open_page(live.url)
    page.goto("/")
    page.locator("#best-A").check()
    page.locator("#vote-button").click()
    expect(page.locator("#reveal")).to_be_visible()
    assert len(told(page, words)) > 8
    page.goto("/")
    assert told(page, words) == []


HIDING_PLACES: dict[str, str] = {
    "hidden text": "(name) => document.body.append(Object.assign("
    "document.createElement('p'), { hidden: true, textContent: name }))",
    "attribute": "(name) => document.getElementById('answer-B').dataset.model = name",
    "label": "(name) => document.getElementById('answer-B').setAttribute('aria-label', name)",
    "class": "(name) => document.getElementById('answer-B').classList.add('from-' + name)",
    "storage": "(name) => localStorage.setItem('model', name)",
    "cookie": "(name) => { document.cookie = 'model=' + name; }",
    "address": "(name) => history.replaceState(null, '', '/?model=' + name)",
    "title": "(name) => { document.title = name; }",
    "style sheet": "(name) => { document.querySelector('.bar').style.setProperty('--m', name); }",
}


def test_a_name_put_in_is_found(live: LiveArena, open_page: OpenPage, words: set[str]) -> None:
    """The check above goes red for one model's name, wherever in the page it is hidden."""
    page = open_page(live.url)
    page.goto("/")
    for place, put in HIDING_PLACES.items():
        page.evaluate(put, "brimwick-x")
        assert told(page, words) == ["brimwick-x"], place
        page.evaluate("localStorage.clear()")
        page.context.clear_cookies(name="model")
        page.goto("/")
        assert told(page, words) == [], place


def test_a_picture_named_after_a_model_is_found(
    live: LiveArena, open_page: OpenPage, words: set[str]
) -> None:
    """A file name that names a maker is found among the loaded addresses."""
    page = open_page(live.url, expected_statuses=frozenset({404}))
    page.goto("/")
    page.evaluate("async () => { await (await fetch('/static/img/sarnfield.svg')).text(); }")
    assert "sarnfield" in told(page, words)
