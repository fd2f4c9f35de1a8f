"""What an attack came to: gains on the way, who is found, what is left after recomputation.

A moderator who follows the rule strikes all votes of whoever passes a detector's stricter
threshold. Campaigns come first: what they have done to the fit makes honest voters look careless.
Sweeps go on until one finds nobody new, since each strike clears the fit.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from bench.attacks.attack import FIRST_BOT, Trace, gain
from bench.attacks.month import Month
from bench.attacks.sweep import EXCLUDING, Looks, look_at_month, look_at_voter
from ranking import lobster

__all__ = ["Outcome", "Swept", "half_interval", "measured", "sweep"]

HONEST_LOOKED_AT = 12  # of each attacked month; campaigns are looked for among all
ROUNDS = 3
_UNIT = 10**lobster.WEIGHT_DIGITS


@dataclass(frozen=True, slots=True)
class Swept:
    """Voters reported and excluded, each with the votes it had cast when it was found."""

    reported: dict[int, int]
    excluded: dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One attack on one month.

    Attributes:
        ranks: places gained in the direction wanted.
        points: likewise.
        to_1: votes and impressions to one place, None if it never came to that.
        to_3: likewise to three.
        ids: of the fleet.
        excluded: share of the fleet's votes that are struck.
        aimed: share of the fleet's votes that showed its target that are struck.
        reported: share of the fleet's votes by ids that people are asked to look at.
        after: votes of an id when it is excluded, median.
        honest_hurt: honest voters excluded.
        honest_reported: honest voters reported.
        left: points left after the strikes.
        left_reports: points left if all reported votes were struck.
        weight: mean weight of the fleet's votes as cast.
        weight_kept: after cap and strikes.
        honest_weight: mean weight of honest votes as cast.
        honest_kept: after cap and strikes.
        half_intervals: points over half the target's interval before it; no strikes.
    """

    ranks: int
    points: float
    to_1: tuple[int, int] | None
    to_3: tuple[int, int] | None
    ids: int
    excluded: float
    aimed: float
    reported: float
    after: float | None
    honest_hurt: int
    honest_reported: int
    left: float
    left_reports: float
    weight: float
    weight_kept: float
    honest_weight: float
    honest_kept: float
    half_intervals: float


def sweep(month: Month, bots: Collection[int], rng: random.Random) -> Swept:
    """Look at a fleet, at some honest voters, and at all together, until nobody new is found."""
    rows = month.votes.rows
    counts = dict(
        zip(*(part.tolist() for part in np.unique(rows["voter"], return_counts=True)), strict=True)
    )
    honest = [voter for voter in counts if voter < FIRST_BOT]
    looked_at = [*bots, *rng.sample(honest, min(HONEST_LOOKED_AT, len(honest)))]
    swept = Swept({}, {})
    for _ in range(ROUNDS):
        before = len(swept.excluded)
        _sweep_once(month, looked_at, counts, swept)
        if len(swept.excluded) == before:
            break
    return swept


def _sweep_once(
    month: Month, looked_at: Sequence[int], counts: dict[int, int], swept: Swept
) -> None:
    rows = month.votes.rows
    looks = Looks.of(month.capped(np.isin(rows["voter"], list(swept.excluded))))
    found = [f for f in look_at_month(looks, rows["time_us"]) if f.detector in EXCLUDING]
    for finding in found:
        for subject in map(int, finding.subjects):
            members = np.unique(rows["voter"][rows["cluster"] == subject]).tolist()
            for voter in members:
                swept.reported.setdefault(voter, counts[voter])
                if finding.discounts:
                    swept.excluded.setdefault(voter, counts[voter])
    looks = Looks.of(month.capped(np.isin(rows["voter"], list(swept.excluded))))
    for voter in looked_at:
        if voter in swept.excluded or voter not in counts:
            continue
        verdict = look_at_voter(looks, month.votes.of_voter(voter))
        if verdict.reported_after is not None:
            swept.reported.setdefault(voter, verdict.reported_after)
        if verdict.excluded_after is not None:
            swept.excluded.setdefault(voter, verdict.excluded_after)


def measured(
    honest: Month, month: Month, trace: Trace, target: int, rng: random.Random, *, sign: int = 1
) -> Outcome:
    """Measure an attack that is over.

    Args:
        honest: the month before it.
        month: the month after it.
        trace: of the attack.
        target: the model it was about.
        rng: chooses the honest voters to look at.
        sign: -1 where the target was to fall.
    """
    rows = month.votes.rows
    is_bot = rows["voter"] >= FIRST_BOT
    swept = sweep(month, trace.bots, rng)
    struck = np.isin(rows["voter"], list(swept.excluded))
    reported = np.isin(rows["voter"], list({*swept.reported, *swept.excluded}))
    before = honest.theta
    last = trace.gains[-1]
    found = [votes for voter, votes in swept.excluded.items() if voter >= FIRST_BOT]
    hurt = [voter for voter in swept.excluded if voter < FIRST_BOT]
    kept = np.where(struck, 0, month.capped(struck).weight)
    return Outcome(
        ranks=sign * last.ranks,
        points=sign * last.points,
        to_1=_votes_to(trace, 1, sign),
        to_3=_votes_to(trace, 3, sign),
        ids=len(trace.bots),
        excluded=float(struck[is_bot].mean()),
        aimed=float(struck[is_bot & (rows["sets"] == target).any(axis=1)].mean()),
        reported=float(reported[is_bot].mean()),
        after=median(found) if found else None,
        honest_hurt=len(hurt),
        honest_reported=sum(voter < FIRST_BOT for voter in swept.reported),
        left=sign * gain(before, month.fit(struck), target).points,
        left_reports=sign * gain(before, month.fit(reported), target).points,
        weight=float(rows["weight"][is_bot].mean()) / _UNIT,
        weight_kept=float(kept[is_bot].mean()) / _UNIT,
        honest_weight=float(rows["weight"][~is_bot].mean()) / _UNIT,
        honest_kept=float(kept[~is_bot].mean()) / _UNIT,
        half_intervals=sign * last.points / half_interval(honest.capped(), target),
    )


def _votes_to(trace: Trace, ranks: int, sign: int) -> tuple[int, int] | None:
    found = trace.to_ranks(ranks, sign=sign)
    return None if found is None else (found.votes, found.impressions)


def half_interval(choices: lobster.Choices, target: int) -> float:
    """Return half the length of a model's interval on a board of these votes, in points."""
    fitted = lobster.fit(choices)
    basket = lobster.basket_of(fitted, fitted.models)
    (row,) = (
        row
        for row in lobster.board(fitted, basket=basket).models
        if row.model == choices.models[target]
    )
    return lobster.INTERVAL_Z * row.score_se
