"""Fleets against simulated months: what they gain, who is found, and that honest voters are not."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from bench.attacks.attack import FIRST_BOT, Fleet, attack
from bench.attacks.bots import Booster, Guess
from bench.attacks.cases import CASES, MAIN, Case, run_case
from bench.attacks.honest import honest_month
from bench.attacks.honest_looks import alarms_of_judges, alarms_of_month
from bench.attacks.month import Month
from bench.attacks.outcome import sweep
from bench.attacks.real_votes import Judges, People
from bench.attacks.setting import DAY_US, LIMITS, START_US, Setting
from bench.attacks.sightings import HABITS, SIGHTINGS, Habit, by_sightings, six_models
from bench.attacks.special import careless
from ranking import lobster

SEEDS = 2


@pytest.fixture(scope="module")
def months(setting: Setting, people: People) -> list[Month]:
    """Honest months; tests attack copies."""
    return [honest_month(setting, people, seed) for seed in range(SEEDS)]


def test_people_are_fitted_to_real_votes(people: People, judges: Judges) -> None:
    """Tastes differ somewhat, some picks are blind, and ties are common."""
    assert 0.1 <= people.taste <= 0.8
    assert people.taste_low <= people.taste <= people.taste_high
    assert 0.02 <= people.lapse <= 0.15
    assert 0.5 < people.tie_weight < 1.5
    assert sum(people.votes) == len(judges.choices.best) == 1_751


def test_a_month_is_the_same_for_the_same_seed(setting: Setting, people: People) -> None:
    """Every figure of the report can be made again."""
    small = replace(setting, ballots=120)

    first, again = (honest_month(small, people, 5) for _ in range(2))

    assert first.votes.rows.tobytes() == again.votes.rows.tobytes()
    assert (first.theta == again.theta).all()


def test_an_honest_board_finds_the_order(months: list[Month]) -> None:
    """The fit of honest votes is close to what average readers think."""
    for month in months:
        assert np.corrcoef(month.theta, month.worths)[0, 1] > 0.7


def test_no_real_judge_is_struck(judges: Judges) -> None:
    """Of the 59 real judges with ten votes or more no detector would strike one."""
    found = alarms_of_judges(judges)

    assert (found.voters, found.struck) == (59, 0)


def test_no_honest_voter_of_quiet_months_is_struck(months: list[Month]) -> None:
    """Nor would one in simulated months of fitted tastes."""
    found = [alarms_of_month(month) for month in months]

    assert sum(one.voters for one in found) > 40
    assert sum(one.struck for one in found) == 0


@pytest.mark.parametrize("case", MAIN[:2], ids=["B1", "B2"])
def test_a_fleet_gains_and_is_found(months: list[Month], people: People, case: Case) -> None:
    """A fleet lifts its target at once, most of it is struck, and little is left of the gain."""
    found = [run_case(case, month, people, seed) for seed, month in enumerate(months)]

    assert all(one.ranks >= 3 and one.to_1 is not None for one in found)
    assert np.median([one.excluded for one in found]) > 0.6
    assert np.median([one.left / one.points for one in found]) < 0.3
    assert sum(one.honest_hurt for one in found) == 0


def test_one_network_moves_no_model_far(months: list[Month], people: People) -> None:
    """B11: ids behind one /24 stay within half the target's interval."""
    (case,) = (one for one in CASES if one.bot == "B11")

    found = [run_case(case, month, people, seed) for seed, month in enumerate(months)]

    assert all(abs(one.half_intervals) <= 1 for one in found)


def test_bots_weigh_no_more_than_honest_voters_on_the_board(
    months: list[Month], people: People
) -> None:
    """V-156, after cap and strikes; as cast, a forger of perfect reading weighs 1 and no more."""
    found = [run_case(case, months[0], people, 0) for case in MAIN[1:2]]

    assert np.mean([one.weight_kept for one in found]) <= np.mean(
        [one.honest_kept for one in found]
    )
    assert all(one.weight <= 1 for one in found)


def test_quotas_bind_bots(setting: Setting, people: People) -> None:
    """An id has its day's votes and no more; the next day it may go on."""
    month = Month(setting, setting.worths(people.scale), random.Random(1))
    bot = Booster(month.names[5], Guess(0.95, month.names), people)
    trace = attack(month, Fleet(votes=60, votes_each=60, first_day=0, days=1), [bot], 5)

    days = (month.votes.rows["time_us"] - START_US) // DAY_US
    assert np.bincount(days).max() == LIMITS.daily_votes
    assert trace.gains[-1].votes == 60


def test_joined_ids_share_what_was_revealed(setting: Setting, people: People) -> None:
    """B9, B10: a joined id's vote on an answer that another was shown weighs nothing."""
    month = Month(replace(setting, questions=1, models=4), np.zeros(4), random.Random(1))
    bot = Booster(month.names[0], Guess(1.0, month.names), people)
    month.join([FIRST_BOT, FIRST_BOT + 1])

    attack(month, Fleet(votes=2, votes_each=1), [bot], 0)

    assert month.votes.rows["weight"].tolist() == [10**lobster.WEIGHT_DIGITS, 0]


def test_careless_votes_move_places_but_hurt_nobody(months: list[Month]) -> None:
    """B5: a tenth of random ballots moves models by some places; no honest voter is struck."""
    found = careless(months[0], 0.1, always_first=False, seed=1)

    assert found.tau > 0.6
    assert found.honest_hurt == 0


def test_always_a_is_found(months: list[Month]) -> None:
    """B5: whoever always takes A is struck."""
    assert careless(months[0], 0.1, always_first=True, seed=1).excluded > 0.8


def test_a_sweep_of_an_honest_month_strikes_nobody(months: list[Month]) -> None:
    """Without bots there is nothing to strike, round after round."""
    assert sweep(months[0], [], random.Random(1)).excluded == {}


def test_single_ids_are_found_within_fifty_votes_of_six_models(
    setting: Setting, people: People
) -> None:
    """B2, B3: where two votes in three show the target, boosters and suppressors are struck."""
    six = replace(setting, models=6, even_draw=True)
    found = six_models(six, people, 1)

    assert len(people.worths) == 6
    for habit in HABITS:
        for place in (2, 3):
            showings, named = found.bots[habit, place, 50]
            assert 20 <= showings <= 45
            assert named.agenda
            assert named.struck
    assert sum(one.struck for one in found.honest[50]) == 0


@pytest.mark.parametrize("habit", HABITS)
def test_an_id_is_found_by_what_it_saw(months: list[Month], people: People, habit: Habit) -> None:
    """Five sightings strike nobody, twenty do; and more sightings take more votes."""
    found = by_sightings(months[0], people, 0, habit=habit)

    assert not found[5].named.struck
    assert found[20].named.struck
    reached = [found[wanted].votes for wanted in SIGHTINGS if wanted in found]
    assert reached == sorted(set(reached))
