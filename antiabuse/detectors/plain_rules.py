"""The numbers of the plain rules, which need no p-value, of the looks, and what may take weight."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from antiabuse.detectors.alarms import MAY_DISCOUNT
from antiabuse.detectors.finding import Detector

__all__ = ["PlainRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRules:
    """When is looked, and thresholds of the plain rules (V-122, V-124, V-125).

    Raises:
        ValueError: a detector is listed as discounting that may never be.
    """

    id: str

    discounting: tuple[Detector, ...] = field(
        default=(),
        metadata={
            "unit": "detectors",
            "reason": "A detector may take weight by itself only after its false alarms on honest "
            "voters were measured and written down; until then people decide.",
        },
    )
    looks: tuple[int, ...] = field(
        default=(20, 50, 100, 200),
        metadata={"unit": "votes of a voter", "reason": "Tests at each vote accuse everybody."},
    )
    late_looks: tuple[int, ...] = field(
        default=(400, 800, 1_500),
        metadata={
            "unit": "votes of a voter, of which those since the look before count",
            "reason": "A month allows 1,500 votes: who turns to one model late is found as well.",
        },
    )

    favourite_looks: tuple[int, ...] = field(
        default=(12, 30, 70, 140),
        metadata={
            "unit": "votes of a voter, beside the others",
            "reason": "Twelve appearances are enough: at the twelfth vote where every ballot "
            "shows the model, about the sixtieth among twenty models.",
        },
    )

    sweep_minute: int = field(
        default=20,
        metadata={
            "unit": "minutes after midnight UTC",
            "reason": "By then the day's votes are in the log and the models' states are judged.",
        },
    )
    sweep_late_hours: int = field(
        default=3,
        metadata={
            "unit": "hours after a sweep was due",
            "reason": "The largest month takes minutes and what fails is tried again each minute: "
            "after hours the worker stands still, and the operator is told.",
        },
    )

    label_run: int = field(
        default=10,
        metadata={
            "unit": "best picks in a row on one label",
            "reason": "Labels are drawn afresh for each ballot: ten agree by chance in 3.8e-6.",
        },
    )
    label_run_discount: int = field(
        default=15,
        metadata={
            "unit": "best picks in a row on one label",
            "reason": "By chance once in 268 million runs: no honest voter in this arena's life.",
        },
    )
    favourite_appearances: int = field(
        default=12,
        metadata={
            "unit": "appearances of a model",
            "reason": "Fewer say little of a taste, and the normal law does not yet hold.",
        },
    )
    favourite_deviations: Decimal = field(
        default=Decimal(4),
        metadata={
            "unit": "standard deviations above the sum of chances",
            "reason": "About 3e-5 by chance; fans are looked at, not banned.",
        },
    )
    favourite_deviations_discount: Decimal = field(
        default=Decimal(6),
        metadata={
            "unit": "standard deviations above the sum of chances",
            "reason": "About 1e-9 by chance: beyond any taste among good models.",
        },
    )
    fast_dwell_s: Decimal = field(
        default=Decimal(3),
        metadata={"unit": "seconds", "reason": "Nobody reads four answers in three seconds."},
    )
    fast_votes: int = field(
        default=20,
        metadata={
            "unit": "such votes of a voter in a UTC day",
            "reason": "A few slips of the finger are human; twenty in a day are not.",
        },
    )
    fast_votes_discount: int = field(
        default=40,
        metadata={
            "unit": "such votes of a voter in a UTC day",
            "reason": "Four in five of all votes that a day allows: no slip, and no skimmer.",
        },
    )
    device_voters: int = field(
        default=3,
        metadata={
            "unit": "voters of one fingerprint in a UTC day",
            "reason": "A family shares a machine; equal phones share a fingerprint as well.",
        },
    )
    address_voters: int = field(
        default=5,
        metadata={
            "unit": "voters of one address in a UTC day",
            "reason": "Offices and schools share an address: they are looked at, not blocked.",
        },
    )

    def __post_init__(self) -> None:
        never = sorted(set(self.discounting) - MAY_DISCOUNT)
        if never:
            raise ValueError(
                f"{', '.join(never)}: without a stricter threshold and measured false alarms"
                " a detector takes no weight by itself"
            )
