"""The report's table of all bots that are no fleet in the tables above, by the same measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bench.attacks.attack import Spent
from bench.attacks.http import Http
from bench.attacks.outcome import RANKS
from bench.attacks.plan import POOLS, Results
from bench.attacks.prose import MEASURES_TEXT
from bench.attacks.sieges import SIEGES
from bench.attacks.tables import honest_struck, share, spread, table

__all__ = ["SIEGE_NAMES", "SNIPERS", "same_measures"]

SNIPERS: Final = {
    "first_day": "first day, on that day's board",
    "early": "first day, on the month's last board",
    "late": "last days, on the month's last board",
}
SIEGE_NAMES: Final = {
    "newcomer": "newcomer held down",
    "killer": "every Observing model held down",
    "maker": "every Observing model pushed",
}
_HEADINGS: Final = (
    "bot",
    "places",
    "points",
    *(f"to +{ranks}" for ranks in RANKS),
    "votes struck",
    "after",
    "honest struck",
    "points left",
)
_NO_VOTES: Final = "casts no votes"
_CELLS: Final = len(_HEADINGS) - 1
_MIDDLE: Final = len(RANKS) + 2  # cells on cost, strikes and votes before them


def same_measures(results: Results, http: Http) -> str:
    """Return the section in Markdown."""
    rows = [
        *_careless(results),
        ["B6 marks in answers", *["as B8, of what stays"] * _CELLS],
        [
            "B7 answers that name their model",
            *["as B8, of what is not held"] * _CELLS,
        ],
        *_runs(results, http),
        _clones(results),
        *_over_http(http),
    ]
    return MEASURES_TEXT + "\n\n" + table(_HEADINGS, rows)


def _careless(results: Results) -> list[list[str]]:
    return [
        [
            f"B5 {key[1]}, {key[2].replace('%', ' %')} of all ballots",
            f"{spread([run.places for run in runs])}, any model",
            f"{spread([run.points for run in runs])}, any model",
            *_found(runs),
        ]
        for key, runs in results.items()
        if key[0] == "careless"
    ]


def _runs(results: Results, http: Http) -> list[list[str]]:
    pools = {
        f"B9 {questions:,} questions, K = {fresh}": [
            run.outcome for run in results["look-up", f"{questions:,}", str(fresh)]
        ]
        for questions, fresh in POOLS
    }
    snipers = {
        f"B15 {title}": [getattr(run, field) for run in results["sniper",]]
        for field, title in SNIPERS.items()
    }
    sieges = {
        f"B16 {SIEGE_NAMES[siege]}": [run.outcome for run in results["siege", siege]]
        for siege in SIEGES
    }
    flood = (http.direct, http.proxied)
    more = sum(one.passed - one.allowed for one in flood)
    between = _nothing("B13 forged address headers", f"{more} requests more pass")
    return [
        *(_outcomes(title, runs) for title, runs in pools.items()),
        between,
        *(_outcomes(title, runs) for title, runs in (snipers | sieges).items()),
    ]


def _outcomes(title: str, runs: Sequence[Any]) -> list[str]:
    gained = [spread([getattr(run, field) for run in runs]) for field in ("ranks", "points")]
    return [title, *gained, *_found(runs)]


def _found(runs: Sequence[Any]) -> list[str]:
    """Write cost, strikes, honest voters struck and points left."""
    return [
        *(_cost([run.reached[ranks] for run in runs]) for ranks in RANKS),
        share([run.excluded for run in runs]),
        spread([run.after for run in runs]),
        honest_struck(runs),
        spread([run.left for run in runs]),
    ]


def _cost(spent: Sequence[Spent | None]) -> str:
    """Write the medians of votes, impressions and account-days, each of its own."""
    middles = [
        float(np.quantile([getattr(one, field, math.inf) for one in spent], 0.5, method="nearest"))
        for field in ("votes", "impressions", "account_days")
    ]
    if math.isinf(middles[0]):
        return "never"
    return " / ".join(f"{middle:,.0f}" for middle in middles)


def _clones(results: Results) -> list[str]:
    runs = results["clones",]
    gained = [run.family_points - run.alone_points for run in runs]
    hurt, honest = (sum(getattr(run, name) for run in runs) for name in ("honest_hurt", "honest"))
    return [
        "B17 five near-copies against one entry",
        spread([run.alone - run.family for run in runs]),
        spread(gained),
        *[_NO_VOTES] * _MIDDLE,
        f"{hurt} of {honest:,}",
        f"{spread(gained)}: nothing to strike",
    ]


def _over_http(http: Http) -> list[list[str]]:
    lost = f"{http.outage.lost} of {http.outage.sent} ballots lost"
    return [
        _nothing(
            "B18 replayed, doubled, foreign and altered forms",
            f"{http.replays.accepted} of {http.replays.tried} accepted",
        ),
        _nothing("B20 mass reports", f"{http.reports.hidden} answers hidden"),
        [
            "B21 store of limits away",
            *["no bot votes"] * (_CELLS - 2),
            lost,
            "no bot votes",
        ],
    ]


def _nothing(title: str, why: str) -> list[str]:
    """Return the row of a bot that gets no vote in which it could not have had."""
    return [title, f"0: {why}", "0", *[why] * _MIDDLE, "0", "0"]
