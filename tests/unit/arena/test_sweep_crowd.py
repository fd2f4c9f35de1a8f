"""What the sweep takes for one voter when it looks at many together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.finding import Finding
from arena.sweep_crowd import common_causes, known_questions, told_answers
from arena.sweep_votes import MonthVotes
from arena.vote_columns import VOTE, Columns
from tests.fixtures.voter_picks import MODELS, simulated_voter

BOTS, IDS, EACH = 12, 10, 5
STRENGTHS = np.arange(len(MODELS)) * 14 / 173.7  # as the simulated voters'


def month(*, joined: bool) -> MonthVotes:
    """Eighty people with fifty votes each, and twelve boosters who cast theirs by ten ids each."""
    rng = np.random.default_rng(3)
    people = [simulated_voter("honest", IDS * EACH, rng, name=f"p{n:02}") for n in range(80)]
    bots = [simulated_voter("boost", IDS * EACH, rng, name=f"b{n:02}") for n in range(BOTS)]
    names: list[str] = []
    clusters: list[str] = []
    for picks in (*people, *bots):
        for row in range(IDS * EACH):
            bot = picks.voter.startswith("b")
            name = f"{picks.voter}-{row // EACH:02}" if bot else picks.voter
            names.append(name)
            clusters.append(f"{picks.voter}-00" if bot and joined else name)
    everyone = (*people, *bots)
    votes = np.zeros(len(names), dtype=VOTE)
    votes["models"] = np.concatenate([picks.sets for picks in everyone])
    votes["best"] = np.concatenate([picks.best for picks in everyone])
    votes["worst"] = np.concatenate([picks.worst for picks in everyone])
    votes["weight"] = 1_000_000
    listed, voter = np.unique(names, return_inverse=True)
    of_all, votes["cluster"] = np.unique(clusters, return_inverse=True)
    columns = Columns(votes, {"models": MODELS, "clusters": of_all.tolist()}, len(votes), None)
    nothing = np.zeros(len(votes), dtype=np.int64)
    ids = [f"vote-{row}" for row in range(len(votes))]
    seq = np.arange(len(votes))
    return MonthVotes(columns, columns, ids, listed.tolist(), voter, nothing, nothing, seq)


@pytest.mark.parametrize("joined", [False, True])
def test_a_campaign_of_joined_ids_is_found_whole(joined: bool) -> None:
    """Five votes an id show little; ten joined ids are one voter, and all of them are named."""
    found = common_causes(month(joined=joined), {}, STRENGTHS, rules.current())

    named = {name for finding in found for name in finding.subjects}
    whole = [bot for bot in range(BOTS) if sum(n.startswith(f"b{bot:02}") for n in named) == IDS]
    assert len(whole) >= 9 if joined else not whole
    assert all(name.startswith("b") for name in named)
    assert all(int(finding.numbers["members"]) == len(finding.subjects) for finding in found)


def test_a_campaign_is_told_again_with_somebody_new_or_twice_the_evidence() -> None:
    """Voters who were all reported for as much already raise nothing."""
    votes = month(joined=True)
    (found,) = common_causes(votes, {}, STRENGTHS, rules.current())
    told = dict.fromkeys(found.subjects, found.look)
    others = dict.fromkeys(found.subjects[1:], found.look)
    half = dict.fromkeys(found.subjects, found.look - 2)

    assert common_causes(votes, told, STRENGTHS, rules.current()) == []
    for known in (others, half):
        (again,) = common_causes(votes, known, STRENGTHS, rules.current())
        assert again == found


def joined_pair() -> MonthVotes:
    """Two joined voters on one question and its answers; the log has the later vote first."""
    votes = np.zeros(2, dtype=VOTE)
    votes["answers"] = [[1, 2, 3, 4], [1, 5, 6, 7]]
    columns = Columns(votes, {"models": MODELS, "clusters": ["one"]}, len(votes), None)
    nothing = np.zeros(len(votes), dtype=np.int64)
    return MonthVotes(
        cast=columns,
        now=columns,
        ids=["later", "earlier"],
        names=["second", "first"],
        voter=np.array([0, 1]),
        question=nothing,
        hour=nothing,
        seq=np.array([12, 11]),
    )


@pytest.mark.parametrize("detector", [known_questions, told_answers])
def test_the_later_of_two_votes_of_a_minute_is_the_one_that_knew(
    detector: Callable[[MonthVotes, str], list[Finding]],
) -> None:
    """What was known at a vote is what was cast before it, wherever the log's shuffle put it."""
    (found,) = detector(joined_pair(), "2026-11")

    assert (found.subjects, found.votes) == (("second",), ("later",))
