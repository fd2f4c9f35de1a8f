"""B10, B11: how far one network, or one device whose ids are joined, moves models of every place.

Influence cap and bound alone are at work; nobody is struck.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from bench.attacks.attack import FIRST_BOT, Fleet, attack
from bench.attacks.bots import Booster, Guess, Policy, Suppressor
from bench.attacks.cases import ACCURACY, EACH_ON_DEVICE, EARLY, votes_of
from bench.attacks.month import Month
from bench.attacks.outcome import half_intervals
from bench.attacks.real_votes import People
from ranking import lobster

__all__ = ["Habit", "Moved", "Supplier", "move", "suppliers_of"]

Whence = Literal["/24", "device"]
Habit = Literal["boost", "suppress"]
LAST: Final = -1
_UNIT: Final = 10**lobster.WEIGHT_DIGITS


@dataclass(frozen=True, slots=True)
class Supplier:
    """One network or device, what it does, and to the model of which place, from 0 or the last."""

    whence: Whence
    habit: Habit
    place: int


@dataclass(frozen=True, slots=True)
class Moved:
    """What a supplier moved, in halves of the intervals before it.

    Attributes:
        target: by which its target rose, or fell where that was wanted.
        most: the most that any model moved, either way.
        points: of the target.
        votes: of the supplier.
        counted: what they weigh on the board, in votes.
    """

    target: float
    most: float
    points: float
    votes: int
    counted: float


_EVERY: Final = (0, 1, 2, 9, LAST)
_TOP: Final = (0, 1, 2)


def suppliers_of(setting: str) -> Sequence[Supplier]:
    """Return the suppliers of a setting: all in the small month of Speed, else the most telling."""
    if setting == "speed, 2,000":
        both: tuple[Habit, ...] = ("boost", "suppress")
        networks = [Supplier("/24", habit, place) for habit in both for place in _EVERY]
        return [*networks, *(Supplier("device", "boost", place) for place in (*_TOP, LAST))]
    if setting == "speed, 10,000":
        tops = [Supplier("/24", "boost", place) for place in (*_TOP, LAST)]
        return [*tops, Supplier("/24", "suppress", 1), Supplier("device", "boost", 1)]
    return [Supplier("/24", "boost", place) for place in _TOP]


def move(month: Month, people: People, seed: int, supplier: Supplier) -> Moved:
    """Let a supplier vote in a copy of an honest month."""
    rng = random.Random(f"{supplier} {seed}")
    target = int(np.argsort(-month.theta)[supplier.place])
    copy, votes = month.branch(rng), votes_of(month.setting.ballots)
    attack(copy, _fleet(supplier, votes), [_policy(supplier, month.names, target, people)], target)
    rows = copy.votes.rows
    is_bot = rows["voter"] >= FIRST_BOT
    halves = half_intervals(month.capped())
    shift = lobster.POINTS_PER_NAT * (copy.theta - month.theta)
    points = shift - shift.mean()
    sign = 1 if supplier.habit == "boost" else -1
    return Moved(
        target=sign * float(points[target] / halves[target]),
        most=float(np.abs(points / halves).max()),
        points=sign * float(points[target]),
        votes=int(is_bot.sum()),
        counted=float(copy.capped().weight[is_bot].sum()) / _UNIT,
    )


def _fleet(supplier: Supplier, votes: int) -> Fleet:
    if supplier.whence == "device":
        return Fleet(
            votes=votes,
            votes_each=EACH_ON_DEVICE,
            device=True,
            joined=True,
            first_day=EARLY,
            days=1,
        )
    return Fleet(votes=votes, network=supplier.whence)


def _policy(supplier: Supplier, names: Sequence[str], target: int, people: People) -> Policy:
    eyes = Guess(ACCURACY, tuple(names))
    if supplier.habit == "boost":
        return Booster(names[target], eyes, people)
    return Suppressor((names[target],), eyes, people)
