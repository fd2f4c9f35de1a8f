"""Many votes of a day after less reading than anybody needs (V-125).

The numbers come from browsers, which may lie: this finds the careless, not the forger.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from antiabuse.detectors.finding import Detector, Finding
from antiabuse.detectors.rules import DetectorRules

__all__ = ["fast_dwell"]


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
    return Finding(
        detector=Detector.FAST_DWELL,
        subjects=(voter,),
        votes=fast,
        statistic=str(len(fast)),
        threshold=str(rules.fast_votes),
        p_value=None,
        look=int(day[-2:]),
        numbers={"votes": str(len(votes)), "dwell_s": str(rules.fast_dwell_s)},
        discounts=Detector.FAST_DWELL in rules.discounting,
    )
