"""What a detector hands on: which rule was passed, by whom, with which numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Detector", "Finding", "number_text"]


class Detector(StrEnum):
    """What is looked for; a finding opens a review and proves nothing (V-126)."""

    REPEATED_QUESTION = "repeated_question"
    REPETITIVE_LABELS = "repetitive_labels"
    FAVOURITE_MODEL = "favourite_model"
    FAST_DWELL = "fast_dwell"
    SHARED_DEVICE = "shared_device"
    SHARED_ADDRESS = "shared_address"
    MODEL_AGENDA = "model_agenda"
    CARELESS = "careless"
    IDENTICAL_BALLOTS = "identical_ballots"
    BURST = "burst"
    CAMPAIGN = "campaign"
    SEEN_ANSWER = "seen_answer"
    INFLUENCE = "influence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule passed by one or several voters.

    Attributes:
        detector: which rule.
        subjects: the voters, sorted, by the names the evidence gave them.
        votes: ids of the votes that are evidence.
        statistic: what was measured, as decimal text.
        threshold: from where on it is reported, in the same unit.
        p_value: chance of as much by an honest voter; None where the rule is no test.
        look: votes looked at, for tests at fixed numbers of votes; the day of the month, for rules
            about one day, and 100 more where haste takes weight; elsewhere the step that the
            evidence has reached (`steps.py`). Nobody is reported twice for the same look.
        numbers: further facts by name. A test about models gives `seen:KIND:MODEL`, and likewise
            `picked`, `expected` and `sd`, KIND being `best`, `worst` or `decided`.
        discounts: whether the votes are to weigh 0 at once: the ruleset lists the detector for it,
            and its stricter threshold is passed too.
    """

    detector: Detector
    subjects: tuple[str, ...]
    votes: tuple[str, ...]
    statistic: str
    threshold: str
    p_value: str | None
    look: int
    numbers: Mapping[str, str]
    discounts: bool


def number_text(value: float) -> str:
    """Write a finite number as decimal text with six significant digits, `Decimal` reads it.

    Raises:
        ValueError: the number is infinite or no number.
    """
    if not math.isfinite(value):
        raise ValueError("a finding holds finite numbers only")
    return f"{value + 0.0:.6g}"
