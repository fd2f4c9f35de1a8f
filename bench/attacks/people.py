"""Honest voters: when they come, what they think, what they pick, and how they read.

Tastes, blind picks, ties and votes a voter are fitted to real votes (`real_votes.py`). Real votes
say nothing about reading times, skips and worst picks: those are assumptions, named below.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from antiabuse.sincerity import ClientValues
from arena.votes import Choice
from bench.attacks.real_votes import People

__all__ = ["SKIPPED", "Shown", "forged_values", "honest_values", "pick"]

# Assumptions, each the share of an honest voter's ballots.
BOTH_BAD: Final = 0.04
SKIPPED: Final = 0.08
NAMES_WORST: Final = 0.8
# Reading: most read in earnest, some skim, a few have no script.
READING_SPREAD: Final = 0.6  # natural logs, of the seconds
SKIMS: Final = 0.06
SKIMMING_S: Final = (3.0, 9.0)
NO_SCRIPT: Final = 0.04
SCROLLS_ALL: Final = 0.78
SCROLLS_PART: Final = 0.16
BOT_S: Final = (14.0, 40.0)
GLANCE: Final = 0.05
HALF: Final = 0.5


@dataclass(frozen=True, slots=True)
class Shown:
    """A ballot as whoever votes on it sees it.

    Attributes:
        question: what is asked.
        answers: what stands in the four slots; the same text is the same answer.
        models: who wrote them. Only what recognises models may look here, and errs as it must.
        worth: how good an average reader finds each answer, in natural logs.
    """

    question: str
    answers: tuple[str, ...]
    models: tuple[str, ...]
    worth: tuple[float, ...]


def pick(worth: Sequence[float], people: People, rng: random.Random) -> Choice:
    """Vote honestly on four answers of these worths.

    "About the same" is an alternative of weight δ times the geometric mean (Davidson 1970), the
    best answer goes by Plackett-Luce, the worst by inverse weights among the other three.
    """
    if rng.random() < BOTH_BAD:
        return Choice("bad", None, None)
    odds = [math.exp(value) for value in worth]
    same = people.tie_weight * math.exp(sum(worth) / len(worth))
    if rng.random() * (sum(odds) + same) < same:
        return Choice("same", None, None)
    if rng.random() < people.lapse:
        odds = [1.0] * len(worth)
    best = rng.choices(range(len(worth)), odds)[0]
    if rng.random() >= NAMES_WORST:
        return Choice("best_worst", best, None)
    against = [0.0 if slot == best else 1 / odd for slot, odd in enumerate(odds)]
    return Choice("best_worst", best, rng.choices(range(len(worth)), against)[0])


def honest_values(median_s: float, rng: random.Random) -> tuple[ClientValues, float]:
    """Return what an honest browser reports, and the seconds from page to vote."""
    skims = rng.random() < SKIMS
    read_s = (
        rng.uniform(*SKIMMING_S)
        if skims
        else math.exp(rng.gauss(math.log(median_s), READING_SPREAD))
    )
    waited_s = read_s + rng.uniform(0.5, 3.0)
    if rng.random() < NO_SCRIPT:
        return ClientValues(None, None), waited_s
    return ClientValues(_decimal(read_s), _decimal(_scrolled(rng))), waited_s


def forged_values(rng: random.Random) -> tuple[ClientValues, float]:
    """Return what a bot claims, B14: all was read, at a human pace, and it did wait so long."""
    waited_s = rng.uniform(*BOT_S)
    return ClientValues(_decimal(waited_s), Decimal(1)), waited_s


def _scrolled(rng: random.Random) -> float:
    kind = rng.random()
    if kind < SCROLLS_ALL:
        return 1.0
    if kind < SCROLLS_ALL + SCROLLS_PART:
        return rng.uniform(GLANCE, HALF)
    return rng.uniform(0.0, GLANCE)


def _decimal(value: float) -> Decimal:
    return Decimal(f"{value:.3f}")
