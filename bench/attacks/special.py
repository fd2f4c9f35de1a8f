"""Attacks with a measure of their own: careless votes, look-up by reveals, the month's reset."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bench.attacks.attack import FIRST_BOT, Fleet, attack, gain
from bench.attacks.bots import AnswerMemory, Booster, Careless, Guess
from bench.attacks.cases import ACCURACY, TARGET_PLACE
from bench.attacks.honest import honest_month
from bench.attacks.month import Month
from bench.attacks.outcome import sweep
from bench.attacks.real_votes import People
from bench.attacks.setting import Setting
from ranking.lobster import Floats

__all__ = ["Lookup", "Sniper", "Spoilt", "careless", "look_up", "sniper"]

FIRST_DAY_BALLOTS: Final = 100


@dataclass(frozen=True, slots=True)
class Spoilt:
    """What careless votes do: Kendall's tau with the board before, and the most places moved."""

    tau: float
    places: int
    excluded: float
    honest_hurt: int


def careless(month: Month, share: float, *, always_first: bool, seed: int) -> Spoilt:
    """B5: careless votes of fifty an id, so many that they are a share of all."""
    rng = random.Random(f"careless {share} {always_first} {seed}")
    copy, count = month.branch(rng), month.votes.count
    fleet = Fleet(votes=round(count * share / (1 - share)))
    trace = attack(copy, fleet, [Careless(always_first=always_first)], 0)
    places = [np.argsort(np.argsort(-theta)) for theta in (month.theta, copy.theta)]
    moved = places[1] - places[0]
    swept = sweep(copy, trace.bots, rng)
    bots = np.isin(copy.votes.rows["voter"], trace.bots)
    struck = np.isin(copy.votes.rows["voter"], list(swept.excluded))
    return Spoilt(
        tau=_kendall(month.theta, copy.theta),
        places=int(np.abs(moved).max()),
        excluded=float(struck[bots].mean()),
        honest_hurt=sum(voter < FIRST_BOT for voter in swept.excluded),
    )


def _kendall(first: Floats, second: Floats) -> float:
    """Kendall's tau of two orders without ties."""
    upper = np.triu_indices(len(first), 1)
    signs = [np.sign(theta[:, None] - theta[None, :])[upper] for theta in (first, second)]
    return float((signs[0] * signs[1]).mean())


@dataclass(frozen=True, slots=True)
class Lookup:
    """What shared reveals are worth: share of answers known by votes, and what they gain.

    `stale` is the share of honest votes that the first-K rule takes the weight of.
    """

    known: Mapping[int, float]
    points: float
    stale: float
    bots_stale: float


def look_up(
    setting: Setting, people: People, seed: int, *, votes: int, marks: tuple[int, ...]
) -> Lookup:
    """B9: a fleet that knows models by answers revealed to any of its ids before."""
    month = honest_month(setting, people, seed)
    honest_stale, honest = month.stale, month.votes.count
    rng = random.Random(f"look-up {setting.questions} {setting.fresh_reveals} {seed}")
    memory, known, copy = AnswerMemory(), {}, month.branch(rng)
    order = [month.names[place] for place in np.argsort(-month.theta).tolist()]
    target = order[TARGET_PLACE]
    cells = setting.questions * setting.models
    bot = Booster(target, memory, people)
    done = 0
    for mark in marks:
        fleet = Fleet(votes=mark - done, first_id=done)
        attack(copy, fleet, [bot], month.names.index(target))
        known[mark], done = len(memory.known) / cells, mark
    attack(copy, Fleet(votes=votes - done, first_id=done), [bot], month.names.index(target))
    found = gain(month.theta, copy.theta, month.names.index(target))
    return Lookup(known, found.points, honest_stale / honest, (copy.stale - honest_stale) / votes)


@dataclass(frozen=True, slots=True)
class Sniper:
    """Places gained by the same votes on the month's first day, in its middle, at its end.

    `first_day` is on the board of that day; the others on the board of the whole month, where the
    early votes are counted too.
    """

    first_day: int
    early: int
    late: int
    early_points: float
    late_points: float


def sniper(setting: Setting, people: People, seed: int, *, votes: int) -> Sniper:
    """B15: a fleet that waits for the reset, against one that comes at the month's end."""
    target = TARGET_PLACE
    name = setting.names()[target]
    bot = Booster(name, Guess(ACCURACY, setting.names()), people)
    few = honest_month(replace(setting, ballots=FIRST_DAY_BALLOTS), people, seed)
    attack(few, Fleet(votes=votes, first_day=0, days=1), [bot], target)
    first_day = _effect(few, target)
    early = honest_month(setting, people, seed, month=few, first=1_000)
    late = honest_month(setting, people, seed)
    attack(late, Fleet(votes=votes), [bot], target)
    ends = [_effect(month, target) for month in (early, late)]
    return Sniper(first_day[0], ends[0][0], ends[1][0], ends[0][1], ends[1][1])


def _effect(month: Month, target: int) -> tuple[int, float]:
    """Places and points that the fleet's votes give on a board."""
    bots = month.votes.rows["voter"] >= FIRST_BOT
    found = gain(month.fit(bots), month.fit(), target)
    return found.ranks, found.points
