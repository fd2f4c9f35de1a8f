"""One attack on one month: a fleet of ids votes by a policy, and what it gains on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from antiabuse.utc import day_of
from bench.attacks.bots import Policy
from bench.attacks.honest import take_turn
from bench.attacks.month import Month
from bench.attacks.networks import Source, network_of
from bench.attacks.people import forged_values
from bench.attacks.setting import DAY_US, LIMITS, START_US, Visit
from ranking import lobster
from ranking.lobster import Floats

__all__ = ["FIRST_BOT", "Fleet", "Gain", "Spent", "Trace", "attack", "gain"]

FIRST_BOT: Final = 10_000_000
# A fleet's votes between two boards: at least so many, and this share of the honest ballots.
BOARD_EVERY: Final = 20
BOARD_SHARE: Final = 0.004


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Ids under one will.

    Attributes:
        votes: of all ids together.
        votes_each: of one id.
        network: the prefix that the ids share, if any.
        device: whether all ids have one fingerprint, or none.
        first_day: day of the month, from 0, on which the first id begins.
        days: over how many days the ids' beginnings are spread.
        daily: votes of an id in a day.
        joined: whether moderators have made the ids one cluster from the start.
    """

    votes: int
    votes_each: int = LIMITS.daily_votes
    network: Source = "own"
    device: bool = False
    first_day: int = 25
    days: int = 5
    daily: int = LIMITS.daily_votes
    joined: bool = False

    def visits(self) -> list[Visit]:
        """Return the ids."""
        count = -(-self.votes // self.votes_each)
        return [
            Visit(
                FIRST_BOT + number,
                network_of(self.network, number, FIRST_BOT + number),
                FIRST_BOT if self.device else -1,
            )
            for number in range(count)
        ]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a fleet has spent so far: votes, ballots shown to it, and days of ids with a ballot."""

    votes: int
    impressions: int
    account_days: int


@dataclass(frozen=True, slots=True)
class Gain:
    """Where a model stands after what a fleet has spent, against where it stood before.

    `ranks` and `points` are above 0 where it rose. `most` says how many places any model has
    moved, either way.
    """

    spent: Spent
    ranks: int
    points: float
    most: int


@dataclass(slots=True)
class Trace:
    """The course of an attack; `bots` are the numbers of the ids that voted."""

    gains: list[Gain] = field(default_factory=list)
    bots: list[int] = field(default_factory=list)

    def to_ranks(self, ranks: int, *, sign: int = 1) -> Gain | None:
        """Return the first point from which so many places were gained, or lost with sign -1."""
        return next((gain for gain in self.gains if sign * gain.ranks >= ranks), None)

    def to_moved(self, places: int) -> Gain | None:
        """Return the first point at which any model had moved by so many places."""
        return next((gain for gain in self.gains if gain.most >= places), None)


def gain(before: Floats, after: Floats, target: int, spent: Spent) -> Gain:
    """Compare a model on two boards; points are above the mean of all models, as on a board."""
    points = [(theta[target] - theta.mean()) * lobster.POINTS_PER_NAT for theta in (before, after)]
    places = [np.argsort(np.argsort(-theta, kind="stable")) for theta in (before, after)]
    moved = places[0] - places[1]
    return Gain(spent, int(moved[target]), points[1] - points[0], int(np.abs(moved).max()))


def attack(month: Month, fleet: Fleet, policies: Sequence[Policy], target: int) -> Trace:
    """Let a fleet vote in a month, one id after the other; the month keeps its votes.

    Args:
        month: changed by the attack.
        fleet: the ids.
        policies: by which they vote, in turn.
        target: the model whose gain is traced.
    """
    course = _Course(month, month.theta.copy(), month.issued, month.votes.count, target)
    month.refit_every = max(BOARD_EVERY, round(month.setting.ballots * BOARD_SHARE))
    visits = fleet.visits()
    if fleet.joined:
        month.join([visit.voter for visit in visits])
    for number, visit in enumerate(visits):
        begin_us = START_US + fleet.first_day * DAY_US
        begin_us += round(number * fleet.days * DAY_US / len(visits))
        votes = min(fleet.votes_each, fleet.votes - course.votes)
        course.trace.bots.append(visit.voter)
        course.run(visit, policies[number % len(policies)], begin_us, votes, fleet.daily)
    month.refit()
    course.note()
    return course.trace


@dataclass(slots=True)
class _Course:
    """An attack under way: the board and the counts before it, and its trace so far."""

    month: Month
    before: Floats
    issued: int
    cast: int
    target: int
    trace: Trace = field(default_factory=Trace)
    days: set[tuple[int, str]] = field(default_factory=set)

    @property
    def votes(self) -> int:
        """Return how many votes the fleet has cast."""
        return self.month.votes.count - self.cast

    def run(self, visit: Visit, policy: Policy, now_us: int, votes: int, daily: int) -> None:
        """Let one id vote so often; after the votes of a day it comes back on the next."""
        month, wanted, boards = self.month, self.votes + votes, self.month.boards
        begin_us, today = now_us, 0
        while self.votes < wanted:
            ballot = month.issue(visit, now_us) if today < daily else None
            if ballot is None:
                begin_us, today = begin_us + DAY_US, 0
                now_us = begin_us
                continue
            self.days.add((visit.voter, day_of(now_us)))
            voted, now_us = take_turn(month, visit, policy, ballot, forged_values(month.rng))
            today += voted
            if month.boards > boards:
                boards = month.boards
                self.note()

    def note(self) -> None:
        """Compare the board with the one before the attack."""
        spent = Spent(self.votes, self.month.issued - self.issued, len(self.days))
        self.trace.gains.append(gain(self.before, self.month.theta, self.target, spent))
