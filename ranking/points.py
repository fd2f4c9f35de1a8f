"""The points ledger of one vote: what each of the four gains or loses, summing to zero.

Points are shown beside the Arena Score and never enter it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from ranking.errors import ContradictoryVoteError
from ranking.exposure import SET_SIZE
from ranking.lobster import Verdict, arena_score
from ranking.rules import RankingRules

__all__ = ["VotePoints", "arena_score", "vote_points", "win_probabilities"]


@dataclass(frozen=True, slots=True)
class VotePoints:
    """In slot order: the chance of each model to be picked best before the vote, and its change."""

    probabilities: tuple[float, ...]
    changes: tuple[float, ...]


def win_probabilities(gammas: Sequence[float]) -> tuple[float, ...]:
    """Chance of each model of a set to be picked best: γ_i / Σ γ (Plackett-Luce).

    Raises:
        ValueError: a strength is not above 0.
    """
    if not all(gamma > 0 for gamma in gammas):
        raise ValueError("strengths must be above 0")
    total = sum(gammas)
    return tuple(gamma / total for gamma in gammas)


def vote_points(
    gammas: Sequence[float],
    verdict: Verdict,
    *,
    best: int | None,
    worst: int | None,
    weight: Decimal,
    rules: RankingRules,
) -> VotePoints:
    """Chances before a vote and the changes it makes.

    Args:
        gammas: strengths of the models in slot order, from the board that the vote names.
        verdict: what the voter said.
        best: slot of the best answer; None unless the verdict is `best_worst`.
        worst: slot of the worst answer, or None.
        weight: weight of the vote, 0 or more.
        rules: K and the worst answer's share.

    Returns:
        Changes in points, not rounded; they sum to 0 within 1e-9.

    Raises:
        ContradictoryVoteError: the picks do not fit the verdict or each other.
        ValueError: not four strengths above 0, or a weight below 0.
    """
    if len(gammas) != SET_SIZE:
        raise ValueError(f"a vote is on {SET_SIZE} models")
    chances = win_probabilities(gammas)
    if not weight >= 0:
        raise ValueError("a weight must be 0 or more")
    stake = rules.points_per_win * float(weight)
    match verdict:
        case "best_worst":
            shares = _loss_shares(len(chances), best, worst, rules)
            gain = stake * (1 - chances[best]) if best is not None else 0.0
            return VotePoints(chances, tuple(gain * share for share in shares))
        case "same" | "bad" if best is not None or worst is not None:
            raise ContradictoryVoteError(f"the verdict {verdict} has neither best nor worst")
        case "same":
            even = 1 / len(chances)
            return VotePoints(chances, tuple(stake * (even - chance) for chance in chances))
        case "bad":
            return VotePoints(chances, (0.0,) * len(chances))
    assert_never(verdict)


def _loss_shares(
    size: int, best: int | None, worst: int | None, rules: RankingRules
) -> tuple[float, ...]:
    """Share of the winner's gain per slot: 1 for the best, negative for the others, sum 0."""
    slots = range(size)
    if best not in slots or not (worst is None or worst in slots) or best == worst:
        raise ContradictoryVoteError("a vote needs one best and at most one other worst answer")
    left = 1 - rules.worst_share if worst is not None else Fraction(1)
    each = left / sum(slot not in (best, worst) for slot in slots)
    share = {best: Fraction(1), worst: -rules.worst_share}
    return tuple(float(share.get(slot, -each)) for slot in slots)
