"""Fleets against simulated months: what they gain, who is found, and that honest voters are not."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from bench.attacks.attack import FIRST_BOT, Fleet, attack
from bench.attacks.bots import Booster, Chooser, Guess
from bench.attacks.cases import MAIN, Case, run_case
from bench.attacks.honest import honest_month
from bench.attacks.honest_looks import alarms_of_judges, alarms_of_month
from bench.attacks.month import Month
from bench.attacks.networks import Source
from bench.attacks.outcome import judged, sweep
from bench.attacks.real_votes import Judges, People
from bench.attacks.setting import DAY_US, LIMITS, START_US, Setting
from bench.attacks.sieges import Siege, besiege
from bench.attacks.sightings import HABITS, SIGHTINGS, Habit, by_sightings, six_models
from bench.attacks.special import careless
from bench.attacks.suppliers import Supplier, move
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

    assert all(one.ranks >= 3 and one.reached[1] is not None for one in found)
    assert np.median([one.excluded for one in found]) > 0.6
    assert np.median([one.left / one.points for one in found]) < 0.3
    assert sum(one.honest_hurt for one in found) == 0


def test_all_honest_voters_with_enough_votes_are_looked_at(
    months: list[Month], people: People
) -> None:
    """The honest voters struck are counted among all whom the first look can judge."""
    found = run_case(MAIN[1], months[0], people, 0)

    _, counts = np.unique(months[0].votes.rows["voter"], return_counts=True)
    assert found.honest == (counts >= 20).sum() > 10


@pytest.mark.parametrize("habit", ["boost", "suppress"])
@pytest.mark.parametrize("place", [0, 1, -1], ids=["first", "second", "last"])
def test_one_network_moves_no_model_far(
    months: list[Month], people: People, place: int, habit: Habit
) -> None:
    """B11: ids behind one /24 move no model by more than half its interval, whatever its place."""
    found = move(months[1], people, 1, Supplier("/24", habit, place))

    assert abs(found.target) <= found.most <= 1
    assert 0 < found.counted < found.votes / 2


def test_joined_ids_share_a_days_votes(setting: Setting, people: People) -> None:
    """B10: however many ids a moderator has joined, they have one allowance a day (V-152)."""
    month = Month(setting, setting.worths(people.scale), random.Random(1))
    bot = Booster(month.names[5], Guess(0.95, month.names), people)
    fleet = Fleet(votes=2 * LIMITS.daily_votes, votes_each=20, joined=True, first_day=0, days=1)
    trace = attack(month, fleet, [bot], 5)

    days = (month.votes.rows["time_us"] - START_US) // DAY_US
    assert np.bincount(days).tolist() == [LIMITS.daily_votes, LIMITS.daily_votes]
    assert trace.gains[-1].spent.votes == 2 * LIMITS.daily_votes


def test_prefixes_are_cut_as_the_arena_cuts_them() -> None:
    """B11: a /24 and a /64 are one network; in a /48 and a /16 each id has one of its own."""
    prefixes: tuple[Source, ...] = ("/24", "/64", "/48", "/16", "own")
    networks = {
        prefix: len({visit.network for visit in Fleet(votes=600, network=prefix).visits()})
        for prefix in prefixes
    }

    assert networks == {"/24": 1, "/64": 1, "/48": 12, "/16": 12, "own": 12}


def test_who_skips_is_shown_more_and_has_its_day_end(months: list[Month], people: People) -> None:
    """B2: a bot that skips what does not show its model pays in impressions and in days."""
    month = months[0].branch(random.Random(1))
    bot = Chooser(month.names[5], Guess(1.0, month.names))
    spent = attack(month, Fleet(votes=40, first_day=5, days=1), [bot], 5).gains[-1].spent

    mine = month.votes.rows["voter"] >= FIRST_BOT
    assert (month.votes.rows["sets"][mine] == 5).any(axis=1).all()
    assert spent.votes == mine.sum() == 40
    assert spent.account_days > 1
    skips = spent.impressions - spent.votes
    assert LIMITS.daily_skips < skips <= spent.account_days * LIMITS.daily_skips


@pytest.mark.parametrize("siege", ["killer", "maker"])
def test_a_siege_is_measured_against_the_days_without_bots(
    setting: Setting, people: People, siege: Siege
) -> None:
    """B16: bots come every day for ten days, and the highest of their targets is measured."""
    found = besiege(setting, people, 1, siege=siege, ids=2, days=12)

    assert found.targets > 0
    assert found.standing <= found.wrong <= found.targets
    assert (found.first is None) == (found.wrong == 0)
    assert found.outcome.votes == 2 * 10 * LIMITS.daily_votes
    assert found.outcome.points > 0


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
    assert trace.gains[-1].spent.votes == 60


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
    assert found.places >= 1
    assert found.points > found.left > 0
    assert found.honest_hurt == 0


def test_always_a_is_found(months: list[Month]) -> None:
    """B5: whoever always takes A is struck."""
    assert careless(months[0], 0.1, always_first=True, seed=1).excluded > 0.8


def test_a_sweep_of_an_honest_month_strikes_nobody(months: list[Month]) -> None:
    """Without bots there is nothing to strike, round after round."""
    assert sweep(months[0], judged(months[0])).excluded == {}


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
