"""Tables of the report, from results: medians with quartiles, in Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from bench.attacks.outcome import RANKS, Outcome
from bench.attacks.plan import Results

__all__ = [
    "cost_table",
    "fleet_table",
    "honest_struck",
    "share",
    "spread",
    "table",
    "weights_table",
]

MINUS = "−"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out a Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def spread(values: Sequence[float | None], digits: int = 0) -> str:
    """Write a median and both quartiles; None is later than everything else."""
    known = np.array([math.inf if value is None else float(value) for value in values])
    if not len(known):
        return "–"
    middle, low, high = (
        float(np.quantile(known, at, method="nearest")) for at in (0.5, 0.25, 0.75)
    )
    if math.isinf(middle):
        return "never"
    return f"{_number(middle, digits)} ({_number(low, digits)}–{_number(high, digits)})"


def _number(value: float, digits: int) -> str:
    if math.isinf(value):
        return "never"
    text = f"{value:,.{digits}f}"
    if not text.startswith("-"):
        return text
    return MINUS + text[1:] if text.strip("-0.,") else text[1:]


def share(values: Sequence[float]) -> str:
    """Write a mean share in percent."""
    return f"{float(np.mean(values)):.0%}".replace("%", " %")


def fleet_table(results: Results, setting: str) -> str:
    """Lay out what the fleets of a setting gain, and who is found, one a row."""
    columns: tuple[tuple[str, Callable[[list[Outcome]], str]], ...] = (
        ("ids", lambda runs: str(runs[0].ids)),
        ("places", lambda runs: spread([run.ranks for run in runs])),
        ("points", lambda runs: spread([run.points for run in runs])),
        ("votes struck", lambda runs: share([run.excluded for run in runs])),
        ("of those with the target", lambda runs: share([run.aimed for run in runs])),
        ("after", lambda runs: spread([run.after for run in runs])),
        ("points left", lambda runs: spread([run.left for run in runs])),
        ("votes reported", lambda runs: share([run.reported for run in runs])),
        (
            "points left if all reported are struck",
            lambda runs: spread([run.left_reports for run in runs]),
        ),
        ("honest struck", honest_struck),
    )
    rows = [
        [f"{key[2]} {key[3]}", *(write(runs) for _, write in columns)]
        for key, runs in _fleets(results, setting)
    ]
    return table(["bot", *(title for title, _ in columns)], rows)


def cost_table(results: Results, setting: str) -> str:
    """Lay out what one, three and five places cost the fleets of a setting, one a row."""
    fields = ("votes", "impressions", "account_days")
    rows = [
        [
            f"{key[2]} {key[3]}",
            *(
                spread([getattr(run.reached[ranks], field, None) for run in runs])
                for ranks in RANKS
                for field in fields
            ),
        ]
        for key, runs in _fleets(results, setting)
    ]
    titles = [f"{field.replace('_', '-')} to +{ranks}" for ranks in RANKS for field in fields]
    return table(["bot", *titles], rows)


def honest_struck(runs: Sequence[Any]) -> str:
    """Write how many honest voters are struck, of how many in all months, and their votes."""
    hurt, honest, votes = (
        sum(getattr(run, field) for run in runs)
        for field in ("honest_hurt", "honest", "honest_votes")
    )
    return f"{hurt} of {honest:,}" + (f", {votes} votes" if hurt else "")


def _fleets(results: Results, setting: str) -> list[tuple[tuple[str, ...], list[Any]]]:
    found = [
        (key, runs) for key, runs in results.items() if key[0] == "fleet" and key[1] == setting
    ]
    return sorted(found, key=lambda item: (int(item[0][2][1:]), item[0][3]))


def weights_table(results: Results) -> str:
    """Lay out mean weights of bots and honest voters, by setting, over all fleets (V-156)."""
    rows = []
    settings = sorted({key[1] for key in results if key[0] == "fleet"})
    for setting in settings:
        runs = [run for _, found in _fleets(results, setting) for run in found]
        rows.append(
            [
                setting,
                *(
                    f"{float(np.mean([getattr(run, name) for run in runs])):.2f}"
                    for name in ("weight", "honest_weight", "weight_kept", "honest_kept")
                ),
            ]
        )
    headings = ["setting", "bots, as cast", "honest, as cast", "bots, on the board"]
    return table([*headings, "honest, on the board"], rows)
