"""A shared device is never sole ground for a ban, nor for striking votes as a program's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from antiabuse.detectors.finding import Detector
from arena import bans, moderation, review, review_answers
from arena.errors import DeviceAlone, UnknownCode
from arena.standing_reasons import JoinReason, StrikeReason
from ledger.event import StoredEvent
from tests.fixtures.arena_site import ArenaSite, Voter
from tests.fixtures.review_cases import (
    ADA,
    BEN,
    at_once,
    finding,
    name_of,
    part,
    raise_findings,
    report,
    strike,
    vote,
)

MONTH = "2026-11"


def ban(arena: ArenaSite, voter: Voter, reason: str = "same_person") -> str:
    """Ban a voter."""
    ports, name = arena.services.ports, name_of(arena, voter)
    return bans.ban(ports, ADA, MONTH, name, reason=reason, now_us=arena.clock())


def join(arena: ArenaSite, reason: JoinReason, *voters: Voter) -> None:
    """Take voters for one person."""
    names = [name_of(arena, voter) for voter in voters]
    moderation.join(arena.services.ports, BEN, MONTH, names, reason, arena.clock())


def people(arena: ArenaSite, count: int) -> list[Voter]:
    """Return voters with a vote each."""
    voters = [arena.voter() for _ in range(count)]
    for voter in voters:
        vote(arena, voter)
    arena.clock.advance(60)
    return voters


def flagged(
    arena: ArenaSite, voter: Voter, detector: Detector = Detector.SHARED_DEVICE, look: int = 20
) -> tuple[str, StoredEvent]:
    """Return a flag of a detector on a vote of a voter, and the vote."""
    cast = vote(arena, voter)
    arena.clock.advance(30)
    (raised,) = raise_findings(
        arena, [finding([name_of(arena, voter)], [cast.id], detector=detector, look=look)]
    )
    return raised, cast


def decide(arena: ArenaSite, flag: str, verdict: str, reason: str) -> None:
    """Decide an open flag."""
    ports = arena.services.ports
    review.decide_flag(
        ports,
        BEN,
        flag,
        seen="open",
        verdict=verdict,  # type: ignore[arg-type]
        reason=reason,
        now_us=arena.clock(),
    )


def banned(arena: ArenaSite, voter: Voter) -> bool:
    """Say whether a voter's votes are stopped."""
    with arena.database.read() as conn:
        return bans.ban_of(conn, voter.id, arena.clock()) is not None


@pytest.mark.parametrize("upheld", [False, True])
@pytest.mark.parametrize("reason", ["same_person", "automated", "coordinated", "false_reports"])
def test_a_flag_of_a_device_alone_bears_out_no_ban(
    arena: ArenaSite, reason: str, upheld: bool
) -> None:
    """Open or upheld, whatever the reason: nothing is stored, and the error says what to do."""
    voter = arena.voter()
    flag, _ = flagged(arena, voter)
    if upheld:
        decide(arena, flag, "upheld", "same_person")

    with pytest.raises(DeviceAlone, match="dismiss its flag, or first put on record"):
        ban(arena, voter, reason)

    assert not banned(arena, voter)
    assert arena.events("voter.banned") == []


def test_nor_a_month_later(either_arena: ArenaSite) -> None:
    """Under the voter's next name the flag of the month before is their only record still."""
    arena = either_arena
    voter = arena.voter()
    flagged(arena, voter)
    arena.clock.advance(31 * 86_400)
    cast = vote(arena, voter)

    with pytest.raises(DeviceAlone):
        bans.ban(
            arena.services.ports,
            ADA,
            cast.body["month"],
            cast.body["voter"],
            reason="automated",
            now_us=arena.clock(),
        )


def test_a_device_strikes_no_vote_as_a_programs(arena: ArenaSite) -> None:
    """Its flag is upheld for one person under several names, or not at all."""
    flag, _ = flagged(arena, arena.voter())

    for reason in ("automated", "coordinated"):
        with pytest.raises(UnknownCode):
            decide(arena, flag, "upheld", reason)

    assert arena.count("vote_strike") == 0
    decide(arena, flag, "upheld", "same_person")
    assert arena.count("vote_strike") == 1


def dismissed_device(arena: ArenaSite, voter: Voter, flag: str, _: StoredEvent) -> None:
    """Take the flag of the device off the record."""
    decide(arena, flag, "dismissed", "shared_connection")


def another_flag(arena: ArenaSite, voter: Voter, _: str, __: StoredEvent) -> None:
    """Let another detector find something."""
    flagged(arena, voter, Detector.MODEL_AGENDA)


def struck_by_hand(arena: ArenaSite, voter: Voter, _: str, cast: StoredEvent) -> None:
    """Strike a vote for how it was cast."""
    strike(arena, cast, reason=StrikeReason.AUTOMATED)


def joined_by_pattern(arena: ArenaSite, voter: Voter, _: str, __: StoredEvent) -> None:
    """Join the voter to another for how they vote."""
    join(arena, JoinReason.SAME_PATTERN, voter, *people(arena, 1))


def false_report(arena: ArenaSite, voter: Voter, _: str, __: StoredEvent) -> None:
    """Find a report of theirs without cause."""
    made = report(arena, voter)
    arena.clock.advance(30)
    review_answers.decide_answer(
        arena.services.ports,
        BEN,
        made.body["answer"],
        seen="open",
        verdict="cleared",
        reason="report_unfounded",
        now_us=arena.clock(),
    )


Ground = Callable[[ArenaSite, Voter, str, StoredEvent], None]


@pytest.mark.parametrize(
    "ground",
    [dismissed_device, another_flag, struck_by_hand, joined_by_pattern, false_report],
)
def test_with_another_ground_it_is_the_moderators_judgement(
    either_arena: ArenaSite, ground: Ground
) -> None:
    """Without it the same ban is refused."""
    arena = either_arena
    voter = arena.voter()
    flag, cast = flagged(arena, voter)
    with pytest.raises(DeviceAlone):
        ban(arena, voter)

    ground(arena, voter, flag, cast)

    ban(arena, voter)
    assert banned(arena, voter)


def struck_as_one_person(arena: ArenaSite, voter: Voter, _: str, cast: StoredEvent) -> None:
    """Strike a vote by hand for what the device says already."""
    strike(arena, cast, reason=StrikeReason.SAME_PERSON)


def leaking_answer(arena: ArenaSite, voter: Voter, _: str, cast: StoredEvent) -> None:
    """Strike a vote for what an answer says."""
    strike(arena, cast, reason=StrikeReason.IDENTITY_LEAK)


def dismissed_other(arena: ArenaSite, voter: Voter, _: str, __: StoredEvent) -> None:
    """Let another detector find something that does not hold."""
    other, _cast = flagged(arena, voter, Detector.MODEL_AGENDA)
    decide(arena, other, "dismissed", "chance")


def strangers_flag(arena: ArenaSite, voter: Voter, _: str, __: StoredEvent) -> None:
    """Let another detector find something about somebody else."""
    flagged(arena, arena.voter(), Detector.MODEL_AGENDA)


def second_device_flag(arena: ArenaSite, voter: Voter, _: str, __: StoredEvent) -> None:
    """Let the same detector find the device on another day."""
    flagged(arena, voter, look=21)


@pytest.mark.parametrize(
    "ground",
    [
        struck_as_one_person,
        leaking_answer,
        dismissed_other,
        strangers_flag,
        second_device_flag,
    ],
)
def test_what_is_no_ground_of_its_own_does_not_help(
    either_arena: ArenaSite, ground: Ground
) -> None:
    """The same device said again, or what says nothing of this voter."""
    arena = either_arena
    voter = arena.voter()
    flag, cast = flagged(arena, voter)

    ground(arena, voter, flag, cast)

    with pytest.raises(DeviceAlone):
        ban(arena, voter)


def test_a_ban_does_not_reach_who_is_joined_for_a_device_alone(either_arena: ArenaSite) -> None:
    """Neither directly nor through a third; parted, it holds for the one it is laid on."""
    arena = either_arena
    one, two, three = people(arena, 3)
    join(arena, JoinReason.SAME_DEVICE, one, two)
    join(arena, JoinReason.SAME_PATTERN, two, three)

    for voter in (one, two, three):
        with pytest.raises(DeviceAlone, match="part them first"):
            ban(arena, voter, "automated")
    part(arena, one)
    ban(arena, two, "automated")

    assert [banned(arena, voter) for voter in (one, two, three)] == [False, True, True]


def test_joined_again_for_another_reason_they_are_reached(either_arena: ArenaSite) -> None:
    """What was parted holds nobody any more."""
    arena = either_arena
    one, two, three = people(arena, 3)
    join(arena, JoinReason.SAME_DEVICE, one, two)
    join(arena, JoinReason.ADMITTED, two, three)
    part(arena, one)
    join(arena, JoinReason.SAME_PATTERN, one, two)

    ban(arena, one, "automated")

    assert all(banned(arena, voter) for voter in (one, two, three))


def test_nobody_banned_is_joined_for_a_device(either_arena: ArenaSite) -> None:
    """Nor where one of the others came to the rest by a device; for other reasons they are."""
    arena = either_arena
    bad, one, two, three = people(arena, 4)
    ban(arena, bad, "automated")
    with pytest.raises(DeviceAlone, match="leave the banned one out"):
        join(arena, JoinReason.SAME_DEVICE, bad, one)
    join(arena, JoinReason.SAME_DEVICE, one, two)
    with pytest.raises(DeviceAlone):
        join(arena, JoinReason.SAME_PATTERN, bad, one)
    assert [banned(arena, voter) for voter in (one, two, three)] == [False, False, False]

    join(arena, JoinReason.SAME_PATTERN, bad, three)

    assert banned(arena, three)


def test_ban_and_joining_at_once_see_each_other(either_arena: ArenaSite) -> None:
    """One of the two is refused, so no one is stopped for a device."""
    arena = either_arena
    one, two = people(arena, 2)

    outcomes = at_once(
        [
            lambda: ban(arena, one, "automated"),
            lambda: join(arena, JoinReason.SAME_DEVICE, one, two),
        ]
    )

    assert [type(each).__name__ for each in outcomes].count("DeviceAlone") == 1, outcomes
    assert not banned(arena, two)
