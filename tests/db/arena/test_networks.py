"""Where votes came from: sightings at cast, and the cap on one network (V-125, V-155)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

from antiabuse.utc import SECOND_US
from arena import moderation, refits, standing
from arena.moderation import Actor
from arena.standing_reasons import JoinReason
from arena.vote_columns import VoteColumns
from ledger import store
from ranking import caps, lobster
from ranking import rules as ranking_rules
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.arena_votes import published, read_columns, refit, vote_by_order, votes_by_order

MONTH = "2026-11"
BOTS = "192.0.2"


def sightings(arena: ArenaSite) -> list[dict[str, object]]:
    """Return all sightings in the order of their votes."""
    with arena.database.read() as conn:
        query = text("SELECT * FROM sighting ORDER BY at_us")
        return [dict(row._mapping) for row in conn.execute(query)]


def test_a_vote_is_seen_once_with_its_dwell(either_arena: ArenaSite) -> None:
    """The row names vote, voter, day and month, and holds digests in place of addresses."""
    arena = either_arena
    voter = arena.voter("203.0.113.9")
    voter.read_and_vote(seconds=17)

    [seen] = sightings(arena)

    [cast] = arena.events("vote.cast")
    assert (seen["vote_id"], seen["voter_id"]) == (cast.id, voter.id)
    assert (seen["month"], seen["day"]) == (MONTH, "2026-11-30")
    assert (seen["at_us"], seen["dwell_us"]) == (arena.clock(), 17 * SECOND_US)
    assert seen["device"] is None
    digests = f"{seen['address']} {seen['network']}"
    assert len(digests) == 2 * 64 + 1
    assert "203.0" not in digests


def test_refused_votes_are_not_seen(either_arena: ArenaSite) -> None:
    """Only an accepted vote leaves a row."""
    voter = either_arena.voter()
    either_arena.voter().ballot()
    voter.read_and_vote()
    page = voter.ballot("expert")
    assert voter.vote(page.token).status_code == 429
    assert either_arena.count("sighting") == 1


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "192.168.0.7", "::1", "fd00::1"])
def test_local_addresses_join_nobody(arena: ArenaSite, address: str) -> None:
    """Of loopback and private addresses neither address nor network is kept."""
    arena.voter(address).read_and_vote()
    [seen] = sightings(arena)
    assert (seen["address"], seen["network"]) == (None, None)


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("203.0.113.9", "203.0.113.200", True),
        ("203.0.113.9", "203.0.114.9", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:9::1", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
    ],
)
def test_a_network_is_a_24_or_a_64(arena: ArenaSite, one: str, other: str, same: bool) -> None:
    """Two votes of one network have one digest, those of its neighbour another."""
    for address in (one, other):
        arena.voter(address).read_and_vote()
    first, second = (seen["network"] for seen in sightings(arena))
    assert (first == second) is same


def test_a_fingerprint_is_kept_with_consent_only(open_arena: OpenArena) -> None:
    """The device's digest is not what the browser sent, and there is none without a yes."""
    arena = open_arena(fingerprint="consent")
    voter, other = arena.voter(), arena.voter()
    voter.ballot()
    voter.post("/consent", {"fingerprint": "yes"})
    for each in (voter, other):
        each.read_and_vote(fingerprint="ab" * 32)
    with_consent, without = (seen["device"] for seen in sightings(arena))
    assert with_consent is not None
    assert with_consent != "ab" * 32
    assert without is None


@pytest.fixture
def crowded(either_arena: ArenaSite) -> ArenaSite:
    """A site with sixteen voters of their own networks, and eight of one, who vote otherwise."""
    arena = either_arena
    votes_by_order(arena, 16)
    for number in range(8):
        order = [model.slug for model in arena.models().values()]
        vote_by_order(arena, sorted(order, reverse=True), voter=arena.voter(f"{BOTS}.{number + 1}"))
    arena.sequence()
    return arena


def test_a_network_is_capped_like_a_voter(crowded: ArenaSite, tmp_path: Path) -> None:
    """Eight voters of one /24 supply the cap's share of each model's evidence and no more."""
    board = refit(crowded)

    columns = read_columns(crowded, VoteColumns(tmp_path / "own"), board.log_size)
    networks = columns.votes["network"].astype(np.int64)
    bots = np.flatnonzero(np.bincount(networks) == 8)
    assert len(bots) == 1
    rules = ranking_rules.current()
    factors = caps.cap_factors(columns.choices(), networks, rules)
    counted, lowered = refits.counted(columns)
    expected = np.rint(columns.votes["weight"] * factors)
    assert (counted.votes["weight"] == expected).all()
    assert (factors[networks == bots[0]] < 1).all()
    assert (factors[networks != bots[0]] == 1).all()
    assert lowered == refits.Lowered(voters=0, networks=8)
    assert board.facts["cap"] == {"voters": 0, "networks": 8}
    share = rules.cap_even_shares / 17  # of the 17 networks; some model was shown to fewer
    supplied = counted.votes["weight"][networks == bots[0]].sum() / counted.votes["weight"].sum()
    assert supplied <= share * 1.5


def test_votes_without_a_fit_count_within_the_cap(
    crowded: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a network moves takes a fit; what it supplies does not, and looks go by that alone."""
    with crowded.database.read() as conn:
        size = store.head(conn).size
        columns = standing.columns_at(crowded.services.ports, conn, "speed", MONTH, size)
    loose = replace(ranking_rules.current(), bound_errors=1_000.0)
    monkeypatch.setattr(ranking_rules, "current", lambda: loose)
    by_cap = refits.counted(columns)[0].votes["weight"].tolist()
    monkeypatch.undo()

    def fails(*_: object, **__: object) -> None:
        raise lobster.NotConvergedError("no convergence")

    monkeypatch.setattr(lobster, "fit", fails)

    counted, lowered = refits.counted(columns)

    assert counted.votes["weight"].tolist() == by_cap
    assert lowered == refits.Lowered(voters=0, networks=8)


def test_unknown_networks_are_capped_by_nobody(either_arena: ArenaSite) -> None:
    """Votes from private addresses are no network, however many there are (V-125)."""
    for number in range(12):
        vote_by_order(either_arena, voter=either_arena.voter(f"10.0.0.{number + 1}"))
    either_arena.sequence()
    board = refit(either_arena)
    assert board.votes == 12
    assert board.facts["cap"] == {"voters": 0, "networks": 0}


def test_points_follow_the_capped_weight(crowded: ArenaSite) -> None:
    """A vote whose weight the cap lowers brings as much less to the ledger (V-041)."""
    casts = [each.body for each in crowded.events("vote.cast")]
    board = refit(crowded)
    full: dict[str, float] = {}
    for body in casts:
        for model, change in zip(body["models"], body["changes"], strict=True):
            full[model] = full.get(model, 0.0) + float(change)
    points = {row.model: row.points for row in board.rows}
    assert sum(points.values()) == pytest.approx(0, abs=0.05)
    with crowded.database.read() as conn:
        columns = standing.columns_at(crowded.services.ports, conn, "speed", MONTH, board.log_size)
    assert (refits.counted(columns)[0].votes["changes"].sum(axis=1) == 0).all()
    assert max(abs(points[model] - full[model]) for model in points) > 1


def test_joined_voters_are_capped_together(either_arena: ArenaSite) -> None:
    """Six voters of six networks are one cluster for the cap once they are joined (V-155)."""
    arena = either_arena
    votes_by_order(arena, 18)
    assert refit(arena).facts["cap"] == {"voters": 0, "networks": 0}
    voters = [each.body["voter"] for each in arena.events("vote.cast")][:6]
    moderation.join(
        arena.services.ports,
        Actor("Rosa", "M-0001"),
        MONTH,
        voters,
        JoinReason.SAME_PATTERN,
        arena.clock(),
    )
    arena.sequence()

    assert refits.refit_if_due(arena.services.ports, "speed", MONTH, arena.clock(), 1)

    board = published(arena)
    assert board.voters == 13
    assert board.facts["cap"] == {"voters": 6, "networks": 0}
