"""What a run of the bench consists of: pieces of work by seed, spread over processes."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any, Final

from bench.attacks.cases import CASES, DRIP, MAIN, Case, run_case
from bench.attacks.field import clones, newcomer, one_id
from bench.attacks.honest import honest_month
from bench.attacks.honest_looks import alarms_of_month
from bench.attacks.real_votes import People
from bench.attacks.setting import Setting
from bench.attacks.sightings import HABITS, by_sightings, six_models
from bench.attacks.special import careless, look_up, sniper

__all__ = ["SETTINGS", "Done", "Results", "run"]

SPEED: Final = Setting(mode="speed", ballots=2_000, questions=300, read_s=40)
SIX: Final = dataclasses.replace(SPEED, models=6, even_draw=True)
EXPERT: Final = Setting(mode="expert", ballots=2_000, questions=120, read_s=90)
LARGE: Final = 10_000
SETTINGS: Final[Mapping[str, Setting]] = {
    "speed, 2,000": SPEED,
    "speed, 10,000": dataclasses.replace(SPEED, ballots=LARGE),
    "expert, 2,000": EXPERT,
    "expert, 10,000": dataclasses.replace(EXPERT, ballots=LARGE),
}
FULL: Final = "speed, 2,000"
SLOW: Final = "expert, 10,000"
LARGE_FULL: Final = "speed, 10,000"
ONE_SUPPLIER: Final = ("B10", "B11")  # what one device or network moves grows with the month
ONE_ID: Final = (50, 100, 200)
SHARES: Final = (0.05, 0.1, 0.2)
POOLS: Final = ((300, 300), (1_000, 300), (300, 5), (300, 1))
LOOK_UP_VOTES: Final = 1_500
LOOK_UP_MARKS: Final = (250, 1_000)
SNIPER_VOTES: Final = 100
SIEGE: Final = {"ids": 4, "days": 25}
PROCESSES: Final = 2
AGAIN: Final = 1_000  # added to a seed, for a second month of it

Key = tuple[str, ...]
Results = dict[Key, list[Any]]


@dataclass(frozen=True, slots=True)
class Done:
    """Results of whole seeds by what they are of, in the order of seeds; and how many those are."""

    results: Results
    seeds: int
    cpu_s: float


def run(people: People, seeds: int, minutes: float) -> Done:
    """Run everything, seed by seed, until it is done or the time is up.

    Args:
        people: what voters are like.
        seeds: how many.
        minutes: after which nothing new begins; seeds that are not whole then are left out.
    """
    until_s = time.monotonic() + minutes * 60
    made: dict[int, list[list[tuple[Key, Any]]]] = {seed: [] for seed in range(seeds)}
    cpu_s = 0.0
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("fork")) as pool:
        waiting = {
            pool.submit(piece, people, seed): seed for seed in made for piece in _pieces(seed)
        }
        for future in as_completed(waiting):
            if future.cancelled():
                continue
            found, spent_s = future.result()
            cpu_s += spent_s
            made[waiting[future]].append(found)
            if time.monotonic() > until_s:
                for other in waiting:
                    other.cancel()
    whole = [seed for seed in made if len(made[seed]) == len(list(_pieces(seed)))]
    results: Results = {}
    for seed in whole:
        for key, value in sorted((pair for found in made[seed] for pair in found), key=_key):
            results.setdefault(key, []).append(value)
    return Done(results, len(whole), cpu_s)


def _key(pair: tuple[Key, Any]) -> Key:
    return pair[0]


Piece = Callable[[People, int], tuple[list[tuple[Key, Any]], float]]


def _pieces(seed: int) -> Iterator[Piece]:
    """Yield the pieces of a seed; the slowest only for every other seed."""
    for name in SETTINGS:
        yield partial(_timed, partial(_fleets, name))
    yield partial(_timed, _alone)
    yield partial(_timed, _sightings)
    yield partial(_timed, _field)
    if seed % 2 == 0:
        yield partial(_timed, _rare)


def _timed(
    work: Callable[[People, int], list[tuple[Key, Any]]], people: People, seed: int
) -> tuple[list[tuple[Key, Any]], float]:
    began_s = time.process_time()
    return work(people, seed), time.process_time() - began_s


def _fleets(name: str, people: People, seed: int) -> list[tuple[Key, Any]]:
    month = honest_month(SETTINGS[name], people, seed)
    return [
        (("fleet", name, case.bot, case.name), run_case(case, month, people, seed))
        for case in _cases(name)
    ]


def _cases(name: str) -> tuple[Case, ...]:
    """Return the fleets of a setting: all, the most telling, or two where months are slow."""
    if name == SLOW:
        return tuple(case for case in MAIN if case.bot in ("B2", "B3"))
    if name == LARGE_FULL:
        return MAIN + tuple(case for case in CASES if case.bot in ONE_SUPPLIER) + (DRIP,)
    return MAIN + CASES if name == FULL else MAIN


def _alone(people: People, seed: int) -> list[tuple[Key, Any]]:
    month = honest_month(SPEED, people, seed)
    found: list[tuple[Key, Any]] = [(("honest", "fitted"), alarms_of_month(month))]
    odd = dataclasses.replace(people, taste=people.taste_high)
    found.append((("honest", "upper end"), alarms_of_month(honest_month(SPEED, odd, seed))))
    for habit in ("boost", "suppress", "target_only"):
        for votes in ONE_ID:
            made = one_id(month, people, seed, habit=habit, votes=votes)
            found.append((("one id", habit, str(votes)), made))
    for share in SHARES:
        key = ("careless", "any answer", f"{share:.0%}")
        found.append((key, careless(month, share, always_first=False, seed=seed)))
    key = ("careless", "always A", f"{SHARES[1]:.0%}")
    found.append((key, careless(month, SHARES[1], always_first=True, seed=seed)))
    return found


def _sightings(people: People, seed: int) -> list[tuple[Key, Any]]:
    """Look at single ids in two months of each kind: shares in percent need forty runs."""
    found: list[tuple[Key, Any]] = []
    for number in (seed, seed + AGAIN):
        found.append((("six",), six_models(SIX, people, number)))
        month = honest_month(SPEED, people, number)
        found += [
            (("sightings", habit), by_sightings(month, people, number, habit=habit))
            for habit in HABITS
        ]
    return found


def _field(people: People, seed: int) -> list[tuple[Key, Any]]:
    return [
        (("sniper",), sniper(SPEED, people, seed, votes=SNIPER_VOTES)),
        (("clones",), clones(SPEED, people, seed)),
    ]


def _rare(people: People, seed: int) -> list[tuple[Key, Any]]:
    found: list[tuple[Key, Any]] = [(("newcomer",), newcomer(SPEED, people, seed, **SIEGE))]
    for questions, fresh in POOLS:
        setting = dataclasses.replace(SPEED, questions=questions, fresh_reveals=fresh)
        made = look_up(setting, people, seed, votes=LOOK_UP_VOTES, marks=LOOK_UP_MARKS)
        found.append((("look-up", f"{questions:,}", str(fresh)), made))
    return found
