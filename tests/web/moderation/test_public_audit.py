"""An archived month's audit log as everybody reads it: filters, links, one vote's life."""

from __future__ import annotations

import csv
import html
import io
import json
import re

import pytest
from sqlalchemy import QueuePool, text

from tests.fixtures.arena_site import ArenaSite, Voter, at, reason_of
from tests.fixtures.moderation_cases import OneSided, dispute_of, flag_of, one_sided_voter
from tests.fixtures.moderators import moderator_of
from tests.fixtures.review_cases import close_month

WORDS = "I read all four, at my kitchen table."
FIELDS = (
    "month", "kind", "mode", "voter", "question", "vote", "model", "reason", "since", "until",
    "flag", "order",
)  # fmt: skip


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with three votes, flagged, one struck and disputed with success; month archived."""
    seen = one_sided_voter(arena, 3)
    flag = flag_of(arena, seen)
    rosa = moderator_of(arena)
    dispute = dispute_of(arena, seen, WORDS)
    rosa.send(f"/moderation/cases/flag:{flag}/decide", seen="open", verdict="dismissed",
              reason="chance")  # fmt: skip
    case = f"/moderation/cases/dispute:{dispute}"
    rosa.send(f"{case}/recheck", seen="submitted", text="We look at it.")
    rosa.send(f"{case}/decide", seen="recheck", verdict="upheld", reason="new_evidence",
              text="The times agree.")  # fmt: skip
    archive(arena)
    return seen


@pytest.fixture
def anybody(arena: ArenaSite) -> Voter:
    """A visitor."""
    return arena.voter()


def archive(arena: ArenaSite) -> None:
    """Let the month's archive be out, with all that waits in the log before."""
    arena.sequence()
    close_month(arena)
    arena.sequence()


def values(arena: ArenaSite, query: str, **named: str) -> list[str]:
    """Return the first column of what a query finds."""
    with arena.database.read() as conn:
        return list(conn.execute(text(query), named).scalars())


def links(page: str, of: str) -> list[str]:
    """Return the addresses on a page that begin so."""
    found = re.findall(r'href="([^"]+)"', page)
    return [html.unescape(each) for each in found if each.startswith(of)]


def kinds(page: str) -> list[str]:
    """Return the kinds of the rows."""
    return re.findall(r'</a> <small class="code">([a-z._]+)</small></td>', page)


def test_everybody_has_the_filters_of_moderators(seen: OneSided, anybody: Voter) -> None:
    """The form has each field; it is folded while nothing is asked for."""
    plain = anybody.get("/audit?month=2026-11").text
    asked = anybody.get(f"/audit?month=2026-11&voter={seen.name[:8]}").text
    faulty = anybody.get("/audit?month=2026-11&flag=1")

    form = plain[plain.index('role="search"') : plain.index("</form>")]
    assert set(re.findall(r' name="([a-z]+)"', form)) == set(FIELDS)
    assert '<details class="more">' in plain
    assert '<details class="more" open>' in asked
    assert f'value="{seen.name}"' in asked
    assert (faulty.status_code, '<details class="more" open>' in faulty.text) == (422, True)


@pytest.mark.parametrize("field", ["voter", "question", "flag", "kind"])
def test_rows_link_what_they_name(seen: OneSided, anybody: Voter, field: str) -> None:
    """Each link of a row leads to the rows that name the same."""
    page = anybody.get("/audit?month=2026-11").text
    found = [each for each in links(page, "/audit?month=2026-11") if f"&{field}=" in each]

    assert found
    for address in set(found):
        listed = anybody.get(address)
        assert listed.status_code == 200
        assert kinds(listed.text)


def test_a_ballot_without_a_vote_is_followed(arena: ArenaSite, anybody: Voter) -> None:
    """Its issue and its skipping, by a link of either."""
    page = anybody.ballot()
    held = arena.held(page.token).id
    anybody.post("/skip", {"ballot": page.token})
    archive(arena)

    rows = anybody.get("/audit?month=2026-11&kind=ballot.skipped").text
    (address,) = {each for each in links(rows, "/audit?") if f"vote={held}" in each}

    assert set(kinds(anybody.get(address).text)) == {
        "ballot.issued",
        "ballot.skipped",
    }


def test_a_votes_whole_life_is_public(seen: OneSided, anybody: Voter) -> None:
    """From its ballot to the dispute, with what it shows and is worth; nothing before its cause."""
    listed = anybody.get("/audit?month=2026-11&kind=votes").text
    assert set(links(listed, "/audit/votes/")) == {f"/audit/votes/{vote}" for vote in seen.votes}

    page = anybody.get(f"/audit/votes/{seen.votes[0]}").text
    told = re.findall(r'<p class="life-head"><strong>([^<]+)</strong>', page)

    entries = [int(each) for each in re.findall(r"<span>entry ([0-9]+)</span>", page)]
    assert told[:2] == ["Ballot issued", "Vote cast"]
    assert entries[2:] == sorted(entries[2:])
    assert set(told) == {
        "Ballot issued", "Vote cast", "Flag raised", "Struck", "Flag decided", "Dispute opened",
        "Dispute advanced", "Dispute decided", "Restored",
    }  # fmt: skip
    assert "With weight 1." in page
    assert "The times agree." in page
    for address in [*links(page, "/audit?"), *links(page, "/audit/rows"), *links(page, "/deci")]:
        assert anybody.get(address).status_code == 200, address


def test_a_votes_entries_are_a_file(seen: OneSided, anybody: Voter) -> None:
    """CSV and JSON lines hold the entries of its life, each with its flag."""
    page = anybody.get(f"/audit/votes/{seen.votes[0]}").text
    table, lines = (anybody.get(each).text for each in links(page, "/audit/rows"))

    rows = list(csv.DictReader(io.StringIO(table)))
    entries = re.findall(r"<span>entry ([0-9]+)</span>", page)
    assert [row["index"] for row in rows] == sorted(entries, key=int)
    assert [str(json.loads(line)["index"]) for line in lines.splitlines()] == [
        row["index"] for row in rows
    ]
    flags = {row["flag"] for row in rows if row["kind"] in ("flag.raised", "flag.decided")}
    assert flags == {row["event"] for row in rows if row["kind"] == "flag.raised"}


def test_a_slow_reader_of_a_file_holds_no_connection(arena: ArenaSite) -> None:
    """Between two lines the connection is others' to use, in public and for moderators."""
    pool = arena.database._reader.pool
    assert isinstance(pool, QueuePool)
    one_sided_voter(arena, 3)
    archive(arena)
    for client, path in (
        (arena.voter().client, "/audit/rows.csv?month=2026-11"),
        (moderator_of(arena).client, "/moderation/audit.jsonl?month=2026-11"),
    ):
        lines = client.get(path, buffered=False).iter_encoded()
        assert [bool(next(lines)) for _ in range(2)] == [True, True]
        assert pool.checkedout() == 0


def test_nothing_private_is_told(arena: ArenaSite, seen: OneSided, anybody: Voter) -> None:
    """No id of a voter, digest of an address, exact time, reading time or word of a voter."""
    life = anybody.get(f"/audit/votes/{seen.votes[0]}").text
    rows = anybody.get("/audit?month=2026-11").text
    files = [anybody.get(f"/audit/rows.{ending}?month=2026-11").text for ending in ("csv", "jsonl")]
    digests = values(arena, "SELECT address FROM sighting WHERE address IS NOT NULL")

    assert digests
    for told in (life, rows, *files):
        for secret in (seen.voter.id, "rosa", WORDS, "dwell_s", "dwell_ms", *digests):
            assert secret not in told
    for told in (life, rows):
        for private in ("at_us", "dwell", "fraction", f"{seen.name} 12:0"):
            assert private not in told
    for answer in values(arena, "SELECT text FROM answer"):
        assert all(answer not in told for told in (life, rows, *files))


def test_a_vote_of_an_open_month_is_not_public(arena: ArenaSite, anybody: Voter) -> None:
    """It has no page, not for its voter either, and is not told from a vote that never was."""
    seen = one_sided_voter(arena, 1)
    there = anybody.get(f"/audit/votes/{seen.votes[0]}")
    nowhere = anybody.get(f"/audit/votes/{'0' * 8}-0000-4000-8000-{'0' * 12}")

    assert (there.status_code, reason_of(there)) == (404, "not_public")
    assert there.text.replace(seen.votes[0], "") == nowhere.text.replace("0" * 8, "")
    assert seen.voter.get(f"/audit/votes/{seen.votes[0]}").status_code == 404
    assert anybody.get("/audit/votes/x").status_code == 404


def test_a_vote_after_midnight_waits_for_its_own_month(arena: ArenaSite) -> None:
    """On a ballot of November it is December's, and its page comes with December's archive."""
    voter = arena.voter()
    arena.clock.now_us = at("2026-11-30T23:59:30+00:00")
    page = voter.ballot()
    arena.clock.advance(60)
    voter.vote(page.token, htmx=True)
    (cast,) = arena.events("vote.cast")
    address = f"/audit/votes/{cast.id}"
    archive(arena)

    ballot = arena.events("ballot.issued")[0].id
    before = voter.get(address)
    november = voter.get(f"/audit?month=2026-11&vote={ballot}").text
    close_month(arena, month="2026-12")
    arena.sequence()
    after = voter.get(address)

    assert (before.status_code, after.status_code) == (404, 200)
    assert set(kinds(november)) == {"ballot.issued"}
    assert cast.id not in november
    assert "Ballot issued" in after.text
    assert "Vote cast" in after.text


def test_a_question_that_may_not_be_passed_on_is_not_told(
    arena: ArenaSite, seen: OneSided, anybody: Voter
) -> None:
    """V-171: the page has its name in place of its text."""
    address = f"/audit/votes/{seen.votes[0]}"
    question = values(
        arena,
        "SELECT q.text FROM vote v JOIN question q ON q.id = v.question_id WHERE v.id = :id",
        id=seen.votes[0],
    )[0]
    assert html.escape(question, quote=False)[:20] in anybody.get(address).text
    arena.execute("UPDATE question SET redistribute = FALSE")

    shut = anybody.get(address).text

    assert html.escape(question, quote=False)[:20] not in shut
    assert "Its licence does not let us pass it on." in shut


def test_archived_months_are_found_from_the_open_one(arena: ArenaSite, anybody: Voter) -> None:
    """The page of the counts links them, and says what is public when."""
    before = anybody.get("/audit").text
    close_month(arena, month="2026-10")
    arena.sequence()
    after = anybody.get("/audit").text

    assert "until then a vote is shown to its voter alone" in before
    assert links(before, "/audit?month=") == []
    assert links(after, "/audit?month=") == ["/audit?month=2026-10"]
    assert anybody.get("/audit?month=2026-10").status_code == 200


def test_models_and_modes_are_called_as_on_the_board(seen: OneSided, anybody: Voter) -> None:
    """By name with a link to the model's page, and with a capital."""
    page = anybody.get("/audit?month=2026-11&kind=vote.cast").text
    addresses = set(links(page, "/models/"))

    assert addresses
    assert {anybody.get(address).status_code for address in addresses} == {200}
    assert "<td>Speed</td>" in page
    assert "<td>speed</td>" not in page
