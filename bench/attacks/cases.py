"""The attacks that are all one pattern: a fleet, a policy, a model in the middle of the field."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.attacks.attack import Fleet, attack
from bench.attacks.bots import (
    AnswerMemory,
    Booster,
    Chooser,
    Eyes,
    Guess,
    Omnipresent,
    Policy,
    Suppressor,
    TargetOnly,
)
from bench.attacks.month import Month
from bench.attacks.networks import Source
from bench.attacks.outcome import Outcome, measured
from bench.attacks.real_votes import People

__all__ = [
    "ACCURACY",
    "CASES",
    "CHOOSY",
    "DRIP",
    "EACH_ON_DEVICE",
    "EARLY",
    "HELD",
    "MAIN",
    "ON_ONE_DEVICE",
    "PREFIXES",
    "TARGET_PLACE",
    "Case",
    "Scene",
    "run_case",
    "votes_of",
]

ACCURACY: Final = 0.95  # Huang et al. 2025
TARGET_PLACE: Final = 9  # the tenth of twenty
RIVALS: Final = 3
SMALL_MONTH: Final = 2_000  # honest ballots
FEW: Final = 600
MANY: Final = 1_200
EACH_ON_DEVICE: Final = 12
# First day of fleets that use up their allowances, and so need more days for their votes.
EARLY: Final = 5
PREFIXES: Final[dict[Source, str]] = {
    "/24": "ids in one /24",
    "/64": "ids in one /64",
    "/48": "ids in one /48, a /64 each",
    "/16": "ids in a home /16, a /24 each",
}
ON_ONE_DEVICE: Final = ("50 ids on one device, not joined", "50 ids on one device, joined")
HELD: Final = (*ON_ONE_DEVICE, PREFIXES["/24"], PREFIXES["/64"])
"""Names of the cases whose ids are one device or network to the arena."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a bot may know before it starts: the public board, and what people like."""

    people: People
    names: tuple[str, ...]
    order: Sequence[str]

    @property
    def target(self) -> str:
        """Return the model that the attack is about."""
        return self.order[TARGET_PLACE]

    def eyes(self, accuracy: float = ACCURACY) -> Eyes:
        """Return a classifier of styles."""
        return Guess(accuracy, self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An attack: `sign` is -1 where the target is to fall; `fleet` by the honest ballots."""

    bot: str
    name: str
    fleet: Callable[[int], Fleet]
    policy: Callable[[Scene], Policy]
    sign: int = 1


def votes_of(honest: int) -> int:
    """Return the votes of a fleet: three to ten honest ones, or one to eight in a large month."""
    return FEW if honest <= SMALL_MONTH else MANY


def _fleet(honest: int) -> Fleet:
    return Fleet(votes=votes_of(honest))


def _booster(accuracy: float = ACCURACY, zeal: float = 1.0) -> Callable[[Scene], Policy]:
    return lambda scene: Booster(scene.target, scene.eyes(accuracy), scene.people, zeal)


def _on_one_device(honest: int, *, joined: bool) -> Fleet:
    """Return ids of few votes on a device, in one /24; joined ones share a day's allowance."""
    return Fleet(
        votes=votes_of(honest),
        votes_each=EACH_ON_DEVICE,
        network="/24",
        device=True,
        joined=joined,
        first_day=EARLY,
        days=1,
    )


def _within(prefix: Source, name: str) -> Case:
    return Case(
        bot="B11",
        name=name,
        fleet=lambda honest: Fleet(votes=votes_of(honest), network=prefix),
        policy=_booster(),
    )


MAIN: Final = (
    Case(
        bot="B1",
        name="booster, target only",
        fleet=_fleet,
        policy=lambda scene: TargetOnly(scene.target, scene.eyes()),
    ),
    Case(bot="B2", name="booster, camouflaged", fleet=_fleet, policy=_booster()),
    Case(
        bot="B3",
        name="suppressor, camouflaged",
        fleet=_fleet,
        policy=lambda scene: Suppressor((scene.target,), scene.eyes(), scene.people),
        sign=-1,
    ),
    Case(
        bot="B4",
        name="omnipresent",
        fleet=_fleet,
        policy=lambda scene: Omnipresent(
            scene.target,
            tuple(scene.order[TARGET_PLACE - RIVALS : TARGET_PLACE]),
            scene.order,
            scene.eyes(),
            scene.people,
        ),
    ),
)

CHOOSY: Final = Case(
    bot="B2",
    name="booster, skips what does not show its model",
    fleet=lambda honest: Fleet(votes=votes_of(honest), first_day=EARLY, days=1),
    policy=lambda scene: Chooser(scene.target, scene.eyes()),
)

CASES: Final = (
    CHOOSY,
    *(
        Case(
            bot="B8",
            name=f"style classifier, right in {accuracy:.0%}",
            fleet=_fleet,
            policy=_booster(accuracy),
        )
        for accuracy in (0.6, 0.7, 0.8)
    ),
    Case(
        bot="B9",
        name="answer look-up, ids share reveals",
        fleet=_fleet,
        policy=lambda scene: Booster(scene.target, AnswerMemory(), scene.people),
    ),
    Case(
        bot="B10",
        name=ON_ONE_DEVICE[0],
        fleet=lambda honest: _on_one_device(honest, joined=False),
        policy=_booster(),
    ),
    Case(
        bot="B10",
        name=ON_ONE_DEVICE[1],
        fleet=lambda honest: _on_one_device(honest, joined=True),
        policy=_booster(),
    ),
    *(_within(prefix, name) for prefix, name in PREFIXES.items()),
    Case(
        bot="B12",
        name="slow drip, 200 ids of 3 votes in the month",
        fleet=lambda honest: Fleet(votes=votes_of(honest), votes_each=3, first_day=0, days=30),
        policy=_booster(),
    ),
    Case(
        bot="B12",
        name="slow drip, 20 ids, a vote a day",
        fleet=lambda honest: Fleet(
            votes=votes_of(honest), votes_each=30, first_day=0, days=1, daily=1
        ),
        policy=_booster(),
    ),
    *(
        Case(
            bot="B19",
            name=f"fatigue farm, {zeal:.0%} for the model",
            fleet=_fleet,
            policy=_booster(1.0, zeal),
        )
        for zeal in (0.25, 0.5, 0.75)
    ),
)


DRIP: Final = Case(
    bot="B12",
    name="slow drip, 200 ids, a vote a day",
    fleet=lambda _honest: Fleet(votes=6_000, votes_each=30, first_day=0, days=1, daily=1),
    policy=_booster(),
)
"""For large months: it alone casts three times the honest votes of a small one."""


def run_case(case: Case, month: Month, people: People, seed: int) -> Outcome:
    """Run an attack on a copy of an honest month and measure it."""
    rng = random.Random(f"{case.bot} {case.name} {seed}")
    copy = month.branch(rng)
    order = [month.names[place] for place in np.argsort(-month.theta).tolist()]
    scene = Scene(people, month.names, order)
    target = month.names.index(scene.target)
    trace = attack(copy, case.fleet(month.setting.ballots), [case.policy(scene)], target)
    return measured(copy, trace, target, sign=case.sign)
