"""The order of refusals, their waits and their words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

import pytest

from antiabuse.admission import (
    MESSAGES,
    Refusal,
    Refused,
    VoteFacts,
    first_refusal,
    first_skip_refusal,
    message,
    refused,
)
from antiabuse.rules import current
from antiabuse.voter import VoterState

VOTER = VoterState(
    id="0" * 32,
    day="2026-11-30",
    votes=3,
    ballots=4,
    skips=5,
    votes_left=47,
    ballots_left=146,
    skips_left=55,
    wait_s=0,
    day_left_s=43_200,
    banned=False,
    consent=None,
)
SOUND = VoteFacts(
    voter=VOTER, is_holder=True, already_voted=False, is_open=True, choice_is_sound=True
)
ORDER = [
    "bad_origin",
    "rate_limited",
    "bad_identity",
    "bad_token",
    "not_yours",
    "banned",
    "already_voted",
    "closed",
    "cooldown",
    "daily_cap",
    "contradictory_choice",
]


Faults = Mapping[Refusal, Callable[[VoteFacts], VoteFacts]]
FAULTS: Faults = {
    Refusal.NOT_YOURS: lambda facts: replace(facts, is_holder=False),
    Refusal.BANNED: lambda facts: replace(facts, voter=replace(facts.voter, banned=True)),
    Refusal.ALREADY_VOTED: lambda facts: replace(facts, already_voted=True),
    Refusal.CLOSED: lambda facts: replace(facts, is_open=False),
    Refusal.COOLDOWN: lambda facts: replace(facts, voter=replace(facts.voter, wait_s=1)),
    Refusal.DAILY_CAP: lambda facts: replace(facts, voter=replace(facts.voter, votes_left=0)),
    Refusal.CONTRADICTORY_CHOICE: lambda facts: replace(facts, choice_is_sound=False),
}
CHECKED = [Refusal(code) for code in ORDER[ORDER.index("not_yours") :]]


def test_the_reasons_stand_in_the_order_of_the_checks() -> None:
    """The codes are listed as the rule lists them, the other caps after them."""
    assert [refusal.value for refusal in Refusal] == [*ORDER, "skip_cap", "ballot_cap"]


def test_a_sound_vote_is_admitted() -> None:
    """Without a fault there is no refusal."""
    assert first_refusal(SOUND) is None


@pytest.mark.parametrize("refusal", CHECKED)
def test_each_fault_has_its_own_reason(refusal: Refusal) -> None:
    """One fault alone is refused with its code."""
    assert first_refusal(FAULTS[refusal](SOUND)) is refusal


@pytest.mark.parametrize("first, second", list(combinations(CHECKED, 2)))
def test_of_two_faults_the_earlier_wins(first: Refusal, second: Refusal) -> None:
    """Two faults at once are refused for the one that is checked first."""
    assert first_refusal(FAULTS[second](FAULTS[first](SOUND))) is first


SKIP_FAULTS: Faults = {
    refusal: FAULTS[refusal]
    for refusal in (Refusal.NOT_YOURS, Refusal.BANNED, Refusal.ALREADY_VOTED, Refusal.CLOSED)
} | {Refusal.SKIP_CAP: lambda facts: replace(facts, voter=replace(facts.voter, skips_left=0))}


@pytest.mark.parametrize("first, second", list(combinations(SKIP_FAULTS, 2)))
def test_of_two_faults_of_a_skip_the_earlier_wins(first: Refusal, second: Refusal) -> None:
    """Skips are checked in the same order as votes, with a cap of their own at the end."""
    assert first_skip_refusal(SKIP_FAULTS[second](SOUND)) is second
    assert first_skip_refusal(SKIP_FAULTS[second](SKIP_FAULTS[first](SOUND))) is first


@pytest.mark.parametrize(
    "refusal", [None, *(refusal for refusal in FAULTS if refusal not in SKIP_FAULTS)]
)
def test_a_skip_needs_neither_choice_nor_vote(refusal: Refusal | None) -> None:
    """Cooldown, the cap on votes and the choice do not hinder a skip."""
    facts = SOUND if refusal is None else FAULTS[refusal](SOUND)

    assert first_skip_refusal(facts) is None


@pytest.mark.parametrize(
    "refusal, text",
    [
        (Refusal.COOLDOWN, "Please wait 7 s before the next vote."),
        (Refusal.DAILY_CAP, "You have used your 50 votes for today (UTC)."),
        (Refusal.RATE_LIMITED, "Too many requests. Try again in 7 s."),
        (Refusal.SKIP_CAP, "You have used your 60 skips for today (UTC)."),
        (Refusal.BALLOT_CAP, "You have been shown your 150 ballots for today (UTC)."),
    ],
)
def test_texts_name_the_limit_and_the_wait(refusal: Refusal, text: str) -> None:
    """The words of the limits are the ones agreed on, with the rules' own numbers."""
    assert message(refusal, 7, current()) == text
    assert Refused(refusal, 7).message() == text


def test_every_refusal_has_words() -> None:
    """No code is left without a sentence."""
    assert set(MESSAGES) == set(Refusal)
    assert all(message(refusal, 1, current()).endswith(".") for refusal in Refusal)


@pytest.mark.parametrize("refusal", [Refusal.COOLDOWN, Refusal.RATE_LIMITED])
def test_a_wait_that_is_not_known_is_not_made_up(refusal: Refusal) -> None:
    """A text that names seconds needs them."""
    with pytest.raises(ValueError, match=refusal.value):
        message(refusal, None, current())


@pytest.mark.parametrize(
    "refusal, wait",
    [
        (Refusal.COOLDOWN, 9),
        (Refusal.DAILY_CAP, 43_200),
        (Refusal.SKIP_CAP, 43_200),
        (Refusal.BALLOT_CAP, 43_200),
        (Refusal.CLOSED, None),
    ],
)
def test_waiting_is_advised_only_where_it_helps(refusal: Refusal, wait: int | None) -> None:
    """The cooldown ends after its seconds, a cap at midnight UTC, the others never."""
    error = refused(refusal, replace(VOTER, wait_s=9))

    assert (error.refusal, error.retry_after_s) == (refusal, wait)
