"""Attacks on the field of models: a newcomer under siege, near-copies; and ids alone."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from bench.attacks.attack import FIRST_BOT, Fleet, attack
from bench.attacks.bots import Booster, Guess, Policy, Suppressor, TargetOnly
from bench.attacks.cases import ACCURACY, TARGET_PLACE
from bench.attacks.honest import honest_month, honest_voters, sit, take_turn
from bench.attacks.month import Month
from bench.attacks.outcome import sweep
from bench.attacks.people import forged_values
from bench.attacks.real_votes import People
from bench.attacks.setting import DAY_US, LIMITS, START_US, Setting, Visit
from ranking import lobster
from ranking.lifecycle import State

__all__ = ["Clones", "Newcomer", "OneId", "clones", "newcomer", "one_id"]

COPIES: Final = 5
SIEGE_DAYS: Final = 10
HONEST_A_DAY: Final = 0.05  # of the month's honest ballots
FIRST_LATE: Final = 1_000_000  # number of the first honest voter after the month's others
DAY_VOTERS: Final = 10_000
Habit = Literal["boost", "suppress", "target_only"]


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What became of a middling newcomer: bot votes until each state, None if never.

    `last` is its state at the end. `alone` is the worst it came to without bots.
    """

    observing: int | None
    eliminated: int | None
    last: State
    alone: State


def newcomer(setting: Setting, people: People, seed: int, *, ids: int, days: int) -> Newcomer:
    """B16: a fleet, with so many ids a day for ten days, never picks a newcomer best.

    The newcomer comes when the honest ballots are cast; then as many honest ones a day go on.
    """
    name = setting.names()[TARGET_PLACE]
    besieged, votes = _besieged(setting, people, seed, name, ids=ids, days=days)
    quiet, _ = _besieged(setting, people, seed, name, ids=0, days=days)
    first = {state: count for count, model, state in reversed(besieged.moves) if model == name}
    worst = [state for _, model, state in quiet.moves if model == name]
    alone = next((s for s in (State.ELIMINATED, State.OBSERVING) if s in worst), State.ACTIVE)
    return Newcomer(
        votes.get(first.get(State.OBSERVING, -1)),
        votes.get(first.get(State.ELIMINATED, -1)),
        besieged.states[name],
        alone,
    )


def _besieged(
    setting: Setting, people: People, seed: int, name: str, *, ids: int, days: int
) -> tuple[Month, dict[int, int]]:
    month = Month(setting, setting.worths(people.scale), random.Random(f"newcomer {seed}"))
    month.withdraw(name)
    honest_month(setting, people, seed, month=month)
    month.release(name)
    return month, _siege(month, people, name, ids=ids, days=days)


def _siege(month: Month, people: People, name: str, *, ids: int, days: int) -> dict[int, int]:
    """Let days pass; return the bot votes by the number of all votes, at each day's look."""
    killer = Suppressor((name,), Guess(ACCURACY, month.names), people)
    ballots = round(month.setting.ballots * HONEST_A_DAY)
    known, bots = {}, 0
    for day in range(days):
        at_us = START_US + (30 + day) * DAY_US
        known[month.votes.count] = bots
        first = FIRST_LATE + day * DAY_VOTERS
        for voter in honest_voters(month.setting, people, ballots, month.rng, first=first):
            votes = sum(count for _, count in voter.sessions)
            sit(month, voter.visit, voter.policy, at_us, min(votes, LIMITS.daily_votes))
        for number in range(ids if day < SIEGE_DAYS else 0):
            visit = Visit(FIRST_BOT + number, FIRST_BOT + number)
            bots += _bot_day(month, visit, killer, at_us)
        month.refit()
    return known


def _bot_day(month: Month, visit: Visit, policy: Policy, now_us: int) -> int:
    """Let one id use up its day; return its votes."""
    votes = 0
    while (ballot := month.issue(visit, now_us)) is not None:
        voted, now_us = take_turn(month, visit, policy, ballot, forged_values(month.rng))
        votes += voted
    return votes


@dataclass(frozen=True, slots=True)
class Clones:
    """Best place and points of a maker with one entry, and with five copies of it."""

    alone: int
    family: int
    alone_points: float
    family_points: float


def clones(setting: Setting, people: People, seed: int) -> Clones:
    """B17: five near-copies of a middling model by one maker, against one entry."""
    single = honest_month(setting, people, seed)
    more = replace(setting, models=setting.models + COPIES - 1)
    worths = setting.worths(people.scale)
    copies = [TARGET_PLACE, *range(setting.models, more.models)]
    makers = {more.names()[place]: "one maker" for place in copies}
    crowded = Month(
        more,
        np.append(worths, np.full(COPIES - 1, worths[TARGET_PLACE])),
        random.Random(f"clones {seed}"),
        makers=makers,
    )
    honest_month(more, people, seed, month=crowded)
    others = [place for place in range(setting.models) if place != TARGET_PLACE]
    return Clones(
        _best_place(single, copies[:1], others),
        _best_place(crowded, copies, others),
        _best_points(single, copies[:1], others),
        _best_points(crowded, copies, others),
    )


def _best_place(month: Month, mine: list[int], others: list[int]) -> int:
    """Return the best place of some models among the others."""
    return 1 + int((month.theta[others] > month.theta[mine].max()).sum())


def _best_points(month: Month, mine: list[int], others: list[int]) -> float:
    """Return the points of the best of some models above the mean of the others."""
    return float(month.theta[mine].max() - month.theta[others].mean()) * lobster.POINTS_PER_NAT


@dataclass(frozen=True, slots=True)
class OneId:
    """One id after so many votes: whether people are asked to look, and whether it is excluded.

    `showings` says how often it saw the target, `points` what it moved it by.
    """

    votes: int
    showings: int
    reported: bool
    excluded: bool
    points: float


def one_id(month: Month, people: People, seed: int, *, habit: Habit, votes: int) -> OneId:
    """B1 to B3 by one id alone, which never comes back under another name."""
    rng = random.Random(f"one id {habit} {votes} {seed}")
    copy = month.branch(rng)
    order = [month.names[place] for place in np.argsort(-month.theta).tolist()]
    name = order[TARGET_PLACE]
    eyes = Guess(ACCURACY, month.names)
    policies: dict[Habit, Policy] = {
        "boost": Booster(name, eyes, people),
        "suppress": Suppressor((name,), eyes, people),
        "target_only": TargetOnly(name, eyes),
    }
    target = month.names.index(name)
    trace = attack(copy, Fleet(votes=votes, votes_each=votes), [policies[habit]], target)
    swept = sweep(copy, trace.bots, rng)
    mine = copy.votes.rows[copy.votes.of_voter(FIRST_BOT)]
    return OneId(
        votes,
        int((mine["sets"] == target).any(axis=1).sum()),
        FIRST_BOT in swept.reported or FIRST_BOT in swept.excluded,
        FIRST_BOT in swept.excluded,
        trace.gains[-1].points,
    )
