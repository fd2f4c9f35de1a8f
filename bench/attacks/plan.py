"""What a run of the bench consists of: pieces of work by seed, spread over processes."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any, Final

from bench.attacks.cases import CASES, CHOOSY, DRIP, MAIN, ON_ONE_DEVICE, PREFIXES, Case, run_case
from bench.attacks.field import clones, one_id
from bench.attacks.honest import honest_month
from bench.attacks.honest_looks import alarms_of_month
from bench.attacks.kept import Kept, Key, Pairs, Piece
from bench.attacks.real_votes import People
from bench.attacks.setting import Setting
from bench.attacks.sieges import SIEGES, besiege
from bench.attacks.sightings import HABITS, by_sightings, six_models
from bench.attacks.special import careless, look_up, sniper
from bench.attacks.suppliers import move, suppliers_of

__all__ = ["PARTS", "SETTINGS", "Done", "Results", "run"]

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
EXPERT_SMALL: Final = "expert, 2,000"
# What one device or network moves grows with the month.
ONE_SUPPLIER: Final = (*ON_ONE_DEVICE, PREFIXES["/24"])
ONE_ID: Final = (50, 100, 200)
SHARES: Final = (0.05, 0.1, 0.2)
POOLS: Final = ((300, 300), (1_000, 300), (300, 5), (300, 1))
LOOK_UP_VOTES: Final = 1_500
LOOK_UP_MARKS: Final = (250, 1_000)
SNIPER_VOTES: Final = 100
SIEGE_IDS: Final = 4
SIEGE_DAYS: Final = 25
PROCESSES: Final = 2
AGAIN: Final = 1_000  # added to a seed, for a second month of it

Results = dict[Key, list[Any]]


@dataclass(frozen=True, slots=True)
class Done:
    """Results of whole seeds by what they are of, in the order of seeds; and how many those are."""

    results: Results
    seeds: int
    cpu_s: float


def run(
    people: People,
    seeds: int,
    minutes: float,
    *,
    kept: Kept | None = None,
    only: Collection[str] = (),
) -> Done:
    """Run everything, seed by seed, until it is done or the time is up.

    Args:
        people: what voters are like.
        seeds: how many.
        minutes: after which nothing new begins; seeds that are not whole then are left out.
        kept: where results are kept, and found again.
        only: the parts to run anew, and no others; all that is not kept where it is empty.
    """
    until_s = time.monotonic() + minutes * 60
    wanted = [Piece(part, seed) for seed in range(seeds) for part in _parts(seed)]
    again = [piece for piece in wanted if piece.part in only]
    made = {} if kept is None else {piece: kept.load(piece) for piece in wanted}
    found = {piece: pairs for piece, pairs in made.items() if pairs is not None}
    todo = again if only else [piece for piece in wanted if piece not in found]
    cpu_s = 0.0
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("fork")) as pool:
        waiting = {pool.submit(_timed, piece, people): piece for piece in todo}
        for future in as_completed(waiting):
            if future.cancelled():
                continue
            piece = waiting[future]
            found[piece], spent_s = future.result()
            cpu_s += spent_s
            if kept is not None:
                kept.store(piece, found[piece])
            if time.monotonic() > until_s:
                for other in waiting:
                    other.cancel()
    whole = [
        seed for seed in range(seeds) if all(Piece(part, seed) in found for part in _parts(seed))
    ]
    results: Results = {}
    for seed in whole:
        pairs = [pair for part in _parts(seed) for pair in found[Piece(part, seed)]]
        for key, value in sorted(pairs, key=lambda pair: pair[0]):
            results.setdefault(key, []).append(value)
    return Done(results, len(whole), cpu_s)


def _timed(piece: Piece, people: People) -> tuple[Pairs, float]:
    began_s = time.process_time()
    return PARTS[piece.part](people, piece.seed), time.process_time() - began_s


def _fleets(name: str, people: People, seed: int) -> Pairs:
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
        return (*MAIN, CHOOSY, *(case for case in CASES if case.name in ONE_SUPPLIER))
    return MAIN + CASES if name == FULL else MAIN


def _alone(people: People, seed: int) -> Pairs:
    month = honest_month(SPEED, people, seed)
    found: Pairs = [(("honest", "fitted"), alarms_of_month(month))]
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


def _sightings(people: People, seed: int) -> Pairs:
    """Look at single ids in two months of each kind: shares in percent need forty runs."""
    found: Pairs = []
    for number in (seed, seed + AGAIN):
        found.append((("six",), six_models(SIX, people, number)))
        month = honest_month(SPEED, people, number)
        found += [
            (("sightings", habit), by_sightings(month, people, number, habit=habit))
            for habit in HABITS
        ]
    return found


def _field(people: People, seed: int) -> Pairs:
    return [
        (("sniper",), sniper(SPEED, people, seed, votes=SNIPER_VOTES)),
        (("clones",), clones(SPEED, people, seed)),
    ]


def _suppliers(settings: Sequence[str], people: People, seed: int) -> Pairs:
    found: Pairs = []
    for name in settings:
        month = honest_month(SETTINGS[name], people, seed)
        for one in suppliers_of(name):
            key = ("supplier", name, one.whence, one.habit, f"{one.place}")
            found.append((key, move(month, people, seed, one)))
    return found


def _drip(people: People, seed: int) -> Pairs:
    month = honest_month(SETTINGS[LARGE_FULL], people, seed)
    return [(("fleet", LARGE_FULL, DRIP.bot, DRIP.name), run_case(DRIP, month, people, seed))]


def _sieges(people: People, seed: int) -> Pairs:
    return [
        (
            ("siege", siege),
            besiege(SPEED, people, seed, siege=siege, ids=SIEGE_IDS, days=SIEGE_DAYS),
        )
        for siege in SIEGES
    ]


def _pools(people: People, seed: int) -> Pairs:
    found: Pairs = []
    for questions, fresh in POOLS:
        setting = dataclasses.replace(SPEED, questions=questions, fresh_reveals=fresh)
        made = look_up(setting, people, seed, votes=LOOK_UP_VOTES, marks=LOOK_UP_MARKS)
        found.append((("look-up", f"{questions:,}", str(fresh)), made))
    return found


PARTS: Final[Mapping[str, Callable[[People, int], Pairs]]] = {
    "fleets-speed-2000": partial(_fleets, FULL),
    "fleets-speed-10000": partial(_fleets, LARGE_FULL),
    "fleets-expert-2000": partial(_fleets, EXPERT_SMALL),
    "fleets-expert-10000": partial(_fleets, SLOW),
    "alone": _alone,
    "sightings": _sightings,
    "suppliers": partial(_suppliers, (FULL, EXPERT_SMALL)),
    "field": _field,
    "sieges": _sieges,
    "pools": _pools,
    "suppliers-large": partial(_suppliers, (LARGE_FULL,)),
    "drip": _drip,
}
RARE: Final = ("sieges", "pools", "suppliers-large", "drip")  # for every other seed


def _parts(seed: int) -> list[str]:
    return [part for part in PARTS if seed % 2 == 0 or part not in RARE]
