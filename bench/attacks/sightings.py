"""One id alone by how often it sees its target: among the six real models, and among twenty.

Only the tests of single voters look at it; its own votes are never part of the fit it is judged by.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from antiabuse.detectors.finding import Detector
from bench.attacks.attack import FIRST_BOT, Fleet, attack
from bench.attacks.bots import Booster, Guess, Policy, Suppressor
from bench.attacks.cases import ACCURACY, TARGET_PLACE
from bench.attacks.honest import honest_month
from bench.attacks.month import Month
from bench.attacks.real_votes import People
from bench.attacks.setting import Setting
from bench.attacks.sweep import Looks, Verdict, look_at_voter
from ranking.lobster import Flags, Ints

__all__ = [
    "AMONG_SIX",
    "HABITS",
    "LOOKS",
    "SIGHTINGS",
    "Habit",
    "Named",
    "Sighted",
    "SixModels",
    "by_sightings",
    "six_models",
]

LOOKS: Final = (10, 25, 50)
SIGHTINGS: Final = (5, 10, 15, 20, 30)
MOST_VOTES: Final = 400  # of an id that waits for its target
Habit = Literal["boost", "suppress"]
HABITS: Final[tuple[Habit, ...]] = ("boost", "suppress")
# Places from 0: the two in the middle, the weakest pushed, the strongest held down.
AMONG_SIX: Final[tuple[tuple[Habit, int], ...]] = (
    ("boost", 2),
    ("boost", 3),
    ("boost", 5),
    ("suppress", 2),
    ("suppress", 3),
    ("suppress", 0),
)


@dataclass(frozen=True, slots=True)
class Named:
    """Whether a voter is reported and found by a stricter threshold, by agenda and by any test."""

    agenda: bool
    agenda_strict: bool
    reported: bool
    struck: bool


@dataclass(frozen=True, slots=True)
class SixModels:
    """A month of the real judges' models, at each number of votes.

    Attributes:
        bots: how often an id saw its target, and what is known of it, by habit, place and votes.
        honest: every honest voter with so many votes, by votes.
    """

    bots: dict[tuple[Habit, int, int], tuple[int, Named]]
    honest: dict[int, list[Named]]


@dataclass(frozen=True, slots=True)
class Sighted:
    """An id at the vote in which it saw its target for the n-th time, and which vote that was."""

    votes: int
    named: Named


def six_models(setting: Setting, people: People, seed: int) -> SixModels:
    """Attack a month of models as strong as the real judges find them, an id at a time.

    Args:
        setting: of the month; its models are as many as the real ones.
        people: what voters are like.
        seed: of all chance.
    """
    empty = Month(setting, np.array(people.worths), random.Random(f"six {seed}"))
    month = honest_month(setting, people, seed, month=empty)
    bots = {}
    for habit, place in AMONG_SIX:
        looks, rows, saw = _attacked(month, people, f"six {seed}", habit, place, max(LOOKS))
        for votes in LOOKS:
            bots[habit, place, votes] = (int(saw[:votes].sum()), _until(looks, rows, votes))
    looks = Looks.of(month.capped())
    names, counts = np.unique(month.votes.rows["voter"], return_counts=True)
    honest = {
        votes: [
            _until(looks, month.votes.of_voter(voter), votes)
            for voter in names[counts >= votes].tolist()
        ]
        for votes in LOOKS
    }
    return SixModels(bots, honest)


def by_sightings(month: Month, people: People, seed: int, *, habit: Habit) -> dict[int, Sighted]:
    """Look at an id whenever it has seen its target so often; leave out what it never reached."""
    place = int(np.argsort(-month.theta)[TARGET_PLACE])
    name = f"sightings {seed}"
    looks, rows, saw = _attacked(month, people, name, habit, place, MOST_VOTES)
    made = {}
    for wanted in SIGHTINGS:
        (enough,) = np.nonzero(np.cumsum(saw) >= wanted)
        if len(enough):
            votes = int(enough[0]) + 1
            made[wanted] = Sighted(votes, _named(look_at_voter(looks, rows, at=[votes])))
    return made


def _attacked(
    month: Month, people: People, seed: str, habit: Habit, place: int, votes: int
) -> tuple[Looks, Ints, Flags]:
    """Let an id vote in a copy; return how to look at it, its votes, and which show the target."""
    copy = month.branch(random.Random(f"{seed} {habit} {place}"))
    name, eyes = month.names[place], Guess(ACCURACY, month.names)
    policies: dict[Habit, Policy] = {
        "boost": Booster(name, eyes, people),
        "suppress": Suppressor((name,), eyes, people),
    }
    attack(copy, Fleet(votes=votes, votes_each=votes), [policies[habit]], place)
    rows = copy.votes.of_voter(FIRST_BOT)
    return Looks.of(copy.capped()), rows, (copy.votes.rows["sets"][rows] == place).any(axis=1)


def _until(looks: Looks, rows: Ints, votes: int) -> Named:
    """Look at a voter after each number of votes up to one."""
    return _named(look_at_voter(looks, rows, at=[look for look in LOOKS if look <= votes]))


def _named(verdict: Verdict) -> Named:
    return Named(
        Detector.MODEL_AGENDA in verdict.reported,
        Detector.MODEL_AGENDA in verdict.strict,
        verdict.reported_after is not None,
        verdict.excluded_after is not None,
    )
