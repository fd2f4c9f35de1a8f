"""What voters and readers see of struck votes: the reason in plain words and where to contest."""

from __future__ import annotations

import pytest

from arena import moderation
from arena.moderation import Actor
from arena.reason_counts import reason_counts
from arena.reveals import load_reveal
from arena.standing_reasons import STRIKE_REASONS, RestoreReason, StrikeReason
from tests.fixtures.arena_site import ArenaSite, route_of
from tests.fixtures.arena_votes import published, refit, votes_by_order
from webapp import jobs

ROSA = Actor("Rosa", "M-0001")


def void(arena: ArenaSite, votes: list[str], reason: StrikeReason) -> None:
    """Strike votes."""
    ports, now = arena.services.ports, arena.clock()
    moderation.void(ports, ROSA, votes, reason=reason, case="case 1", now_us=now)


@pytest.mark.parametrize("reason", list(StrikeReason))
def test_a_struck_vote_says_why_and_where_to_contest_it(
    arena: ArenaSite, reason: StrikeReason
) -> None:
    """Reveal and own page say the reason's sentence and lead to the dispute of this very vote."""
    voter = arena.voter()
    route = route_of(voter.read_and_vote())
    contest = f'href="/disputes/new?vote={route}"'
    assert contest not in voter.get("/me").text

    void(arena, [arena.events("vote.cast")[0].id], reason)

    reveal, me = voter.get(f"/ballots/{route}").text, voter.get("/me").text
    for page in (reveal, me):
        assert STRIKE_REASONS[reason] in page
        assert contest in page
        assert "Rosa" not in page
    assert "Your vote no longer counts." in reveal


def test_a_restored_vote_looks_as_before(arena: ArenaSite) -> None:
    """Once it counts again neither page speaks of a strike."""
    voter = arena.voter()
    route = route_of(voter.read_and_vote())
    before = voter.get("/me").text
    [vote] = arena.events("vote.cast")
    void(arena, [vote.id], StrikeReason.CARELESS)
    ports, now = arena.services.ports, arena.clock()
    moderation.restore(
        ports, ROSA, [vote.id], reason=RestoreReason.MISTAKE, case="case 1", now_us=now
    )

    assert voter.get("/me").text == before
    assert "no longer counts" not in voter.get(f"/ballots/{route}").text


def test_struck_votes_give_no_reasons(arena: ArenaSite) -> None:
    """The reasons counted per model are those of votes that count."""
    for voter in (arena.voter(), arena.voter()):
        route = route_of(voter.read_and_vote())
        voter.post(f"/ballots/{route}/reasons", {"reason": ["clear"]})
    vote = arena.events("vote.cast")[0]

    def clear() -> int:
        with arena.database.read() as conn:
            return reason_counts(conn, vote.body["best"], "speed")["clear"]

    before = clear()
    void(arena, [vote.id], StrikeReason.COORDINATED)
    assert clear() == before - 1


def test_struck_votes_are_not_among_how_others_voted(arena: ArenaSite) -> None:
    """With one of six others struck five are shown, with two of them none any more (V-158)."""
    for _ in range(7):
        arena.voter().read_and_vote()
    arena.execute("UPDATE vote SET question_id = (SELECT min(question_id) FROM vote)")
    votes = arena.events("vote.cast")

    def others() -> int | None:
        with arena.database.read() as conn:
            reveal = load_reveal(conn, votes[0].body["ballot"])
        assert reveal is not None
        return None if reveal.others is None else reveal.others.votes

    seen = [others()]
    for vote in votes[1:3]:
        void(arena, [vote.id], StrikeReason.AUTOMATED)
        seen.append(others())
    assert seen == [6, 5, None]


def test_the_board_counts_struck_votes_by_reason(arena: ArenaSite) -> None:
    """Each reason's votes stand among those left out, in words and not as a code."""
    votes_by_order(arena, 12)
    votes = [each.id for each in arena.events("vote.cast")]
    for place, reason in enumerate(StrikeReason):
        void(arena, [votes[place]], reason)
    arena.sequence()
    board = refit(arena)

    assert board.excluded == {reason.value: 1 for reason in StrikeReason}
    page = arena.voter().get("/leaderboard").text
    for reason in StrikeReason:
        assert f"left out: {reason.value}" not in page


def test_the_worker_brings_the_new_board_within_seconds(arena: ArenaSite) -> None:
    """The job that follows each sequencing publishes a decision's board without any wait."""
    votes_by_order(arena, 12)
    assert jobs.tend(arena.services, "speed")
    assert not jobs.tend(arena.services, "speed")
    votes = [each.id for each in arena.events("vote.cast")]

    void(arena, votes[:3], StrikeReason.AUTOMATED)
    arena.sequence(after_s=1)

    assert jobs.tend(arena.services, "speed")
    assert published(arena).votes == 9
