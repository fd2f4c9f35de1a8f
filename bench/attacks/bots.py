"""The bots: each sees a ballot as a voter does and says what it votes, or skips it.

Every class runs both in simulated months and on the application.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from arena.votes import Choice
from bench.attacks.people import SKIPPED, Shown, pick
from bench.attacks.real_votes import People

__all__ = [
    "AnswerMemory",
    "Booster",
    "Careless",
    "Chooser",
    "Eyes",
    "Guess",
    "Maker",
    "Omnipresent",
    "Policy",
    "Reader",
    "Suppressor",
    "TargetOnly",
]

SAME: Final = Choice("same", None, None)


class Policy(Protocol):
    """Whoever votes; None is a skip. After a vote comes what the reveal says."""

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Return the vote."""
        ...

    def learn(self, shown: Shown) -> None:
        """Take note of a reveal."""
        ...


class Eyes(Protocol):
    """Names the models of a ballot, as far as it can."""

    def names(self, shown: Shown, rng: random.Random) -> tuple[str | None, ...]:
        """Return a name for each slot, None where it has none."""
        ...

    def learn(self, shown: Shown) -> None:
        """Take note of a reveal."""
        ...


@dataclass(frozen=True, slots=True)
class Guess:
    """A classifier of styles: right with one chance for each answer, else it names another model.

    Huang et al. 2025 name authors in 95 % of cases; 63 % is plain TF-IDF on eight models.
    """

    accuracy: float
    models: tuple[str, ...]

    def names(self, shown: Shown, rng: random.Random) -> tuple[str | None, ...]:
        """Return a name for each slot."""
        return tuple(
            model if rng.random() < self.accuracy else rng.choice(self.models)
            for model in shown.models
        )

    def learn(self, shown: Shown) -> None:
        """Forget it."""


@dataclass(slots=True)
class AnswerMemory:
    """Who wrote which answer, from reveals; all ids of a fleet share it."""

    known: dict[str, str] = field(default_factory=dict)
    looked_up: int = 0
    found: int = 0

    def names(self, shown: Shown, _rng: random.Random) -> tuple[str | None, ...]:
        """Return the names of answers whose reveal was seen."""
        named = tuple(self.known.get(answer) for answer in shown.answers)
        self.looked_up += len(named)
        self.found += sum(name is not None for name in named)
        return named

    def learn(self, shown: Shown) -> None:
        """Store the authors."""
        self.known.update(zip(shown.answers, shown.models, strict=True))


@dataclass(frozen=True, slots=True)
class Reader:
    """An honest voter; `opinions` are added to what an average reader thinks of a model."""

    people: People
    opinions: Mapping[str, float]
    skipped: float = SKIPPED

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Read and pick."""
        if rng.random() < self.skipped:
            return None
        worth = [
            value + self.opinions.get(model, 0.0)
            for value, model in zip(shown.worth, shown.models, strict=True)
        ]
        return pick(worth, self.people, rng)

    def learn(self, shown: Shown) -> None:
        """Think nothing of it."""


@dataclass(frozen=True, slots=True)
class TargetOnly:
    """B1: best whenever the target is seen, else "About the same"."""

    target: str
    eyes: Eyes

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Vote for the target, or for nobody."""
        named = self.eyes.names(shown, rng)
        return _for_one_of(named, (self.target,), rng) or SAME

    def learn(self, shown: Shown) -> None:
        """Hand it to the eyes."""
        self.eyes.learn(shown)


@dataclass(frozen=True, slots=True)
class Booster:
    """B2: target best, else the vote of an average reader; B19 with `zeal` below 1 and opinions."""

    target: str
    eyes: Eyes
    people: People
    zeal: float = 1.0
    opinions: Mapping[str, float] = field(default_factory=dict)

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Push the target where it is seen, with a chance of `zeal`."""
        named = self.eyes.names(shown, rng)
        read = _read(shown, self.people, self.opinions, rng)
        if self.target not in named or rng.random() >= self.zeal:
            return read
        best = named.index(self.target)
        worst = read.worst if read.worst != best else None
        return Choice("best_worst", best, worst)

    def learn(self, shown: Shown) -> None:
        """Hand it to the eyes."""
        self.eyes.learn(shown)


@dataclass(frozen=True, slots=True)
class Chooser:
    """B2 that skips every ballot without its target; when its skips are used up its day is over."""

    target: str
    eyes: Eyes

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Push the target where it is seen, else ask for another ballot."""
        named = self.eyes.names(shown, rng)
        return _for_one_of(named, (self.target,), rng)

    def learn(self, shown: Shown) -> None:
        """Hand it to the eyes."""
        self.eyes.learn(shown)


@dataclass(frozen=True, slots=True)
class Maker:
    """B16: any of the targets best, else the vote of an average reader."""

    targets: tuple[str, ...]
    eyes: Eyes
    people: People

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Push a target where one is seen."""
        named = self.eyes.names(shown, rng)
        pushed = _for_one_of(named, self.targets, rng)
        return pushed or _read(shown, self.people, {}, rng)

    def learn(self, shown: Shown) -> None:
        """Hand it to the eyes."""
        self.eyes.learn(shown)


@dataclass(frozen=True, slots=True)
class Suppressor:
    """B3, B16: any of the targets worst and never best, else the vote of an average reader."""

    targets: tuple[str, ...]
    eyes: Eyes
    people: People

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Vote down a target where one is seen."""
        named = self.eyes.names(shown, rng)
        hit = [slot for slot, name in enumerate(named) if name in self.targets]
        read = _read(shown, self.people, {}, rng)
        if not hit or len(hit) == len(named):
            return read
        best = read.best
        if best is None or best in hit:
            others = [slot for slot in range(len(named)) if slot not in hit]
            best = max(others, key=lambda slot: shown.worth[slot])
        return Choice("best_worst", best, hit[0])

    def learn(self, shown: Shown) -> None:
        """Hand it to the eyes."""
        self.eyes.learn(shown)


@dataclass(frozen=True, slots=True)
class Omnipresent:
    """B4: works for the target on every ballot (Min et al. 2025, "omnipresent").

    `rivals` stand above the target: without the target, the weakest of the others is voted best
    where one of them is seen.
    """

    target: str
    rivals: tuple[str, ...]
    order: Sequence[str]
    eyes: Eyes
    people: People

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Push the target, else hold its rivals down."""
        named = self.eyes.names(shown, rng)
        hit = [slot for slot, name in enumerate(named) if name in self.rivals]
        if self.target in named:
            best = named.index(self.target)
            return Choice("best_worst", best, hit[0] if hit else None)
        if not hit or len(hit) == len(named):
            return _read(shown, self.people, {}, rng)
        others = [slot for slot in range(len(named)) if slot not in hit]
        best = max(others, key=lambda slot: self._place(named[slot]))
        return Choice("best_worst", best, hit[0])

    def _place(self, name: str | None) -> int:
        return self.order.index(name) if name in self.order else -1

    def learn(self, shown: Shown) -> None:
        """Hand it to the eyes."""
        self.eyes.learn(shown)


@dataclass(frozen=True, slots=True)
class Careless:
    """B5: picks any answer, or always the first."""

    always_first: bool = False

    def choose(self, shown: Shown, rng: random.Random) -> Choice | None:
        """Pick without reading."""
        best = 0 if self.always_first else rng.randrange(len(shown.answers))
        return Choice("best_worst", best, (best + 1 + rng.randrange(3)) % 4)

    def learn(self, shown: Shown) -> None:
        """Forget it."""


def _for_one_of(
    named: Sequence[str | None], targets: Sequence[str], rng: random.Random
) -> Choice | None:
    """Vote one of the targets best and any other answer worst, where a target is seen."""
    hit = [slot for slot, name in enumerate(named) if name in targets]
    if not hit:
        return None
    best = rng.choice(hit)
    return Choice("best_worst", best, rng.choice([s for s in range(len(named)) if s != best]))


def _read(
    shown: Shown, people: People, opinions: Mapping[str, float], rng: random.Random
) -> Choice:
    """Vote as a reader of every ballot does."""
    worth = [
        value + opinions.get(model, 0.0)
        for value, model in zip(shown.worth, shown.models, strict=True)
    ]
    return pick(worth, people, rng)
