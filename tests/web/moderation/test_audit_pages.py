"""The audit log's pages: all of it for moderators, counts for everybody, and files."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.moderation_cases import FAVOURITE, OneSided, flag_of, one_sided_voter
from tests.fixtures.moderators import Moderator, moderator_of
from tests.fixtures.review_cases import close_month


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with three votes, in the log."""
    return one_sided_voter(arena, 3)


@pytest.fixture
def rosa(arena: ArenaSite, seen: OneSided) -> Moderator:
    """The browser of a moderator, signed in."""
    return moderator_of(arena)


def kinds_shown(html: str) -> list[str]:
    """Return the kinds of the rows, as the page's links filter by them."""
    return re.findall(r'<td class="nowrap"><a href="/moderation/audit\?[^"]*kind=([a-z._]+)', html)


def test_moderators_see_everything_newest_first(rosa: Moderator) -> None:
    """The newest entry is the account's own making, before it the votes, before all the imports."""
    kinds = kinds_shown(rosa.get("/moderation/audit").text)

    assert kinds[0] == "moderator.changed"
    assert kinds.count("vote.cast") == 3
    assert "import.completed" in kinds[kinds.index("vote.cast") :]


@pytest.mark.parametrize(
    "query,expected",
    [
        ("kind=votes", {"vote.cast"}),
        ("kind=vote.cast,ballot.issued", {"vote.cast", "ballot.issued"}),
        ("kind=moderators", {"moderator.changed"}),
        ("month=2026-11&mode=speed", {"vote.cast", "ballot.issued"}),
        ("mode=expert&month=2026-11", set()),
        ("since=2026-11-30T12:00&until=2026-11-30T12:00&kind=votes", {"vote.cast"}),
        ("since=2026-11-30T15:00", set()),
        ("reason=too_fast", set()),
        (f"model={FAVOURITE}&kind=votes", {"vote.cast"}),
    ],
)
def test_filters_stand_in_the_address(rosa: Moderator, query: str, expected: set[str]) -> None:
    """Each filter keeps what it says, and an empty result says so."""
    page = rosa.get(f"/moderation/audit?{query}")

    assert page.status_code == 200
    assert set(kinds_shown(page.text)) == expected
    assert ("No entry fits this filter" in page.text) == (not expected)


def test_a_voter_and_a_flag_are_filters_too(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """What one voter did, and what belongs to one flag."""
    other = one_sided_voter(arena, 1)
    flag = flag_of(arena, seen)

    votes = rosa.get(f"/moderation/audit?kind=vote.cast&voter={other.name}").text
    about = rosa.get(f"/moderation/audit?flag={flag}").text

    assert kinds_shown(votes) == ["vote.cast"]
    assert kinds_shown(about) == ["flag.raised"]


@pytest.mark.parametrize(
    "query",
    ["month=2026-13", "mode=slow", "voter=me", "kind=%27", "after=x", "since=now", "flag=1"],
)
def test_filters_of_a_wrong_form_are_no_page(rosa: Moderator, query: str) -> None:
    """What cannot be a filter is refused rather than passed over."""
    assert rosa.get(f"/moderation/audit?{query}").status_code == 404


def test_pages_of_the_log_follow_each_other(rosa: Moderator) -> None:
    """The link at the end leads on without a gap, until nothing is left."""
    path, entries = "/moderation/audit?order=oldest", []
    while path:
        html = rosa.get(path).text
        entries += re.findall(r"<td>([0-9,]+)</td>\s*<td><details>", html)
        following = re.search(r'href="(/moderation/audit\?[^"]*after=[0-9]+[^"]*)"', html)
        path = following[1].replace("&amp;", "&") if following else ""

    numbers = [int(entry.replace(",", "")) for entry in entries]
    assert len(numbers) > 100
    assert sorted(numbers) == list(range(len(numbers)))


def test_texts_in_the_log_are_no_markup(arena: ArenaSite, rosa: Moderator) -> None:
    """Whatever stands in a body is shown as text."""
    html = rosa.get("/moderation/audit?kind=answer.added").text

    assert not re.search(r"<pre[^>]*>[^<]*<(?!/pre>)", html)


def test_the_file_holds_what_the_filter_keeps(seen: OneSided, rosa: Moderator) -> None:
    """CSV and JSON lines have the same entries, with the private parts, and are not kept."""
    table = rosa.get("/moderation/audit.csv?kind=vote.cast")
    lines = rosa.get("/moderation/audit.jsonl?kind=vote.cast")

    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert {row["event"] for row in rows} == set(seen.votes)
    assert [json.loads(line)["event"] for line in lines.text.splitlines()] == [
        row["event"] for row in rows
    ]
    assert json.loads(rows[0]["private"])["voter"] == seen.voter.id
    assert table.headers["Cache-Control"] == "no-store"
    assert "attachment" in table.headers["Content-Disposition"]


@pytest.mark.parametrize("path", ["/moderation/audit", "/moderation/audit.csv"])
def test_the_log_is_for_moderators(arena: ArenaSite, seen: OneSided, path: str) -> None:
    """A voter is led to the sign-in form, and learns nothing."""
    closed = seen.voter.get(path)

    assert closed.status_code == 303
    assert closed.headers["Location"].startswith("/moderation/sign-in")
    assert seen.name not in closed.text


def test_everybody_sees_counts_of_hours_that_are_over(arena: ArenaSite, seen: OneSided) -> None:
    """Of the open month the page tells kinds, hours and reasons, and nobody's name."""
    before = seen.voter.get("/audit").text
    arena.clock.advance(3_600)
    after = seen.voter.get("/audit").text

    assert "Nothing is counted yet" in before
    assert re.search(r"Vote cast</td><td class=\"number\">3<", after)
    assert seen.name not in after
    assert not any(vote in after for vote in seen.votes)


def test_counts_are_a_file_too(arena: ArenaSite, seen: OneSided) -> None:
    """By hour, kind and reason."""
    arena.clock.advance(3_600)

    lines = seen.voter.get("/audit/counts.csv").text.splitlines()

    assert lines[0] == "kind,hour,reason,count"
    assert "vote.cast,2026-11-30T12:00Z,,3" in lines


def test_rows_of_an_archived_month_are_public_without_private_parts(
    arena: ArenaSite, seen: OneSided
) -> None:
    """Page and files tell pseudonyms, models and entries, and nothing that only moderators see."""
    close_month(arena)
    arena.sequence()
    anybody = arena.voter()

    page = anybody.get("/audit?month=2026-11&kind=votes").text
    table = anybody.get("/audit/rows.csv?month=2026-11&kind=votes").text
    lines = anybody.get("/audit/rows.jsonl?month=2026-11&kind=votes").text

    assert page.count('<td class="nowrap">Vote cast') == 3
    assert len(list(csv.DictReader(io.StringIO(table)))) == 3
    for text in (page, table, lines):
        assert seen.name[:8] in text
        assert seen.voter.id not in text
    assert "at_us" not in json.loads(lines.splitlines()[0])


def test_pages_of_an_archived_month_follow_each_other(arena: ArenaSite) -> None:
    """The link at the end leads on within the month, with the filter."""
    for _ in range(3):
        one_sided_voter(arena, 18)
    close_month(arena)
    arena.sequence()
    anybody = arena.voter()

    first = anybody.get("/audit?month=2026-11").text
    following = re.search(r'href="(/audit\?[^"]*after=[0-9]+[^"]*)"', first)

    assert following is not None
    second = anybody.get(following[1].replace("&amp;", "&")).text
    entries = [set(re.findall(r"<td>([0-9]+)</td></tr>", html)) for html in (first, second)]
    assert len(entries[0]) == 100
    assert entries[1]
    assert not entries[0] & entries[1]


@pytest.mark.parametrize("path", ["/audit/rows.csv", "/audit/rows.csv?month=2026-11"])
def test_rows_of_an_open_month_are_not_public(seen: OneSided, path: str) -> None:
    """There are none before the archive is out."""
    assert seen.voter.get(path).status_code == 404
