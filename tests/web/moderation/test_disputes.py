"""Disputes from the voter's side: the form, who may use it, and what everybody reads."""

from __future__ import annotations

import pytest

from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.fixtures.moderation_cases import OneSided, one_sided_voter

WORDS = "I read all four answers twice."


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with two votes."""
    return one_sided_voter(arena, 2)


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
    """None, or too many, are refused with a reason."""
    refused = seen.voter.post("/disputes", {"vote": seen.routes[0], "text": text})

    assert (refused.status_code, reason_of(refused)) == (422, reason)


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
