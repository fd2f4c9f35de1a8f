"""Checks of ballot pages: points 1, 2, 8 to 11, 13, 20, 21 and 23 of the list of leaks.

Each takes a fresh site and says what it found; nothing is blindness.
"""

from __future__ import annotations

import json
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.catalogue import render_missing
from tests.fixtures.arena_site import ArenaSite, Page, page_of, write_pack
from tests.fixtures.leaks import disguised, leaks, lookups, words_of
from tests.web.blindness import crawl, markup
from tests.web.blindness.response_checks import crawled, where
from tests.web.security.routes import routes

BALLOTS = 12
_PROVIDER_ERROR = re.compile(
    r"(?i)overloaded|rate.?limit|HTTP (?:4|5)\d\d|status (?:4|5)\d\d|api.?key|quota exceeded"
    r"|upstream|internal server error|content.?policy|timed? ?out"
)


def ballots(arena: ArenaSite, count: int = BALLOTS, mode: str = "speed") -> Iterator[Page]:
    """Yield ballots of new voters: so many, and until every model was shown."""
    yield from (page for _, page, _ in crawl.ballots(arena, count, mode))


def answers_say_who_they_are(arena: ArenaSite) -> Iterator[str]:
    """Point 1: an answer that may be shown, or is, says who wrote it; or an import lets it in."""
    says = _sayings_of(arena)
    with arena.database.read() as conn:
        for query in (
            "SELECT text FROM answer WHERE state = 'showable'",
            "SELECT html FROM answer_html JOIN answer ON id = answer_id WHERE state = 'showable'",
        ):
            for stored in conn.exec_driver_sql(query).scalars():
                yield from _said(says, stored)
    for mode in ("speed", "expert"):
        for page in ballots(arena, mode=mode):
            for text in crawl.texts(page):
                yield from (said for each in text for said in _said(says, each))
    yield from _let_in(arena)


def _sayings_of(arena: ArenaSite) -> re.Pattern[str]:
    """Return what authors say of themselves, written down apart from the arena's own rule."""
    names = {text for m in arena.models().values() for text in (m.slug, m.name, m.maker)}
    plain = "|".join(sorted(re.sub(r"\W+", " ", name) for name in names))
    return re.compile(
        r"\b(?:i am|i m|my name is|name s|(?:made|built|trained|created|developed|model|ai) by)"
        rf"(?: \w+){{0,3}} (?:{plain})\b",
        re.IGNORECASE,
    )


def _said(says: re.Pattern[str], html: str) -> list[str]:
    return says.findall(re.sub(r"[\W_]+", " ", markup.words(html)))


_SAYINGS = (
    "I am {name}.", "Hello! I'm **{slug}**, here to help.", "My name is {name}, by the way.",
    "As a model by {maker}, I cannot say.", "As an AI language model by {maker}, no.",
    "I\u200b am the {name} model.", "I was created by the team at {maker}.",
)  # fmt: skip


def _let_in(arena: ArenaSite) -> Iterator[str]:
    """Say which planted sentences an import does not hold back, one of each sort for each model."""
    with tempfile.TemporaryDirectory() as parent:
        folder = write_pack(Path(parent) / "said", "speed", questions=len(_SAYINGS), topic="said")
        path = folder / "answers.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            model = arena.models()[row["model"]]
            saying = _SAYINGS[int(row["question"].rpartition("-")[2])]
            row["text"] = saying.format(name=model.name, slug=model.slug, maker=model.maker)
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        arena.import_pack(folder)
    said = {row["text"] for row in rows}
    assert len(said) > len(arena.models()) * len(_SAYINGS) / 2
    with arena.database.read() as conn:
        states = conn.exec_driver_sql("SELECT text, state FROM answer").all()
    found = [state for text, state in states if text in said]
    assert len(found) == len(rows), "the planted answers were not imported"
    yield from (f"let in: {text}" for text, state in states if text in said and state != "held")


def responses_name_models(arena: ArenaSite) -> Iterator[str]:
    """Point 2: a string of the registry, plain or disguised, in any byte before the vote."""
    models = arena.models().values()
    words = words_of(models)
    names = {text for m in models for text in (m.slug, m.name, m.maker)}
    words |= {part for name in names for part in re.findall(r"^[a-z]{7,}", name.lower())}
    words |= {name.lower()[::-1] for name in names}
    words |= {re.sub(r"\W", mark, name.lower()) for name in names for mark in ("", "_", "+", "-")}
    disguises = disguised(words | names)
    for mode in ("speed", "expert"):
        for each in crawled(arena, mode):
            for leak in (*leaks(each, words), *lookups(each, disguises)):
                yield f"{where(each)}: {leak}"


def answers_have_requests(arena: ArenaSite) -> Iterator[str]:
    """Point 8: an address for one answer alone, or a length that speaks of one answer."""
    for page in ballots(arena):
        for article in crawl.articles(page):
            inside = markup.addresses(article)
            yield from (each for each in inside if not each.startswith("#answer"))
        letters = re.compile(r"[/=](?:answer-)?[A-D](?:$|[/?&])")
        for each in markup.addresses(page.html):
            if letters.search(each) or any(slot in each for slot in page.slots):
                yield each
        headers = page.response.headers
        yield from (n for n in ("Content-Encoding", "Transfer-Encoding") if n in headers)
    places = re.compile(r"<[^>]*(?:slot|answer|letter)[^>]*>")
    yield from (route.rule for route in routes(arena) if places.search(route.rule))
    yield from _answers_alone(arena)


def _answers_alone(arena: ArenaSite) -> Iterator[str]:
    """Say which responses hold some of a ballot's answers without the others."""
    voter = arena.voter()
    page = voter.ballot()
    shown = [raw for _, raw in crawl.texts(page)]
    for each in crawl.before_the_vote(arena, voter, page):
        held = sum(text in each.text for text in shown)
        if held not in (0, 4):
            yield f"{where(each)}: {held} of the answers"


def surroundings_differ(arena: ArenaSite) -> list[str]:
    """Points 9, 21, 23: what stands around an answer depends on the answer: marks, labels, size."""
    _vary_texts(arena, lambda number: "Word. " * (number % 5 * 400 + 1))
    looks: dict[str, set[str]] = {}
    for mode in ("speed", "expert"):
        for page in ballots(arena, mode=mode):
            for place, bare in enumerate(crawl.bare_answers(page)):
                looks.setdefault(f"{mode} {place}", set()).add(bare)
    return [f"place {place}: {len(each)} looks" for place, each in looks.items() if len(each) > 1]


def blanks_differ(arena: ArenaSite) -> list[str]:
    """Point 9: the same words look otherwise for blanks and line ends around them."""
    blanks = ["{}", "\n\n{}", "  {}", "{}\n\n\n", "{}   ", " \n{}\r\n"]
    return _looks_of_one_text(arena, [each.format("One answer.") for each in blanks])


# What nobody sees; left are the signs that some scripts put around numbers, which are seen.
_SEEN_OR_NEEDED = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
_NO_FORMAT = "\u034f\u115f\u1160\u3164\uffa0\ufe00"  # unseen, though of other categories
MARKS = tuple(
    char
    for char in map(chr, range(0xE0FFF))
    if (unicodedata.category(char) == "Cf" or char in _NO_FORMAT)
    and not _SEEN_OR_NEEDED.match(char)
)


def marks_remain(arena: ArenaSite) -> list[str]:
    """Point 10: a mark that nobody sees makes an answer look otherwise, or reaches the browser."""
    some = ["".join(MARKS[nth::5]) for nth in range(5)]
    found = _looks_of_one_text(arena, [f"One{marks} answer." for marks in ("", *some)], rest=False)
    html = "".join(page.html for page in ballots(arena))
    return found + [f"U+{ord(mark):04X}" for mark in MARKS if mark in html]


def answers_are_cut(arena: ArenaSite) -> list[str]:
    """Point 21: long answers are cut, or shown by other rules than short ones."""
    _vary_texts(arena, lambda number: "Word. " * (number % 5 * 2_500 + 1) + "End.")
    return [
        f"{len(raw)} characters"
        for page in ballots(arena)
        for shown, raw in crawl.texts(page)
        if "End." not in shown or not raw.endswith("End.") or "cut" in shown
    ] + surroundings_differ(arena)


def pages_load_from_elsewhere(arena: ArenaSite) -> Iterator[str]:
    """Point 11: an answer's link works or its picture loads, or the policy would let it."""
    address = "https://maker.invalid/x.png"
    _vary_texts(arena, lambda n: f"![p{n}]({address}) [l]({address}) <{address}> {address}")
    for page in ballots(arena):
        for shown, raw in crawl.texts(page):
            active = [part.name for part in markup.elements(shown + raw)]
            yield from (name for name in active if name not in _INERT)
    for each in crawled(arena):
        if each.mimetype == "text/html":
            found = markup.addresses(each.text)
            found += [each.headers["Location"]] if "Location" in each.headers else []
            yield from (f"{where(each)}: {a}" for a in found if not _OURS.match(a))
            yield from (
                f"{where(each)}: <{part.name}>"
                for part in markup.elements(each.text)
                if part.name in ("base", "iframe", "object", "embed", "applet", "frame")
            )
        policies = each.headers.getlist("Content-Security-Policy")
        if len(policies) != 1 or _policy_lets(policies[0]):
            yield f"{where(each)}: {policies}"
    yield from _sheets(arena)


_INERT = frozenset({"p", "span", "br", "em", "strong", "code", "pre", "div"})
# Our own pages, and places on them; two slashes lead to another host.
_OURS = re.compile(r"(?:/(?![/\\])|#|$|http://localhost/)")


def _policy_lets(policy: str) -> list[str]:
    """Return what a policy lets a page load or do beyond our own files."""
    parts = [part.split() for part in policy.split(";")]
    named = {part[0]: part[1:] for part in parts if part}
    found = [source for sources in named.values() for source in sources]
    strange = [source for source in found if source not in ("'self'", "'none'")]
    needed = ("default-src", "base-uri", "frame-ancestors")
    strange += [name for name in needed if named.get(name) != ["'none'"]]
    return strange + ["form-action"] * (named.get("form-action") != ["'self'"])


def _sheets(arena: ArenaSite) -> Iterator[str]:
    """Say which addresses of style sheets lead elsewhere."""
    page = arena.voter().ballot()
    sheets = [a for a in markup.addresses(page.html) if a.partition("?")[0].endswith(".css")]
    assert sheets
    for sheet in sheets:
        text = arena.voter().get(sheet).text
        found = re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s;]*)", text)
        yield from (f"{sheet}: {a}" for a in found if re.match(r"[a-z]+:|//", a))


def heads_differ(arena: ArenaSite) -> Iterator[str]:
    """Point 13: title, icon, card for sharing, printed or kept form tell one ballot of another."""
    for mode in ("speed", "expert"):
        heads: set[str] = set()
        frames: dict[str, set[str]] = {}
        for voter, page, _ in crawl.ballots(arena, mode=mode):
            heads.add(crawl.head(page))
            # The rest of the page is the same too, but for question and token.
            frames.setdefault("page", set()).add(crawl.frame(page))
            for name, got in (
                ("part", voter.get(f"/?mode={mode}", htmx=True)),
                ("next", voter.post("/skip", {"ballot": page.token}, htmx=True)),
            ):
                frames.setdefault(name, set()).add(
                    f"{got.headers.get('HX-Push-Url')} {crawl.frame(page_of(got))}"
                )
        if len(heads) > 1:
            yield f"{len(heads)} heads"
        yield from (
            f"{len(looks)} looks of the {n}" for n, looks in frames.items() if len(looks) > 1
        )
        for part in (part for each in heads for part in markup.elements(each)):
            named = part.attributes.get("property", part.attributes.get("name", "")).lower()
            if named.startswith(("og:", "twitter:", "article:")) or "itemprop" in part.attributes:
                yield named


def failures_are_shown(arena: ArenaSite) -> Iterator[str]:
    """Point 20: an answer that failed, or that is a provider's error, is on a ballot."""
    with arena.database.read() as conn:
        query = "SELECT id FROM answer WHERE mode = 'speed' ORDER BY id"
        failed = set(conn.exec_driver_sql(query).scalars().all()[::5])
    waiting = [(voter, page.slots) for voter, page, _ in crawl.ballots(arena)]
    for answer in failed:
        arena.execute("UPDATE answer SET state = 'failed' WHERE id = :id", id=answer)
    arena.execute("UPDATE catalogue_head SET version = version + 1")
    # Who has it on an open ballot gets another one.
    again = [voter.ballot() for voter, _ in waiting]
    if all(page.slots == slots for page, (_, slots) in zip(again, waiting, strict=True)):
        yield "open ballots stay"
    for page in (*again, *ballots(arena, 30)):
        yield from (s.answer for s in arena.held(page.token).slots if s.answer in failed)
        for _, raw in crawl.texts(page):
            if _PROVIDER_ERROR.search(raw) or not raw.strip():
                yield raw or "an empty answer"


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
