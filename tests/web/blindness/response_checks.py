"""Checks of all responses before the vote: points 3, 4, 5 and 12 of the list of leaks.

Each takes a fresh site and says what it found; nothing is blindness.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from werkzeug.test import TestResponse

from antiabuse import rules
from tests.fixtures.arena_site import ArenaSite, Page, Voter, page_of
from tests.fixtures.leaks import disguised, ids_of, leaks, lookups, strange_headers
from tests.web.blindness import crawl, draw_checks, markup

COOKIES = 60
_LASTING = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}")
# Said of the whole site, and the same for all who ask.
_OF_THE_SITE = ("/robots.txt", "/.well-known/security.txt", "/metrics", "/static/", "/log/")
_OWN = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f-]{27})\b|(?<=>|\")[\w-]{22}(?=<|\")")
_MAY_WEAKEN = re.compile(r"referrer|ping|opener", re.IGNORECASE)
_WEAK_REL = {"opener", "ping"}


def where(response: TestResponse) -> str:
    """Name a response in findings."""
    return f"{response.request.method} {response.request.path} {response.status_code}"


def crawled(arena: ArenaSite, mode: str = "speed") -> Iterator[TestResponse]:
    """Yield all responses before the vote, for ballots with every model of the registry."""
    for voter, page in crawl.of_every_model(arena, mode):
        number = 0
        for each in crawl.before_the_vote(arena, voter, page):
            yield each
            number += 1
        assert number > 100, "the crawl came to an end too soon"


def ids_last(arena: ArenaSite) -> Iterator[str]:
    """Point 3: an id, plain or disguised, that is the same on another ballot with the answer."""
    seen = Counter(slot for _, page, _ in crawl.ballots(arena, 30) for slot in page.slots)
    yield from (slot for slot, times in seen.items() if times > 1 or _LASTING.fullmatch(slot))
    for voter, page in crawl.of_every_model(arena):
        ids = ids_of(arena.held(page.token))
        disguises = disguised(ids)
        for each in crawl.before_the_vote(arena, voter, page):
            for leak in (*leaks(each, ids), *lookups(each, disguises)):
                yield f"{where(each)}: {leak}"


def headers_are_strange(arena: ArenaSite) -> Iterator[str]:
    """Point 4: a header off the list, or a length that is not the body's."""
    for each in crawled(arena):
        yield from (f"{where(each)}: {name}" for name in strange_headers(each))
        told = each.headers.get("Content-Length", type=int)
        if each.request.method != "HEAD" and told not in (None, len(each.get_data())):
            yield f"{where(each)}: said to be {told} long"


def cookies_tell(arena: ArenaSite) -> Iterator[str]:
    """Point 4: a cookie other than the voter's, of another shape, or one that goes with models."""
    for each in crawled(arena):
        yield from (f"{where(each)}: {cookie}" for cookie in _strange_cookies(arena, each))
    new: list[tuple[str, tuple[str, ...]]] = []
    for voter, page, _ in crawl.ballots(arena, COOKIES):
        # All are set anew, as by whoever comes without a cookie.
        if len(page.response.headers.getlist("Set-Cookie")) != 1:
            yield f"{where(page.response)}: not one cookie for a new voter"
        yield from _strange_cookies(arena, page.response)
        models = tuple(slot.model for slot in arena.held(page.token).slots)
        new.append((voter.cookie, models))
    for place in range(4):
        yield from draw_checks.bits("cookies", [(value, models[place]) for value, models in new])


def _strange_cookies(arena: ArenaSite, response: TestResponse) -> Iterator[str]:
    """Yield the cookies of a response but for the one that a new voter gets, to the letter."""
    lasts = timedelta(days=rules.current().cookie_days)
    for cookie in response.headers.getlist("Set-Cookie"):
        shape = re.fullmatch(
            r"voter=([0-9a-f]{32}\.[\w-]{43}); Expires=([^;]*); Max-Age=(\d+); HttpOnly; Path=/;"
            r" SameSite=Lax",
            cookie,
        )
        known = response.request.cookies.get("voter")
        if shape is None or known is not None or int(shape[3]) != lasts.total_seconds():
            yield cookie
        else:
            arena.services.cookies.read(shape[1])
            # The end is counted by the machine's own clock, which has gone on since.
            since = datetime.now(UTC) + lasts - parsedate_to_datetime(shape[2])
            if not timedelta() <= since < timedelta(minutes=10):
                yield f"{cookie}: another end"


@dataclass(frozen=True, slots=True)
class Answered:
    """A response without what is each ballot's own."""

    asked: str
    headers: tuple[tuple[str, str], ...]
    body: str


def contents_differ(arena: ArenaSite) -> Iterator[str]:
    """Point 4: headers, errors, parts or files say otherwise for one ballot than for another."""
    for mode in ("speed", "expert"):
        first: list[Answered] = []
        for voter, page in crawl.of_every_model(arena, mode):
            got = list(_answered(arena, voter, page))
            first = first or got
            if len(got) != len(first):
                yield f"{len(got)} responses instead of {len(first)}"
            for one, other in zip(first, got, strict=False):
                if one != other:
                    yield f"{other.asked}, as to {one.asked}: {_difference(one, other)}"


def _difference(one: Answered, other: Answered) -> str:
    lines = set(other.body.splitlines()) ^ set(one.body.splitlines())
    return f"{sorted(set(other.headers) ^ set(one.headers))} {sorted(lines)[:4]}"


def _answered(arena: ArenaSite, voter: Voter, page: Page) -> Iterator[Answered]:
    """Yield all responses of a ballot, its own ids, question, answers and address masked."""
    held = arena.held(page.token)
    with arena.database.read() as conn:
        questions = conn.exec_driver_sql("SELECT text FROM question").scalars().all()
    own = {page.token: "TOKEN", held.route: "ROUTE", held.id: "BALLOT", voter.id: "VOTER"}
    own |= {slot: f"SLOT {place}" for place, slot in enumerate(page.slots)}
    own |= dict.fromkeys(questions, "QUESTION")

    def masked(text: str) -> str:
        for mine, mask in own.items():
            text = text.replace(mine, mask)
        return text

    for each in crawl.before_the_vote(arena, voter, page):
        # Numbers of the process; and in Expert the crawl also opens a ballot of Speed, and the
        # voter's page lists the two in the order of their ids.
        if each.request.path == "/metrics" or (
            held.mode == "expert" and each.request.path.startswith("/me")
        ):
            continue
        body = each.get_data().decode("utf-8", "replace")
        if each.mimetype == "text/html" and '<article class="answer"' in body:
            shown = page_of(each)
            body = crawl.frame(shown) + "".join(crawl.bare_answers(shown))
            body = re.sub(re.escape(shown.token), "TOKEN", body)
        if each.request.path.startswith("/me"):
            # What the voter may see of themselves: digests, ids of events and of other ballots.
            body = _OWN.sub("OWN", body)
        body = masked(body)
        kept = [
            (n, masked(v)) for n, v in each.headers if n not in ("Set-Cookie", "Content-Length")
        ]
        asked = f"{each.request.method} {masked(each.request.path)} {each.status_code}"
        yield Answered(asked, tuple(kept), body)


def caches_compare(arena: ArenaSite) -> Iterator[str]:
    """Point 5: a validator, or a response about the ballot that may be kept."""
    for each in crawled(arena):
        for name in ("ETag", "Last-Modified", "Content-MD5", "Digest", "Repr-Digest", "Expires"):
            if name in each.headers:
                yield f"{where(each)}: {name}"
        of_the_site = each.request.path.startswith(_OF_THE_SITE)
        if not of_the_site and each.headers.get("Cache-Control") != "no-store":
            yield f"{where(each)}: may be kept"


def referrers_leave(arena: ArenaSite) -> Iterator[str]:
    """Point 12: a response lets the browser say where it comes from."""
    for each in crawled(arena):
        if each.headers.getlist("Referrer-Policy") != ["no-referrer"]:
            yield where(each)
        for part in markup.elements(each.text) if _MAY_WEAKEN.search(each.text) else ():
            names = part.attributes.keys() & {"referrerpolicy", "ping"}
            weak = _WEAK_REL & set(part.attributes.get("rel", "").lower().split())
            if names or weak or part.attributes.get("name", "").lower() == "referrer":
                yield f"{where(each)}: {part}"
