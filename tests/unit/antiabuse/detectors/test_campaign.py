"""A fleet that pushes one model is found as a whole; voters with tastes are left alone."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.burst import TimedPicks
from antiabuse.detectors.campaign import campaigns
from antiabuse.detectors.evidence import NO_PICK
from antiabuse.detectors.finding import Detector
from tests.fixtures.voter_picks import MODELS, TARGET, Habit, simulated_voter

RULES = rules.current()


def month(
    honest: int, habit: Habit, bots: int, *, lifted: float = 0.0, seed: int = 1
) -> TimedPicks:
    """Votes with a best pick of so many honest voters and bots, fifty votes each.

    `lifted` is by how much the bots have raised the target's strength in the fit, natural logs.
    """
    rng = np.random.default_rng(seed)
    voters = [simulated_voter("honest", 50, rng, name=f"person-{n}") for n in range(honest)]
    voters += [simulated_voter(habit, 50, rng, name=f"bot-{n}") for n in range(bots)]
    decided = [voter.decided() for voter in voters]
    sets = np.concatenate([each.sets for each in decided])
    odds = np.concatenate([each.chances for each in decided]) * np.exp(lifted * (sets == TARGET))
    return TimedPicks(
        votes=tuple(vote for each in decided for vote in each.votes),
        voters=tuple(each.voter for each in decided for _ in each.votes),
        hour=np.zeros(len(sets), dtype=np.int64),
        models=MODELS,
        sets=sets,
        best=np.concatenate([each.best for each in decided]),
        worst=np.concatenate([each.worst for each in decided]),
        chances=odds / odds.sum(axis=1, keepdims=True),
    )


@pytest.mark.parametrize("habit, kind", [("boost", "best"), ("suppress", "worst")])
def test_a_fleet_is_found_whole(habit: Habit, kind: str) -> None:
    """All but those who hardly met the target are named, with the model, and nobody else."""
    (found,) = campaigns(month(80, habit, 12), RULES)

    assert found.detector is Detector.CAMPAIGN
    assert (found.numbers["kind"], found.numbers["model"]) == (kind, MODELS[TARGET])
    assert all(name.startswith("bot-") for name in found.subjects)
    assert len(found.subjects) >= 9
    assert all(vote.startswith("bot-") for vote in found.votes)


def test_a_fleet_is_found_in_a_fit_that_it_has_moved() -> None:
    """A board that the fleet has lifted by 350 points neither hides it nor accuses the others."""
    (found,) = campaigns(month(80, "boost", 12, lifted=2.0), RULES)

    assert len(found.subjects) >= 9
    assert all(name.startswith("bot-") for name in found.subjects)


def drip(ids: int, votes: int) -> TimedPicks:
    """Forty people of fifty votes, and so many ids of a few votes each that push one model."""
    rng = np.random.default_rng(3)
    picks = month(40, "boost", 30, lifted=2.0)
    bots = np.array([voter.startswith("bot-") for voter in picks.voters])
    kept = np.concatenate([np.flatnonzero(~bots), rng.permutation(np.flatnonzero(bots))])
    kept = kept[: int((~bots).sum()) + ids * votes]
    names = [f"bot-{n // votes}" for n in range(ids * votes)]
    return replace(
        picks,
        votes=tuple(picks.votes[row] for row in kept.tolist()),
        voters=(*(voter for voter in picks.voters if voter.startswith("person-")), *names),
        hour=picks.hour[kept],
        sets=picks.sets[kept],
        best=picks.best[kept],
        worst=picks.worst[kept],
        chances=picks.chances[kept],
    )


def test_more_ids_than_people_are_a_campaign_all_the_same() -> None:
    """A hundred and fifty ids of four votes each outnumber the people, but do not hide in them."""
    listed = replace(RULES, discounting=(Detector.CAMPAIGN,))

    known, suspected = campaigns(drip(150, 4), listed)

    assert known.numbers["named_from"] == str(RULES.campaign_member)
    assert suspected.numbers["named_from"] == str(RULES.campaign_suspect)
    assert (known.discounts, suspected.discounts) == (True, False)
    named = [*known.subjects, *suspected.subjects]
    assert len(set(named)) == len(named) > 50
    assert all(name.startswith("bot-") for name in named)


@pytest.mark.parametrize("ids, chance", [(300, "0.5"), (600, "0.9")])
def test_where_nobody_is_known_for_a_member_suspects_are_named(ids: int, chance: str) -> None:
    """Of ids of one vote each none is sure; the likeliest are named, and nothing is struck."""
    listed = replace(RULES, discounting=(Detector.CAMPAIGN,))

    (found,) = campaigns(drip(ids, 1), listed)

    assert sum(name.startswith("bot-") for name in found.subjects) > 0.95 * len(found.subjects)
    assert len(found.subjects) > 50
    assert found.numbers["named_from"] == chance
    assert not found.discounts


def test_a_crowd_that_pushes_most_of_the_time_is_for_people_to_look_at() -> None:
    """Fans come near it, so what only the lesser zeal shows is told and never discounts."""
    strictest = replace(
        RULES,
        discounting=(Detector.CAMPAIGN,),
        campaign_level_discount=Decimal(1),
        campaign_zeal=Decimal("0.999"),
    )

    found = campaigns(month(60, "often_boost", 20, seed=3), strictest)

    assert {each.numbers["zeal"] for each in found} == {str(RULES.campaign_lesser_zeal)}
    assert not any(each.discounts for each in found)
    named = [name for each in found for name in each.subjects]
    assert len(named) >= 6
    assert all(name.startswith("bot-") for name in named)


def test_those_who_do_not_push_are_not_accused() -> None:
    """A fleet that lifts the weakest model never picks it worst, as everybody else does."""
    picks = month(40, "honest", 0)
    weakest = (picks.sets == 0).any(axis=1)
    ours = np.array([int(voter.split("-")[1]) < 14 for voter in picks.voters])
    slot = (picks.sets == 0).argmax(axis=1)
    best = np.where(weakest & ours, slot, picks.best)
    worst = np.where(picks.worst == best, NO_PICK, picks.worst)
    others = weakest & ~ours & (picks.best != slot)
    worst = np.where(others, slot, worst)
    odds = picks.chances * np.exp(3.0 * (picks.sets == 0))

    found = campaigns(
        replace(picks, best=best, worst=worst, chances=odds / odds.sum(axis=1, keepdims=True)),
        RULES,
    )

    assert [each.numbers["kind"] for each in found] == ["best"]
    assert {int(voter.split("-")[1]) < 14 for each in found for voter in each.subjects} == {True}


def test_honest_months_are_quiet() -> None:
    """No model of five honest months is reported to be pushed."""
    found = [campaigns(month(60, "honest", 0, seed=seed), RULES) for seed in range(5)]

    assert found == [[]] * 5


def test_a_strong_favourite_of_all_is_no_campaign() -> None:
    """Where everybody likes a model far more than the fit says, its strength is wrong, not they."""
    assert campaigns(month(60, "honest", 0, lifted=-2.0), RULES) == []


def test_few_voters_are_not_compared() -> None:
    """With fewer voters than the rule asks for, nothing is said."""
    assert campaigns(month(9, "boost", 10), RULES) == []


def test_too_few_who_are_left_are_not_compared() -> None:
    """Once a campaign's voters are taken out, nobody is told from a handful of others."""
    picks = month(6, "suppress", 16)

    found = campaigns(picks, replace(RULES, campaign_level=Decimal(100)))

    accused = {name for each in found for name in each.subjects}
    left = len(set(picks.voters) - accused)
    models = {(each.numbers["kind"], each.numbers["model"]) for each in found}
    assert len(models) == 1, f"with {left} others"


def test_only_a_listed_detector_discounts() -> None:
    """The stricter threshold takes weight only where the ruleset lists the detector."""
    picks = month(80, "boost", 12)
    listed = replace(RULES, discounting=(Detector.CAMPAIGN,))

    assert [found.discounts for found in campaigns(picks, RULES)] == [False]
    assert [found.discounts for found in campaigns(picks, listed)] == [True]


def test_a_month_without_picks_is_quiet() -> None:
    """Nothing to test is no fault."""
    picks = month(2, "honest", 0)
    empty = replace(
        picks,
        votes=(),
        voters=(),
        hour=picks.hour[:0],
        sets=picks.sets[:0],
        best=picks.best[:0],
        worst=picks.worst[:0],
        chances=picks.chances[:0],
    )

    assert campaigns(empty, RULES) == []
