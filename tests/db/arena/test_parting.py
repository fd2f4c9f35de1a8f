"""Joined voters parted again: alone for boards, allowances, bans and what they were shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from antiabuse import quotas
from antiabuse.identity import pseudonym
from arena import bans, difference, moderation, parting, refits
from arena.ballot_store import revealed_to
from arena.clusters import cluster_of
from arena.errors import ClosedMonth, NotJoined
from arena.rebuild import rebuild
from arena.standing_reasons import JoinReason, PartReason
from arena.vote_columns import VoteColumns
from arena.vote_life import vote_life_for_moderators
from tests.fixtures.arena_site import ArenaSite, Voter, reason_of
from tests.fixtures.arena_votes import (
    published,
    read_columns,
    refit,
    rows_of,
    rows_text,
    vote_by_order,
    votes_by_order,
)
from tests.fixtures.review_cases import ADA, BEN, at_once, visitor

MONTH = "2026-11"
MONTH_S = 70 * 24 * 3600


def name_of(arena: ArenaSite, voter: Voter) -> str:
    """Return what a voter is called this month."""
    return pseudonym(arena.services.ports.keys, MONTH, voter.id)


def join(arena: ArenaSite, *voters: Voter) -> str:
    """Join voters who have voted."""
    names = [name_of(arena, voter) for voter in voters]
    ports = arena.services.ports
    return moderation.join(ports, ADA, MONTH, names, JoinReason.SAME_PATTERN, arena.clock())


def part(arena: ArenaSite, *voters: Voter, actor: moderation.Actor = BEN) -> str:
    """Let voters stand alone again."""
    names = [name_of(arena, voter) for voter in voters]
    reason = PartReason.DIFFERENT_PEOPLE
    return parting.part(arena.services.ports, actor, MONTH, names, reason, arena.clock())


def voters_with_votes(arena: ArenaSite, count: int) -> list[Voter]:
    """Return voters with one vote each, in the order of their names."""
    voters = [arena.voter() for _ in range(count)]
    for voter in voters:
        vote_by_order(arena, voter=voter)
    return sorted(voters, key=lambda voter: name_of(arena, voter))


def clusters(arena: ArenaSite, voters: Sequence[Voter]) -> list[tuple[str, int]]:
    """Return the name of each voter's cluster as cast and draw see it, with how many others."""
    with arena.database.read() as conn:
        found = [cluster_of(conn, arena.services.ports, visitor(arena, each)) for each in voters]
    return [(each.name, len(each.others)) for each in found]


def test_boards_are_as_if_they_had_never_been_joined(
    either_arena: ArenaSite, tmp_path: Path
) -> None:
    """Also where votes were cast under the common name: every digit of every row is the same."""
    arena = either_arena
    votes_by_order(arena, 9)
    voters = voters_with_votes(arena, 3)
    join(arena, *voters)
    for voter in voters:
        vote_by_order(arena, voter=voter)
    arena.sequence()
    joined = refit(arena)
    assert {e.body["cluster"] for e in arena.events("vote.cast")[-3:]} == {
        name_of(arena, voters[0])
    }

    decision = part(arena, *voters)
    arena.sequence(after_s=0)
    assert refits.refit_if_due(arena.services.ports, "speed", MONTH, arena.clock(), 1)
    parted = published(arena)

    assert rows_text(arena, parted) != rows_text(arena, joined)
    with arena.database.read() as conn:
        speed, _ = difference.board_difference(conn, decision)
    assert (speed.votes, speed.before, speed.after) == (6, joined, parted)
    arena.execute("UPDATE vote SET cluster = voter")
    never = read_columns(arena, VoteColumns(tmp_path / "own"), parted.log_size)
    assert rows_text(arena, parted) == rows_of(never, parted.basket)


def test_who_stays_behind_is_one_as_before(either_arena: ArenaSite) -> None:
    """Without the one whose name the cluster bore, the smallest of the rest gives the name."""
    arena = either_arena
    voters = voters_with_votes(arena, 4)
    names = [name_of(arena, voter) for voter in voters]
    join(arena, *voters)

    part(arena, voters[0])
    assert clusters(arena, voters) == [
        (names[0], 0),
        (names[1], 2),
        (names[1], 2),
        (names[1], 2),
    ]
    part(arena, voters[2], voters[3])

    assert clusters(arena, voters) == [(name, 0) for name in names]
    first, second = arena.events("account.parted")
    assert (first.body["members"], first.body["rest"]) == (names[:1], names[1:])
    assert (second.body["members"], second.body["rest"]) == (names[1:], [])
    assert (second.body["cluster"], second.body["moderator"]) == (None, BEN.handle)
    assert arena.private(second)["name"] == BEN.name
    assert BEN.name not in second.body_text
    assert rebuild(arena.database).differing == ()


def test_parted_voters_are_joined_again(either_arena: ArenaSite) -> None:
    """The last decision holds, in either direction."""
    arena = either_arena
    voters = voters_with_votes(arena, 2)
    names = [name_of(arena, voter) for voter in voters]
    join(arena, *voters)
    part(arena, voters[1])
    join(arena, *voters)

    assert clusters(arena, voters) == [(names[0], 1), (names[0], 1)]
    assert rebuild(arena.database).differing == ()


def test_a_ban_that_came_by_the_joining_ends_with_it(either_arena: ArenaSite) -> None:
    """The banned id stays banned, the others vote."""
    arena = either_arena
    one, two = voters_with_votes(arena, 2)
    pages = {voter.id: voter.ballot() for voter in (one, two)}
    arena.clock.advance(30)
    join(arena, one, two)
    ports, now = arena.services.ports, arena.clock()
    bans.ban(ports, ADA, MONTH, name_of(arena, one), reason="automated", now_us=now)
    with arena.database.read() as conn:
        assert bans.ban_of(conn, two.id, now) == now

    part(arena, two)

    with arena.database.read() as conn:
        names = [name_of(arena, voter) for voter in (one, two)]
        assert bans.banned_among(conn, MONTH, names, now) == {names[0]: now}
    refused = one.vote(pages[one.id].token)
    assert (refused.status_code, reason_of(refused)) == (403, "banned")
    assert two.vote(pages[two.id].token).status_code == 303


def test_allowances_are_ones_own_again(either_arena: ArenaSite) -> None:
    """What the others used of the day is not counted any more."""
    arena = either_arena
    one, two = voters_with_votes(arena, 2)
    join(arena, one, two)
    part(arena, one)

    with arena.database.read() as conn:
        others = cluster_of(conn, arena.services.ports, visitor(arena, one)).others
        state = quotas.read_cluster(conn, one.id, others, arena.clock())
    assert state is not None
    assert state.votes == 1


def test_what_the_other_saw_counts_no_more(either_arena: ArenaSite) -> None:
    """Ballots and votes go by what was revealed to the voter's own id again (V-123)."""
    arena = either_arena
    one, two = voters_with_votes(arena, 2)

    def seen(voter: Voter) -> frozenset[str]:
        with arena.database.read() as conn:
            others = cluster_of(conn, arena.services.ports, visitor(arena, voter)).others
            return revealed_to(conn, voter.id, MONTH, others).answers

    alone = seen(one), seen(two)
    join(arena, one, two)
    assert seen(one) == seen(two) == alone[0] | alone[1]

    part(arena, two)

    assert (seen(one), seen(two)) == alone


def test_what_cannot_be_parted_is_refused(either_arena: ArenaSite) -> None:
    """Strangers, members of two clusters, nobody, and a month that is closed."""
    arena = either_arena
    voters = voters_with_votes(arena, 5)
    join(arena, *voters[:2])
    join(arena, *voters[2:4])
    for wrong in (voters[4:], voters[1:3], [voters[0], voters[4]], []):
        with pytest.raises(NotJoined):
            part(arena, *wrong)
    arena.clock.advance(MONTH_S)
    with pytest.raises(ClosedMonth):
        part(arena, voters[0])
    assert arena.events("account.parted") == []


def test_two_who_part_the_same_voter_at_once_do_so_once(either_arena: ArenaSite) -> None:
    """The second is told that they are not joined any more."""
    arena = either_arena
    voters = voters_with_votes(arena, 3)
    for _ in range(3):
        join(arena, *voters)
        done = at_once([partial(part, arena, voters[1], actor=each) for each in (ADA, BEN)])
        assert [isinstance(each, NotJoined) for each in done].count(True) == 1, done
        assert [others for _, others in clusters(arena, voters)] == [1, 0, 1]


def test_a_votes_life_tells_of_the_parting(either_arena: ArenaSite) -> None:
    """Joined and parted stand in it, for who left and for who stayed."""
    arena = either_arena
    voters = voters_with_votes(arena, 3)
    join(arena, *voters)
    part(arena, voters[2])
    for each in arena.events("vote.cast"):
        with arena.database.read() as conn:
            kinds = [step.kind for step in vote_life_for_moderators(conn, each.id).steps]
        assert kinds[-2:] == ["account.joined", "account.parted"]
