"""Striking, restoring and joining: what is refused, and two moderators at once, both databases."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import text

from arena import boards, moderation, standing
from arena.errors import (
    AlreadyJoined,
    AlreadyStruck,
    ArenaError,
    ClosedMonth,
    NotStruck,
    SeveralMonths,
    UnknownVote,
)
from arena.moderation import Actor
from arena.ports import Ports
from arena.standing_reasons import JoinReason, RestoreReason, StrikeReason
from ledger.store import head
from tests.fixtures.arena_site import ArenaSite, at
from tests.fixtures.arena_votes import vote_by_order
from tests.fixtures.review_cases import close_month
from webapp import jobs

ROSA = Actor("Rosa", "M-0001")
IGOR = Actor("Igor", "M-0002")
MONTH = "2026-11"


def void(arena: ArenaSite, votes: Sequence[str], actor: Actor = ROSA) -> str:
    """Strike votes."""
    ports, now = arena.services.ports, arena.clock()
    return moderation.void(
        ports, actor, votes, reason=StrikeReason.AUTOMATED, case="case 1", now_us=now
    )


def restore(arena: ArenaSite, votes: Sequence[str], actor: Actor = ROSA) -> str:
    """Let votes count again."""
    ports, now = arena.services.ports, arena.clock()
    return moderation.restore(
        ports, actor, votes, reason=RestoreReason.NEW_EVIDENCE, case="case 1", now_us=now
    )


def join(arena: ArenaSite, voters: Sequence[str], actor: Actor | None = ROSA) -> str:
    """Take voters for one."""
    ports: Ports = arena.services.ports
    return moderation.join(ports, actor, MONTH, voters, JoinReason.ADMITTED, arena.clock())


def both(calls: Sequence[Callable[[], str]]) -> tuple[list[str], list[ArenaError]]:
    """Run calls in threads that begin together; return what they gave and what they raised."""
    gate = threading.Barrier(len(calls))
    given: list[str] = []
    raised: list[ArenaError] = []

    def run(call: Callable[[], str]) -> None:
        gate.wait(10)
        try:
            given.append(call())
        except ArenaError as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return given, raised


@pytest.fixture
def cast(either_arena: ArenaSite) -> tuple[ArenaSite, list[str], list[str]]:
    """A site with six votes of six voters; their ids and pseudonyms."""
    for _ in range(6):
        either_arena.voter().read_and_vote()
    events = either_arena.events("vote.cast")
    return either_arena, [each.id for each in events], [each.body["voter"] for each in events]


def test_two_moderators_at_once_strike_once(cast: tuple[ArenaSite, list[str], list[str]]) -> None:
    """Overlapping strikes in opposite order: one decision holds whole, the other not at all."""
    arena, votes, _ = cast
    given, raised = both(
        [lambda: void(arena, votes[:4], ROSA), lambda: void(arena, votes[:1:-1], IGOR)]
    )

    assert [type(error) for error in raised] == [AlreadyStruck]
    assert len(given) == 1
    assert [each.id for each in arena.events("vote.voided")] == given
    assert arena.count("vote_strike") == 4
    assert arena.count("decision") == 1


def test_two_moderators_at_once_restore_once(cast: tuple[ArenaSite, list[str], list[str]]) -> None:
    """The second one is told that the votes count again."""
    arena, votes, _ = cast
    void(arena, votes)
    given, raised = both(
        [lambda: restore(arena, votes[:4], ROSA), lambda: restore(arena, votes[2:], IGOR)]
    )

    assert [type(error) for error in raised] == [NotStruck]
    assert len(given) == 1
    assert arena.count("vote_strike") == 2


def test_overlapping_joins_at_once_make_one_cluster(
    cast: tuple[ArenaSite, list[str], list[str]],
) -> None:
    """Whichever comes second takes the first one's cluster along."""
    arena, _, voters = cast
    given, raised = both(
        [lambda: join(arena, voters[:3], ROSA), lambda: join(arena, voters[2:5], IGOR)]
    )

    assert (len(given), raised) == (2, [])
    assert arena.count("cluster_member", "cluster = :name", name=min(voters[:5])) == 5


def test_what_cannot_be_done_changes_nothing(
    cast: tuple[ArenaSite, list[str], list[str]],
) -> None:
    """Each wrong decision is refused by its own error, without event, strike or decision."""
    arena, votes, voters = cast
    void(arena, votes[:1])
    join(arena, voters[:2])
    strange = "00000000-0000-4000-8000-000000000000"
    refused: list[tuple[type[ArenaError], Callable[[], str]]] = [
        (AlreadyStruck, lambda: void(arena, votes[:3])),
        (NotStruck, lambda: restore(arena, votes[:2])),
        (UnknownVote, lambda: void(arena, [])),
        (UnknownVote, lambda: void(arena, [votes[2], strange])),
        (UnknownVote, lambda: restore(arena, [strange])),
        (UnknownVote, lambda: join(arena, [voters[0], "f" * 32])),
        (UnknownVote, lambda: join(arena, voters[:1])),
        (AlreadyJoined, lambda: join(arena, voters[:2])),
    ]
    events = arena.count("event")

    for error, act in refused:
        with pytest.raises(error):
            act()

    assert arena.count("event") == events
    assert arena.count("vote_strike") == 1
    assert arena.count("decision") == 2


def test_votes_of_a_month_that_is_closed_stay_as_they_are(
    cast: tuple[ArenaSite, list[str], list[str]],
) -> None:
    """Striking, restoring and joining name the month and do nothing."""
    arena, votes, voters = cast
    void(arena, votes[:1])
    arena.clock.now_us = at("2027-01-01T00:00:00+00:00")

    refused: list[Callable[[], str]] = [
        lambda: void(arena, votes[1:2]),
        lambda: restore(arena, votes[:1]),
        lambda: join(arena, voters[:2]),
    ]
    for act in refused:
        with pytest.raises(ClosedMonth, match="2026-11"):
            act()
    assert arena.count("vote_strike") == 1


def test_the_month_before_can_be_decided_until_its_archive_is_out(
    cast: tuple[ArenaSite, list[str], list[str]],
) -> None:
    """What the last day brings to light changes that month's board, and only that one."""
    arena, votes, voters = cast
    arena.sequence()
    arena.clock.now_us = at("2026-12-02T00:00:00+00:00")
    struck = void(arena, votes[:1])
    restore(arena, votes[:1])
    void(arena, votes[:1])
    join(arena, voters[:2])
    arena.sequence()

    with arena.database.read() as conn:
        assert set(standing.at(conn, "speed", MONTH, head(conn).size).struck) == set(votes[:1])
        stream = conn.execute(
            text("SELECT stream FROM event WHERE id = :id"), {"id": struck}
        ).scalar_one()
    assert stream.endswith(f"/{MONTH}")
    assert jobs.tend(arena.services, "speed")
    with arena.database.read() as conn:
        old, new = (boards.latest(conn, "speed", month) for month in (MONTH, "2026-12"))
    assert old is not None
    assert old.votes == len(votes) - 1
    assert new is None

    close_month(arena)
    with pytest.raises(ClosedMonth, match=MONTH):
        restore(arena, votes[:1])


def test_a_decision_is_about_one_month(cast: tuple[ArenaSite, list[str], list[str]]) -> None:
    """Votes of two months at once are refused, and both months stay as they are."""
    arena, votes, _ = cast
    arena.clock.now_us = at("2026-12-01T09:00:00+00:00")
    vote_by_order(arena)
    with arena.database.read() as conn:
        newest = conn.execute(text("SELECT id FROM vote WHERE month = '2026-12'")).scalar_one()

    with pytest.raises(SeveralMonths):
        void(arena, [votes[0], newest])
    assert arena.count("vote_strike") == 0


def test_a_failing_caller_takes_the_decision_with_it(
    cast: tuple[ArenaSite, list[str], list[str]],
) -> None:
    """Inside a larger transaction a strike is stored with it or not at all."""
    arena, votes, _ = cast
    ports = arena.services.ports

    def strike_and_fail() -> None:
        with ports.database.write() as conn:
            moderation.void(
                ports,
                ROSA,
                votes,
                reason=StrikeReason.CARELESS,
                case="case 1",
                now_us=arena.clock(),
                conn=conn,
            )
            raise RuntimeError("the rest failed")

    with pytest.raises(RuntimeError, match="the rest failed"):
        strike_and_fail()
    assert arena.events("vote.voided") == []
    assert arena.count("vote_strike") == 0


def test_a_detector_strikes_what_still_counts(
    cast: tuple[ArenaSite, list[str], list[str]],
) -> None:
    """Votes that a moderator struck keep that reason; when none is left nothing is written."""
    arena, votes, _ = cast
    ports = arena.services.ports
    void(arena, votes[:2])

    def discount() -> tuple[str, ...]:
        with ports.database.write() as conn:
            return moderation.discount(
                conn, ports, flag="f", detector="repeats", vote_ids=votes, now_us=arena.clock()
            )

    assert len(discount()) == 1
    assert discount() == ()
    [event] = arena.events("vote.discounted")
    assert sorted(event.body["votes"]) == sorted(votes[2:])
    assert event.shuffled
    assert arena.count("vote_strike", "source = 'detector' AND reason = 'detector'") == 4
    assert arena.count("vote_strike", "source = 'moderator' AND reason = 'automated'") == 2


def test_a_strike_is_restored_by_whoever_made_it_last(
    cast: tuple[ArenaSite, list[str], list[str]],
) -> None:
    """Each restoring names the event that it takes back."""
    arena, votes, _ = cast
    first = void(arena, votes[:1])
    restore(arena, votes[:1])
    second = void(arena, votes[:2])
    restore(arena, votes[:2], IGOR)

    undone = [each.body["undoes"] for each in arena.events("vote.restored")]
    assert undone == [[first], [second, second]]
    assert arena.count("standing_change", "vote_id = :vote", vote=votes[0]) == 4
