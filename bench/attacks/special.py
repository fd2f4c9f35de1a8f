"""Attacks with a measure of their own: careless votes, look-up by reveals, the month's reset."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Final

import numpy as np

from arena.votes import Choice
from bench.attacks.attack import FIRST_BOT, Fleet, Spent, attack
from bench.attacks.bots import AnswerMemory, Booster, Careless, Guess
from bench.attacks.cases import ACCURACY, TARGET_PLACE
from bench.attacks.honest import honest_month
from bench.attacks.month import Month
from bench.attacks.outcome import RANKS, Outcome, judged, measured, sweep
from bench.attacks.people import Shown
from bench.attacks.real_votes import People
from bench.attacks.setting import Setting
from ranking import lobster
from ranking.lobster import Floats

__all__ = ["Lookup", "Sniper", "Spoilt", "careless", "look_up", "sniper"]

FIRST_DAY_BALLOTS: Final = 100


@dataclass(frozen=True, slots=True)
class Spoilt:
    """What careless votes do to a whole board.

    Attributes:
        tau: Kendall's, with the board before.
        places: the most that any model moved, either way.
        points: likewise.
        reached: what one, three and five places of any model cost; None if it never came to that.
        excluded: share of the careless votes that are struck.
        after: votes of an id when it is excluded, median; None where none is.
        honest: honest voters judged one by one.
        honest_hurt: honest voters excluded.
        honest_votes: their votes.
        left: the most points that any model is away from its place before, after the strikes.
    """

    tau: float
    places: int
    points: float
    reached: Mapping[int, Spent | None]
    excluded: float
    after: float | None
    honest: int
    honest_hurt: int
    honest_votes: int
    left: float


def careless(month: Month, share: float, *, always_first: bool, seed: int) -> Spoilt:
    """B5: careless votes of fifty an id, so many that they are a share of all."""
    rng = random.Random(f"careless {share} {always_first} {seed}")
    copy, count = month.branch(rng), month.votes.count
    fleet = Fleet(votes=round(count * share / (1 - share)))
    trace = attack(copy, fleet, [Careless(always_first=always_first)], 0)
    honest = judged(copy)
    swept = sweep(copy, [*trace.bots, *honest])
    bots = np.isin(copy.votes.rows["voter"], trace.bots)
    struck = np.isin(copy.votes.rows["voter"], list(swept.excluded))
    found = [votes for voter, votes in swept.excluded.items() if voter >= FIRST_BOT]
    moved = {places: trace.to_moved(places) for places in RANKS}
    return Spoilt(
        tau=_kendall(month.theta, copy.theta),
        places=trace.gains[-1].most,
        points=_furthest(month.theta, copy.theta),
        reached={places: None if at is None else at.spent for places, at in moved.items()},
        excluded=float(struck[bots].mean()),
        after=median(found) if found else None,
        honest=len(honest),
        honest_hurt=sum(voter < FIRST_BOT for voter in swept.excluded),
        honest_votes=int(struck[~bots].sum()),
        left=_furthest(month.theta, copy.fit(struck)),
    )


def _kendall(first: Floats, second: Floats) -> float:
    """Kendall's tau of two orders without ties."""
    upper = np.triu_indices(len(first), 1)
    signs = [np.sign(theta[:, None] - theta[None, :])[upper] for theta in (first, second)]
    return float((signs[0] * signs[1]).mean())


def _furthest(first: Floats, second: Floats) -> float:
    """Return the most points by which any model's score differs between two boards."""
    moved = (second - second.mean()) - (first - first.mean())
    return float(np.abs(moved).max()) * lobster.POINTS_PER_NAT


@dataclass(frozen=True, slots=True)
class Lookup:
    """What shared reveals are worth: share of answers known by votes, and what they gain.

    `stale` is the share of honest votes that the first-K rule takes the weight of.
    """

    known: Mapping[int, float]
    outcome: Outcome
    stale: float
    bots_stale: float


@dataclass(slots=True)
class _Counting:
    """A booster by memory that notes how many answers are known after so many votes."""

    bot: Booster
    memory: AnswerMemory
    votes: int = 0
    answers: list[int] = field(default_factory=list)

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Return what the booster votes."""
        return self.bot.choose(shown, rng)

    def learn(self, shown: Shown) -> None:
        """Let the booster learn, and count."""
        self.bot.learn(shown)
        self.answers.append(len(self.memory.known))


def look_up(
    setting: Setting, people: People, seed: int, *, votes: int, marks: tuple[int, ...]
) -> Lookup:
    """B9: a fleet that knows models by answers revealed to any of its ids before."""
    month = honest_month(setting, people, seed)
    honest_stale, honest = month.stale, month.votes.count
    rng = random.Random(f"look-up {setting.questions} {setting.fresh_reveals} {seed}")
    memory, copy = AnswerMemory(), month.branch(rng)
    target = int(np.argsort(-month.theta)[TARGET_PLACE])
    bot = _Counting(Booster(month.names[target], memory, people), memory)
    trace = attack(copy, Fleet(votes=votes), [bot], target)
    cells = setting.questions * setting.models
    return Lookup(
        {mark: bot.answers[mark - 1] / cells for mark in marks},
        measured(copy, trace, target),
        honest_stale / honest,
        (copy.stale - honest_stale) / votes,
    )


@dataclass(frozen=True, slots=True)
class Sniper:
    """The same votes on the month's first day and at its end.

    `first_day` is on the board of that day; the others on the board of the whole month, where the
    early votes are counted too.
    """

    first_day: Outcome
    early: Outcome
    late: Outcome


def sniper(setting: Setting, people: People, seed: int, *, votes: int) -> Sniper:
    """B15: a fleet that waits for the reset, against one that comes at the month's end."""
    target = TARGET_PLACE
    name = setting.names()[target]
    bot = Booster(name, Guess(ACCURACY, setting.names()), people)
    month = honest_month(replace(setting, ballots=FIRST_DAY_BALLOTS), people, seed, days=1)
    trace = attack(month, Fleet(votes=votes, first_day=0, days=1), [bot], target)
    first_day = measured(month, trace, target)
    early = honest_month(setting, people, seed, month=month, first=1_000)
    late = honest_month(setting, people, seed)
    last = attack(late, Fleet(votes=votes), [bot], target)
    return Sniper(first_day, measured(early, trace, target), measured(late, last, target))
