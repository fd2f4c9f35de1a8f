"""What this room tells in public, and what it keeps private."""

from __future__ import annotations

from antiabuse.addresses import AddressHashes
from antiabuse.admission import Refusal
from antiabuse.events import consent_given, refusals_folded, vote_refused
from antiabuse.quotas import LimitScope, RefusalTally
from ledger.canonical import canonical
from ledger.event import Disclosure, NewEvent

ID = "7f1b6c0e-8d1f-4c55-9d3a-2f60a1f7a111"
STREAM = "arena/speed/2026-11"
VOTER = "0123456789abcdef0123456789abcdef"
NOW = 1_796_046_127_123_456  # 2026-11-30 13:42:07 UTC
MINUTE = 1_796_046_120_000_000

REFUSED = vote_refused(
    event_id=ID,
    stream=STREAM,
    now_us=NOW,
    refusal=Refusal.COOLDOWN,
    action="vote",
    voter_id=VOTER,
    ballot_id="ballot-1",
    addresses=AddressHashes("aa", "bb", "cc"),
)
CONSENT = consent_given(event_id=ID, stream=STREAM, now_us=NOW, voter_id=VOTER, consent="yes")
FOLDED = refusals_folded(
    event_id=ID,
    stream=STREAM,
    tally=RefusalTally("aa", MINUTE, ((LimitScope.BALLOTS, 3), (LimitScope.READING, 2))),
)


def test_a_refused_vote_tells_reason_and_hour_only() -> None:
    """Who, from where, which ballot and when exactly are private."""
    assert (REFUSED.kind, REFUSED.version) == ("vote.refused", 1)
    assert REFUSED.body == {"reason": "cooldown", "action": "vote", "hour": "2026-11-30T13:00Z"}
    assert REFUSED.private == {
        "time_us": NOW,
        "voter": VOTER,
        "ballot": "ballot-1",
        "address": "aa",
        "prefix": "bb",
    }


def test_a_refusal_of_nobody_known_is_an_event_too() -> None:
    """A bad cookie, token and address leave their places empty."""
    event = vote_refused(
        event_id=ID,
        stream=STREAM,
        now_us=NOW,
        refusal=Refusal.BAD_IDENTITY,
        action="vote",
        voter_id=None,
        ballot_id=None,
        addresses=None,
    )

    assert event.private == {
        "time_us": NOW,
        "voter": None,
        "ballot": None,
        "address": None,
        "prefix": None,
    }


def test_consent_tells_the_answer_and_not_the_voter() -> None:
    """The voter is in the private part alone."""
    assert CONSENT.kind == "voter.consent"
    assert CONSENT.body == {"consent": "yes", "hour": "2026-11-30T13:00Z"}
    assert CONSENT.private == {"time_us": NOW, "voter": VOTER}


def test_refusals_by_rate_are_one_event_with_a_count() -> None:
    """The sum and each limit's share are public, the address and minute are not."""
    assert FOLDED.kind == "refusals.folded"
    assert FOLDED.body == {
        "reason": "rate_limited",
        "count": 5,
        "scopes": {"ballots": 3, "reading": 2},
        "hour": "2026-11-30T13:00Z",
    }
    assert FOLDED.private == {"minute_us": MINUTE, "address": "aa"}


def test_all_are_shuffled_and_shut_until_the_archive() -> None:
    """None of them narrows a voter to a minute, each names its rules, and each can be hashed."""
    events: list[NewEvent] = [REFUSED, CONSENT, FOLDED]
    for event in events:
        assert event.shuffled
        assert event.disclosure is Disclosure.ARCHIVE
        assert (event.id, event.stream, event.ruleset) == (ID, STREAM, "arena.2026.1")
        assert canonical(event.body)
        assert canonical(event.private)
