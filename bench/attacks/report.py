"""Writes the report of a run: what was simulated, the fleets' tables, the aims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bench.attacks import people as assumptions
from bench.attacks.cases import HELD, MAIN
from bench.attacks.honest_looks import Alarms
from bench.attacks.http import Http
from bench.attacks.outcome import Outcome
from bench.attacks.plan import SETTINGS, Results
from bench.attacks.prose import FLEETS, HONEST, INTRODUCTION, LIMITS_TEXT, READING, WEIGHTS
from bench.attacks.real_votes import People
from bench.attacks.report_bots import bots_of_their_own
from bench.attacks.report_ids import among_six
from bench.attacks.setting import LIMITS
from bench.attacks.sightings import Habit
from bench.attacks.tables import cost_table, fleet_table, table, weights_table
from bench.attacks.texts import Named

__all__ = ["Run", "report"]

_AIM: Final = 0.95  # of runs, or of votes
_MOST: Final = 0.5  # of a fleet's votes
_FULL: Final = "speed, 2,000"


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that a report tells."""

    people: People
    judges: Alarms
    results: Results
    seeds: int
    http: Http
    marks: dict[str, tuple[float, float, float]]
    named: Named


def report(run: Run) -> str:
    """Return the report in Markdown."""
    fleets = [
        f"### {name.capitalize()} honest ballots\n\n{fleet_table(run.results, name)}"
        f"\n\n{cost_table(run.results, name)}"
        for name in SETTINGS
    ]
    parts = [
        _introduction(run),
        "## Aims\n\n" + _aims(run),
        "## Honest voters\n\n" + _honest(run),
        "## Fleets\n\n"
        + FLEETS.format(
            votes=LIMITS.daily_votes, ballots=LIMITS.daily_ballots, skips=LIMITS.daily_skips
        ),
        *fleets,
        "## Weights\n\n" + WEIGHTS + "\n\n" + weights_table(run.results),
        bots_of_their_own(run.results, run.http, run.marks, run.named),
        "## What this says\n\n" + READING,
        "## What is not measured\n\n" + LIMITS_TEXT,
    ]
    return "\n\n".join(parts) + "\n"


def _introduction(run: Run) -> str:
    people = run.people
    return INTRODUCTION.format(
        taste=people.taste,
        low=people.taste_low,
        high=people.taste_high,
        lapse=f"{people.lapse:.0%}".replace("%", " %"),
        scale=people.scale,
        tie=people.tie_weight,
        judges=len(people.votes),
        seeds=run.seeds,
        bad=f"{assumptions.BOTH_BAD:.0%}".replace("%", " %"),
        skip=f"{assumptions.SKIPPED:.0%}".replace("%", " %"),
        worst=f"{assumptions.NAMES_WORST:.0%}".replace("%", " %"),
        skims=f"{assumptions.SKIMS:.0%}".replace("%", " %"),
    )


def _aims(run: Run) -> str:
    boost, suppress = (_caught(run.results, bot) for bot in ("B2", "B3"))
    habits: tuple[Habit, ...] = ("boost", "suppress")
    alone = [_alone(run.results, habit) for habit in habits]
    kept = _weights(run.results)
    met = {True: "met", False: "missed"}
    flood = (run.http.direct, run.http.proxied)
    rows = [
        (
            "no real judge of 59 struck",
            f"{run.judges.struck} of {run.judges.voters}",
            met[run.judges.struck == 0],
        ),
        (
            "camouflaged boosters out within 50 votes in 95 % of runs",
            f"fleets: {boost}; {alone[0]}",
            _met_by(run.results, "B2", "boost"),
        ),
        (
            "camouflaged suppressors likewise",
            f"fleets: {suppress}; {alone[1]}",
            _met_by(run.results, "B3", "suppress"),
        ),
        (
            "no accepted replay",
            f"{run.http.replays.accepted} of {run.http.replays.tried}",
            met[run.http.replays.accepted == 0],
        ),
        (
            "no effect of forged headers",
            f"{', '.join(str(one.passed - one.allowed) for one in flood)} requests above the limit",
            met[all(one.passed == one.allowed for one in flood)],
        ),
        (
            "one device or /24 moves no model by more than half its interval",
            _moved(run.results),
            met[max(_halves(run.results)) <= 1],
        ),
        (
            "bots weigh no more than honest voters on average (V-156)",
            f"{kept[0]:.2f} against {kept[1]:.2f} on the board",
            met[kept[0] <= kept[1]],
        ),
    ]
    return table(["aim", "measured", ""], rows)


def _fleets_of(results: Results, bot: str, setting: str = _FULL) -> list[Outcome]:
    """Return the runs of one of the four main fleets."""
    (name,) = (case.name for case in MAIN if case.bot == bot)
    return results["fleet", setting, bot, name]


def _share_of_votes(results: Results, bot: str) -> float:
    return float(np.mean([run.excluded for run in _fleets_of(results, bot)]))


def _share_of_aimed(results: Results, bot: str) -> float:
    return float(np.mean([run.aimed for run in _fleets_of(results, bot)]))


def _caught(results: Results, bot: str) -> str:
    runs = _fleets_of(results, bot)
    whole = float(np.mean([run.excluded > _MOST for run in runs]))
    text = f"{_share_of_votes(results, bot):.0%} of the votes"
    text += f" and {_share_of_aimed(results, bot):.0%} of those with the target"
    return f"{text}, most of the fleet in {whole:.0%} of runs".replace("%", " %")


def _alone(results: Results, habit: Habit) -> str:
    """Say what becomes of ids alone after fifty votes, among six models and among twenty."""
    few = among_six(results, habit)
    runs = results["one id", habit, "50"]
    many = [
        float(np.mean([getattr(run, name) for run in runs])) for name in ("reported", "excluded")
    ]
    return "; ".join(
        f"one id alone among {models}: {struck:.0%} struck, {reported:.0%} reported"
        for models, (reported, struck) in (("six models", few), ("twenty", many))
    ).replace("%", " %")


def _met_by(results: Results, bot: str, habit: Habit) -> str:
    """Say whether fleets, and ids alone, are out within fifty votes."""
    runs = results["one id", habit, "50"]
    reached = {
        "fleets": _share_of_votes(results, bot),
        "alone among six": among_six(results, habit)[1],
        "alone among twenty": float(np.mean([run.excluded for run in runs])),
    }
    words = {True: "met", False: "missed"}
    return ", ".join(f"{who} {words[value >= _AIM]}" for who, value in reached.items())


def _halves(results: Results) -> list[float]:
    """Return what one device or network moved any model by, in halves of its interval."""
    fleets = [
        abs(float(run.half_intervals))
        for key, found in results.items()
        if key[0] == "fleet" and key[3] in HELD
        for run in found
    ]
    return fleets + [
        run.most for key, found in results.items() if key[0] == "supplier" for run in found
    ]


def _moved(results: Results) -> str:
    halves = _halves(results)
    above = sum(value > 1 for value in halves)
    return (
        f"median {float(np.median(halves)):.2f} of half the interval before the attack, at most"
        f" {max(halves):.2f}; above it in {above} of {len(halves)} runs, all before any strike,"
        " against models of the first three places, the tenth and the last"
    )


def _weights(results: Results) -> tuple[float, float]:
    runs = [run for key, found in results.items() if key[0] == "fleet" for run in found]
    bots, honest = ([getattr(run, name) for run in runs] for name in ("weight_kept", "honest_kept"))
    return float(np.mean(bots)), float(np.mean(honest))


def _honest(run: Run) -> str:
    titles = ("59 real judges", "simulated, fitted tastes", "simulated, tastes at the upper end")
    alarms: list[Alarms] = [
        run.judges,
        _together(run.results["honest", "fitted"]),
        _together(run.results["honest", "upper end"]),
    ]
    detectors = sorted({d for one in alarms for d in (*one.reported, *one.strict)})
    rows = [
        [title, f"{one.voters:,}"]
        + [f"{one.reported.get(d, 0)} / {one.strict.get(d, 0)}" for d in detectors]
        + [str(one.struck)]
        for title, one in zip(titles, alarms, strict=True)
    ]
    names = [f"`{detector.value}`" for detector in detectors]
    return HONEST + "\n\n" + table(["voters", "number", *names, "struck"], rows)


def _together(alarms: Sequence[Any]) -> Alarms:
    made: Alarms = alarms[0]
    for one in alarms[1:]:
        made += one
    return made
