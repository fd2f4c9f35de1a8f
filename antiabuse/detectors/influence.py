"""One voter who moves a model's score by as much as the score is uncertain.

DFBETAS of a voter's votes taken together (Belsley, Kuh and Welsch 1980), with an absolute limit:
theirs of 2/√n would report one honest voter in twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.rules import DetectorRules

__all__ = ["Pull", "influence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """What one voter does to one model: points it would lose without, and its standard error.

    `voters` are those who were shown the model.
    """

    model: str
    points: float
    error: float
    voters: int


def influence(
    voter: str, votes: Sequence[str], pulls: Sequence[Pull], look: int, rules: DetectorRules
) -> Finding | None:
    """Report a voter whose votes move some model's score by too many of its standard errors.

    Args:
        voter: the name.
        votes: ids of the voter's votes.
        pulls: by model.
        look: as in `Finding`.
        rules: thresholds.
    """
    enough = [pull for pull in pulls if pull.voters >= rules.influence_voters and pull.error > 0]
    first = max(enough, key=lambda pull: abs(pull.points) / pull.error, default=None)
    if first is None:
        return None
    ratio = first.points / first.error
    if abs(ratio) < rules.influence_errors:
        return None
    strict = abs(ratio) >= rules.influence_errors_discount
    return Finding(
        detector=Detector.INFLUENCE,
        subjects=(voter,),
        votes=tuple(votes),
        statistic=number_text(ratio),
        threshold=str(rules.influence_errors),
        p_value=None,
        look=look,
        numbers={
            "model": first.model,
            "points": number_text(first.points),
            "error": number_text(first.error),
            "voters": str(first.voters),
        },
        discounts=strict and Detector.INFLUENCE in rules.discounting,
    )
