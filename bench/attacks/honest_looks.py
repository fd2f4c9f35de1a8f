"""Honest voters under all detectors, nobody attacking: the false alarms of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from antiabuse.detectors.finding import Detector
from bench.attacks.month import Month
from bench.attacks.real_votes import Judges
from bench.attacks.sweep import EXCLUDING, Looks, look_at_month, look_at_voter

__all__ = ["Alarms", "alarms_of_judges", "alarms_of_month"]

FEWEST: Final = 10  # votes of a judge who is looked at
JUDGE_LOOKS: Final = (10, 20, 50, 100)
# The file has two labels, and each pair of models in one order only: its runs are the models'.
NOT_FOR_JUDGES: Final = frozenset({Detector.REPETITIVE_LABELS})


@dataclass(frozen=True, slots=True)
class Alarms:
    """Voters looked at, and how many of them each detector reports and would strike.

    `struck` counts voters whom any detector that strikes found by its stricter threshold.
    """

    voters: int
    reported: Mapping[Detector, int]
    strict: Mapping[Detector, int]
    struck: int

    def __add__(self, other: Alarms) -> Alarms:
        """Return both together."""
        return Alarms(
            self.voters + other.voters,
            Counter(self.reported) + Counter(other.reported),
            Counter(self.strict) + Counter(other.strict),
            self.struck + other.struck,
        )


def alarms_of_judges(judges: Judges) -> Alarms:
    """Look at each real judge with ten votes or more, after ten, the fixed looks, and all votes."""
    looks = Looks.of(judges.choices)
    reported, strict = Counter[Detector](), Counter[Detector]()
    voters = struck = 0
    for judge, count in enumerate(judges.counts()):
        if count < FEWEST:
            continue
        voters += 1
        at = sorted({*(look for look in JUDGE_LOOKS if look <= count), count})
        verdict = look_at_voter(looks, np.flatnonzero(judges.choices.cluster == judge), at=at)
        reported.update(set(verdict.reported) - NOT_FOR_JUDGES)
        strict.update(set(verdict.strict) - NOT_FOR_JUDGES)
        struck += bool(set(verdict.strict) & (EXCLUDING - NOT_FOR_JUDGES))
    for finding in look_at_month(looks, np.zeros(len(judges.choices.best), dtype=np.int64)):
        if finding.detector in EXCLUDING:
            reported[finding.detector] += len(finding.subjects)
            strict[finding.detector] += len(finding.subjects) * finding.discounts
            struck += len(finding.subjects) * finding.discounts
    return Alarms(voters, reported, strict, struck)


def alarms_of_month(month: Month) -> Alarms:
    """Look at everybody in an honest month who reaches the first look."""
    looks = Looks.of(month.capped())
    reported, strict = Counter[Detector](), Counter[Detector]()
    names, counts = np.unique(month.votes.rows["voter"], return_counts=True)
    struck: set[int] = set()
    enough = names[counts >= min(looks.rules.looks)].tolist()
    for voter in enough:
        verdict = look_at_voter(looks, month.votes.of_voter(voter))
        reported.update(verdict.reported.keys())
        strict.update(verdict.strict.keys())
        if verdict.excluded_after is not None:
            struck.add(voter)
    for finding in look_at_month(looks, month.votes.rows["time_us"]):
        reported[finding.detector] += len(finding.subjects)
        strict[finding.detector] += len(finding.subjects) * finding.discounts
        if finding.discounts and finding.detector in EXCLUDING:
            struck.update(map(int, finding.subjects))
    return Alarms(len(enough), reported, strict, len(struck))
