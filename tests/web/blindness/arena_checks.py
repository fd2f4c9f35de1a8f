"""Checks of draws, votes, board and log: points 6, 14 to 19 and 24 of the list of leaks, and V-169.

Each takes a fresh site and says what it found; nothing is blindness.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from werkzeug.test import TestResponse

from arena import ballot_draw, exposure
from arena.ballot_store import Revealed
from arena.refits import refit_now
from tests.fixtures.arena_site import ArenaSite, route_of
from tests.fixtures.leaks import disguised, ids_of, leaks, lookups, words_of
from tests.web.blindness import crawl
from tests.web.blindness.page_checks import where
from tests.web.security.routes import ManyAddresses, routes

DRAWS = 2_000
MONTH = "2026-11"
_NOT_COUNTED = "This vote will not count"
_OF_OPERATORS = ("/moderation", "/operator")


def drawn(arena: ArenaSite) -> list[tuple[str, ...]]:
    """Return the models of many ballots in slot order, as the arena itself draws them."""
    with arena.database.read() as conn:
        snapshot = arena.services.ports.catalogue.current(conn)
        known = exposure.mode_indices(conn, snapshot, "speed", None)
    nothing = Revealed(frozenset(), frozenset())
    return [
        tuple(
            a.model for a in ballot_draw.draw_ballot(snapshot, "speed", known, nothing, rng).answers
        )
        for rng in [arena.services.rng]
        for _ in range(DRAWS)
    ]


def improbable(counts: Mapping[Any, int], expected: Mapping[Any, float], free: int) -> bool:
    """Say whether counts are further from the expected than chance makes once in 10,000 times.

    Pearson's chi-square with `free` degrees of freedom, its quantile by Wilson and Hilferty.
    """
    square = sum((counts.get(key, 0) - mean) ** 2 / mean for key, mean in expected.items())
    spread = 2 / (9 * free)
    return bool(square > free * (1 - spread + 3.719 * spread**0.5) ** 3)


def places_depend_on_models(arena: ArenaSite) -> list[str]:
    """Point 6: a model stands in one place more often than in another, or letters are shuffled."""
    slates = drawn(arena)
    shown = Counter(model for slate in slates for model in slate)
    counts = Counter((model, place) for slate in slates for place, model in enumerate(slate))
    expected = {(m, place): times / 4 for m, times in shown.items() for place in range(4)}
    found = ["places"] if improbable(counts, expected, 3 * (len(shown) - 1)) else []
    page = arena.voter().ballot()
    held = arena.held(page.token)
    found += [] if page.slots == tuple(slot.slot_id for slot in held.slots) else ["not as stored"]
    letters = re.findall(r'<article[^>]* id="answer-([A-D])"', page.html)
    return found + ([] if letters == list("ABCD") else [f"letters {letters}"])


def models_are_favoured(arena: ArenaSite) -> list[str]:
    """Point 14: of models that stand alike, one is on more ballots than another; or always on."""
    slates = drawn(arena)
    makers = Counter(model.maker for model in arena.models().values())
    alone = {slug for slug, model in arena.models().items() if makers[model.maker] == 1}
    shown = Counter(model for slate in slates for model in slate)
    found: list[str] = []
    for alike in (alone, set(arena.models()) - alone):
        mean = sum(shown[slug] for slug in alike) / len(alike)
        if improbable(shown, dict.fromkeys(alike, mean), len(alike) - 1):
            found.append(f"shares of {sorted(alike)}: {[shown[slug] for slug in sorted(alike)]}")
    return found + [slug for slug, times in shown.items() if times == len(slates)]


def seen_answers_come_back(arena: ArenaSite) -> list[str]:
    """Point 15: an answer revealed to the voter comes again on a ballot that counts."""
    voter = arena.voter()
    revealed: set[str] = set()
    found: list[str] = []
    for _ in range(14):
        page = voter.ballot()
        again = {slot.answer for slot in arena.held(page.token).slots} & revealed
        revealed |= {slot.answer for slot in arena.held(page.token).slots}
        arena.clock.advance(30)
        voter.vote(page.token)
        body = arena.events("vote.cast")[-1].body
        if again and (_NOT_COUNTED not in page.html or float(body["weight"]) > 0):
            found += sorted(again)
    return found


def votes_count_twice(arena: ArenaSite) -> list[str]:
    """Point 16: after the reveal the old form, a second tab or a reload lets the voter vote."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(30)
    route = route_of(voter.vote(page.token))
    arena.clock.advance(30)
    found: list[str] = []
    for way in ({"htmx": True}, {}):
        for fields in ({}, {"verdict": "bad"}, {"best": "B", "worst": "C"}):
            status = voter.post("/vote", _form(page.token, fields), **way).status_code
            found += [] if status == 409 else [f"vote again: {status}"]
    for again in (voter.get(f"/ballots/{route}"), voter.get("/")):
        found += [f"{where(again)}: the form"] * (page.token in again.text)
        found += [f"{where(again)}: the slots"] * any(slot in again.text for slot in page.slots)
    skipped = voter.post("/skip", {"ballot": page.token}).status_code
    found += [] if skipped in (409, 410) else [f"skip after the vote: {skipped}"]
    return found + [f"{arena.count('vote')} votes"] * (arena.count("vote") != 1)


def _form(token: str, fields: Mapping[str, str]) -> dict[str, str]:
    usual = {"ballot": token, "verdict": "best_worst", "dwell_ms": "30000", "scroll": "1"}
    picks = {} if "verdict" in fields else {"best": "A", "worst": "D"}
    return {**usual, **picks, **fields}


def board_moves_with_a_vote(arena: ArenaSite) -> list[str]:
    """Point 17: one vote moves something public before the next batch is fitted."""
    voter = arena.voter()
    voter.read_and_vote()
    arena.sequence()
    refit_now(arena.services.ports, "speed", MONTH, arena.clock())
    before = _public_numbers(arena)
    voter.read_and_vote()
    arena.sequence()
    after = _public_numbers(arena)
    return [path for path, text in before.items() if after[path] != text]


def _public_numbers(arena: ArenaSite) -> dict[str, str]:
    paths = [f"/leaderboard?view={view}&format=json" for view in ("scores", "head-to-head")]
    paths += [f"/leaderboard?view={view}&format=csv" for view in ("lower", "ranges", "makers")]
    paths += ["/feed.atom"]
    reader = ManyAddresses(arena.voter())
    return {path: reader.next().get(path).text for path in paths}


def log_tells_of_the_month(arena: ArenaSite) -> Iterator[str]:
    """Point 18: a public file of the log names what ballots and votes of the open month were."""
    voter, skipper = arena.voter(), arena.voter()
    page = voter.ballot()
    held = arena.held(page.token)
    arena.clock.advance(30)
    voter.vote(page.token)
    skipper.post("/report", {"ballot": skipper.ballot().token, "slot": "A", "reason": "broken"})
    skipper.post("/skip", {"ballot": skipper.ballot().token})
    words = words_of(arena.models().values()) | ids_of(held)
    words |= {voter.id, held.route, *page.slots, *_texts(arena), "best_worst"}
    yield from _told(crawl.public_log(arena), words)


def log_tells_the_moment(arena: ArenaSite) -> list[str]:
    """Point 19: order, id or time of a log entry joins it to whoever acted then."""
    found: list[str] = []
    for _ in range(10):
        voter = arena.voter()
        page = voter.ballot()
        arena.clock.advance(37)
        voter.vote(page.token)
    kinds = ("ballot.issued", "ballot.shown", "vote.cast", "ballot.skipped", "vote.refused")
    recorded = arena.events(*kinds)
    arena.sequence()
    for each in recorded:
        found += [f"{each.kind} {each.id}: not a random id"] * (each.id[14] != "4")
        found += [f"{each.kind}: at once"] * (each.disclosure.value != "archive")
        found += [f"{each.kind}: in its order"] * (not each.shuffled)
        times = re.findall(r"20\d\d-\d\d-\d\dT[0-9:.]+|\b1[6-9]\d{8,}\b", each.body_text)
        found += [f"{each.kind}: {t}" for t in times if not t.endswith(":00")]
    with arena.database.read() as conn:
        query = (
            "SELECT e.seq FROM log_entry l JOIN event e ON e.id = l.event_id"
            " WHERE e.shuffled ORDER BY l.idx"
        )
        order = list(conn.exec_driver_sql(query).scalars())
    return found + ["the batch is in order"] * (order == sorted(order) and len(order) > 10)


def operators_pages_are_open(arena: ArenaSite) -> list[str]:
    """Point 24: a moderator's or operator's page shows something to whoever is not signed in."""
    words = words_of(arena.models().values()) | {text.lower() for text in _texts(arena)}
    voter = arena.voter()
    page = voter.ballot()
    words |= {*page.slots, voter.id, arena.held(page.token).id}
    browser = ManyAddresses(voter)
    found: list[str] = []
    for route in routes(arena):
        if not route.rule.startswith(_OF_OPERATORS):
            continue
        for method in sorted(route.methods - {"OPTIONS"}):
            got = browser.next()._open(method, route.path(), {})
            signs_in = route.rule.endswith("/sign-in") and method in ("GET", "HEAD", "POST")
            refused = got.status_code in (302, 303, 401, 403, 404) or (
                method == "POST" and got.status_code < 500 and reason(got.text)
            )
            found += [] if signs_in or refused else [f"{where(got)}: open"]
            found += [f"{where(got)}: {leak}" for leak in leaks(got, words)]
    for path in ("/metrics", "/healthz", "/readyz"):
        found += [f"{path}: {leak}" for leak in leaks(browser.next().get(path), words)]
    return found


def reason(html: str) -> bool:
    """Say whether a page is one of refusal."""
    return "data-reason=" in html


def answers_join_models(arena: ArenaSite) -> Iterator[str]:
    """V-169: a public page or file holds an answer's text, its id or a plain digest of its text."""
    voter = arena.voter()
    page = voter.ballot()
    held = arena.held(page.token)
    arena.clock.advance(30)
    voter.vote(page.token)
    arena.sequence()
    refit_now(arena.services.ports, "speed", MONTH, arena.clock())
    with arena.database.read() as conn:
        ids = set(conn.exec_driver_sql("SELECT id FROM answer").scalars())
    texts = _texts(arena)
    slugs = set(arena.models())
    named = 0

    def responses() -> Iterator[TestResponse]:
        nonlocal named
        for each in crawl.of_all_models(arena):
            named += bool(leaks(each, slugs))
            yield each
        yield from crawl.public_log(arena)

    yield from _told(responses(), texts | ids | {*page.slots, held.route, voter.id})
    assert named > 5, "the crawl did not get to the pages that name models"


def _told(responses: Iterable[TestResponse], words: set[str]) -> Iterator[str]:
    """Say which of the words, plain or disguised, responses tell."""
    disguises = disguised(words)
    plain = {word.lower() for word in words}
    for each in responses:
        for leak in (*leaks(each, plain), *lookups(each, disguises)):
            yield f"{where(each)}: {leak}"


def _texts(arena: ArenaSite) -> set[str]:
    """Return the answers' texts, and their HTML."""
    found: set[str] = set()
    with arena.database.read() as conn:
        for query in ("SELECT text FROM answer", "SELECT html FROM answer_html"):
            found |= set(conn.exec_driver_sql(query).scalars())
    return found
