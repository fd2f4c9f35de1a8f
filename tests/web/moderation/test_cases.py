"""Case files: what they show, what a decision does, and what two moderators at once get."""

from __future__ import annotations

import re

import pytest

from antiabuse.detectors.finding import Detector
from antiabuse.utc import month_of
from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.fixtures.arena_votes import refit, votes_by_order
from tests.fixtures.moderation_cases import (
    OneSided,
    dispute_of,
    flag_of,
    one_sided_voter,
    report_of,
    strike,
)
from tests.fixtures.moderators import Moderator, moderator_of


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with four votes, in the log."""
    return one_sided_voter(arena, 4, "198.51.100.7")


@pytest.fixture
def rosa(arena: ArenaSite, seen: OneSided) -> Moderator:
    """The browser of a moderator, signed in."""
    return moderator_of(arena)


def struck(arena: ArenaSite) -> int:
    """Return how many votes do not count by a decision."""
    return arena.count("vote_strike")


def decision_in(html: str) -> str:
    """Return the decision whose board the page leads to."""
    found = re.findall(r'href="/moderation/decisions/([0-9a-f-]{36})"', html)
    assert found
    return str(found[-1])


def test_a_flag_tells_what_was_seen_against_what(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Words, numbers, picks with a plot, votes, and what each decision does."""
    page = rosa.get(f"/moderation/cases/flag:{flag_of(arena, seen)}")

    assert page.status_code == 200
    for words in (
        "was picked best more often than expected from the votes of all others, by",
        "about 1 in 830,000",
        "4 votes are struck and stop counting from the next board on",
        "All votes go on counting",
        "nobody can write one",
    ):
        assert words in page.text
    assert page.text.count('href="/moderation/votes/') == 4


def test_the_plot_is_drawn_in_both_themes_and_kept_nowhere(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The drawing is for moderators alone, as the page is."""
    path = f"/moderation/cases/flag:{flag_of(arena, seen)}/picks.svg"

    drawings = [rosa.get(f"{path}?theme={theme}&size=half") for theme in ("light", "dark")]

    assert all(each.mimetype == "image/svg+xml" for each in drawings)
    assert drawings[0].data != drawings[1].data
    assert drawings[0].headers["Cache-Control"] == "no-store"
    assert seen.voter.get(path).status_code == 303
    assert rosa.get(f"{path}?theme=pink").status_code == 404


def test_upholding_a_flag_strikes_its_votes_and_tells_the_voter(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The votes stop counting, the case says so, and the voter reads the reason."""
    flag = flag_of(arena, seen)

    done = rosa.send(
        f"/moderation/cases/flag:{flag}/decide", seen="open", verdict="upheld", reason="one_sided"
    )

    assert done.status_code == 303
    assert struck(arena) == 4
    after = rosa.get(f"/moderation/cases/flag:{flag}").text
    assert "Flag decided: upheld" in after
    assert "Strike the flagged votes" not in after
    assert "no longer counts" in seen.voter.get(f"/ballots/{seen.routes[0]}").text
    (event,) = arena.events("flag.decided")
    assert event.body["moderator"].startswith("M-")
    assert arena.private(event)["name"] == "rosa"


def test_dismissing_a_flag_changes_no_vote(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The case is closed and leaves the queue."""
    flag = flag_of(arena, seen)

    rosa.send(
        f"/moderation/cases/flag:{flag}/decide", seen="open", verdict="dismissed", reason="chance"
    )

    assert struck(arena) == 0
    assert "Nothing waits" in rosa.get("/moderation").text


def test_the_second_of_two_moderators_is_told(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Nothing is half done, and the page says that it was decided meanwhile."""
    otto = moderator_of(arena, "otto")
    path = f"/moderation/cases/flag:{flag_of(arena, seen)}/decide"
    rosa.send(path, seen="open", verdict="dismissed", reason="chance")

    late = otto.send(path, seen="open", verdict="upheld", reason="one_sided")

    assert (late.status_code, reason_of(late)) == (409, "already_decided")
    assert struck(arena) == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"verdict": "upheld", "reason": ""},
        {"verdict": "upheld", "reason": "chance"},
        {"verdict": "upheld", "reason": "detector"},
        {"verdict": "upheld", "reason": "identity_leak"},
        {"verdict": "upheld", "reason": "careless"},
        {"verdict": "", "reason": "one_sided"},
        {"verdict": "score", "reason": "one_sided"},
        {"verdict": "upheld", "reason": "one_sided", "seen": ""},
    ],
)
def test_a_decision_needs_a_reason_of_its_own_list(
    arena: ArenaSite, seen: OneSided, rosa: Moderator, fields: dict[str, str]
) -> None:
    """Without one, or with another's, nothing is decided."""
    refused = rosa.send(
        f"/moderation/cases/flag:{flag_of(arena, seen)}/decide", **{"seen": "open", **fields}
    )

    assert refused.status_code == 422
    assert struck(arena) == 0


@pytest.mark.parametrize(
    "detector,offered,missing",
    [
        (Detector.MODEL_AGENDA, "one_sided", "careless"),
        (Detector.CARELESS, "careless", "one_sided"),
        (Detector.SHARED_DEVICE, "same_person", "careless"),
    ],
)
def test_a_flag_offers_the_reasons_that_fit_its_detector(
    arena: ArenaSite,
    seen: OneSided,
    rosa: Moderator,
    detector: Detector,
    offered: str,
    missing: str,
) -> None:
    """What a detector of that kind cannot have seen is no reason to uphold its flag."""
    page = rosa.get(f"/moderation/cases/flag:{flag_of(arena, seen, detector)}").text
    listed = page.partition('id="reason-upheld"')[2].partition("</select>")[0]

    assert f'value="{offered}"' in listed
    assert f'value="{missing}"' not in listed
    assert 'value="identity_leak"' not in listed
    single = rosa.get(f"/moderation/votes/{seen.votes[0]}").text
    assert 'value="identity_leak"' in single


@pytest.mark.parametrize(
    "path",
    ["cases/flag:x/decide", "cases/flag:x/note", "cases/voter:2026-11:x/ban", "votes/x/decide"],
)
def test_decisions_need_the_sessions_token(
    arena: ArenaSite, seen: OneSided, rosa: Moderator, path: str
) -> None:
    """A form of another page decides nothing."""
    refused = rosa.post(f"/moderation/{path}", {"verdict": "upheld", "reason": "one_sided"})

    assert (refused.status_code, reason_of(refused)) == (403, "foreign_form")


@pytest.mark.parametrize("subject", ["flag:none", "nothing", "voter:2026-11:none", "answer:none"])
def test_unknown_cases_are_no_page(rosa: Moderator, subject: str) -> None:
    """A case that there is not is answered with 404."""
    assert rosa.get(f"/moderation/cases/{subject}").status_code == 404


def test_a_reported_answer_is_withheld_with_its_votes(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """For a leak the votes on ballots with it stop counting, and it is shown no more."""
    answer = report_of(arena)
    showing = (
        "id IN (SELECT v.id FROM vote v JOIN ballot_slot s USING (ballot_id) WHERE answer_id = :a)"
    )
    shown_to = one_sided_voter(arena, 8)
    votes = arena.count("vote", showing, a=answer)
    assert 0 < votes < len(shown_to.votes) + len(seen.votes)
    page = rosa.get(f"/moderation/cases/answer:{answer}").text
    assert "Reported once." in page

    rosa.send(
        f"/moderation/cases/answer:{answer}/decide",
        seen="open",
        verdict="withheld",
        reason="identity_leak",
    )

    assert struck(arena) == votes
    assert arena.count("answer", "id = :id AND state = 'held'", id=answer) == 1
    assert "It is not shown" in rosa.get(f"/moderation/cases/answer:{answer}").text


def test_a_dispute_goes_through_its_states_to_the_voter(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Struck, contested, taken up, upheld: the vote counts again and all may read why."""
    vote = seen.votes[0]
    rosa.send(f"/moderation/votes/{vote}/decide", verdict="strike", reason="careless")
    dispute = dispute_of(arena, seen, "I read all four answers twice.")
    path = f"/moderation/cases/dispute:{dispute}"
    page = rosa.get(path).text
    assert "I read all four answers twice." in page
    head = page.partition("What was said")[0]
    assert "The choices cannot be told from random ones." in head
    assert "by M-" in head
    assert "No. It was cast with weight" in head
    assert re.search(r"[A-D] best, [A-D] worst, after [0-9.]+ s of reading", head)

    early = rosa.send(f"{path}/decide", verdict="upheld", reason="mistake", text="So it is.")
    rosa.send(f"{path}/recheck", text="The reading time.")
    rosa.send(f"{path}/decide", verdict="upheld", reason="mistake", text="It was read in full.")

    assert reason_of(early) == "not_rechecked"
    assert struck(arena) == 0
    public = arena.voter().get("/disputes").text
    assert "Upheld: the voter was right" in public
    assert "It was read in full." in public
    assert "I read all four" not in public
    assert "Upheld: the voter was right" in seen.voter.get("/disputes").text


def test_a_ban_refuses_further_votes_and_can_be_lifted(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """From the voter's page; earlier votes stay."""
    path = f"/moderation/cases/voter:{month_of(arena.clock())}:{seen.name}"
    token = seen.voter.ballot().token
    rosa.send(f"{path}/ban", verdict="ban", reason="automated")

    assert "Banned since" in rosa.get(path).text
    arena.clock.advance(60)
    assert reason_of(seen.voter.vote(token)) == "banned"
    assert struck(arena) == 0

    rosa.send(f"{path}/ban", verdict="unban", reason="banned_in_error")
    assert seen.voter.vote(token).status_code in (200, 303)


def test_neighbours_are_joined_by_choice(arena: ArenaSite, seen: OneSided, rosa: Moderator) -> None:
    """Another voter of the address is listed, and joined when ticked."""
    other = one_sided_voter(arena, 2, "198.51.100.7")
    case = f"/moderation/cases/flag:{flag_of(arena, seen)}"
    assert f'name="voter" value="{other.name}"' in rosa.get(case).text

    joined = rosa.post(
        f"{case}/join",
        {
            "csrf": rosa.csrf(),
            "month": month_of(arena.clock()),
            "voter": [seen.name, other.name],
            "reason": "same_network",
        },
    )

    assert joined.status_code == 303
    assert arena.count("cluster_member") == 2


def test_notes_are_kept_with_the_case(arena: ArenaSite, seen: OneSided, rosa: Moderator) -> None:
    """Another moderator reads them; markup in them is text."""
    case = f"/moderation/cases/flag:{flag_of(arena, seen)}"

    rosa.send(f"{case}/note", reason="context", text="<b>Look</b> at the {{ dwell }}.")

    page = moderator_of(arena, "otto").get(case).text
    assert "&lt;b&gt;Look&lt;/b&gt; at the {{ dwell }}." in page


def test_a_votes_life_is_told_from_ballot_to_board(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Issued, cast, flagged, counted, struck, left out: boards stand where they came in between."""
    flag = flag_of(arena, seen)
    refit(arena)
    arena.clock.advance(60)
    rosa.send(
        f"/moderation/cases/flag:{flag}/decide", seen="open", verdict="upheld", reason="one_sided"
    )
    arena.sequence()
    refit(arena)

    page = rosa.get(f"/moderation/votes/{seen.votes[0]}").text

    steps = ("Ballot issued", "Vote cast", "Flag raised", "Counted on", "Struck", "Left out of")
    places = [page.index(f"<strong>{step}") for step in steps]
    assert places == sorted(places)
    assert "Restore the vote" in page


def test_a_vote_is_struck_and_restored_from_its_page(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Each is one decision with a reason; the second of the same kind is told."""
    path = f"/moderation/votes/{seen.votes[0]}/decide"

    rosa.send(path, verdict="strike", reason="careless")
    again = rosa.send(path, verdict="strike", reason="careless")
    assert (again.status_code, reason_of(again)) == (409, "already_struck")
    rosa.send(path, verdict="restore", reason="mistake")

    assert struck(arena) == 0
    assert reason_of(rosa.get("/moderation/votes/none")) == "unknown_vote"


@pytest.mark.parametrize(
    "verdict,reason", [("strike", "detector"), ("restore", "flag_dismissed"), ("restore", "chance")]
)
def test_a_person_decides_for_reasons_of_a_person(
    arena: ArenaSite, seen: OneSided, rosa: Moderator, verdict: str, reason: str
) -> None:
    """Reasons that only detectors and dismissed flags have are on no list of a moderator's."""
    vote = seen.votes[0]
    if verdict == "restore":
        strike(arena, vote)
    before = struck(arena)

    refused = rosa.send(f"/moderation/votes/{vote}/decide", verdict=verdict, reason=reason)

    assert (refused.status_code, reason_of(refused)) == (422, "unknown_code")
    assert struck(arena) == before


def test_a_decision_shows_the_board_before_and_after(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Waiting first; then both boards side by side, for moderators and for everybody."""
    votes_by_order(arena, 12)
    refit(arena)
    flag = flag_of(arena, seen)
    rosa.send(
        f"/moderation/cases/flag:{flag}/decide", seen="open", verdict="upheld", reason="one_sided"
    )
    decision = decision_in(rosa.get(f"/moderation/cases/flag:{flag}").text)

    waiting = rosa.get(f"/moderation/decisions/{decision}").text
    arena.sequence()
    refit(arena)
    after = rosa.get(f"/moderation/decisions/{decision}").text
    public = arena.voter().get(f"/decisions/{decision}").text

    assert "is not out yet" in waiting
    for page in (after, public):
        assert re.search(r"The last board without it is of [0-9-]+ [0-9:]{8} UTC", page)
        assert "Between the two no new vote came in." in page
        assert page.count('<tr role="row"><td') >= 4
    for words in ("Struck, Speed, 2026-11-", "by M-", "4 votes."):
        assert words in public
    assert "The votes favour or hurt one model far more than chance allows." in public
    assert seen.votes[0] not in public
    assert seen.name not in public


def test_decisions_are_public_by_handle(arena: ArenaSite, seen: OneSided, rosa: Moderator) -> None:
    """Everybody reads kind, reason, count and handle, and not about whom."""
    rosa.send(
        f"/moderation/cases/flag:{flag_of(arena, seen)}/decide",
        seen="open",
        verdict="upheld",
        reason="one_sided",
    )

    page = arena.voter().get("/decisions").text

    assert "Flag decided: upheld" in page
    assert '<td role="cell" data-name="Mode">Speed</td>' in page
    assert "one_sided" in page
    assert "M-" in page
    assert "rosa" not in page
    assert seen.name not in page
    assert not any(vote in page for vote in seen.votes)
    assert "before and after" in rosa.get("/moderation/decisions").text
