"""The report on one network and one device: what they move, and what their votes weigh."""

from __future__ import annotations

from typing import Final

import numpy as np

from bench.attacks.outcome import Outcome
from bench.attacks.plan import FULL, LARGE_FULL, Results
from bench.attacks.prose import PREFIXES_TEXT, SUPPLIERS_TEXT
from bench.attacks.suppliers import Moved
from bench.attacks.tables import spread, table

__all__ = ["suppliers"]

_PLACES: Final = {"0": "1st", "1": "2nd", "2": "3rd", "9": "10th", "-1": "last"}
_WHENCE: Final = {"/24": "one /24", "device": "one device, joined"}
_DOES: Final = {"boost": "boosts", "suppress": "holds down"}
_BY_NETWORK: Final = ("B10", "B11")


def suppliers(results: Results) -> str:
    """Return the section in Markdown."""
    return "\n\n".join((SUPPLIERS_TEXT, _moves(results), PREFIXES_TEXT, _prefixes(results)))


def _moves(results: Results) -> str:
    rows = []
    for key, found in results.items():
        if key[0] != "supplier":
            continue
        runs: list[Moved] = found
        _, setting, whence, habit, place = key
        rows.append(
            [
                setting,
                f"{_WHENCE[whence]} {_DOES[habit]} the {_PLACES[place]}",
                spread([run.points for run in runs]),
                spread([run.target for run in runs], 2),
                f"{max(run.target for run in runs):.2f}",
                f"{max(run.most for run in runs):.2f}",
                _weigh([run.counted for run in runs], runs[0].votes),
            ]
        )
    every: list[Moved] = [
        run for key, runs in results.items() if key[0] == "supplier" for run in runs
    ]
    rows.append(
        [
            "all",
            "",
            "",
            f"{float(np.median([run.target for run in every])):.2f}",
            f"{max(run.target for run in every):.2f}",
            f"{max(run.most for run in every):.2f}",
            "",
        ]
    )
    headings = ["setting", "bot", "points", "halves moved", "at most", "any model at most"]
    return table([*headings, "weigh on the board"], rows)


def _prefixes(results: Results) -> str:
    rows = []
    for key, found in results.items():
        if key[0] != "fleet" or key[1] not in {FULL, LARGE_FULL} or key[2] not in _BY_NETWORK:
            continue
        runs: list[Outcome] = found
        rows.append(
            [
                key[1],
                f"{key[2]} {key[3]}",
                _weigh([run.counted for run in runs], runs[0].votes),
                spread([run.half_intervals for run in runs], 2),
                f"{max(run.half_intervals for run in runs):.2f}",
            ]
        )
    return table(["setting", "bot", "weigh on the board", "halves moved", "at most"], rows)


def _weigh(counted: list[float], votes: int) -> str:
    return f"{spread(counted)} of {votes:,}"
