"""B16: a few ids vote models out, or in, day after day, while honest votes go on.

The targets are a newcomer that is to fall, or all Observing models, to fall or to rise. The same
days without bots say which changes of state are wrong.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from bench.attacks.attack import FIRST_BOT, Spent, Trace, gain
from bench.attacks.bots import Guess, Maker, Policy, Suppressor
from bench.attacks.cases import ACCURACY, TARGET_PLACE
from bench.attacks.honest import honest_month, honest_voters, sit, take_turn
from bench.attacks.month import Month
from bench.attacks.outcome import Outcome, measured
from bench.attacks.people import forged_values
from bench.attacks.real_votes import People
from bench.attacks.setting import DAY_US, LIMITS, START_US, Setting, Visit
from ranking.lifecycle import State

__all__ = ["SIEGES", "Besieged", "Siege", "besiege"]

SIEGE_DAYS: Final = 10
FIRST_SIEGE_DAY: Final = 30
HONEST_A_DAY: Final = 0.05  # of the month's honest ballots
FIRST_LATE: Final = 1_000_000  # number of the first honest voter after the month's others
DAY_VOTERS: Final = 10_000
Siege = Literal["newcomer", "killer", "maker"]
SIEGES: Final[tuple[Siege, ...]] = ("newcomer", "killer", "maker")
_WANTED: Final[dict[Siege, tuple[State, ...]]] = {
    "newcomer": (State.OBSERVING, State.ELIMINATED),
    "killer": (State.ELIMINATED,),
    "maker": (State.ACTIVE,),
}


@dataclass(frozen=True, slots=True)
class Besieged:
    """What a siege came to.

    A change is wrong that brings a target to a state that was wanted and that it keeps out of in
    the same days without bots.

    Attributes:
        targets: how many models it was about.
        first: votes of bots before the first wrong change, None if there was none.
        wrong: targets that were changed wrongly.
        standing: those of them that are in another state than without bots at the end.
        eliminated: targets that were Eliminated.
        outcome: on the target that stood highest.
    """

    targets: int
    first: int | None
    wrong: int
    standing: int
    eliminated: int
    outcome: Outcome


def besiege(
    setting: Setting, people: People, seed: int, *, siege: Siege, ids: int, days: int
) -> Besieged:
    """Let a fleet vote for ten days, after the honest ballots of a month are cast.

    Args:
        setting: of the month.
        people: what voters are like.
        seed: of all chance.
        siege: what it is about.
        ids: that use up their votes each day.
        days: to go on for, with as many honest ballots each.
    """
    ground = _ground(setting, people, seed, siege)
    targets = _targets(ground, siege)
    course, quiet = (
        _Course(ground.branch(random.Random(f"{siege} {seed} {ids}")), targets, siege)
        for ids in (ids, 0)
    )
    course.run(people, ids=ids, days=days)
    quiet.run(people, ids=0, days=days)
    there, without = course.came_to(), quiet.came_to()
    wrong = {at: size for at, size in there.items() if at not in without}
    models = {model for model, _ in wrong}
    states = course.month.states, quiet.month.states
    return Besieged(
        targets=len(targets),
        first=min((course.bots[size] for size in wrong.values()), default=None),
        wrong=len(models),
        standing=sum(states[0][model] is not states[1][model] for model in models),
        eliminated=sum(state is State.ELIMINATED for _, state in there),
        outcome=measured(course.month, course.trace, course.target, sign=course.sign),
    )


def _ground(setting: Setting, people: People, seed: int, siege: Siege) -> Month:
    """Return a month whose honest ballots are cast; a newcomer enters at its end."""
    if siege != "newcomer":
        return honest_month(setting, people, seed)
    name = setting.names()[TARGET_PLACE]
    month = Month(setting, setting.worths(people.scale), random.Random(f"newcomer {seed}"))
    month.withdraw(name)
    honest_month(setting, people, seed, month=month)
    month.release(name)
    return month


def _targets(month: Month, siege: Siege) -> tuple[str, ...]:
    """Return the models that it is about, the one that stands highest first."""
    if siege == "newcomer":
        return (month.names[TARGET_PLACE],)
    order = [month.names[place] for place in np.argsort(-month.theta).tolist()]
    return tuple(name for name in order if month.states[name] is State.OBSERVING)


@dataclass(slots=True)
class _Course:
    """A siege under way; `bots` are the fleet's votes by the number of all votes, at each look."""

    month: Month
    targets: tuple[str, ...]
    siege: Siege
    trace: Trace = field(default_factory=Trace)
    bots: dict[int, int] = field(default_factory=dict)
    begun: int = field(init=False)

    def __post_init__(self) -> None:
        self.begun = len(self.month.moves)

    @property
    def sign(self) -> int:
        """Return 1 where the targets are to rise, else -1."""
        return 1 if self.siege == "maker" else -1

    @property
    def target(self) -> int:
        """Return the place of the target that stood highest."""
        return self.month.names.index(self.targets[0])

    def came_to(self) -> dict[tuple[str, State], int]:
        """Return the wanted states that targets came to, with the votes of all by then."""
        found: dict[tuple[str, State], int] = {}
        for size, model, state in self.month.moves[self.begun :]:
            if model in self.targets and state in _WANTED[self.siege]:
                found.setdefault((model, state), size)
        return found

    def run(self, people: People, *, ids: int, days: int) -> None:
        """Let days pass."""
        month, policy = self.month, self._policy(people)
        ballots = round(month.setting.ballots * HONEST_A_DAY)
        shown = votes = account_days = 0
        for day in range(days):
            at_us = START_US + (FIRST_SIEGE_DAY + day) * DAY_US
            self.bots[month.votes.count] = votes
            first = FIRST_LATE + day * DAY_VOTERS
            for voter in honest_voters(month.setting, people, ballots, month.rng, first=first):
                count = sum(count for _, count in voter.sessions)
                sit(month, voter.visit, voter.policy, at_us, min(count, LIMITS.daily_votes))
            issued, cast = month.issued, month.votes.count
            for number in range(ids if day < SIEGE_DAYS else 0):
                self._bot_day(FIRST_BOT + number, policy, at_us)
                account_days += 1
            shown, votes = shown + month.issued - issued, votes + month.votes.count - cast
            month.refit()
            if ids and day < SIEGE_DAYS:
                self._note(Spent(votes, shown, account_days))
        self.trace.bots.extend(range(FIRST_BOT, FIRST_BOT + ids))

    def _policy(self, people: People) -> Policy:
        eyes = Guess(ACCURACY, self.month.names)
        make = Maker if self.siege == "maker" else Suppressor
        return make(self.targets, eyes, people)

    def _bot_day(self, number: int, policy: Policy, now_us: int) -> None:
        """Let one id use up its day."""
        visit = Visit(number, number)
        while (ballot := self.month.issue(visit, now_us)) is not None:
            forged = forged_values(self.month.rng)
            _, now_us = take_turn(self.month, visit, policy, ballot, forged)

    def _note(self, spent: Spent) -> None:
        """Compare the day's board with the one without the fleet's votes."""
        is_bot = self.month.votes.rows["voter"] >= FIRST_BOT
        found = gain(self.month.fit(is_bot), self.month.theta, self.target, spent)
        self.trace.gains.append(found)
