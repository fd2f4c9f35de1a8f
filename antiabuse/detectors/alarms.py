"""How often honest voters are found, as measured; what was not measured takes no weight by itself.

By `python -m bench.attacks.false_alarms`; docs/detectors.md shows the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from antiabuse.detectors.finding import Detector

__all__ = ["FALSE_ALARMS", "JUDGES", "MAY_DISCOUNT", "SIMULATED", "FalseAlarms"]

JUDGES: Final = 59
"""Real judges looked at."""

SIMULATED: Final = 953
"""Simulated honest voters looked at, whose tastes differ as the judges' do."""


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """Honest voters whom a detector finds.

    Attributes:
        judges: reported of the real ones; None where their file has not what it takes.
        simulated: reported of the simulated ones.
        strict: of the simulated ones, beyond the stricter threshold; None where there is none.
    """

    judges: int | None
    simulated: int
    strict: int | None


FALSE_ALARMS: Final[Mapping[Detector, FalseAlarms]] = {
    Detector.REPETITIVE_LABELS: FalseAlarms(None, 0, 0),
    Detector.FAVOURITE_MODEL: FalseAlarms(0, 7, 0),
    Detector.FAST_DWELL: FalseAlarms(None, 0, 0),
    Detector.SHARED_DEVICE: FalseAlarms(None, 0, None),
    Detector.SHARED_ADDRESS: FalseAlarms(None, 0, None),
    Detector.MODEL_AGENDA: FalseAlarms(0, 5, 0),
    Detector.CARELESS: FalseAlarms(4, 33, 1),
    Detector.IDENTICAL_BALLOTS: FalseAlarms(0, 0, 0),
    Detector.BURST: FalseAlarms(None, 0, 0),
    Detector.CAMPAIGN: FalseAlarms(0, 0, 0),
    Detector.INFLUENCE: FalseAlarms(0, 0, 0),
}
"""A second vote on a question and answers told before are certain, so nothing is measured of them:
what they say depends on who was joined, and that a person decided."""

MAY_DISCOUNT: Final = frozenset(
    detector for detector, alarms in FALSE_ALARMS.items() if alarms.strict is not None
)
"""Detectors that a ruleset may list as discounting (V-126). Who shares a device or an address may
be a family or a school: never by itself."""
