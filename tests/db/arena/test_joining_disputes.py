"""Disputes about being taken for one person with others, and what their voter is told of it."""

from __future__ import annotations

import pytest

from arena import dispute_views, disputes, moderation
from arena.errors import ClosedMonth, DisputeRefused, UnknownCode
from arena.own_joining import OwnJoining, own_joinings
from arena.rebuild import rebuild
from arena.review_events import DisputeVerdict
from arena.standing_reasons import JoinReason
from ledger.event import StoredEvent
from tests.fixtures.arena_site import ArenaSite, Voter
from tests.fixtures.review_cases import (
    ADA,
    BEN,
    close_month,
    name_of,
    part,
    strike,
    visitor,
    vote,
)

MONTH = "2026-11"


def join(arena: ArenaSite, *voters: Voter, reason: JoinReason = JoinReason.SAME_NETWORK) -> None:
    """Take voters for one person."""
    names = [name_of(arena, voter) for voter in voters]
    moderation.join(arena.services.ports, BEN, MONTH, names, reason, arena.clock())


def weightless(arena: ArenaSite, voter: Voter, code: str = "repeated_question") -> StoredEvent:
    """Return a vote of a voter that a rule gave weight 0."""
    cast = vote(arena, voter)
    arena.clock.advance(30)
    arena.execute(
        "UPDATE vote SET weight_micro = 0, reasons = :reasons WHERE id = :id",
        reasons=f'["{code}"]',
        id=cast.id,
    )
    return cast


@pytest.fixture
def people(either_arena: ArenaSite) -> list[Voter]:
    """Three voters with a vote each, two of whom are taken for one person."""
    voters = [either_arena.voter() for _ in range(3)]
    for voter in voters:
        vote(either_arena, voter)
    either_arena.clock.advance(60)
    join(either_arena, *voters[:2])
    return voters


def submit(arena: ArenaSite, voter: Voter, cast: StoredEvent) -> str:
    """Open a dispute."""
    ports = arena.services.ports
    return disputes.open_dispute(ports, visitor(arena, voter), cast.id, "I live next door.")


def rechecked(arena: ArenaSite, dispute: str) -> str:
    """Take a dispute up."""
    disputes.begin_recheck(arena.services.ports, ADA, dispute, text="", now_us=arena.clock())
    return dispute


def decide(
    arena: ArenaSite,
    dispute: str,
    verdict: DisputeVerdict = "upheld",
    reason: str = "different_people",
) -> bool:
    """Decide a dispute; say whether a vote was restored."""
    return disputes.decide_dispute(
        arena.services.ports,
        ADA,
        dispute,
        verdict=verdict,
        reason=reason,
        text="Two browsers at once.",
        now_us=arena.clock(),
    )


def told(arena: ArenaSite, voter: Voter) -> tuple[OwnJoining, ...]:
    """Return what a voter is told of their joinings."""
    with arena.database.read() as conn:
        return own_joinings(conn, voter.id, arena.clock())


@pytest.mark.parametrize("code", ["repeated_question", "seen_answer"])
def test_upheld_the_voter_stands_alone_and_the_vote_stays(
    either_arena: ArenaSite, people: list[Voter], code: str
) -> None:
    """The parting is an event of its own, in the same moment; no weight is written."""
    arena, (one, two, _) = either_arena, people
    opened = rechecked(arena, submit(arena, two, weightless(arena, two, code)))

    assert decide(arena, opened) is False

    assert told(arena, one) == told(arena, two) == ()
    (parted,) = arena.events("account.parted")
    (decided,) = arena.events("dispute.decided")
    assert (parted.body["reason"], parted.body["at_us"]) == (
        "different_people",
        decided.body["at_us"],
    )
    assert decided.body["restored"] is False
    assert arena.events("vote.restored") == []
    assert arena.count("vote", "weight_micro = 0") == 1
    with arena.database.read() as conn:
        (public,) = dispute_views.public_disputes(conn).disputes
    assert (public.state, public.about_joining, public.vote) == ("upheld", True, None)


def test_a_rebuild_gives_the_same(either_arena: ArenaSite) -> None:
    """Votes that weigh 0 as the log has them."""
    arena = either_arena
    one, two = arena.voter(), arena.voter()
    for voter in (one, two):
        vote(arena, voter)
    arena.clock.advance(60)
    join(arena, one, two)
    part(arena, one)

    assert rebuild(arena.database).differing == ()


def test_who_was_parted_meanwhile_is_told_that_they_were_right(
    either_arena: ArenaSite, people: list[Voter]
) -> None:
    """Upholding then parts nobody twice."""
    arena, (_, two, _) = either_arena, people
    opened = rechecked(arena, submit(arena, two, weightless(arena, two)))
    part(arena, two)

    decide(arena, opened)

    assert len(arena.events("account.parted")) == 1
    assert [event.body["state"] for event in arena.events("dispute.decided")] == ["upheld"]


def test_rejected_they_stay_one(either_arena: ArenaSite, people: list[Voter]) -> None:
    """For a reason of its own; those about struck votes are refused, and theirs here."""
    arena, (_, two, _) = either_arena, people
    opened = rechecked(arena, submit(arena, two, weightless(arena, two)))
    for verdict, reason in (("upheld", "dispute_upheld"), ("rejected", "evidence_stands")):
        with pytest.raises(UnknownCode):
            decide(arena, opened, verdict, reason)  # type: ignore[arg-type]

    decide(arena, opened, "rejected", "one_person")

    assert [each.others for each in told(arena, two)] == [1]
    other = vote(arena, two)
    strike(arena, other)
    struck = rechecked(arena, submit(arena, two, other))
    with pytest.raises(UnknownCode):
        decide(arena, struck)


def test_only_what_others_may_have_done_is_contestable(
    either_arena: ArenaSite, people: list[Voter]
) -> None:
    """Not haste, not a vote that counts, and nothing of a voter who is joined to nobody."""
    arena, (_, two, alone) = either_arena, people

    for voter, cast, reason in (
        (two, weightless(arena, two, "too_fast"), "by_rule"),
        (two, vote(arena, two), "counts_already"),
        (alone, weightless(arena, alone), "by_rule"),
    ):
        with pytest.raises(DisputeRefused) as refused:
            submit(arena, voter, cast)
        assert refused.value.reason == reason


def test_one_joining_is_disputed_once_at_a_time_and_twice_in_all(
    either_arena: ArenaSite, people: list[Voter]
) -> None:
    """However many votes weigh 0 for it."""
    arena, (_, two, _) = either_arena, people
    votes = [weightless(arena, two) for _ in range(3)]
    for nth, reason in ((0, "already_open"), (1, "too_many")):
        assert [each.contest is not None for each in told(arena, two)] == [True]
        opened = submit(arena, two, votes[nth])
        assert [each.contest for each in told(arena, two)] == [None]
        if nth == 0:
            with pytest.raises(DisputeRefused) as refused:
                submit(arena, two, votes[2])
            assert refused.value.reason == reason
        decide(arena, rechecked(arena, opened), "rejected", "one_person")

    assert [each.contest for each in told(arena, two)] == [None]
    with pytest.raises(DisputeRefused) as refused:
        submit(arena, two, votes[2])
    assert refused.value.reason == "too_many"


def test_a_closed_months_joining_stands(either_arena: ArenaSite, people: list[Voter]) -> None:
    """It can be rejected with the reason that says so, and no more be upheld or opened."""
    arena, (_, two, _) = either_arena, people
    cast, other = weightless(arena, two), weightless(arena, two)
    opened = rechecked(arena, submit(arena, two, cast))
    arena.clock.advance(70 * 86_400)
    close_month(arena)

    with pytest.raises(ClosedMonth):
        decide(arena, opened)
    with pytest.raises(DisputeRefused) as refused:
        submit(arena, two, other)
    assert refused.value.reason == "month_over"
    decide(arena, opened, "rejected", "month_over")
    assert [(each.month_open, each.contest) for each in told(arena, two)] == [(False, None)]


def test_a_voter_is_told_since_when_with_how_many_and_why(
    either_arena: ArenaSite, people: list[Voter]
) -> None:
    """Since they last stood alone, each reason once; nobody else's name."""
    arena, (one, two, three) = either_arena, people
    began = arena.clock()
    arena.clock.advance(600)
    join(arena, two, three, reason=JoinReason.ADMITTED)
    (own,) = told(arena, two)
    assert (own.month, own.name, own.others) == (MONTH, name_of(arena, two), 2)
    assert (own.since_us, own.reasons) == (began, ("same_network", "admitted"))
    assert (own.month_open, own.contest) == (True, None)

    part(arena, two)
    assert told(arena, two) == ()
    assert [each.others for each in told(arena, one)] == [1]
    arena.clock.advance(600)
    join(arena, two, one, reason=JoinReason.SAME_PATTERN)
    (own,) = told(arena, two)
    assert (own.since_us, own.reasons) == (arena.clock(), ("same_pattern",))
