"""Many votes of a day after less reading than anybody needs (V-125).

The numbers come from browsers, which may lie: this finds the careless, not the forger.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from antiabuse.detectors.finding import Detector, Finding
from antiabuse.detectors.rules import DetectorRules

__all__ = ["fast_dwell"]

_STRICT: Final = 100


def fast_dwell(
    voter: str, day: str, votes: Sequence[tuple[str, Decimal | None]], rules: DetectorRules
) -> Finding | None:
    """Report a voter with so many votes of dwell below the threshold in one UTC day.

    Args:
        voter: the name.
        day: `2026-11-30`.
        votes: ids and dwell in seconds of all votes of that day; None where it was not measured,
            which is no fault.
        rules: thresholds.
    """
    fast = tuple(vote for vote, dwell in votes if dwell is not None and dwell < rules.fast_dwell_s)
    if len(fast) < rules.fast_votes:
        return None
    strict = len(fast) >= rules.fast_votes_discount
    discounts = strict and Detector.FAST_DWELL in rules.discounting
    return Finding(
        detector=Detector.FAST_DWELL,
        subjects=(voter,),
        votes=fast,
        statistic=str(len(fast)),
        threshold=str(rules.fast_votes),
        p_value=None,
        # What takes weight is told beside what a vote of that day had told already.
        look=int(day[-2:]) + _STRICT * discounts,
        numbers={"votes": str(len(votes)), "dwell_s": str(rules.fast_dwell_s)},
        discounts=discounts,
    )
