"""What the detectors say of voters, from the votes of a simulated month or of real judges."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from antiabuse.detectors import rules as detector_rules
from antiabuse.detectors.agenda import model_agenda
from antiabuse.detectors.alarms import MAY_DISCOUNT
from antiabuse.detectors.burst import TimedPicks, bursts
from antiabuse.detectors.campaign import campaigns
from antiabuse.detectors.careless import careless
from antiabuse.detectors.deciding import deciding_for_one
from antiabuse.detectors.evidence import NO_PICK, VoterPicks
from antiabuse.detectors.favourite import favourite_model
from antiabuse.detectors.finding import Detector, Finding
from antiabuse.detectors.labels import repetitive_labels
from antiabuse.detectors.rules import DetectorRules
from antiabuse.utc import HOUR_US
from bench.attacks.setting import START_US
from ranking import lobster
from ranking.leave_out import LeaveOut
from ranking.lobster import Choices, Fit, Floats, Ints

__all__ = ["EXCLUDING", "Looks", "Verdict", "look_at_month", "look_at_voter", "strict_rules"]

# A moderator strikes votes for these alone; shared devices, bursts and influence need a look at
# other evidence, because they name honest voters as well.
EXCLUDING: Final = frozenset(
    {
        Detector.CAMPAIGN,
        Detector.MODEL_AGENDA,
        Detector.FAVOURITE_MODEL,
        Detector.CARELESS,
        Detector.REPETITIVE_LABELS,
        Detector.IDENTICAL_BALLOTS,
        Detector.FAST_DWELL,
    }
)


def strict_rules(rules: DetectorRules | None = None) -> DetectorRules:
    """Return rules under which every finding says whether its stricter threshold is passed."""
    return dataclasses.replace(
        rules or detector_rules.current(), discounting=tuple(sorted(MAY_DISCOUNT))
    )


@dataclass(slots=True)
class Verdict:
    """After how many votes a voter is reported, and found by a stricter threshold, by detector."""

    reported: dict[Detector, int] = field(default_factory=dict)
    strict: dict[Detector, int] = field(default_factory=dict)

    def add(self, finding: Finding, votes: int) -> None:
        """Take note of a finding after so many votes."""
        self.reported.setdefault(finding.detector, votes)
        if finding.discounts:
            self.strict.setdefault(finding.detector, votes)

    @property
    def reported_after(self) -> int | None:
        """Return after how many votes a person is asked to look, None if never."""
        return min((n for d, n in self.reported.items() if d in EXCLUDING), default=None)

    @property
    def excluded_after(self) -> int | None:
        """Return after how many votes the votes are struck, None if never."""
        return min((n for d, n in self.strict.items() if d in EXCLUDING), default=None)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Everything needed to look at single voters of a month."""

    choices: Choices
    fitted: Fit
    left_out: LeaveOut
    rules: DetectorRules

    @classmethod
    def of(cls, choices: Choices, rules: DetectorRules | None = None) -> Looks:
        """Fit the votes that count."""
        fitted = lobster.fit(choices)
        return cls(choices, fitted, LeaveOut(choices, fitted), rules or strict_rules())

    def picks(self, rows: Ints) -> VoterPicks:
        """Return a voter's votes in order, as the detectors take them."""
        choices = self.choices
        sets = choices.sets[rows].astype(np.int64)
        mine = np.isin(np.arange(len(choices.best)), rows)
        slots = [_slots(sets, picks[rows]) for picks in (choices.best, choices.worst)]
        return VoterPicks(
            voter=str(int(choices.cluster[rows[0]])),
            votes=tuple(map(str, rows.tolist())),
            models=choices.models,
            sets=sets,
            best=slots[0],
            worst=slots[1],
            chances=_chances(self.left_out.without(mine), sets),
        )


def look_at_voter(looks: Looks, rows: Ints, *, at: Iterable[int] | None = None) -> Verdict:
    """Look at one voter at the fixed numbers of votes, or at those given."""
    verdict = Verdict()
    picks = looks.picks(rows)
    for look in at or looks.rules.looks:
        if look > len(rows):
            break
        for finding in _findings(picks.first(look), look, looks.rules):
            verdict.add(finding, look)
    return verdict


def look_at_month(looks: Looks, times_us: Ints) -> list[Finding]:
    """Look at the votes of all together: campaigns and bursts; subjects are clusters as text."""
    choices = looks.choices
    rows = np.flatnonzero((choices.best >= 0) & (choices.weight > 0))
    sets = choices.sets[rows].astype(np.int64)
    picks = TimedPicks(
        votes=tuple(map(str, rows.tolist())),
        voters=tuple(map(str, choices.cluster[rows].tolist())),
        hour=(times_us[rows] - START_US) // HOUR_US,
        models=choices.models,
        sets=sets,
        best=_slots(sets, choices.best[rows]),
        worst=_slots(sets, choices.worst[rows]),
        chances=_chances(looks.fitted.theta, sets),
    )
    return [*campaigns(picks, looks.rules), *bursts(picks, looks.rules)]


def _findings(picks: VoterPicks, look: int, rules: DetectorRules) -> Iterator[Finding]:
    tests: tuple[Callable[[VoterPicks, int, DetectorRules], Finding | None], ...] = (
        model_agenda,
        favourite_model,
        deciding_for_one,
    )
    found = [test(picks, look, rules) for test in tests]
    found.append(careless(picks, look, rules, np.random.default_rng(look)))
    found.append(
        repetitive_labels(picks.voter, picks.votes, picks.best.tolist(), picks.sets.shape[1], rules)
    )
    return (finding for finding in found if finding is not None)


def _chances(theta: Floats, sets: Ints) -> Floats:
    odds = np.exp(theta[sets])
    made: Floats = odds / odds.sum(axis=1, keepdims=True)
    return made


def _slots(sets: Ints, picked: Ints) -> Ints:
    """Return the slot of each picked model, or no pick."""
    hit = sets == picked[:, None]
    return np.where(hit.any(axis=1), hit.argmax(axis=1), NO_PICK)
