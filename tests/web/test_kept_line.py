"""What is kept and how long, on the ballot page and in the question for a device code."""

from __future__ import annotations

import re

from antiabuse import rules
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite


def words(html: str, begin: str, end: str) -> str:
    """Return the words of a part of a page."""
    part = html.partition(begin)[2].partition(end)[0]
    return " ".join(re.sub(r"<[^>]+>", " ", part).split())


def test_the_ballot_says_what_is_kept_and_how_long(arena: ArenaSite) -> None:
    """In one sentence, with the numbers of the rules, on page and fragment of both modes."""
    numbers = rules.current()
    voter = arena.voter()
    for mode in ("speed", "expert"):
        for htmx in (False, True):
            html = voter.get(f"/?mode={mode}", htmx=htmx).text
            told = words(html, 'class="kept-line">', "</p>")
            assert "Your votes are kept for good, under a name that changes every month" in told
            assert f"the cookie for {numbers.cookie_days} days" in told
            assert f"until {numbers.private_days} days after the month" in told
            assert html.count('class="kept-line"') == 1
            assert 'href="/privacy"' in html.partition('class="kept-line"')[2].partition("</p>")[0]


def test_the_question_for_a_device_code_says_how_long(open_arena: OpenArena) -> None:
    """Before the voter answers; without the setting nothing is asked."""
    days = rules.current().private_days
    asked = open_arena(fingerprint="consent").voter().get("/").text
    told = words(asked, 'id="consent-question"', "</form>")
    assert f"Its digest is kept until {days} days after the month’s end." in told
    assert "Its digest is kept" not in open_arena(fingerprint="off").voter().get("/").text
