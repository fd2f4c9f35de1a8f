"""Pairs that pick alike are found among honest ones, with chances as counted by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import combinations, product

import numpy as np
import pytest

from antiabuse.detectors import meetings as meetings_module
from antiabuse.detectors import rules
from antiabuse.detectors.identical import identical_ballots
from antiabuse.detectors.meetings import SharedPicks, meetings, scale_of, scaled

RULES = rules.current()
QUESTIONS = 60


def crowd(voters: int, votes: int, *, seed: int, liked: float = 0.0) -> SharedPicks:
    """Honest voters, each on some of the questions with a set of four of eight models.

    Args:
        voters: how many.
        votes: each casts.
        seed: of all draws.
        liked: spread of answers' strengths on single questions, which voters share.
    """
    rng = np.random.default_rng(seed)
    strength = np.linspace(-1, 1, 8)
    answers = liked * rng.normal(size=(QUESTIONS, 8))
    question = np.concatenate([rng.permutation(QUESTIONS)[:votes] for _ in range(voters)])
    sets = np.argsort(rng.random((len(question), 8)), axis=1)[:, :4]
    worth = strength[sets] + answers[question[:, None], sets]
    odds = np.exp(strength[sets])
    return SharedPicks(
        votes=tuple(f"vote-{row:04d}" for row in range(len(question))),
        voters=tuple(f"voter-{voter}" for voter in range(voters)),
        voter=np.repeat(np.arange(voters), votes),
        question=question,
        sets=sets,
        best=(worth + rng.gumbel(size=sets.shape)).argmax(axis=1),
        chances=odds / odds.sum(axis=1, keepdims=True),
    )


def with_copies(picks: SharedPicks, copies: int) -> SharedPicks:
    """The same crowd, but the first voters all cast the very votes of the first."""
    size = int((picks.voter == 0).sum())
    sets, best, chances = picks.sets.copy(), picks.best.copy(), picks.chances.copy()
    question = picks.question.copy()
    for copy in range(1, copies):
        there = slice(copy * size, (copy + 1) * size)
        for column in (sets, best, chances, question):
            column[there] = column[:size]
    return replace(picks, sets=sets, best=best, chances=chances, question=question)


@pytest.mark.parametrize("liked", [0.0, 1.5])
def test_honest_crowds_have_no_pair(liked: float) -> None:
    """Also where some answers are plainly best, so that all agree more than strengths say."""
    for seed in range(4):
        assert identical_ballots(crowd(60, 40, seed=seed, liked=liked), RULES) == []


def test_copies_are_found_with_all_their_votes() -> None:
    """Three machines with one script are three pairs; each names the votes on which both agreed."""
    found = identical_ballots(with_copies(crowd(60, 40, seed=1), 3), RULES)

    names = [f"voter-{voter}" for voter in range(3)]
    assert {finding.subjects for finding in found} == set(combinations(names, 2))
    for finding in found:
        assert finding.numbers["agreed"] == finding.numbers["questions"] == "40"
        assert len(finding.votes) == 80
        assert finding.p_value is not None
        assert float(finding.p_value) <= float(finding.threshold)


def test_a_pair_that_goes_on_is_a_look_of_its_own() -> None:
    """On ten, twenty and forty common questions the same two are told anew, and not in between."""
    looks = {}
    for votes in (19, 20, 39, 40):
        (found,) = identical_ballots(with_copies(crowd(60, votes, seed=1), 2), RULES)
        looks[votes] = found.look // 2

    assert looks == {19: 0, 20: 1, 39: 1, 40: 2}


def test_the_chance_of_a_pair_equals_enumeration() -> None:
    """The p-value is the summed chance of all outcomes that agree as often, after scaling."""
    picks = with_copies(crowd(30, 11, seed=3), 2)
    places = np.arange(len(picks.votes))
    scale = scale_of(meetings(picks, places))
    chance = np.concatenate(
        [
            scaled(block.chance, scale)[block.pair == 1]  # voters 0 and 1
            for block in meetings(picks, places)
        ]
    )
    tail = sum(
        float(np.prod([p if hit else 1 - p for p, hit in zip(chance, outcome, strict=True)]))
        for outcome in product((0, 1), repeat=11)
        if sum(outcome) == 11
    )

    found = identical_ballots(picks, replace(RULES, pair_level=Decimal("0.5")))
    pair = [finding for finding in found if finding.subjects == ("voter-0", "voter-1")]
    assert len(pair) == 1
    assert pair[0].p_value is not None
    assert float(pair[0].p_value) == pytest.approx(tail, rel=1e-4)


def test_chances_of_agreeing_sum_over_shared_models() -> None:
    """Every model in both sets adds the product of its two chances; counted vote by vote."""
    picks = crowd(12, 30, seed=4)
    (block,) = meetings(picks, np.arange(len(picks.votes)))

    met = {}
    for one, two in combinations(range(len(picks.votes)), 2):
        if picks.voter[one] != picks.voter[two] and picks.question[one] == picks.question[two]:
            chance = sum(
                picks.chances[one, a] * picks.chances[two, b]
                for a, b in product(range(4), repeat=2)
                if picks.sets[one, a] == picks.sets[two, b]
            )
            if chance > 0:
                met[one, two] = chance
    assert sorted(zip(block.first.tolist(), block.second.tolist(), strict=True)) == sorted(met)
    for one, two, chance in zip(
        block.first.tolist(), block.second.tolist(), block.chance, strict=True
    ):
        assert chance == pytest.approx(met[one, two])


def test_blocks_hold_whole_pairs_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With little memory the same pairs come out, each in one block."""
    picks = with_copies(crowd(40, 40, seed=5), 3)
    whole = identical_ballots(picks, RULES)
    monkeypatch.setattr(meetings_module, "_BLOCK_ROWS", 500)

    blocks = list(meetings(picks, np.arange(len(picks.votes))))
    assert len(blocks) > 10
    pairs = [set(block.pair.tolist()) for block in blocks]
    assert sum(map(len, pairs)) == len(set.union(*pairs))
    assert identical_ballots(picks, RULES) == whole


def test_the_scale_makes_all_agree_as_often_as_they_do() -> None:
    """After scaling, expected and observed agreements of the whole crowd are the same."""
    picks = crowd(60, 40, seed=6, liked=1.5)
    places = np.arange(len(picks.votes))
    scale = scale_of(meetings(picks, places))

    blocks = list(meetings(picks, places))
    agreed = sum(block.agree.sum() for block in blocks)
    assert scale > 1.2
    assert sum(scaled(block.chance, scale).sum() for block in blocks) == pytest.approx(
        agreed, rel=0.01
    )


def test_voters_with_few_votes_are_not_compared() -> None:
    """Nine equal picks are too few for a pair."""
    assert identical_ballots(with_copies(crowd(30, 9, seed=7), 3), RULES) == []
