"""The report on ids that act alone: by votes, by sightings of the target, among six models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from bench.attacks.plan import ONE_ID, Results
from bench.attacks.prose import SIGHTINGS_TEXT, SIX_TEXT
from bench.attacks.sightings import AMONG_SIX, HABITS, LOOKS, SIGHTINGS, Habit, Named
from bench.attacks.tables import share, spread, table

__all__ = ["among_six", "one_id_alone"]

_BOTS: Final = {"target_only": "B1", "boost": "B2", "suppress": "B3"}
_VERBS: Final[dict[Habit, str]] = {"boost": "B2 boosts", "suppress": "B3 holds down"}
_PLACES: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th")
_MIDDLE: Final = (2, 3)  # places from 0, of six


def one_id_alone(results: Results) -> str:
    """Return the sections in Markdown."""
    return "\n\n".join(
        (
            "## One id alone (B1 to B3)\n\n" + _by_votes(results),
            "### By how often it saw its target\n\n" + _by_sightings(results),
            "### Among six models\n\n" + _six(results),
        )
    )


def among_six(results: Results, habit: Habit) -> tuple[float, float]:
    """Return the shares reported and struck after fifty votes, of the 3rd or 4th: the smaller."""
    found = [[run.bots[habit, place, 50][1] for run in results["six",]] for place in _MIDDLE]
    reported = min(float(np.mean([one.reported for one in runs])) for runs in found)
    return reported, min(float(np.mean([one.struck for one in runs])) for runs in found)


def _by_votes(results: Results) -> str:
    rows = []
    for habit, bot in _BOTS.items():
        for votes in ONE_ID:
            runs = results["one id", habit, str(votes)]
            rows.append(
                [
                    bot,
                    str(votes),
                    spread([run.showings for run in runs]),
                    share([run.reported for run in runs]),
                    share([run.excluded for run in runs]),
                    spread([run.points for run in runs]),
                ]
            )
    return (
        "A single id that never comes back under another name, in Speed with 2,000 honest ballots."
        " It is looked at after 20, 50, 100 and 200 votes, and for campaigns.\n\n"
        + table(["bot", "votes", "saw the target", "reported", "struck", "points moved"], rows)
    )


def _by_sightings(results: Results) -> str:
    rows = []
    for habit in HABITS:
        runs = results["sightings", habit]
        for wanted in SIGHTINGS:
            found = [run[wanted] for run in runs if wanted in run]
            rows.append(
                [
                    _BOTS[habit],
                    str(wanted),
                    f"{len(found)} of {len(runs)}",
                    spread([run[wanted].votes if wanted in run else None for run in runs]),
                    *_shares([one.named for one in found]),
                ]
            )
    headings = ["bot", "saw the target", "came to that", "votes it took", *_HEADINGS]
    return SIGHTINGS_TEXT + "\n\n" + table(headings, rows)


_HEADINGS: Final = ("`model_agenda`", "its stricter level", "reported by any test", "struck")


def _shares(named: Sequence[Named]) -> list[str]:
    return [
        share([one.agenda for one in named]),
        share([one.agenda_strict for one in named]),
        share([one.reported for one in named]),
        share([one.struck for one in named]),
    ]


def _six(results: Results) -> str:
    runs = results["six",]
    rows = []
    for habit, place in AMONG_SIX:
        for votes in LOOKS:
            found = [run.bots[habit, place, votes] for run in runs]
            rows.append(
                [
                    f"{_VERBS[habit]} the {_PLACES[place]}",
                    str(votes),
                    str(len(found)),
                    spread([showings for showings, _ in found]),
                    *_shares([named for _, named in found]),
                ]
            )
    for votes in LOOKS:
        honest = [named for run in runs for named in run.honest[votes]]
        counts = [
            f"{sum(getattr(one, field) for one in honest)}"
            for field in ("agenda", "agenda_strict", "reported", "struck")
        ]
        rows.append(["honest voters", str(votes), f"{len(honest):,}", "", *counts])
    headings = ["voter", "votes", "number", "saw the target", *_HEADINGS]
    return SIX_TEXT + "\n\n" + table(headings, rows)
