"""What a banned voter reads instead of a ballot, on a refusal and on their own page (V-170)."""

from __future__ import annotations

import re

import pytest
from werkzeug.test import TestResponse

from antiabuse.identity import pseudonym
from arena import bans, moderation
from arena.moderation import Actor
from arena.standing_reasons import JoinReason
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Voter, at, page_of, reason_of, vote_form

ROSA = Actor("Rosa", "M-0001")
MONTH = "2026-11"
REASON = "The account votes by an agreement."


def named(arena: ArenaSite, voter: Voter) -> str:
    """Return a voter's name of the month."""
    return pseudonym(arena.services.ports.keys, MONTH, voter.id)


def ban(arena: ArenaSite, voter: Voter, reason: str = "coordinated") -> None:
    """Ban a voter at five past twelve."""
    arena.clock.now_us = at("2026-11-30T12:05:00+00:00")
    name = named(arena, voter)
    bans.ban(arena.services.ports, ROSA, MONTH, name, reason=reason, now_us=arena.clock())


def voted(arena: ArenaSite, mode: str = "speed") -> Voter:
    """Return a voter with a vote, after the cooldown."""
    voter = arena.voter()
    voter.read_and_vote(mode)
    arena.clock.advance(10)
    return voter


def words(response: TestResponse) -> str:
    """Return the words of a page's main part."""
    main = re.sub(r"(?s).*<main[^>]*>|</main>.*", "", response.text)
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def assert_told(response: TestResponse, arena: ArenaSite, voter: Voter) -> None:
    """Since when, why, what stays, how to contest it; nobody's id."""
    told = words(response)
    for expected in (
        "Your votes are stopped",
        "Since 2026-11-30 12:05 UTC no vote of this voter is accepted.",
        f"The reason: {REASON}",
        "Your earlier votes stay, and count as before unless they were struck",
        "write to Kim Example, kim@arena.example: a moderator can let you vote again",
        f"the name of this voter in November 2026: {named(arena, voter)}",
    ):
        assert expected in told, told
    assert 'href="/about#contact"' in response.text


@pytest.fixture
def run_arena(open_arena: OpenArena) -> ArenaSite:
    """An arena whose operator is named."""
    return open_arena(operator="Kim Example, kim@arena.example")


def test_a_banned_voter_reads_so_instead_of_a_ballot(run_arena: ArenaSite) -> None:
    """On the front page of both modes, as page and as fragment; no ballot is issued or shown."""
    voter = voted(run_arena)
    ban(run_arena, voter)
    ballots = run_arena.count("ballot")

    for mode in ("speed", "expert"):
        for htmx in (False, True):
            page = voter.get(f"/?mode={mode}", htmx=htmx)
            assert page.status_code == 200
            assert_told(page, run_arena, voter)
            assert 'id="ballot"' not in page.text
            assert "left today" not in page.text
            assert 'href="/me"' in page.text
            assert f'href="/leaderboard?mode={mode}"' in page.text
    assert run_arena.count("ballot") == ballots
    assert run_arena.count("event", "kind = 'ballot.shown'") == 0


def test_the_refusal_says_the_same(run_arena: ArenaSite) -> None:
    """A vote or skip on a ballot from before the ban is 403 in the same words, and leads on."""
    voter = voted(run_arena)
    token = voter.ballot("expert").token
    ban(run_arena, voter)
    run_arena.clock.advance(30)

    for path, form in (("/vote", vote_form(token)), ("/skip", {"ballot": token})):
        for htmx in (False, True):
            refused = voter.post(f"{path}?mode=expert", form, htmx=htmx)
            assert (refused.status_code, reason_of(refused)) == (403, "banned")
            assert_told(refused, run_arena, voter)
            assert 'href="/leaderboard?mode=expert"' in refused.text
            # It takes the ballot's place, as the form asked for.
            assert "HX-Retarget" not in refused.headers
    data = voter.post("/vote", vote_form(token), headers={"Accept": "application/json"})
    assert data.json is not None
    assert (data.status_code, data.json["reason"]) == (403, "banned")
    assert data.json["detail"] == f"A moderator stopped the votes of this voter. {REASON}"


def test_the_own_page_says_the_same(run_arena: ArenaSite) -> None:
    """Instead of what is left of the day; votes stay listed, and all is as before once lifted."""
    voter = voted(run_arena)
    ban(run_arena, voter)

    page = voter.get("/me")
    assert_told(page, run_arena, voter)
    assert "Left today" not in page.text
    assert page.text.count("/receipts/") == 1

    name, now = named(run_arena, voter), run_arena.clock()
    ports = run_arena.services.ports
    bans.unban(ports, ROSA, MONTH, name, reason="banned_in_error", now_us=now)
    assert "Left today" in voter.get("/me").text
    assert "Your votes are stopped" not in words(voter.get("/me"))
    voter.ballot()


def test_joined_voters_read_the_same_and_strangers_nothing(run_arena: ArenaSite) -> None:
    """Each joined voter gets the reason and their own name, never the banned one's."""
    one, two, stranger = (voted(run_arena) for _ in range(3))
    names = [named(run_arena, each) for each in (one, two)]
    ports = run_arena.services.ports
    moderation.join(ports, ROSA, MONTH, names, JoinReason.SAME_PATTERN, run_arena.clock())
    # At the very same moment another one is banned for another reason.
    ban(run_arena, stranger, "false_reports")
    ban(run_arena, one)
    fourth = voted(run_arena)

    for path in ("/", "/me"):
        page = two.get(path)
        assert_told(page, run_arena, two)
        assert names[0] not in page.text
        assert one.id not in page.text
        assert "The account reports answers without cause." in stranger.get(path).text
        for voter in (fourth, run_arena.voter()):
            other = voter.get(path)
            assert "are stopped" not in words(other)
            assert REASON not in other.text
    page_of(fourth.get("/"))


def test_a_ban_that_went_over_keeps_its_reason(run_arena: ArenaSite) -> None:
    """When the banned id is erased, those joined to it still read since when and why."""
    one, two = voted(run_arena), voted(run_arena)
    names = [named(run_arena, each) for each in (one, two)]
    ports = run_arena.services.ports
    moderation.join(ports, ROSA, MONTH, names, JoinReason.SAME_PATTERN, run_arena.clock())
    ban(run_arena, one)
    run_arena.clock.advance(600)
    one.post("/me/erase")

    assert_told(two.get("/"), run_arena, two)


def test_a_ban_without_a_decision_gives_no_reason(run_arena: ArenaSite) -> None:
    """A row that no decision explains is told without inventing a reason."""
    voter = voted(run_arena)
    run_arena.execute("UPDATE voter SET banned_us = 1 WHERE id = :id", id=voter.id)

    told = words(voter.get("/"))

    assert "Since 1970-01-01" in told
    assert "The record of the decision’s reason is not kept." in told
