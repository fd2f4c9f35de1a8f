"""Checks of what the browser gets: points 1 to 5, 7 to 13, 20, 21 and 23 of the list of leaks.

Each takes a fresh site and says what it found; nothing is blindness.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from werkzeug.test import TestResponse

from arena.catalogue import render_missing
from arena.identity_leaks import PhraseRule
from tests.fixtures.arena_site import ArenaSite, Page
from tests.fixtures.leaks import disguised, ids_of, leaks, lookups, strange_headers, words_of
from tests.web.blindness import crawl
from tests.web.security.routes import routes

BALLOTS = 12
_OF_PAGES = ("text/html", "application/json", "application/problem+json")
_LASTING = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}")
_PROVIDER_ERROR = re.compile(
    r"(?i)overloaded|rate.?limit|HTTP (?:4|5)\d\d|status (?:4|5)\d\d|api.?key|quota exceeded"
    r"|upstream|internal server error|content.?policy|timed? ?out"
)


def ballots(arena: ArenaSite, count: int = BALLOTS, mode: str = "speed") -> Iterator[Page]:
    """Yield ballots of new voters."""
    for number in range(count):
        yield arena.voter(f"198.51.100.{number + 1}").ballot(mode)


def crawled(arena: ArenaSite, mode: str = "speed") -> Iterator[TestResponse]:
    """Yield all responses that the holder of an unvoted ballot can get before the vote."""
    voter = arena.voter()
    yield from crawl.before_the_vote(arena, voter, voter.ballot(mode))


def where(response: TestResponse) -> str:
    """Name a response in findings."""
    return f"{response.request.method} {response.request.path} {response.status_code}"


def answers_say_who_they_are(arena: ArenaSite) -> list[str]:
    """Point 1: an answer that may be shown says by a phrase of the rule who wrote it."""
    names = [text for m in arena.models().values() for text in (m.slug, m.name, m.maker)]
    rule = PhraseRule(names)
    with arena.database.read() as conn:
        query = "SELECT text FROM answer WHERE state = 'showable'"
        stored = conn.exec_driver_sql(query).scalars().all()
    return [said for text in stored if (said := rule.find(text))]


def responses_name_models(arena: ArenaSite) -> Iterator[str]:
    """Point 2: a string of the registry, plain or disguised, in any byte before the vote."""
    words = words_of(arena.models().values())
    names = {text for m in arena.models().values() for text in (m.slug, m.name, m.maker)}
    disguises = disguised(words | names)
    for mode in ("speed", "expert"):
        number = 0
        for number, each in enumerate(crawled(arena, mode)):  # noqa: B007 - counted below
            for leak in (*leaks(each, words), *lookups(each, disguises)):
                yield f"{where(each)}: {leak}"
        assert number > 100, "the crawl came to an end too soon"


def ids_last(arena: ArenaSite) -> Iterator[str]:
    """Point 3: an id, plain or disguised, that is the same on another ballot with the answer."""
    voter = arena.voter()
    page = voter.ballot()
    ids = ids_of(arena.held(page.token))
    disguises = disguised(ids)
    seen = Counter(slot for each in ballots(arena, 30) for slot in each.slots)
    yield from (slot for slot, times in seen.items() if times > 1 or _LASTING.fullmatch(slot))
    for each in crawl.before_the_vote(arena, voter, page):
        for leak in (*leaks(each, ids), *lookups(each, disguises)):
            yield f"{where(each)}: {leak}"


def headers_are_strange(arena: ArenaSite) -> Iterator[str]:
    """Point 4: a header off the list, or a ballot's headers that differ from another's."""
    own = {"Content-Length", "Set-Cookie"}
    looks = {
        tuple((name, value) for name, value in page.response.headers if name not in own)
        for page in ballots(arena)
    }
    yield from (str(each) for each in looks if len(looks) > 1)
    for each in crawled(arena):
        yield from (f"{where(each)}: {name}" for name in strange_headers(each))


def caches_compare(arena: ArenaSite) -> Iterator[str]:
    """Point 5: a validator, or a response about the ballot that may be kept."""
    for each in crawled(arena):
        for name in ("ETag", "Last-Modified", "Content-MD5", "Digest", "Repr-Digest"):
            if name in each.headers:
                yield f"{where(each)}: {name}"
        about_it = each.mimetype in _OF_PAGES and each.data
        if about_it and each.headers.get("Cache-Control") != "no-store":
            yield f"{where(each)}: may be kept"


def answers_come_apart(arena: ArenaSite) -> list[str]:
    """Point 7: the four do not come at once, or one takes other work on the server than another."""
    found: list[str] = []
    work: set[tuple[str, ...]] = set()
    # The first ballot of a process also fills caches.
    arena.voter().ballot()
    for number in range(BALLOTS):
        voter = arena.voter(f"198.51.100.{number + 1}")
        with arena.statements() as seen:
            page = voter.ballot()
        work.add(tuple(seen.all))
        if len(crawl.texts(page)) != 4:
            found.append("not four answers in the response")
    # Asked without buffering: what is streamed has no length when it begins.
    length = arena.app.test_client().get("/").headers.get("Content-Length")
    found += [] if length else ["the page is streamed"]
    return found + ["ballots differ in their work"] * (len(work) > 1)


def answers_have_requests(arena: ArenaSite) -> list[str]:
    """Point 8: an address for one answer alone, or a length that speaks of one answer."""
    page = arena.voter().ballot()
    addresses = re.findall(r'(?:src|href|action|hx-[a-z]+|formaction)="(/[^"]*)"', page.html)
    letters = re.compile(r"[/=](?:answer-)?[A-D](?:$|[/?&])")
    found = [a for a in addresses if letters.search(a) or any(s in a for s in page.slots)]
    places = re.compile(r"<[^>]*(?:slot|answer|letter)[^>]*>")
    found += [route.rule for route in routes(arena) if places.search(route.rule)]
    headers = page.response.headers
    return found + [n for n in ("Content-Encoding", "Transfer-Encoding") if n in headers]


def surroundings_differ(arena: ArenaSite) -> list[str]:
    """Points 9, 21, 23: what stands around an answer depends on the answer: marks, labels, size."""
    _vary_texts(arena, lambda number: "Word. " * (number % 5 * 400 + 1))
    looks: dict[int, set[str]] = {}
    for page in ballots(arena):
        for place, bare in enumerate(crawl.bare_answers(page)):
            looks.setdefault(place, set()).add(bare)
    return [f"place {place}: {len(each)} looks" for place, each in looks.items() if len(each) > 1]


def blanks_differ(arena: ArenaSite) -> list[str]:
    """Point 9: the same words look otherwise for blanks and line ends around them."""
    blanks = ["{}", "\n\n{}", "  {}", "{}\n\n\n", "{}   ", " \n{}\r\n"]
    return _looks_of_one_text(arena, [each.format("One answer.") for each in blanks])


def marks_remain(arena: ArenaSite) -> list[str]:
    """Point 10: a mark that nobody sees makes an answer look otherwise, or reaches the browser."""
    marks = ["", "\u200b", "\u2060", "\u202e", "\U000e0041", "\ufeff"]
    found = _looks_of_one_text(arena, [f"One{mark} answer." for mark in marks], rest=False)
    html = "".join(page.html for page in ballots(arena))
    return found + [f"U+{ord(mark):04X}" for mark in marks[1:] if mark in html]


def answers_are_cut(arena: ArenaSite) -> list[str]:
    """Point 21: long answers are cut, or shown by other rules than short ones."""
    _vary_texts(arena, lambda number: "Word. " * (number % 5 * 400 + 1) + "End.")
    return [
        f"{len(raw)} characters"
        for page in ballots(arena)
        for shown, raw in crawl.texts(page)
        if "End." not in shown or not raw.endswith("End.") or "cut" in shown
    ] + surroundings_differ(arena)


def pages_load_from_elsewhere(arena: ArenaSite) -> list[str]:
    """Point 11: an answer's link works or its picture loads, or the policy would let it."""
    address = "https://maker.invalid/x.png"
    _vary_texts(arena, lambda n: f"![p{n}]({address}) [l]({address}) <{address}> {address}")
    found: list[str] = []
    for page in ballots(arena, 4):
        for shown, _ in crawl.texts(page):
            found += re.findall(r"<(?:a|img|iframe|video|audio|link|script|object|svg)\b", shown)
        loaded = re.findall(r'(?:src|href|action|srcset|poster|data)="([^"]*)"', page.html)
        found += [each for each in loaded if not each.startswith(("/", "#"))]
        policy = page.response.headers.get("Content-Security-Policy", "")
        found += re.findall(r"https?:|\*|data:|blob:|unsafe\S+", policy)
        found += [] if "default-src 'none'" in policy else ["no default"]
    return found


def referrers_leave(arena: ArenaSite) -> Iterator[str]:
    """Point 12: a response lets the browser say where it comes from."""
    weak = re.compile(r'name="referrer"|referrerpolicy=|rel="(?:opener|ping)|\sping=')
    for each in crawled(arena):
        if each.headers.get("Referrer-Policy") != "no-referrer" or weak.search(each.text):
            yield where(each)


def heads_differ(arena: ArenaSite) -> list[str]:
    """Point 13: title, icon, card for sharing, printed or kept form tell one ballot of another."""
    heads = {crawl.head(page) for page in ballots(arena)}
    found = [f"{len(heads)} heads"] if len(heads) > 1 else []
    for each in heads:
        found += re.findall(r'(?:property|name)="((?:og|twitter):[^"]*)"', each)
    # The rest of the page is the same too, but for question and token.
    frames = {crawl.frame(page) for page in ballots(arena)}
    return found + [f"{len(frames)} frames"] * (len(frames) > 1)


def failures_are_shown(arena: ArenaSite) -> list[str]:
    """Point 20: an answer that failed, or that is a provider's error, is on a ballot."""
    with arena.database.read() as conn:
        query = "SELECT id FROM answer WHERE mode = 'speed' ORDER BY id"
        failed = set(conn.exec_driver_sql(query).scalars().all()[::5])
    for answer in failed:
        arena.execute("UPDATE answer SET state = 'failed' WHERE id = :id", id=answer)
    arena.execute("UPDATE catalogue_head SET version = version + 1")
    found: list[str] = []
    for page in ballots(arena, 30):
        found += [s.answer for s in arena.held(page.token).slots if s.answer in failed]
        found += [raw for _, raw in crawl.texts(page) if _PROVIDER_ERROR.search(raw)]
    return found


def _vary_texts(arena: ArenaSite, text: Callable[[int], str]) -> None:
    """Give the answers of Speed texts by number, as an import would have stored them."""
    with arena.database.read() as conn:
        query = "SELECT id FROM answer WHERE mode = 'speed' ORDER BY id"
        ids = conn.exec_driver_sql(query).scalars().all()
    for number, answer in enumerate(ids):
        arena.execute("UPDATE answer SET text = :text WHERE id = :id", text=text(number), id=answer)
        arena.execute("DELETE FROM answer_html WHERE answer_id = :id", id=answer)
    render_missing(arena.database)


def _looks_of_one_text(arena: ArenaSite, same: list[str], *, rest: bool = True) -> list[str]:
    """Return the looks of texts that should have one look."""
    _vary_texts(arena, lambda number: same[number % len(same)])
    looks = {look for page in ballots(arena) for look in crawl.texts(page)}
    found = [repr(look) for look in looks] if len(looks) > 1 else []
    if rest:
        bare = {b for page in ballots(arena) for b in crawl.bare_answers(page)[:1]}
        found += [f"{len(bare)} surroundings"] * (len(bare) > 1)
    return found
