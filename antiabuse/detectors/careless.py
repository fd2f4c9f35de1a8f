"""Careless voting: picks that fit the strengths worse than almost any honest voter's (V-154).

T = -2 ln L of the picks against simulated voters on the same ballots (Huang et al. 2025, Min et al.
2025). Only votes with a best pick have a likelihood; "same" and "bad" do not enter.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from antiabuse.detectors.evidence import NO_PICK, VoterPicks, worst_chances
from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.tails import Floats, Ints

__all__ = ["careless"]

_ROUNDING: Final = 1e-9  # sums of the same terms in another order


def careless(
    picks: VoterPicks, look: int, rules: DetectorRules, rng: np.random.Generator
) -> Finding | None:
    """Report a voter whose picks are as unlikely under the fit as those of one who does not read.

    Args:
        picks: the voter's votes, exactly those of the look.
        look: as in `Finding`.
        rules: draws and thresholds.
        rng: seeded source of the simulated voters.
    """
    decided = picks.decided()
    n = len(decided.votes)
    if n == 0:
        return None
    chances, surprise = _outcomes(decided)
    # Without a worst pick all worst slots of a best pick are one outcome, the first of its row.
    k = decided.sets.shape[1]
    picked = decided.best * k + np.where(decided.worst == NO_PICK, 0, decided.worst)
    statistic = float(surprise[np.arange(n), picked].sum())
    drawn = _drawn(chances, surprise, rules.careless_draws, rng)
    if drawn.max() < statistic - _ROUNDING:
        # Only what is rarer than all of these is worth more work (Besag and Clifford 1991).
        more = _drawn(chances, surprise, rules.careless_more_draws, rng)
        drawn = np.concatenate([drawn, more])
    p = (1 + int((drawn >= statistic - _ROUNDING).sum())) / (1 + len(drawn))
    if p >= float(rules.careless_level):
        return None
    return Finding(
        detector=Detector.CARELESS,
        subjects=(picks.voter,),
        votes=decided.votes,
        statistic=number_text(statistic),
        threshold=number_text(float(np.quantile(drawn, 1 - float(rules.careless_level)))),
        p_value=number_text(p),
        look=look,
        numbers={
            "picks": str(n),
            "draws": str(len(drawn)),
            "expected": number_text(float(drawn.mean())),
            "sd": number_text(float(drawn.std())),
        },
        discounts=(
            p <= float(rules.careless_level_discount) and Detector.CARELESS in rules.discounting
        ),
    )


def _outcomes(picks: VoterPicks) -> tuple[Floats, Floats]:
    """Chance and -2 ln chance (n, k·k) of each best and worst pick of each vote."""
    n, k = picks.sets.shape
    chances = np.zeros((n, k, k))
    with_worst = picks.worst != NO_PICK
    for best in range(k):
        given = np.zeros((n, k))
        given[:, 0] = 1.0
        there = with_worst & (picks.chances[:, best] > 0)
        given[there] = worst_chances(picks.chances[there], _all(best, there))
        chances[:, best] = picks.chances[:, best, None] * given
    flat = chances.reshape(n, k * k)
    surprise = np.zeros_like(flat)
    np.log(flat, out=surprise, where=flat > 0)
    return flat, -2 * surprise


def _all(slot: int, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Ints:
    return np.full(int(rows.sum()), slot)


def _drawn(chances: Floats, surprise: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """T (draws,) of voters drawn from the chances."""
    total = np.zeros(draws)
    for of_vote, cost in zip(np.cumsum(chances, axis=1), surprise, strict=True):
        at = np.searchsorted(of_vote, rng.random(draws) * of_vote[-1], side="right")
        total += cost[np.minimum(at, len(cost) - 1)]
    return total
