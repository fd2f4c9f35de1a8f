"""What the application did, done again by a simulated month: both must come to the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from antiabuse.sincerity import ClientValues
from arena.boards import PublishedBoard
from arena.votes import Choice
from bench.attacks.application import Application, Cast, Person
from bench.attacks.bots import Policy
from bench.attacks.month import RULES, Month
from bench.attacks.people import honest_values
from bench.attacks.setting import Ballot, Setting, Visit
from ranking import lobster, ucbe

__all__ = ["Difference", "Happened", "Voter", "differences", "record"]

BETWEEN_S: Final = 12.0
NETWORK_BITS: Final = 8  # below a /24


@dataclass(frozen=True, slots=True)
class Voter:
    """A person of the application with its policy."""

    person: Person
    policy: Policy


@dataclass(frozen=True, slots=True)
class Happened:
    """A vote on the application: by whom, what, and what came of it; or the board after it."""

    voter: int
    network: int
    choice: Choice
    client: ClientValues
    cast: Cast
    board: PublishedBoard | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest differences between application and simulation.

    Of the chance of a drawn set, relative; of a weight as cast, in millionths; of a strength on a
    board, in natural logs.
    """

    chance: float
    weight: int
    strength: float


def record(
    app: Application, voters: Sequence[Voter], *, votes: int, board_every: int, seed: int
) -> list[Happened]:
    """Let voters vote in turn, with a board after every so many votes."""
    rng, made = random.Random(seed), list[Happened]()
    while len(made) < votes:
        for number, voter in enumerate(voters):
            read = honest_values(20.0, rng)
            found = app.turn(voter.person, voter.policy, read, rng)
            app.clock.advance(BETWEEN_S)
            if found is None:
                continue
            due = (len(made) + 1) % board_every == 0
            network = int(voter.person.address) >> NETWORK_BITS
            made.append(
                Happened(
                    number, network, found[1], read[0], found[0], app.publish() if due else None
                )
            )
    return made


def differences(app: Application, setting: Setting, happened: Sequence[Happened]) -> Difference:
    """Run the recorded votes through a simulated month and compare."""
    names = sorted(app.worth)
    worths = np.array([app.worth[name] for name in names])
    month = Month(setting, worths, random.Random(1))
    month.refit_every = len(happened) + 1
    questions: dict[str, int] = {}
    chance = strength = 0.0
    weight = 0
    for one in happened:
        models = tuple(names.index(model) for model in one.cast.models)
        number = questions.setdefault(one.cast.question, len(questions))
        drawn = ucbe.set_probability(
            [month.names[model] for model in models], month.names, month.known, RULES
        )
        chance = max(chance, abs(drawn / float(one.cast.probability) - 1))
        ballot = Ballot(number, models, one.cast.issued_us)
        visit = Visit(one.voter, one.network)
        assert month.cast(visit, ballot, one.choice, one.client, one.cast.cast_us)
        ours = int(month.votes.rows["weight"][-1])
        weight = max(weight, abs(ours - lobster.millionths(one.cast.weight)))
        if one.board is not None:
            month.refit()
            published = {row.model: row.theta for row in one.board.rows}
            theirs = np.array([published.get(name, 0.0) for name in names])
            mine = month.theta - month.theta.mean()
            strength = max(strength, float(np.abs(mine - (theirs - theirs.mean())).max()))
    return Difference(chance, weight, strength)
