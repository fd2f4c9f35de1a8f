"""Tables of the report, from results: medians with quartiles, in Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from bench.attacks.outcome import Outcome
from bench.attacks.plan import Results

__all__ = ["fleet_table", "share", "spread", "table", "weights_table"]

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
    """Lay out the fleets of a setting, one a row."""
    columns: tuple[tuple[str, Callable[[list[Outcome]], str]], ...] = (
        ("ids", lambda runs: str(runs[0].ids)),
        ("places", lambda runs: spread([run.ranks for run in runs])),
        ("points", lambda runs: spread([run.points for run in runs])),
        ("votes to +1", lambda runs: _to(runs, "to_1", 0)),
        ("impressions to +1", lambda runs: _to(runs, "to_1", 1)),
        ("votes to +3", lambda runs: _to(runs, "to_3", 0)),
        ("impressions to +3", lambda runs: _to(runs, "to_3", 1)),
        ("votes struck", lambda runs: share([run.excluded for run in runs])),
        ("of those with the target", lambda runs: share([run.aimed for run in runs])),
        ("after", lambda runs: spread([run.after for run in runs])),
        ("points left", lambda runs: spread([run.left for run in runs])),
        ("votes reported", lambda runs: share([run.reported for run in runs])),
        (
            "points left if all reported are struck",
            lambda runs: spread([run.left_reports for run in runs]),
        ),
        ("honest struck", _honest_struck),
    )
    rows = [
        [f"{key[2]} {key[3]}", *(write(runs) for _, write in columns)]
        for key, runs in _fleets(results, setting)
    ]
    return table(["bot", *(title for title, _ in columns)], rows)


def _to(runs: list[Outcome], field: str, part: int) -> str:
    reached = [getattr(run, field) for run in runs]
    return spread([None if found is None else found[part] for found in reached])


def _honest_struck(runs: list[Outcome]) -> str:
    return f"{sum(run.honest_hurt for run in runs)} in {len(runs)} months"


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
