"""What a voter reads who is taken for one person with others, and how they contest it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from antiabuse.identity import pseudonym
from arena import moderation
from arena.moderation import Actor
from arena.standing_reasons import JoinReason
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import MODELS, ArenaSite, Voter, reason_of, route_of, write_pack
from tests.fixtures.moderators import moderator_of

MONTH = "2026-11"
ROSA = Actor("Rosa", "M-0001")
WORDS = "We are two people in one house."


def words(response: TestResponse) -> str:
    """Return the words of a page's main part."""
    main = re.sub(r"(?s).*<main[^>]*>|</main>.*", "", response.text)
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


@pytest.fixture
def site(open_empty_arena: OpenArena, tmp_path: Path) -> ArenaSite:
    """An arena with one speed question, whose operator is named."""
    site = open_empty_arena(operator="Kim Example, kim@arena.example")
    for mode, count in (("speed", 1), ("expert", 3)):
        pack = write_pack(tmp_path / mode, mode, questions=count, models=MODELS[:4], topic=mode)
        site.import_pack(pack)
    return site


def joined(site: ArenaSite) -> list[Voter]:
    """Return two voters who are taken for one; the first voted on the one speed question."""
    voters = [site.voter(), site.voter()]
    for voter in voters:
        voter.read_and_vote("expert")
    site.clock.advance(20)
    voters[0].read_and_vote("speed")
    site.sequence()
    ports = site.services.ports
    names = [pseudonym(ports.keys, MONTH, voter.id) for voter in voters]
    moderation.join(ports, ROSA, MONTH, names, JoinReason.SAME_DEVICE, site.clock())
    site.clock.advance(60)
    return voters


def test_a_wrongly_joined_voter_contests_it_and_stands_alone(site: ArenaSite) -> None:
    """From a vote that weighs 0 for another's, over form and re-check, to the parting."""
    _, two = joined(site)
    route = route_of(two.read_and_vote("speed"))

    reveal = words(two.get(f"/ballots/{route}"))
    assert "You, or someone taken for the same person as you, had voted on this question" in reveal
    me = two.get("/me")
    told = words(me)
    for expected in (
        "Taken for one person with others",
        "UTC your voter number is taken for one person with 1 other, to the end of November 2026.",
        "The reason: Your votes came from one device.",
        "Votes that weighed 0 meanwhile stay so.",
    ):
        assert expected in told, told
    assert f'href="/disputes/new?vote={route}">Contest the joining' in me.text
    (kept,) = json.loads(two.get("/me/data.json").text)["joinings"]
    assert (kept["others"], kept["reasons"], kept["contest"]) == (1, ["same_device"], route)
    form = two.get(f"/disputes/new?vote={route}")
    assert "Why are you different people?" in form.text
    assert "This vote stays at 0 even so" in words(form)

    assert two.post("/disputes", {"vote": route, "text": WORDS}).status_code == 303
    assert "about being taken for one person with others" in words(site.voter().get("/disputes"))
    assert "Contest the joining" not in two.get("/me").text
    rosa = moderator_of(site)
    (opened,) = site.events("dispute.opened")
    case = f"/moderation/cases/dispute:{opened.id}"
    assert rosa.send(f"{case}/recheck", text="").status_code == 303
    page = rosa.get(case)
    assert "The voter contests being taken for one person" in page.text
    assert WORDS in page.text
    assert 'value="dispute_upheld"' not in page.text
    sent = rosa.send(
        f"{case}/decide", verdict="upheld", reason="different_people", text="Two at once."
    )
    assert sent.status_code == 303

    told = words(two.get("/me"))
    assert "Taken for one person with others" not in told
    assert "Upheld" in told
    decided = words(rosa.get(case))
    assert "They are different people who share a device or a network." in decided


def test_without_such_a_vote_they_read_whom_to_write_to(site: ArenaSite) -> None:
    """With their name of the month and nobody else's; a stranger reads nothing of it."""
    one, two = joined(site)
    names = [pseudonym(site.services.ports.keys, MONTH, each.id) for each in (one, two)]

    page = two.get("/me")

    assert "write to Kim Example, kim@arena.example: a moderator can part you" in words(page)
    assert f"the name of this voter in November 2026: {names[1]}" in words(page)
    assert names[0] not in page.text
    stranger = site.voter()
    stranger.read_and_vote("expert")
    assert "Taken for one person" not in stranger.get("/me").text


def test_a_voter_who_repeats_a_question_alone_contests_nothing(site: ArenaSite) -> None:
    """The rule binds them, and there is nobody to be parted from."""
    voter = site.voter()
    voter.read_and_vote("speed")
    site.clock.advance(20)
    route = route_of(voter.read_and_vote("speed"))

    page = voter.get(f"/disputes/new?vote={route}")

    assert "<textarea" not in page.text
    assert "taken for one person" not in words(page)
    sent = voter.post("/disputes", {"vote": route, "text": WORDS})
    assert (sent.status_code, reason_of(sent)) == (409, "by_rule")
