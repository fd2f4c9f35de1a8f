"""Case files of what was decided: each offers the other way, and says what that does."""

from __future__ import annotations

import re

import pytest

from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.fixtures.moderation_cases import OneSided, flag_of, one_sided_voter, report_of
from tests.fixtures.moderators import Moderator, moderator_of
from tests.fixtures.review_cases import close_month

MONTH_S = 40 * 24 * 3600


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with four votes, in the log."""
    return one_sided_voter(arena, 4, "198.51.100.7")


@pytest.fixture
def rosa(arena: ArenaSite, seen: OneSided) -> Moderator:
    """The browser of a moderator, signed in."""
    return moderator_of(arena)


def forms(html: str) -> list[tuple[str, str]]:
    """Return the verdict of each decision that a page offers, with the state it is about."""
    found = re.findall(r'name="seen" value="(\w+)"|name="verdict" value="(\w+)"', html)
    words = [state or verdict for state, verdict in found]
    return [(words[nth], words[nth + 1]) for nth in range(0, len(words) - 1, 2)]


def test_an_upheld_flag_is_dismissed_from_its_page(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The page says how many votes count again, and everybody reads both decisions."""
    case = f"/moderation/cases/flag:{flag_of(arena, seen)}"
    rosa.send(f"{case}/decide", seen="open", verdict="upheld", reason="one_sided")
    page = rosa.get(case).text
    assert "Take the decision back" in page
    assert "4 struck votes count again with the weight they were cast with" in page
    assert forms(page) == [("dismissed", "upheld")]

    done = rosa.send(f"{case}/decide", seen="upheld", verdict="dismissed", reason="chance")

    assert done.status_code == 303
    assert arena.count("vote_strike") == 0
    assert forms(rosa.get(case).text) == [("upheld", "dismissed")]
    public = arena.voter().get("/decisions").text
    for words in ("Flag decided: upheld", "Flag decided: dismissed", "Restored"):
        assert words in public
    late = rosa.send(f"{case}/decide", seen="upheld", verdict="dismissed", reason="chance")
    assert (late.status_code, reason_of(late)) == (409, "already_decided")


def test_a_withheld_answer_is_cleared_from_its_page(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Its votes count again, it may be shown, and the page then offers to withhold it."""
    case = f"/moderation/cases/answer:{report_of(arena)}"
    rosa.send(f"{case}/decide", seen="open", verdict="withheld", reason="identity_leak")
    struck = arena.count("vote_strike")
    page = rosa.get(case).text
    assert "withheld" in page
    assert forms(page) == [("cleared", "withheld")]
    if struck:
        assert f"{struck} vote" in page

    done = rosa.send(f"{case}/decide", seen="withheld", verdict="cleared", reason="tells_no_author")

    assert done.status_code == 303
    assert arena.count("vote_strike") == 0
    assert "It is shown on ballots" in rosa.get(case).text
    assert forms(rosa.get(case).text) == [("withheld", "cleared")]


def test_a_closed_months_flag_offers_no_way_back(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The page says why; a form of before changes nothing."""
    case = f"/moderation/cases/flag:{flag_of(arena, seen)}"
    rosa.send(f"{case}/decide", seen="open", verdict="upheld", reason="one_sided")
    close_month(arena)
    arena.clock.advance(MONTH_S)
    rosa = moderator_of(arena, "otto")

    page = rosa.get(case).text

    assert "its struck votes can no longer be restored" in page
    assert forms(page) == []
    late = rosa.send(f"{case}/decide", seen="upheld", verdict="dismissed", reason="chance")
    assert (late.status_code, reason_of(late)) == (409, "closed_month")
