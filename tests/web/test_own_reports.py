"""Reports and notes as their voter reads them: decided reports in full, the rest by number."""

from __future__ import annotations

import json
import re

import pytest

from antiabuse.detectors.finding import Detector
from arena import review
from arena.case_subject import Subject
from tests.fixtures.arena_site import ArenaSite, Voter
from tests.fixtures.moderation_cases import OneSided, flag_of, one_sided_voter
from tests.fixtures.review_cases import ADA, finding, note_on, raise_findings

DAY_S = 86_400


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with votes."""
    return one_sided_voter(arena, 3)


def words(voter: Voter) -> str:
    """Return the words about reports and notes on a voter's own page."""
    page = voter.get("/me").text
    part = page.partition('id="judged"')[2].partition('id="kept-why"')[0]
    return " ".join(re.sub(r"<[^>]+>", " ", part).split())


def decide(arena: ArenaSite, flag: str, verdict: str, reason: str, seen: str = "open") -> None:
    """Decide a flag."""
    review.decide_flag(
        arena.services.ports,
        ADA,
        flag,
        seen=seen,  # type: ignore[arg-type]
        verdict=verdict,  # type: ignore[arg-type]
        reason=reason,
        now_us=arena.clock(),
    )


def test_a_report_that_waits_is_counted_from_the_day_after(
    arena: ArenaSite, seen: OneSided
) -> None:
    """Neither page nor file tells before what it rests on, nor which vote it came with."""
    flag = flag_of(arena, seen)
    assert "No report of a detector about you is known up to yesterday." in words(seen.voter)

    arena.clock.advance(DAY_S)
    told = words(seen.voter)
    data = seen.voter.get("/me/data.json").text

    assert "1 report of a detector about you waits for a moderator." in told
    assert json.loads(data)["flags"] == {"waiting": 1, "decided": []}
    for secret in (flag, "model_agenda", "For or against one model", "4.9"):
        assert secret not in data
        assert secret not in told


@pytest.mark.parametrize(
    "verdict,reason,said",
    [
        ("upheld", "one_sided", "The votes favour or hurt one model far more than chance allows."),
        ("dismissed", "chance", "Chance explains what was seen."),
    ],
)
def test_a_decided_report_is_told_in_full(
    arena: ArenaSite, seen: OneSided, verdict: str, reason: str, said: str
) -> None:
    """What was seen against what was expected, verdict and reason; the file holds every number."""
    decide(arena, flag_of(arena, seen), verdict, reason)

    told = words(seen.voter)
    (own,) = json.loads(seen.voter.get("/me/data.json").text)["flags"]["decided"]

    assert f"For or against one model : a moderator {verdict} it" in told
    assert "expected from the votes of all others" in told
    assert said in told
    assert "about 3 votes of yours" in told
    assert "None waits for a moderator" in told
    assert (own["verdict"], own["reason"], own["votes"]) == (verdict, reason, 3)
    assert (own["statistic"], own["threshold"]) == ("4.9", "3.8")


def test_the_last_decision_holds(arena: ArenaSite, seen: OneSided) -> None:
    """Of a report that was decided again."""
    flag = flag_of(arena, seen)
    decide(arena, flag, "upheld", "automated")
    arena.clock.advance(60)
    decide(arena, flag, "dismissed", "too_little", seen="upheld")

    told = words(seen.voter)

    assert "a moderator dismissed it" in told
    assert "The evidence is too little to act on." in told
    assert "cast by a program" not in told


def test_others_stay_unnamed_and_strangers_read_nothing(arena: ArenaSite, seen: OneSided) -> None:
    """Of a report about several each reads how many the others are, and of own votes alone."""
    other = one_sided_voter(arena, 1)
    both = sorted([seen.name, other.name])
    votes = [*seen.votes, *other.votes]
    (flag,) = raise_findings(arena, [finding(both, votes, detector=Detector.SHARED_DEVICE)])
    decide(arena, flag, "upheld", "same_person")
    stranger = one_sided_voter(arena, 1)

    for who, own, theirs in ((seen, 3, other), (other, 1, seen)):
        told = words(who.voter)
        data = who.voter.get("/me/data.json").text
        assert "Many voters on one device" in told
        assert f"about {own} vote" in told
        assert "about 1 other voter" in told
        assert theirs.name not in told + data
    assert "Many voters on one device" not in words(stranger.voter)


def test_notes_are_named_with_why_they_are_withheld(arena: ArenaSite, seen: OneSided) -> None:
    """How many there are, without their words."""
    assert "No note of a moderator on you is kept." in words(seen.voter)
    month = arena.events("vote.cast")[0].body["month"]
    note_on(arena, Subject("voter", seen.name, month), "Waits for a fourth vote.")

    told = words(seen.voter)

    assert "Moderators wrote 1 note on you or a vote of yours." in told
    assert "withheld for the same reason" in told
    assert "fourth vote" not in seen.voter.get("/me").text + seen.voter.get("/me/data.json").text
