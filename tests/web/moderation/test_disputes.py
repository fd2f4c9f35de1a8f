"""Disputes from the voter's side: the form, who may use it, and what everybody reads."""

from __future__ import annotations

import re

import pytest

from tests.fixtures.arena_site import ArenaSite, at, reason_of, route_of
from tests.fixtures.moderation_cases import OneSided, dispute_of, flag_of, one_sided_voter, strike
from tests.fixtures.moderators import People, moderator_of
from tests.fixtures.review_cases import close_month

WORDS = "I read all four answers twice."


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with two votes, the first of which is struck."""
    seen = one_sided_voter(arena, 2)
    strike(arena, seen.votes[0])
    return seen


def kept_in(html: str) -> str:
    """Return what stands in the page's text field; a line break at its head is none of it."""
    found = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", html, re.DOTALL)
    assert found is not None
    return found[1]


def test_a_voter_contests_a_vote_and_finds_it_again(arena: ArenaSite, seen: OneSided) -> None:
    """The form is found from the vote; afterwards the state stands where the form was."""
    form = seen.voter.get(f"/disputes/new?vote={seen.routes[0]}")
    assert "Why should it count?" in form.text

    sent = seen.voter.post("/disputes", {"vote": seen.routes[0], "text": WORDS})

    assert sent.status_code == 303
    assert sent.headers["Location"].startswith("/disputes#d-")
    after = seen.voter.get(f"/disputes/new?vote={seen.routes[0]}").text
    assert "Submitted, waits for a moderator" in after
    assert WORDS in after
    assert "Why should it count?" not in after


def test_only_the_votes_own_voter_may_contest_it(arena: ArenaSite, seen: OneSided) -> None:
    """Another voter is refused form and deed, a browser without votes too."""
    other = one_sided_voter(arena, 1).voter
    for stranger, reason in ((other, "not_yours"), (arena.voter(), "bad_identity")):
        form = stranger.get(f"/disputes/new?vote={seen.routes[0]}")
        sent = stranger.post("/disputes", {"vote": seen.routes[0], "text": WORDS})
        assert [reason_of(form), reason_of(sent)] == [reason, reason]
    assert arena.count("dispute") == 0


@pytest.mark.parametrize(
    "text,reason", [("", "empty"), ("  ", "empty"), ("x" * 2_001, "over_long")]
)
def test_a_dispute_needs_a_few_words(seen: OneSided, text: str, reason: str) -> None:
    """None, or too many, are refused with a reason, and the form keeps them."""
    form = {"vote": seen.routes[0], "text": text}
    refused = seen.voter.post("/disputes", form)
    told = seen.voter.post("/disputes", form, headers={"Accept": "application/json"})

    assert (refused.status_code, reason_of(refused)) == (422, reason)
    assert kept_in(refused.text).strip() == text.strip()
    assert (told.status_code, told.get_json()["reason"]) == (422, reason)


def test_a_line_break_is_one_character(arena: ArenaSite, seen: OneSided) -> None:
    """A form sends each as two; what a browser lets a person type is taken."""
    lines = ["x" * 99] * 20  # 1,999 characters as a browser counts them
    sent = seen.voter.post("/disputes", {"vote": seen.routes[0], "text": "\r\n".join(lines)})
    dispute = sent.headers["Location"].partition("#d-")[2]
    more = seen.voter.post(f"/disputes/{dispute}/evidence", {"text": "\r\n".join(lines)})
    rosa, case = moderator_of(arena), f"/moderation/cases/dispute:{dispute}"
    note = rosa.send(f"{case}/note", reason="context", text="\r\n".join(lines))

    assert (sent.status_code, more.status_code, note.status_code) == (303, 303, 303)
    assert "\n".join(lines) in seen.voter.get("/disputes").text


def test_evidence_that_is_too_long_is_handed_back(arena: ArenaSite, seen: OneSided) -> None:
    """The dispute's own form stands open with the text and says why."""
    sent = seen.voter.post("/disputes", {"vote": seen.routes[0], "text": WORDS})
    dispute = sent.headers["Location"].partition("#d-")[2]

    refused = seen.voter.post(f"/disputes/{dispute}/evidence", {"text": "y" * 2_001})

    assert (refused.status_code, reason_of(refused)) == (422, "over_long")
    assert kept_in(refused.text) == "y" * 2_001
    assert '<details class="more" open>' in refused.text
    stranger = one_sided_voter(arena, 1).voter
    assert reason_of(stranger.post(f"/disputes/{dispute}/evidence", {"text": ""})) == "not_yours"


def test_a_vote_is_contested_once_at_a_time(seen: OneSided) -> None:
    """The second one is told that there is one."""
    form = {"vote": seen.routes[0], "text": WORDS}
    seen.voter.post("/disputes", form)

    assert reason_of(seen.voter.post("/disputes", form)) == "already_open"


def test_evidence_can_be_added(arena: ArenaSite, seen: OneSided) -> None:
    """The voter may add to it while it waits; nobody else may."""
    sent = seen.voter.post("/disputes", {"vote": seen.routes[0], "text": WORDS})
    dispute = sent.headers["Location"].partition("#d-")[2]

    added = seen.voter.post(f"/disputes/{dispute}/evidence", {"text": "And I scrolled."})
    other = one_sided_voter(arena, 1).voter
    refused = other.post(f"/disputes/{dispute}/evidence", {"text": "Me too."})

    assert added.status_code == 303
    assert "Evidence was added" in seen.voter.get("/disputes").text
    assert reason_of(refused) == "not_yours"


def test_the_public_reads_states_and_not_the_voters_words(arena: ArenaSite, seen: OneSided) -> None:
    """Neither the vote nor what the voter says is told to others."""
    seen.voter.post("/disputes", {"vote": seen.routes[0], "text": WORDS})

    page = arena.voter().get("/disputes").text

    assert "Submitted, waits for a moderator" in page
    assert WORDS not in page
    assert seen.routes[0] not in page
    assert seen.votes[0] not in page


def test_the_vote_and_the_own_page_tell_the_state(seen: OneSided) -> None:
    """The voter need not search for it: it stands on the reveal and among the own votes."""
    seen.voter.post("/disputes", {"vote": seen.routes[0], "text": WORDS})

    for path in (f"/ballots/{seen.routes[0]}", "/me"):
        assert "Submitted, waits for a moderator" in seen.voter.get(path).text
    assert "Submitted" not in seen.voter.get(f"/ballots/{seen.routes[1]}").text


def test_words_are_no_markup(seen: OneSided) -> None:
    """What a voter writes is text."""
    words = "<script>alert(1)</script>{{ 7 * 7 }}"
    seen.voter.post("/disputes", {"vote": seen.routes[0], "text": words})

    page = seen.voter.get("/disputes").text

    assert "<script>alert" not in page
    assert "{{ 7 * 7 }}" in page


@pytest.mark.parametrize(
    "seconds,fields,words",
    [
        (1, {"dwell_ms": "1000"}, ("Read for 1.0 s. Up to 2 s", "from 10 s", "time 0 ×")),
        (6, {"scroll": "0.01"}, ("less than 5 % of it was seen", "Below 10 s", "scrolling 0 ×")),
        (30, {"dwell_ms": "-1"}, ("is no number, or out of range", "× 0 for what must not count")),
    ],
)
def test_a_weight_by_rule_is_explained_and_not_contested(
    arena: ArenaSite, seconds: int, fields: dict[str, str], words: tuple[str, ...]
) -> None:
    """V-052: rule, numbers and parts stand there with whom to write to, and no form is offered."""
    voter = arena.voter()
    route = route_of(voter.read_and_vote(seconds=seconds, fields=fields))
    reveal, me = (" ".join(voter.get(path).text.split()) for path in (f"/ballots/{route}", "/me"))
    page = " ".join(voter.get(f"/disputes/new?vote={route}").text.split())

    for told in words:
        assert told in page
    assert words[0] in reveal
    assert "Your vote does not count." in reveal
    for text in (reveal, me):
        assert f'href="/disputes/new?vote={route}"' in text
        assert "Contest this" not in text
    assert 'href="/rules/arena#weight"' in page
    assert 'href="/about#contact"' in page
    assert "counts again" not in page
    assert "<textarea" not in page
    sent = voter.post("/disputes", {"vote": route, "text": WORDS})
    assert (sent.status_code, reason_of(sent)) == (409, "by_rule")


@pytest.mark.parametrize(
    "code,words",
    [
        ("repeated_question", "voted on this question before in this month"),
        ("seen_answer", "had been revealed before to you, or to someone taken for the same person"),
        ("stale_answer", "had been revealed 300 times or more"),
        ("identity_leak", "says which model wrote it"),
    ],
)
def test_every_rule_that_takes_the_weight_is_named(
    arena: ArenaSite, seen: OneSided, code: str, words: str
) -> None:
    """Reveal and page say the rule of each code with its number, and own page the code's words."""
    arena.execute(
        "UPDATE vote SET weight_micro = 0, reasons = :reasons WHERE id = :id",
        reasons=f'["{code}","scroll_unknown"]',
        id=seen.votes[1],
    )
    for path in (f"/ballots/{seen.routes[1]}", f"/disputes/new?vote={seen.routes[1]}"):
        text = seen.voter.get(path).text
        assert words in text
        assert code not in text


def test_a_vote_that_counts_is_not_contested(arena: ArenaSite, seen: OneSided) -> None:
    """The page says so and offers no form; sent all the same it is refused."""
    page = seen.voter.get(f"/disputes/new?vote={seen.routes[1]}").text
    sent = seen.voter.post("/disputes", {"vote": seen.routes[1], "text": WORDS})

    assert "Your vote counts" in page
    assert "<textarea" not in page
    assert reason_of(sent) == "counts_already"


def test_a_moderator_cannot_uphold_what_changes_nothing(arena: ArenaSite, seen: OneSided) -> None:
    """Once the vote was restored otherwise, upholding is refused in words; rejecting is not."""
    rosa = moderator_of(arena)
    path = f"/moderation/cases/dispute:{dispute_of(arena, seen)}"
    rosa.send(f"{path}/recheck", text="")
    rosa.send(f"/moderation/votes/{seen.votes[0]}/decide", verdict="restore", reason="mistake")

    refused = rosa.send(f"{path}/decide", verdict="upheld", reason="mistake", text="Yes.")
    rejected = rosa.send(
        f"{path}/decide", verdict="rejected", reason="counts_already", text="It does."
    )

    assert (refused.status_code, reason_of(refused)) == (409, "counts_already")
    assert "This vote is not struck: it counts." in refused.text
    assert rejected.status_code == 303
    for page in ("/disputes", "/me"):
        assert "the voter was right" not in seen.voter.get(page).text


def test_a_closed_month_offers_no_step_that_would_be_refused(
    arena: ArenaSite, seen: OneSided
) -> None:
    """No form, link or decision is offered that could only be answered with 409."""
    rosa = moderator_of(arena)
    case = f"dispute:{dispute_of(arena, seen)}"
    other = one_sided_voter(arena, 1)
    flag = f"/moderation/cases/flag:{flag_of(arena, other)}"
    strike(arena, seen.votes[1])
    rosa.send(f"/moderation/cases/{case}/recheck", text="")
    assert 'value="upheld"' in rosa.get(flag).text
    assert 'value="upheld"' in rosa.get(f"/moderation/cases/{case}").text
    assert "Contest this" in seen.voter.get("/me").text
    close_month(arena)
    arena.clock.now_us = at("2026-12-02T12:00:00+00:00")
    people = People(arena.database, arena.services.ports)
    rosa.client.set_cookie("moderator", people.opened("rosa", arena.clock()))

    for route in seen.routes:
        form = seen.voter.get(f"/disputes/new?vote={route}").text
        assert "<textarea" not in form
        assert "November 2026 is closed and its board stands" in form
    me = seen.voter.get("/me").text
    assert "Contest this" not in me
    assert "Its month is closed: it can no longer be contested." in me
    revealed = seen.voter.get(f"/ballots/{seen.routes[1]}").text
    assert "Contest this" not in revealed
    assert "Its month is closed: it can no longer be contested." in revealed
    vote = rosa.get(f"/moderation/votes/{seen.votes[1]}")
    assert vote.status_code == 200
    assert 'name="verdict"' not in vote.text
    page = rosa.get(f"/moderation/cases/{case}").text
    assert 'value="upheld"' not in page
    flagged = rosa.get(flag).text
    assert "the flag cannot be upheld" in flagged
    assert 'value="dismissed"' in flagged
    assert 'value="upheld"' not in flagged
    fields = {"verdict": "rejected", "reason": "month_over", "text": "Too late."}
    assert rosa.send(f"/moderation/cases/{case}/decide", **fields).status_code == 303
