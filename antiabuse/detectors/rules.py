"""The numbers of the detectors: when a voter's votes are worth a person's look, and never more.

A published ruleset never changes; a change is a new id.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from antiabuse.detectors.finding import Detector

__all__ = ["RULESETS", "DetectorRules", "current"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorRules:
    """Thresholds of reporting and, stricter, of discounting (V-122 to V-126, V-153, V-154)."""

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

    agenda_appearances: int = field(
        default=5,
        metadata={
            "unit": "appearances of a model in a voter's votes",
            "reason": "The least with which a taste for one model can show.",
        },
    )
    agenda_level: Decimal = field(
        default=Decimal("0.001"),
        metadata={
            "unit": "chance per voter and look, shared among all models and both picks",
            "reason": "One honest voter in a thousand: few enough for people to look at each.",
        },
    )
    agenda_level_discount: Decimal = field(
        default=Decimal("0.000001"),
        metadata={
            "unit": "chance per voter and look, shared among all models and both picks",
            "reason": "Tastes differ more than the model says, so a machine needs far more.",
        },
    )
    careless_draws: int = field(
        default=999,
        metadata={
            "unit": "simulated voters on the same ballots",
            "reason": "Then p = (1 + number) / 1000 has three exact digits.",
        },
    )
    careless_level: Decimal = field(
        default=Decimal("0.01"),
        metadata={"unit": "p-value", "reason": "Huang et al. and Min et al. 2025 use it."},
    )
    careless_more_draws: int = field(
        default=9_000,
        metadata={
            "unit": "further simulated voters, where none of the first fits as badly",
            "reason": "With them p = (1 + number) / 10000 tells rare from impossible.",
        },
    )
    careless_level_discount: Decimal = field(
        default=Decimal("0.0001"),
        metadata={"unit": "p-value", "reason": "At 0.001 one in seventy fans passes."},
    )
    pair_questions: int = field(
        default=10,
        metadata={
            "unit": "questions on which both voters picked a best answer",
            "reason": "Fewer agree entirely by chance in too many pairs.",
        },
    )
    pair_voters: int = field(
        default=2_000,
        metadata={
            "unit": "voters, those with the most votes",
            "reason": "Pairs grow with the square; who votes seldom moves little.",
        },
    )
    pair_level: Decimal = field(
        default=Decimal("0.001"),
        metadata={
            "unit": "chance per sweep, shared among all pairs compared",
            "reason": "Pairs are many; one false pair in a thousand nights is bearable.",
        },
    )
    pair_level_discount: Decimal = field(
        default=Decimal("0.000001"),
        metadata={
            "unit": "chance per sweep, shared among all pairs compared",
            "reason": "Good answers are liked by many, so agreement alone needs far more.",
        },
    )
    burst_hours: int = field(
        default=6,
        metadata={
            "unit": "hours, counted from midnight UTC",
            "reason": "A call to vote works within hours; a quarter of a day holds its wave.",
        },
    )
    burst_voters: int = field(
        default=10,
        metadata={
            "unit": "voters who picked one model in the window",
            "reason": "A wave is many people; what a few do, the tests of voters show.",
        },
    )
    burst_level: Decimal = field(
        default=Decimal("0.001"),
        metadata={
            "unit": "chance per sweep, shared among all windows, models and both picks",
            "reason": "One false alarm in a thousand nights.",
        },
    )
    burst_level_discount: Decimal = field(
        default=Decimal("0.000001"),
        metadata={
            "unit": "chance per sweep, shared among all windows, models and both picks",
            "reason": "News about a model changes honest votes as well.",
        },
    )
    campaign_zeal: Decimal = field(
        default=Decimal("0.9"),
        metadata={
            "unit": "chance to pick the model where it is shown, beside its own",
            "reason": "A program that names nineteen models in twenty rightly, or a keen fan.",
        },
    )
    campaign_lesser_zeal: Decimal = field(
        default=Decimal("0.7"),
        metadata={
            "unit": "chance to pick the model where it is shown, beside its own",
            "reason": "Crowds that push now and then; fans come near it, so only people strike.",
        },
    )
    campaign_member: Decimal = field(
        default=Decimal("0.99"),
        metadata={
            "unit": "chance of a voter to belong to the campaign",
            "reason": "Among a hundred who are named, one may be honest.",
        },
    )
    campaign_suspect: Decimal = field(
        default=Decimal("0.9"),
        metadata={
            "unit": "chance of a voter to belong to the campaign, to be suspected",
            "reason": "Ids of few votes are hardly ever sure, so only people strike.",
        },
    )
    campaign_likely: Decimal = field(
        default=Decimal("0.5"),
        metadata={"unit": "chance, if none is suspected", "reason": "One vote is never sure."},
    )
    campaign_most_share: Decimal = field(
        default=Decimal("0.9"),
        metadata={"unit": "share of the voters", "reason": "Ids may outnumber people, not be all."},
    )
    campaign_voters: int = field(
        default=20,
        metadata={
            "unit": "voters who were shown the model",
            "reason": "Among fewer, nobody can say which of them vote like all others.",
        },
    )
    campaign_level: Decimal = field(
        default=Decimal("0.001"),
        metadata={
            "unit": "chance per sweep, shared among all models, both picks and both zeals",
            "reason": "One false alarm in a thousand nights.",
        },
    )
    campaign_level_discount: Decimal = field(
        default=Decimal("0.000001"),
        metadata={
            "unit": "chance per sweep, shared among all models, both picks and both zeals",
            "reason": "Tastes differ more than the model says, so a campaign needs far more.",
        },
    )
    influence_errors: Decimal = field(
        default=Decimal(1),
        metadata={
            "unit": "standard errors of a model's score that one voter moves it by",
            "reason": "Then the board says this voter's opinion rather than all voters'.",
        },
    )
    influence_errors_discount: Decimal = field(
        default=Decimal(2),
        metadata={
            "unit": "standard errors of a model's score that one voter moves it by",
            "reason": "Two errors are the whole half of the interval.",
        },
    )
    influence_voters: int = field(
        default=30,
        metadata={
            "unit": "voters who were shown the model",
            "reason": "Among fewer, somebody always weighs much; the board marks such scores.",
        },
    )


RULESETS: Final[dict[str, DetectorRules]] = {
    rules.id: rules for rules in (DetectorRules(id="arena.2026.1"),)
}


def current() -> DetectorRules:
    """Return the ruleset in force."""
    return RULESETS["arena.2026.1"]
