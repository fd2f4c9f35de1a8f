"""What an attack came to: gains on the way, who is found, what is left after recomputation.

A moderator who follows the rule strikes all votes of whoever passes a detector's stricter
threshold. Campaigns come first: what they have done to the fit makes honest voters look careless.
Sweeps go on until one finds nobody new, since each strike clears the fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np

from antiabuse.detectors import rules as detector_rules
from bench.attacks.attack import FIRST_BOT, Spent, Trace, gain
from bench.attacks.month import Month
from bench.attacks.sweep import EXCLUDING, Looks, look_at_month, look_at_voter
from ranking import lobster
from ranking.lobster import Floats

__all__ = ["RANKS", "Outcome", "Swept", "half_intervals", "judged", "measured", "sweep"]

ROUNDS: Final = 3
RANKS: Final = (1, 3, 5)
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
        reached: what one, three and five places cost; None if it never came to that.
        ids: of the fleet.
        votes: likewise.
        excluded: share of the fleet's votes that are struck.
        aimed: share of the fleet's votes that showed its target that are struck.
        reported: share of the fleet's votes by ids that people are asked to look at.
        after: votes of an id when it is excluded, median.
        honest: honest voters with votes enough to be judged one by one.
        honest_hurt: honest voters excluded.
        honest_votes: their votes, all lost.
        left: points left after the strikes.
        left_reports: points left if all reported votes were struck.
        counted: what the fleet's votes weigh on the board before the strikes, in votes.
        weight: mean weight of the fleet's votes as cast.
        weight_kept: after cap and strikes.
        honest_weight: mean weight of honest votes as cast.
        honest_kept: after cap and strikes.
        half_intervals: points over half the target's interval before it; no strikes.
    """

    ranks: int
    points: float
    reached: Mapping[int, Spent | None]
    ids: int
    votes: int
    excluded: float
    aimed: float
    reported: float
    after: float | None
    honest: int
    honest_hurt: int
    honest_votes: int
    left: float
    left_reports: float
    counted: float
    weight: float
    weight_kept: float
    honest_weight: float
    honest_kept: float
    half_intervals: float


def judged(month: Month) -> list[int]:
    """Return the honest voters with enough votes for the first look at a single voter."""
    names, counts = np.unique(month.votes.rows["voter"], return_counts=True)
    first = min(detector_rules.current().looks)
    return [int(voter) for voter in names[counts >= first] if voter < FIRST_BOT]


def sweep(month: Month, looked_at: Sequence[int]) -> Swept:
    """Look at all together and at some voters one by one, until nobody new is found."""
    rows = month.votes.rows
    counts = dict(
        zip(*(part.tolist() for part in np.unique(rows["voter"], return_counts=True)), strict=True)
    )
    swept, judged_without = Swept({}, {}), None
    looks = _looks(month, swept)
    for _ in range(ROUNDS):
        fitted_without = len(swept.excluded)
        _campaigns(month, looks, counts, swept)
        # Nobody new since all were judged: the same fit would say the same of everybody.
        if judged_without == len(swept.excluded):
            break
        if fitted_without != len(swept.excluded):
            looks = _looks(month, swept)
        judged_without = len(swept.excluded)
        _judge(month, looks, [voter for voter in looked_at if voter in counts], swept)
        if judged_without != len(swept.excluded):
            looks = _looks(month, swept)
    return swept


def _looks(month: Month, swept: Swept) -> Looks:
    return Looks.of(month.capped(np.isin(month.votes.rows["voter"], list(swept.excluded))))


def _campaigns(month: Month, looks: Looks, counts: Mapping[int, int], swept: Swept) -> None:
    """Add those whom tests of all together name."""
    rows = month.votes.rows
    for finding in look_at_month(looks, rows["time_us"]):
        if finding.detector not in EXCLUDING:
            continue
        for subject in map(int, finding.subjects):
            for voter in np.unique(rows["voter"][rows["cluster"] == subject]).tolist():
                swept.reported.setdefault(voter, counts[voter])
                if finding.discounts:
                    swept.excluded.setdefault(voter, counts[voter])


def _judge(month: Month, looks: Looks, voters: Sequence[int], swept: Swept) -> None:
    """Add those whom tests of single voters name."""
    for voter in voters:
        if voter in swept.excluded:
            continue
        verdict = look_at_voter(looks, month.votes.of_voter(voter))
        if verdict.reported_after is not None:
            swept.reported.setdefault(voter, verdict.reported_after)
        if verdict.excluded_after is not None:
            swept.excluded.setdefault(voter, verdict.excluded_after)


def measured(month: Month, trace: Trace, target: int, *, sign: int = 1) -> Outcome:
    """Measure an attack that is over, against the same month without the fleet's votes.

    Args:
        month: after the attack.
        trace: of the attack.
        target: the model it was about.
        sign: -1 where the target was to fall.
    """
    rows = month.votes.rows
    is_bot = rows["voter"] >= FIRST_BOT
    honest = judged(month)
    swept = sweep(month, [*trace.bots, *honest])
    struck = np.isin(rows["voter"], list(swept.excluded))
    reported = np.isin(rows["voter"], list({*swept.reported, *swept.excluded}))
    before, moved = month.limited(is_bot), month.capped().weight
    kept = np.where(struck, 0, month.capped(struck).weight)
    theta, spent = before[1].theta, trace.gains[-1].spent
    last = gain(theta, month.theta, target, spent)
    left = [sign * gain(theta, month.fit(out), target, spent).points for out in (struck, reported)]
    found = [votes for voter, votes in swept.excluded.items() if voter >= FIRST_BOT]
    hurt = {voter for voter in swept.excluded if voter < FIRST_BOT}
    return Outcome(
        ranks=sign * last.ranks,
        points=sign * last.points,
        reached={ranks: _spent_to(trace, ranks, sign) for ranks in RANKS},
        ids=len(trace.bots),
        votes=int(is_bot.sum()),
        excluded=float(struck[is_bot].mean()),
        aimed=float(struck[is_bot & (rows["sets"] == target).any(axis=1)].mean()),
        reported=float(reported[is_bot].mean()),
        after=median(found) if found else None,
        honest=len(honest),
        honest_hurt=len(hurt),
        honest_votes=int(struck[~is_bot].sum()),
        left=left[0],
        left_reports=left[1],
        counted=float(moved[is_bot].sum()) / _UNIT,
        weight=float(rows["weight"][is_bot].mean()) / _UNIT,
        weight_kept=float(kept[is_bot].mean()) / _UNIT,
        honest_weight=float(rows["weight"][~is_bot].mean()) / _UNIT,
        honest_kept=float(kept[~is_bot].mean()) / _UNIT,
        half_intervals=sign * last.points / float(half_intervals(before[0])[target]),
    )


def _spent_to(trace: Trace, ranks: int, sign: int) -> Spent | None:
    found = trace.to_ranks(ranks, sign=sign)
    return None if found is None else found.spent


def half_intervals(choices: lobster.Choices) -> Floats:
    """Return half the length of each model's interval on a board of these votes, in points."""
    fitted = lobster.fit(choices)
    basket = lobster.basket_of(fitted, fitted.models)
    errors = {row.model: row.score_se for row in lobster.board(fitted, basket=basket).models}
    halves: Floats = lobster.INTERVAL_Z * np.array([errors[name] for name in choices.models])
    return halves
