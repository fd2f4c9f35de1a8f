"""All that a visitor with an unvoted ballot can get from the application, and parts of its page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from werkzeug.test import TestResponse

from tests.fixtures.arena_site import ArenaSite, Page, Voter, vote_form
from tests.web.security.routes import SAFE, ManyAddresses, Route, routes

# Pages that speak of all models alike, whatever ballot is open; these may name them (V-169).
OF_ALL_MODELS = (
    "/models", "/leaderboard", "/charts", "/feed.atom", "/rules/lobster.py", "/audit",
)  # fmt: skip
FILES = ("/static", "/log", "/verify/receipt_check.py")
_ARTICLE = re.compile(r'<article class="answer[" ].*?</article>', re.DOTALL)
_SHOWN = re.compile(r'(<div class="answer-text prose"[^>]*>)(.*?)(</div>\s*<div class="answer-text raw">)', re.DOTALL)  # noqa: E501  # fmt: skip
_RAW = re.compile(r'(<pre class="raw-text"[^>]*>)(.*?)(</pre>)', re.DOTALL)
_QUESTION = re.compile(r'(<div class="question[" ][^>]*>).*?(</div>)', re.DOTALL)
MOST = 60  # ballots among which every model must have been


def ballots(
    arena: ArenaSite, count: int = 12, mode: str = "speed"
) -> Iterator[tuple[Voter, Page, frozenset[str]]]:
    """Yield ballots of new voters, with the models on them: so many, and until all were shown.

    Raises:
        AssertionError: some model of the registry is never shown.
    """
    left = set(arena.models())
    for number in range(max(count, MOST)):
        voter = arena.voter(f"198.51.100.{number + 1}")
        page = voter.ballot(mode)
        shown = frozenset(slot.model for slot in arena.held(page.token).slots)
        left -= shown
        yield voter, page, shown
        if number + 1 >= count and not left:
            return
    raise AssertionError(f"never shown: {sorted(left)}")


def of_every_model(arena: ArenaSite, mode: str = "speed") -> Iterator[tuple[Voter, Page]]:
    """Yield ballots until every model of the registry has stood on one, none without a new one."""
    seen: set[str] = set()
    for voter, page, shown in ballots(arena, 1, mode):
        if shown - seen:
            seen |= shown
            yield voter, page


def before_the_vote(arena: ArenaSite, voter: Voter, page: Page) -> Iterator[TestResponse]:
    """Yield what every route answers to the holder of an unvoted ballot, and then every refusal.

    Pages that speak of all models alike are left out; see `of_all_models`.
    """
    yield page.response
    yield from _every_route(arena, voter, page)
    yield from _refusals(arena, voter, page)
    yield voter.post("/skip", {"ballot": page.token}, htmx=True)
    yield voter.post("/skip", {"ballot": page.token})
    yield voter.vote(page.token)


def _every_route(arena: ArenaSite, voter: Voter, page: Page) -> Iterator[TestResponse]:
    """Ask each route for this ballot by its address, slot, token, letter and number."""
    browser = ManyAddresses(voter)
    held = arena.held(page.token)
    for route in routes(arena):
        if route.rule.startswith((*OF_ALL_MODELS, *FILES)):
            continue
        for path in _paths(route, (held.route, held.id, page.slots[0], page.token, "A", "1")):
            for method in sorted(route.methods & SAFE):
                yield browser.next()._open(method, path, {})
            if "GET" in route.methods:
                yield browser.next().get(path, htmx=True)
                yield browser.next().get(path, headers={"Accept": "application/json"})
                stranger = {"REMOTE_ADDR": browser.next().address}
                yield arena.app.test_client().get(path, environ_base=stranger)


def _paths(route: Route, names: tuple[str, ...]) -> Iterator[str]:
    if route.has_places:
        yield from (route.path_of_all(name) for name in names)
    else:
        yield route.rule


def _refusals(arena: ArenaSite, voter: Voter, page: Page) -> Iterator[TestResponse]:
    """Ask for what is refused, in all three forms: page, part of a page, JSON."""
    held, form = arena.held(page.token), vote_form(page.token)
    browser = ManyAddresses(voter)
    for options in ({}, {"htmx": True}, {"headers": {"Accept": "application/json"}}):
        for slot in ("A", "D", "E", page.slots[1]):
            report = {"ballot": page.token, "slot": slot, "reason": "identity"}
            yield browser.next().post("/report", report, **options)
        for changed in ({"worst": "A"}, {"ballot": "x"}, {"verdict": "x"}, {"best": "E"}):
            yield browser.next().post("/vote", form | changed, **options)
        yield browser.next().post(f"/ballots/{held.route}/reasons", {"reason": "clear"}, **options)
        yield browser.next().post("/consent", {"fingerprint": "no"}, **options)
        yield browser.next().post("/consent", {"fingerprint": "x"}, **options)
        yield browser.next().get("/?mode=none", **options)
        yield browser.next().get(f"/{page.slots[2]}", **options)
        yield arena.voter().post("/vote", form, **options)
        yield arena.voter().get(f"/ballots/{held.route}", **options)
    yield browser.next().post("/vote", form, headers={"Sec-Fetch-Site": "cross-site"})
    yield browser.next().post("/vote", {"ballot": "x" * 100_000})
    yield browser.next().get("/vote")


def of_all_models(arena: ArenaSite) -> Iterator[TestResponse]:
    """Yield the public pages and files that name models: register, boards, feed, charts, files."""
    browser = ManyAddresses(arena.voter())
    board = re.search(r"board=([0-9a-f-]{36})", browser.next().get("/leaderboard").text)
    for route in routes(arena):
        if not route.rule.startswith(OF_ALL_MODELS) or "GET" not in route.methods:
            continue
        values = {"board_id": board[1] if board else "x", "kind": "scores", "ending": "svg"}
        for slug in arena.models() if "<slug>" in route.rule else [""]:
            yield browser.next().get(route.path(**values, slug=slug))
    for view in ("scores", "lower", "ranges", "head-to-head", "history", "exposure", "makers"):
        for kind in ("", "&format=csv", "&format=json"):
            yield browser.next().get(f"/leaderboard?view={view}{kind}")


def public_log(arena: ArenaSite) -> Iterator[TestResponse]:
    """Yield the public log's files, after all that waits was sequenced."""
    size = arena.sequence()
    browser = ManyAddresses(arena.voter())
    yield browser.next().get("/log/checkpoint")
    yield browser.next().get("/log/key")
    for start in range(0, size, 256):
        width = min(256, size - start)
        name = f"{start // 256:03}" + ("" if width == 256 else f".p/{width}")
        for kind in ("0", "entries"):
            response = browser.next().get(f"/log/tile/{kind}/{name}")
            assert response.status_code == 200
            yield response


def frame(page: Page) -> str:
    """Return a ballot page without what it is about: question, answers and the form's token."""
    outside = _ARTICLE.sub("ANSWER", page.html).replace(page.token, "TOKEN")
    return _QUESTION.sub(r"\1QUESTION\2", outside)


def articles(page: Page) -> list[str]:
    """Return the four answers' parts of a page."""
    return _ARTICLE.findall(page.html)


def bare_answers(page: Page) -> list[str]:
    """Return what surrounds each of the four answers, without slot id and the answer's text."""
    found: list[str] = []
    for article, slot in zip(articles(page), page.slots, strict=True):
        bare = _RAW.sub(r"\1RAW\3", _SHOWN.sub(r"\1SHOWN\3", article))
        found.append(bare.replace(slot, "SLOT"))
    return found


def texts(page: Page) -> list[tuple[str, str]]:
    """Return each answer as shown and as raw text, in HTML."""
    found: list[tuple[str, str]] = []
    for article in articles(page):
        shown, raw = _SHOWN.search(article), _RAW.search(article)
        assert shown is not None
        assert raw is not None
        found.append((shown[2], raw[2]))
    return found


def head(page: Page) -> str:
    """Return a page's head: title, icons, sheets, cards for sharing."""
    return page.html.partition("</head>")[0]
