"""The numbers of the detectors: when a voter's votes are worth a person's look, and never more.

A published ruleset never changes; a change is a new id.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from antiabuse.detectors.plain_rules import PlainRules

__all__ = ["RULESETS", "DetectorRules", "current"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorRules(PlainRules):
    """Thresholds of reporting and, stricter, of discounting (V-122 to V-126, V-153, V-154)."""

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
            "reason": "One honest voter in a thousand: few enough for people to look at each. The "
            "signed deviation has to pass it, and so has the exact two-sided chance of so many "
            "picks; expected is the fit's chance without this voter times the voter's own share "
            "of votes with such a pick.",
        },
    )
    agenda_level_discount: Decimal = field(
        default=Decimal("0.000001"),
        metadata={
            "unit": "chance per voter and look, shared among all models and both picks",
            "reason": "Tastes differ more than the model says, so a machine needs far more.",
        },
    )
    agenda_late_level: Decimal = field(
        default=Decimal("0.000000000001"),
        metadata={
            "unit": "chance per voter and late look, shared among all models and both picks",
            "reason": "In hundreds of votes every taste shows; who turns to one model shows more.",
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
