"""The audit log's pages: all of it for moderators, counts for everybody, and files."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.fixtures.arena_site import ArenaSite, reason_of, write_pack
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
    return re.findall(
        r'<td role="cell" class="nowrap"><a href="/moderation/audit\?[^"]*kind=([a-z._]+)', html
    )


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
    "query,words",
    [
        ("month=2026-13", "A month is written 2026-11."),
        ("month=11", "A month is written 2026-11."),
        ("mode=slow", "There is no such mode."),
        ("voter=me", "A voter's name has the letters a to f and digits"),
        ("voter=ffffffff", "No voter's name begins so."),
        ("question=x", "Type 8 characters"),
        ("question=nothing-is-called-so", "No question's name begins so."),
        ("flag=1", "A flag's name has"),
        ("flag=01234567", "No flag's name begins so."),
        ("vote=01234567-89", "No vote's name begins so."),
        ("model=gpt-400", "No model is called so."),
        ("reason=%27", "A reason is a word such as too_fast."),
        ("kind=%27", "There is no such kind of entry."),
        ("since=now", "An hour is written 2026-11-30T13:00."),
        ("until=2026-11-31T12:00", "An hour is written 2026-11-30T13:00."),
        ("after=x", "There is no such page"),
    ],
)
def test_what_is_no_filter_is_told_beside_the_form(rosa: Moderator, query: str, words: str) -> None:
    """Nothing is passed over: the form stands with what was typed, a message, and no rows."""
    page = rosa.get(f"/moderation/audit?{query}")

    assert page.status_code == 422
    assert words in page.text
    assert 'role="search"' in page.text
    assert kinds_shown(page.text) == []
    file = rosa.get(f"/moderation/audit.csv?{query}")
    if not query.startswith("after"):
        assert (file.status_code, reason_of(file)) == (422, "faulty_filter")


@pytest.mark.parametrize(
    "query", ["since=2026-11-30&until=2026-11-30", "reason=Too%20fast", "model=Zanthor%20Nine"]
)
def test_filters_take_what_people_type(rosa: Moderator, query: str) -> None:
    """A day without an hour, a reason in two words, a model by its name."""
    assert rosa.get(f"/moderation/audit?{query}").status_code == 200


def test_names_may_be_typed_as_pages_print_them(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The first eight characters are enough, in capitals too."""
    flag = flag_of(arena, seen)
    question = arena.held(seen.voter.ballot().token).question
    path = "/moderation/audit?kind={}&{}"

    by_voter = rosa.get(path.format("vote.cast", f"voter={seen.name[:8].upper()}")).text
    by_flag = rosa.get(path.format("flags", f"flag={flag[:8]}")).text
    by_vote = rosa.get(path.format("", f"vote={seen.votes[0]}")).text
    by_question = rosa.get(path.format("ballot.issued", f"question={question[:-1]}")).text

    assert kinds_shown(by_voter) == ["vote.cast"] * 3
    assert f'value="{seen.name}"' in by_voter
    assert kinds_shown(by_flag) == ["flag.raised"]
    assert kinds_shown(by_vote)[-2:] == ["vote.cast", "ballot.issued"]
    assert "flag.raised" in kinds_shown(by_vote)
    assert "ballot.issued" in kinds_shown(by_question)
    assert f'value="{question}"' in by_question


def test_a_beginning_of_several_names_is_told(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Of two voters that begin alike none is taken for the one that was meant."""
    ballots = [arena.held(arena.voter().ballot().token) for _ in range(2)]
    for last, held in zip("12", ballots, strict=True):
        arena.execute(
            "UPDATE ballot SET voter = :name WHERE id = :id", name="feed" * 7 + "000" + last,
            id=held.id,
        )  # fmt: skip

    page = rosa.get("/moderation/audit?voter=feedfeed")

    assert page.status_code == 422
    assert "Several names begin so: type more of it." in page.text


def test_kinds_and_reasons_stand_in_words(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Their codes are small print beside them."""
    flag = flag_of(arena, seen)
    rosa.send(
        f"/moderation/cases/flag:{flag}/decide", seen="open", verdict="upheld", reason="one_sided"
    )

    page = rosa.get("/moderation/audit?kind=decisions").text
    imports = rosa.get("/moderation/audit?kind=model.added,question.added,import.completed").text

    assert "The votes favour or hurt one model far more than chance allows." in page
    assert '<small class="code">one_sided</small>' in page
    for words in ("Model added", "Question added", "Import completed"):
        assert f">{words}</a>" in imports


def test_the_public_page_tells_what_is_no_month(arena: ArenaSite, seen: OneSided) -> None:
    """Beside the form, with the present month's form at hand."""
    page = seen.voter.get("/audit?month=11")

    assert page.status_code == 422
    assert "A month is written 2026-11." in page.text
    assert 'value="11"' in page.text
    assert seen.voter.get("/audit/counts.csv?month=11").status_code == 422


def test_an_archived_months_filter_tells_its_faults(arena: ArenaSite, seen: OneSided) -> None:
    """Names may be begun there too, and what is none is told."""
    close_month(arena)
    arena.sequence()
    anybody = arena.voter()

    found = anybody.get(f"/audit?month=2026-11&voter={seen.name[:8]}&kind=votes").text
    faulty = anybody.get("/audit?month=2026-11&voter=ffffffff")

    assert found.count(">Vote cast</a>") == 3
    assert faulty.status_code == 422
    assert "No voter's name begins so." in faulty.text
    assert anybody.get("/audit/rows.csv?month=2026-11&voter=ffffffff").status_code == 422


def test_pages_of_the_log_follow_each_other(rosa: Moderator) -> None:
    """The link at the end leads on without a gap, until nothing is left."""
    path, entries = "/moderation/audit?order=oldest", []
    while path:
        html = rosa.get(path).text
        entries += re.findall(r">([0-9,]+)</td>\s*<td[^>]*><details>", html)
        following = re.search(r'href="(/moderation/audit\?[^"]*after=[0-9]+[^"]*)"', html)
        path = following[1].replace("&amp;", "&") if following else ""

    numbers = [int(entry.replace(",", "")) for entry in entries]
    assert len(numbers) > 100
    assert sorted(numbers) == list(range(len(numbers)))


def test_texts_in_the_log_are_no_markup(arena: ArenaSite, rosa: Moderator, tmp_path: Path) -> None:
    """Whatever stands in a body is shown as text."""
    hostile = [
        (f"m-{nth}", f"<b>{nth}</b>", "<i>M</i>", "L", "https://m.invalid") for nth in "abcd"
    ]
    arena.import_pack(write_pack(tmp_path / "pack", "speed", questions=1, models=hostile))

    html = rosa.get("/moderation/audit?kind=model.added").text

    assert html.count(r"\u003cb\u003e") == len(hostile)
    assert "<b>" not in html
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
    assert re.search(r"Vote cast <small[^>]*>vote.cast</small></td><td class=\"number\">3<", after)
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

    assert page.count(">Vote cast</a>") == 3
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
    entries = [set(re.findall(r"<td>([0-9,]+)</td>\s*</tr>", html)) for html in (first, second)]
    assert len(entries[0]) == 100
    assert entries[1]
    assert not entries[0] & entries[1]


@pytest.mark.parametrize("path", ["/audit/rows.csv", "/audit/rows.csv?month=2026-11"])
def test_rows_of_an_open_month_are_not_public(seen: OneSided, path: str) -> None:
    """There are none before the archive is out."""
    assert seen.voter.get(path).status_code == 404
