"""Struck votes and joined voters on boards: exact numbers, log prefixes, both databases."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select, text

from antiabuse.identity import pseudonym
from arena import boards, moderation, parting, refits, rules, standing
from arena.errors import AlreadyJoined
from arena.moderation import Actor
from arena.rebuild import rebuild
from arena.side_boards import refit_side_boards_if_due
from arena.standing_reasons import JoinReason, PartReason, RestoreReason, StrikeReason
from arena.tables import vote
from arena.vote_columns import VoteColumns
from ledger import store
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.arena_votes import (
    published,
    read_columns,
    refit,
    rows_of,
    rows_text,
    vote_by_order,
    votes_by_order,
)

MONTH = "2026-11"
ACTOR = Actor("Rosa", "M-0001")


def void(arena: ArenaSite, votes: Sequence[str], reason: str = "one_sided") -> str:
    """Strike votes."""
    return moderation.void(
        arena.services.ports,
        ACTOR,
        votes,
        reason=StrikeReason(reason),
        case="case 1",
        now_us=arena.clock(),
    )


def restore(arena: ArenaSite, votes: Sequence[str]) -> str:
    """Let votes count again."""
    return moderation.restore(
        arena.services.ports,
        ACTOR,
        votes,
        reason=RestoreReason.MISTAKE,
        case="case 1",
        now_us=arena.clock(),
    )


def join(arena: ArenaSite, voters: Sequence[str]) -> str:
    """Take voters for one."""
    return moderation.join(
        arena.services.ports, ACTOR, MONTH, voters, JoinReason.SAME_DEVICE, arena.clock()
    )


def part(arena: ArenaSite, voters: Sequence[str]) -> str:
    """Let voters stand alone again."""
    now = arena.clock()
    return parting.part(arena.services.ports, ACTOR, MONTH, voters, PartReason.MISTAKE, now)


def vote_ids(arena: ArenaSite, mode: str = "speed") -> list[str]:
    """Return all votes of a mode in the order they were cast."""
    return [each.id for each in arena.events("vote.cast") if each.body["mode"] == mode]


def places_of(arena: ArenaSite, votes: Sequence[str]) -> list[int]:
    """Return the votes' places in the log."""
    with arena.database.read() as conn:
        found = [store.index_of(conn, vote) for vote in votes]
    return [place for place in found if place is not None]


@pytest.fixture
def voted(either_arena: ArenaSite) -> ArenaSite:
    """A site with fourteen votes, three of them one voter's, and a board."""
    arena = either_arena
    one = arena.voter()
    for _ in range(3):
        vote_by_order(arena, voter=one)
    votes_by_order(arena, 11)
    refit(arena)
    return arena


def test_a_struck_votes_board_is_the_board_without_it(voted: ArenaSite, tmp_path: Path) -> None:
    """Every number of every row is what a fit without the votes gives, to the last digit."""
    struck = vote_ids(voted)[2:5]
    before = published(voted)

    void(voted, struck)
    voted.sequence()
    board = refit(voted)

    columns = read_columns(voted, VoteColumns(tmp_path / "own"), board.log_size)
    without = columns.where(~np.isin(columns.votes["idx"], places_of(voted, struck)))
    assert rows_text(voted, board) == rows_of(without, board.basket)
    assert rows_text(voted, board) != rows_text(voted, before)
    assert board.votes == before.votes - 3
    assert board.excluded == {**before.excluded, "one_sided": 3}


def test_restoring_gives_the_same_rows_to_the_byte(voted: ArenaSite) -> None:
    """Struck and restored, votes count as they were cast: no row of the board differs."""
    struck = vote_ids(voted)[::2]
    before = rows_text(voted, published(voted))

    void(voted, struck)
    voted.sequence()
    between = refit(voted)
    restore(voted, struck)
    voted.sequence()

    assert rows_text(voted, refit(voted)) == before
    assert rows_text(voted, between) != before
    assert voted.count("vote_strike") == 0


def test_a_board_is_a_function_of_its_log_prefix(voted: ArenaSite, tmp_path: Path) -> None:
    """After later decisions each earlier board's votes stand as they stood at its end."""
    made = [published(voted)]
    struck = vote_ids(voted)[:4]
    void(voted, struck)
    voted.sequence()
    made.append(refit(voted))
    restore(voted, struck[:2])
    join(voted, voters_of(voted)[:2])
    voted.sequence()
    made.append(refit(voted))

    cache = VoteColumns(tmp_path / "own")
    for board in made:
        with voted.database.read() as conn:
            stood = standing.at(conn, "speed", MONTH, board.log_size)
        columns = standing.applied(read_columns(voted, cache, board.log_size), stood)
        assert rows_of(columns, board.basket) == rows_text(voted, board)
    with voted.database.read() as conn:
        assert [
            len(standing.at(conn, "speed", MONTH, board.log_size).struck) for board in made
        ] == [0, 4, 2]


def voters_of(arena: ArenaSite, mode: str = "speed") -> list[str]:
    """Return the pseudonyms of all voters of a mode, each once."""
    named = (each.body["voter"] for each in arena.events("vote.cast") if each.body["mode"] == mode)
    return list(dict.fromkeys(named))


def test_points_go_with_the_vote(voted: ArenaSite) -> None:
    """The ledger holds the changes of counted votes only, and stays zero-sum (V-041)."""
    struck = vote_ids(voted)[0]
    body = voted.events("vote.cast")[0].body
    before = {row.model: row.points for row in published(voted).rows}

    void(voted, [struck])
    voted.sequence()
    after = {row.model: row.points for row in refit(voted).rows}

    for model, change in zip(body["models"], body["changes"], strict=True):
        assert after[model] == pytest.approx(before[model] - float(change), abs=0.011)
    assert sum(after.values()) == pytest.approx(0, abs=0.03)


def test_joining_changes_errors_and_no_score(voted: ArenaSite) -> None:
    """Joined voters are one cluster in the fit: scores stay, voters are fewer (V-047)."""
    before = published(voted)

    join(voted, voters_of(voted)[1:6])
    voted.sequence()
    after = refit(voted)

    assert after.voters == before.voters - 4
    assert {row.model: row.score for row in after.rows} == {
        row.model: row.score for row in before.rows
    }
    assert after.votes == before.votes


def test_later_joins_take_whole_clusters_along(voted: ArenaSite) -> None:
    """Two pairs that are joined through one member each are one cluster of four."""
    voters = voters_of(voted)
    join(voted, voters[0:2])
    join(voted, voters[2:4])
    join(voted, voters[1:3])
    voted.sequence()

    with voted.database.read() as conn:
        clusters = standing.at(conn, "speed", MONTH, store.head(conn).size).clusters
    assert clusters == dict.fromkeys(voters[:4], min(voters[:4]))
    assert refit(voted).voters == len(voters) - 3


def test_all_votes_struck_leave_a_board_of_the_ghost(voted: ArenaSite) -> None:
    """The last boards must not go on showing votes that nobody may count."""
    ports = voted.services.ports
    assert refit_side_boards_if_due(ports, "speed", MONTH, voted.clock())
    void(voted, vote_ids(voted))
    voted.sequence()
    board = refit(voted)

    assert board.votes == 0
    assert {row.score for row in board.rows} == {1200.0}
    assert all(row.provisional for row in board.rows)
    voted.clock.advance(rules.current().views_refit_s)
    assert refit_side_boards_if_due(ports, "speed", MONTH, voted.clock())
    assert published(voted, view="extended").log_size == board.log_size
    assert voted.voter().get("/leaderboard").status_code == 200


def test_a_decision_makes_a_refit_due_at_once(voted: ArenaSite) -> None:
    """Neither a hundred votes nor a minute are waited for, and one decision makes one board."""
    ports = voted.services.ports
    decision = void(voted, vote_ids(voted)[:1])
    assert not refits.refit_if_due(ports, "speed", MONTH, voted.clock(), 1)
    voted.sequence(after_s=0)

    assert refits.refit_if_due(ports, "speed", MONTH, voted.clock(), 1)
    assert not refits.refit_if_due(ports, "speed", MONTH, voted.clock(), 1)
    assert not refits.refit_if_due(ports, "expert", MONTH, voted.clock(), 1)
    with voted.database.read() as conn:
        place = store.index_of(conn, decision)
    assert place is not None
    assert published(voted).log_size > place


def test_a_detectors_strike_that_is_sequenced_late_stays_taken_back(voted: ArenaSite) -> None:
    """It is shuffled and gets its place after the restoring that undid it, and still is undone."""
    ports = voted.services.ports
    votes = vote_ids(voted)[:2]
    with voted.database.write() as conn:
        moderation.discount(
            conn, ports, flag="f", detector="d", vote_ids=votes, now_us=voted.clock()
        )
    restore(voted, votes)
    sizes = [voted.sequence(after_s=0), voted.sequence()]

    for size in sizes:
        with voted.database.read() as conn:
            assert standing.at(conn, "speed", MONTH, size).struck == {}
    restored, discounted = (
        places_of(voted, [voted.events(kind)[0].id])[0]
        for kind in ("vote.restored", "vote.discounted")
    )
    assert restored < discounted


def test_a_rebuild_gives_equal_tables(voted: ArenaSite) -> None:
    """Strikes, restorings and joinings are replayed to the same rows (V-054)."""
    votes = vote_ids(voted)
    void(voted, votes[:4])
    restore(voted, votes[1:3])
    void(voted, votes[1:2], "careless")
    join(voted, voters_of(voted)[:3])
    join(voted, voters_of(voted)[2:5])
    ports = voted.services.ports
    with voted.database.write() as conn:
        moderation.discount(
            conn, ports, flag="f", detector="d", vote_ids=votes[6:8], now_us=voted.clock()
        )
    voted.sequence()
    refit(voted)

    done = rebuild(voted.database)

    assert done.differing == ()
    assert done.rows["vote_strike"] == 5
    assert done.rows["standing_change"] == 9
    assert done.rows["joining"] == 8
    assert done.rows["cluster_member"] == 5
    assert done.rows["decision"] == 5


def test_new_votes_bear_the_joined_cluster(voted: ArenaSite) -> None:
    """Who was joined casts under the cluster's name from then on, in vote, log and columns."""
    one, two = voted.voter(), voted.voter()
    for voter in (one, two):
        vote_by_order(voted, voter=voter)
    keys = voted.services.ports.keys
    names = [pseudonym(keys, MONTH, voter.id) for voter in (one, two)]
    join(voted, names)

    vote_by_order(voted, voter=two)

    cast = voted.events("vote.cast")[-1].body
    assert cast["voter"] == names[1]
    assert cast["cluster"] == min(names)


def test_a_decision_on_votes_of_both_modes_is_one(voted: ArenaSite) -> None:
    """It names no mode and moves the boards of both."""
    votes_by_order(voted, 3, mode="expert")
    refit(voted, "expert")
    both = [vote_ids(voted)[0], vote_ids(voted, "expert")[0]]

    decision = void(voted, both)
    voted.sequence(after_s=0)

    event = voted.events("vote.voided")[0]
    assert (event.id, event.body["mode"]) == (decision, None)
    assert event.stream == "arena/any/2026-11"
    for mode in ("speed", "expert"):
        assert refits.refit_if_due(voted.services.ports, mode, MONTH, voted.clock(), 1)
        assert published(voted, boards.as_mode(mode)).excluded == {"one_sided": 1}


def test_bodies_name_the_handle_and_private_parts_the_name(voted: ArenaSite) -> None:
    """In public a moderator is a handle; who it was stays with the moderators."""
    void(voted, vote_ids(voted)[:1])
    join(voted, voters_of(voted)[:2])

    for event in voted.events("vote.voided", "account.joined"):
        body: dict[str, Any] = event.body
        assert body["moderator"] == "M-0001"
        assert "Rosa" not in event.body_text
        assert voted.private(event)["name"] == "Rosa"


@pytest.mark.parametrize("seed", range(3))
def test_any_history_is_told_again_from_the_log(either_arena: ArenaSite, seed: int) -> None:
    """Random strikes, restorings, joinings, partings: at each prefix `at` says what was true."""
    arena, rng = either_arena, random.Random(seed)
    people = [arena.voter() for _ in range(8)]
    for each in people:
        vote_by_order(arena, voter=each)
    votes, voters = vote_ids(arena), voters_of(arena)
    struck: set[str] = set()
    seen: list[tuple[int, set[str], dict[str, str]]] = []
    for _ in range(24):
        act = rng.choice(
            ["void", "void", "restore", "discount", "join", "join", "part", "vote", "sequence"]
        )
        standing_still = sorted(set(votes) - struck)
        if act == "void" and standing_still:
            chosen = rng.sample(standing_still, min(len(standing_still), rng.randint(1, 3)))
            void(arena, chosen)
            struck |= set(chosen)
        elif act == "restore" and struck:
            chosen = rng.sample(sorted(struck), rng.randint(1, len(struck)))
            restore(arena, chosen)
            struck -= set(chosen)
        elif act == "discount":
            chosen = rng.sample(votes, 2)
            with arena.database.write() as conn:
                moderation.discount(
                    conn,
                    arena.services.ports,
                    flag="f",
                    detector="d",
                    vote_ids=chosen,
                    now_us=arena.clock(),
                )
            struck |= set(chosen)
        elif act == "join":
            with contextlib.suppress(AlreadyJoined):
                join(arena, rng.sample(voters, 2))
        elif act == "part" and members(arena):
            cluster = rng.choice(sorted(set(members(arena).values())))
            own = sorted(voter for voter, name in members(arena).items() if name == cluster)
            part(arena, rng.sample(own, rng.randint(1, len(own))))
        elif act == "vote":
            vote_by_order(arena, voter=rng.choice(people))
            votes = vote_ids(arena)
        seen.append((arena.sequence(), set(struck), members(arena)))

    for size, then, clusters in seen:
        with arena.database.read() as conn:
            stood = standing.at(conn, "speed", MONTH, size)
        assert set(stood.struck) == then
        assert stood.clusters == clusters
        assert clusters_in(arena, size) == {
            voter: clusters.get(voter, voter) for voter in cast_until(arena, size)
        }
        assert sorted(stood.places) == sorted(places_of(arena, sorted(then)))
    assert arena.count("vote_strike") == len(struck)
    assert rebuild(arena.database).differing == ()


def cast_until(arena: ArenaSite, size: int) -> list[str]:
    """Return the voter of each vote of a prefix, in the log's order."""
    with arena.database.read() as conn:
        entries = store.sequenced(f"arena/speed/{MONTH}", "vote.cast", 0, size).subquery()
        query = select(vote.c.voter).join(entries, entries.c.event_id == vote.c.id)
        return list(conn.execute(query.order_by(entries.c.idx)).scalars())


def clusters_in(arena: ArenaSite, size: int) -> dict[str, str]:
    """Return the cluster under which each voter's votes stand in a prefix; it is one for all."""
    with arena.database.read() as conn:
        columns = standing.columns_at(arena.services.ports, conn, "speed", MONTH, size)
    names = [columns.names["clusters"][each] for each in columns.votes["cluster"]]
    found: dict[str, set[str]] = {}
    for voter, name in zip(cast_until(arena, size), names, strict=True):
        found.setdefault(voter, set()).add(name)
    return {voter: name for voter, (name,) in found.items()}


def members(arena: ArenaSite) -> dict[str, str]:
    """Return who is in which cluster by the read model."""
    with arena.database.read() as conn:
        rows = conn.execute(text("SELECT voter, cluster FROM cluster_member"))
        return {row.voter: row.cluster for row in rows}
