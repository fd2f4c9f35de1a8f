"""What a decision did to the board, told from the boards around it, on both databases."""

from __future__ import annotations

import pytest

from arena import boards, difference, moderation, refits
from arena.difference import BoardDifference
from arena.errors import UnknownDecision
from arena.moderation import Actor
from arena.standing_reasons import JoinReason, StrikeReason
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.arena_votes import published, refit, votes_by_order

ROSA = Actor("Rosa", "M-0001")
MONTH = "2026-11"


def void(arena: ArenaSite, *modes: str) -> str:
    """Strike the first two votes of some modes."""
    votes = []
    for mode in modes:
        cast = [each.id for each in arena.events("vote.cast") if each.body["mode"] == mode]
        votes += cast[:2]
    return moderation.void(
        arena.services.ports,
        ROSA,
        votes,
        reason=StrikeReason.CARELESS,
        case="case 1",
        now_us=arena.clock(),
    )


def told(arena: ArenaSite, decision: str) -> tuple[BoardDifference, ...]:
    """Ask for the difference."""
    with arena.database.read() as conn:
        return difference.board_difference(conn, decision)


@pytest.fixture
def voted(either_arena: ArenaSite) -> ArenaSite:
    """A site with a board of twelve votes."""
    votes_by_order(either_arena, 12)
    refit(either_arena)
    return either_arena


def test_a_decision_waits_for_its_board(voted: ArenaSite) -> None:
    """Before and after it is sequenced, until the refit, the board of before is shown alone."""
    before = published(voted)
    decision = void(voted, "speed")
    for _ in range(2):
        [waiting] = told(voted, decision)
        assert waiting.waiting
        assert waiting.before is not None
        assert (waiting.mode, waiting.before.id, waiting.rows) == ("speed", before.id, ())
        voted.sequence()


def test_the_boards_around_a_decision_stay_its_own(voted: ArenaSite) -> None:
    """Later boards change nothing: a decision has one board before and one after it."""
    before = published(voted)
    decision = void(voted, "speed")
    votes_by_order(voted, 3)
    after = refit(voted)
    votes_by_order(voted, 2)
    refit(voted)

    [made] = told(voted, decision)

    assert made.before is not None
    assert made.after is not None
    assert (made.before.id, made.after.id) == (before.id, after.id)
    assert made.new_votes == 3
    assert [row.model for row in made.rows] == [row.model for row in after.rows]
    for row in made.rows:
        old, new = before.row_of(row.model), after.row_of(row.model)
        assert old is not None
        assert new is not None
        assert row.moved == new.score - old.score


def test_joining_moves_the_boards_of_both_modes(voted: ArenaSite) -> None:
    """A person votes in both modes; one in which they have no vote waits for no board."""
    voters = [each.body["voter"] for each in voted.events("vote.cast")][:2]
    ports = voted.services.ports
    decision = moderation.join(ports, ROSA, MONTH, voters, JoinReason.ADMITTED, voted.clock())
    voted.sequence()
    assert refits.refit_if_due(ports, "speed", MONTH, voted.clock(), 1)

    speed, expert = told(voted, decision)

    assert (speed.mode, speed.waiting, speed.new_votes) == ("speed", False, 0)
    assert {row.moved for row in speed.rows} == {0.0}
    assert speed.votes == 2
    assert (expert.mode, expert.votes, expert.waiting, expert.moves) == ("expert", 0, False, False)


def test_a_mode_without_a_board_is_not_waited_for(either_arena: ArenaSite) -> None:
    """Votes struck before the first board: none changes, the first simply goes without them."""
    votes_by_order(either_arena, 3)
    decision = void(either_arena, "speed")
    either_arena.sequence()

    [made] = told(either_arena, decision)

    assert (made.votes, made.before, made.moves, made.waiting) == (2, None, False, False)


def test_a_decision_on_both_modes_has_two_differences(voted: ArenaSite) -> None:
    """Votes of both modes struck at once move both boards."""
    votes_by_order(voted, 5, mode="expert")
    refit(voted, "expert")
    decision = void(voted, "speed", "expert")
    voted.sequence()
    for mode in boards.MODES:
        refit(voted, mode)

    assert [(each.mode, each.waiting) for each in told(voted, decision)] == [
        ("speed", False),
        ("expert", False),
    ]


def test_an_unknown_decision_is_an_error(voted: ArenaSite) -> None:
    """Nothing is said about what never was."""
    with pytest.raises(UnknownDecision):
        told(voted, "00000000-0000-7000-8000-000000000000")
