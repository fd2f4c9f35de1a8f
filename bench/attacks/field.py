"""Near-copies in the field of models (B17); and ids that act alone (B1 to B3)."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from bench.attacks.attack import FIRST_BOT, Fleet, attack
from bench.attacks.bots import Booster, Guess, Policy, Suppressor, TargetOnly
from bench.attacks.cases import ACCURACY, TARGET_PLACE
from bench.attacks.honest import honest_month
from bench.attacks.month import Month
from bench.attacks.outcome import judged, sweep
from bench.attacks.real_votes import People
from bench.attacks.setting import Setting
from ranking import lobster

__all__ = ["Clones", "OneId", "clones", "one_id"]

COPIES: Final = 5
Habit = Literal["boost", "suppress", "target_only"]


@dataclass(frozen=True, slots=True)
class Clones:
    """Best place and points of a maker with one entry, and with five copies of it.

    `honest` voters are looked at in the month of the copies, of whom `honest_hurt` are struck.
    """

    alone: int
    family: int
    alone_points: float
    family_points: float
    honest: int
    honest_hurt: int


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
    honest = judged(crowded)
    return Clones(
        _best_place(single, copies[:1], others),
        _best_place(crowded, copies, others),
        _best_points(single, copies[:1], others),
        _best_points(crowded, copies, others),
        len(honest),
        len(sweep(crowded, honest).excluded),
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
    swept = sweep(copy, trace.bots)
    mine = copy.votes.rows[copy.votes.of_voter(FIRST_BOT)]
    return OneId(
        votes,
        int((mine["sets"] == target).any(axis=1).sum()),
        FIRST_BOT in swept.reported or FIRST_BOT in swept.excluded,
        FIRST_BOT in swept.excluded,
        trace.gains[-1].points,
    )
