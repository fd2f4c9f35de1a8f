"""Checks of votes, board and log: points 15 to 19 and 24 of the list of leaks, and V-169.

Each takes a fresh site and says what it found; nothing is blindness.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from statistics import correlation

from werkzeug.test import TestResponse

from antiabuse.identity import pseudonym
from arena import moderation
from arena.moderation import Actor
from arena.refits import refit_now
from arena.standing_reasons import JoinReason
from tests.fixtures.arena_site import ArenaSite, Voter, route_of
from tests.fixtures.arena_votes import votes_by_order
from tests.fixtures.leaks import disguised, ids_of, leaks, lookups, words_of
from tests.fixtures.moderators import moderator_of
from tests.web.blindness import crawl
from tests.web.blindness.response_checks import where
from tests.web.security.routes import ManyAddresses, routes

MONTH = "2026-11"
_NOT_COUNTED = "This vote will not count"
_OF_OPERATORS = ("/moderation", "/operator")
# What each account has for itself, whatever its role.
_OF_ACCOUNTS = ("/moderation/account", "/moderation/sign-in", "/moderation/sign-out")
DAY_S = 86_400
ROSA = Actor("Rosa", "M-0001")
# The reader's own, the log itself, which takes each vote, and the process's numbers.
_OWN_OR_LOG = ("/", "/me", "/me/data.json", "/log/checkpoint", "/metrics", "/verify")
_GROWS = re.compile(
    r"Public log: entry [\d,]+, signed \d+ \w+ ago"
    r"|\d+ newer votes? waits? for the next computation\.|\s"
)


def seen_answers_come_back(arena: ArenaSite) -> Iterator[str]:
    """Point 15: what was revealed to a voter, or to one joined to them, comes again and counts."""
    voter, joined = arena.voter(), arena.voter()
    revealed: set[str] = set()
    for _ in range(12):
        yield from _counted_again(arena, voter, revealed)
    first: set[str] = set()
    yield from _counted_again(arena, joined, first)
    ports = arena.services.ports
    names = [pseudonym(ports.keys, MONTH, each.id) for each in (voter, joined)]
    moderation.join(ports, ROSA, MONTH, names, JoinReason.SAME_DEVICE, arena.clock())
    yield from (f"joined: {each}" for each in _counted_again(arena, joined, revealed | first))
    arena.clock.advance(31 * DAY_S)
    for _ in range(3):
        yield from (f"next month: {each}" for each in _counted_again(arena, voter, revealed))


def _counted_again(arena: ArenaSite, voter: Voter, revealed: set[str]) -> Iterator[str]:
    """Vote once more; yield the answers revealed before, if the vote counts or may seem to."""
    page = voter.ballot()
    answers = {slot.answer for slot in arena.held(page.token).slots}
    again = answers & revealed
    revealed |= answers
    arena.clock.advance(30)
    voter.vote(page.token)
    weight = float(arena.events("vote.cast")[-1].body["weight"])
    if again and (_NOT_COUNTED not in page.html or weight > 0):
        yield from sorted(again)


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
    other = arena.voter()
    token = other.ballot().token
    other.post("/skip", {"ballot": token})
    arena.clock.advance(30)
    after = other.post("/vote", _form(token, {})).status_code
    found += [] if after in (409, 410) else [f"vote after the skip: {after}"]
    return found + [f"{arena.count('vote')} votes"] * (arena.count("vote") != 1)


def _form(token: str, fields: Mapping[str, str]) -> dict[str, str]:
    usual = {"ballot": token, "verdict": "best_worst", "dwell_ms": "30000", "scroll": "1"}
    picks = {} if "verdict" in fields else {"best": "A", "worst": "D"}
    return {**usual, **picks, **fields}


def board_moves_with_a_vote(arena: ArenaSite) -> list[str]:
    """Point 17: one vote moves something public before the next batch is fitted."""
    votes_by_order(arena, 8)
    refit_now(arena.services.ports, "speed", MONTH, arena.clock())
    before = _public(arena)
    arena.voter().read_and_vote()
    arena.sequence()
    after = _public(arena)
    return [path for path, text in before.items() if after.get(path) != text]


def _public(arena: ArenaSite) -> dict[str, str]:
    """Return what anybody reads, but for how much the log holds and what waits to be fitted."""
    reader = ManyAddresses(arena.voter())
    told: dict[str, str] = {}
    for route in routes(arena):
        if "GET" in route.methods and not route.has_places and route.rule not in _OWN_OR_LOG:
            told[route.rule] = reader.next().get(route.rule).text
    told |= {each.request.full_path: each.text for each in crawl.of_all_models(arena)}
    return {path: _GROWS.sub("", text) for path, text in told.items()}


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
    sealed = [each for each in arena.events(*_OF_VOTERS) if each.disclosure.value == "archive"]
    assert len(sealed) > 5
    for each in sealed:
        # Without its salt, or with one that others have, a body could be guessed.
        words |= {
            each.body_text,
            each.body_salt,
            hashlib.sha256(each.body_text.encode()).hexdigest(),
        }
    salts = Counter(each.body_salt for each in arena.events(*_OF_VOTERS))
    yield from (f"{salt} seals {times} events" for salt, times in salts.items() if times > 1)
    yield from _told(crawl.public_log(arena), words)


def log_tells_the_moment(arena: ArenaSite) -> Iterator[str]:
    """Point 19: order, id or time of a log entry joins it to whoever acted then."""
    _act(arena)
    recorded = arena.events(*_OF_VOTERS)
    arena.sequence()
    missing = set(_OF_VOTERS) - {each.kind for each in recorded}
    assert not missing, f"nothing of {missing}"
    for each in recorded:
        if each.id[14] != "4":  # UUID version
            yield f"{each.kind} {each.id}: not a random id"
        if each.disclosure.value != "archive":
            yield f"{each.kind}: at once"
        if not each.shuffled:
            yield f"{each.kind}: in its order"
        times = re.findall(r"20\d\d-\d\d-\d\dT[0-9:.]+|\b1[6-9]\d{8,}\b", each.body_text)
        yield from (f"{each.kind}: {t}" for t in times if not re.search(r"T\d\d:00(:00)?$", t))
    for kind in _OF_VOTERS:
        ids = [int(each.id[:8], 16) for each in recorded if each.kind == kind]
        if _goes_on(ids):
            yield f"{kind}: ids in the order of events"
    with arena.database.read() as conn:
        query = (
            "SELECT e.seq FROM log_entry l JOIN event e ON e.id = l.event_id"
            " WHERE e.shuffled ORDER BY l.idx"
        )
        order = list(conn.exec_driver_sql(query).scalars())
    if _goes_on(order):
        yield "the batch is in order"
    # Shuffled, few stay beside whom they happened after.
    beside = sum(abs(one - next_) == 1 for one, next_ in pairwise(order))
    if beside > len(order) / 4:
        yield f"{beside} of {len(order)} stand beside what happened just before"


_OF_VOTERS = (
    "ballot.issued", "ballot.shown", "ballot.skipped", "vote.cast", "vote.refused",
    "ballot.reported", "vote.reasoned",
)  # fmt: skip
IN_ORDER = 3.9  # in standard deviations: one in ten thousand random orders


def _act(arena: ArenaSite) -> None:
    """Let voters do, one after another, all that the log takes note of."""
    for number in range(20):
        voter = arena.voter()
        page = voter.ballot()
        voter.post("/report", {"ballot": page.token, "slot": "A", "reason": "broken"})
        voter.ballot()
        if number % 3 == 0:
            voter.post("/skip", {"ballot": page.token})
            page = voter.ballot()
        arena.clock.advance(137)
        address = route_of(voter.vote(page.token))
        voter.post(f"/ballots/{address}/reasons", {"reason": "clear"})
        voter.vote(page.token)


def _goes_on(numbers: Sequence[int]) -> bool:
    """Say whether numbers go up or down too steadily for chance, by Spearman's correlation."""
    ranks = [sorted(numbers).index(number) for number in numbers]
    return bool(abs(correlation(ranks, range(len(ranks)))) * (len(ranks) - 1) ** 0.5 > IN_ORDER)


def operators_pages_are_open(arena: ArenaSite) -> list[str]:
    """Point 24: a moderator's or operator's page shows something to a voter, or to a master."""
    words = words_of(arena.models().values()) | {text.lower() for text in _texts(arena)}
    voter = arena.voter()
    page = voter.ballot()
    words |= {*page.slots, voter.id, arena.held(page.token).id}
    found: list[str] = []
    browser = ManyAddresses(voter)
    master = ManyAddresses(moderator_of(arena, "maud", "master"))
    assert master.voter.get("/moderation/account").status_code == 200
    subject = pseudonym(arena.services.ports.keys, MONTH, voter.id)
    for who, route in product((browser, master), routes(arena)):
        own = who is master and route.rule.startswith(_OF_ACCOUNTS)
        if own or not route.rule.startswith(_OF_OPERATORS):
            continue
        for method in sorted(route.methods - {"OPTIONS"}):
            got = who.next()._open(method, route.path(subject=subject), {})
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
