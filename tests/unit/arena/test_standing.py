"""Laying strikes and joinings over votes: what changes, and what never does."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.standing import Standing, applied
from arena.vote_columns import VOTE, Columns

VOTERS = ("ada", "bo", "cy", "dee", "eli")


@st.composite
def columns(draw: st.DrawFn) -> Columns:
    """Votes of five voters at rising places of the log."""
    places = sorted(draw(st.sets(st.integers(0, 90), max_size=20)))
    votes = np.zeros(len(places), dtype=VOTE)
    votes["idx"] = places
    for row in range(len(places)):
        weight = draw(st.sampled_from([0, 500_000, 1_000_000]))
        votes["weight"][row] = weight
        votes["reason"][row] = -1 if weight else 0
        votes["cluster"][row] = draw(st.integers(0, len(VOTERS) - 1))
        votes["changes"][row] = draw(st.tuples(*[st.integers(-9, 9)] * 4))
    names = {"models": ["m"], "answers": ["a"], "clusters": list(VOTERS), "categories": ["c"]}
    return Columns(votes, {**names, "reasons": ["too_fast"], "networks": []}, 91, None)


struck = st.dictionaries(st.integers(0, 90), st.sampled_from(["careless", "automated"]))
joined = st.dictionaries(st.sampled_from(VOTERS), st.sampled_from(VOTERS[:2]))


@given(columns(), struck, joined)
def test_only_struck_votes_and_joined_voters_change(
    known: Columns, places: dict[int, str], clusters: dict[str, str]
) -> None:
    """Struck votes weigh 0 and name why; every other number of every vote is as it was cast."""
    before = known.votes.copy()

    made = applied(known, Standing({}, clusters, places))

    assert (known.votes == before).all()
    for row, vote in enumerate(made.votes):
        was = before[row]
        hit = int(vote["idx"]) in places and was["weight"] > 0
        assert vote["weight"] == (0 if hit else was["weight"])
        if hit:
            assert made.names["reasons"][vote["reason"]] == places[int(vote["idx"])]
        else:
            assert vote["reason"] == was["reason"]
        voter = VOTERS[was["cluster"]]
        assert made.names["clusters"][vote["cluster"]] == clusters.get(voter, voter)
    kept = [name for name in VOTE.names or () if name not in ("weight", "reason", "cluster")]
    assert all((made.votes[name] == before[name]).all() for name in kept)


@given(columns())
def test_nothing_decided_changes_nothing(known: Columns) -> None:
    """Without strikes and joinings the votes and names are the same to the byte."""
    made = applied(known, Standing({}, {}, {}))
    assert made.votes.tobytes() == known.votes.tobytes()
    assert made.names == known.names


@given(columns(), struck, joined)
def test_laying_over_twice_is_laying_over_once(
    known: Columns, places: dict[int, str], clusters: dict[str, str]
) -> None:
    """A standing says how votes stand, not what to do to them."""
    closed = {voter: clusters.get(name, name) for voter, name in clusters.items()}
    closed = {voter: closed.get(name, name) for voter, name in closed.items()}
    stood = Standing({}, {v: n for v, n in closed.items() if closed.get(n, n) == n}, places)
    once = applied(known, stood)
    twice = applied(once, stood)
    assert (twice.votes["weight"] == once.votes["weight"]).all()
    assert [twice.names["clusters"][c] for c in twice.votes["cluster"]] == [
        once.names["clusters"][c] for c in once.votes["cluster"]
    ]
