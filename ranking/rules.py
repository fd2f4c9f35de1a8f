"""The numbers of the ranking rulebook, each with its unit and reason.

Those that the public engine needs stand in `lobster.py`, which must run alone, and are taken from
there. A published ruleset never changes: a change is a new id.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ranking import lobster


@dataclass(frozen=True, slots=True)
class RankingRules:
    """All rules of this room; the metadata of each field holds unit and reason."""

    id: str = field(
        default="arena.2026.1",
        metadata={"unit": "name", "reason": "named by every event made under these rules"},
    )
    points_per_win: int = field(
        default=32,
        metadata={
            "unit": "points",
            "reason": "K: 24 points for an even win are visible but below one standard error",
        },
    )
    worst_share: Fraction = field(
        default=Fraction(2, 3),
        metadata={"unit": "share of the penalty pool", "reason": "the worst answer loses most"},
    )
    score_base: float = field(
        default=lobster.SCORE_BASE,
        metadata={"unit": "points", "reason": "Arena Score of a model of average strength"},
    )
    score_scale: float = field(
        default=lobster.SCORE_SCALE,
        metadata={"unit": "points", "reason": "400 points are odds of 10 to 1 between two models"},
    )
    score_lowest: float = field(
        default=lobster.SCORE_LOWEST,
        metadata={"unit": "points", "reason": "end of the printed scale; the fit has no limit"},
    )
    score_highest: float = field(
        default=lobster.SCORE_HIGHEST,
        metadata={"unit": "points", "reason": "end of the printed scale; the fit has no limit"},
    )
    ghost: float = field(
        default=lobster.GHOST,
        metadata={
            "unit": "wins, and as many losses",
            "reason": "against a model of strength 1: always finite, fades like 1/votes",
        },
    )
    step_limit: float = field(
        default=lobster.STEP_LIMIT,
        metadata={
            "unit": "natural logs",
            "reason": "keeps Newton's method from overshooting far away",
        },
    )
    tolerance: float = field(
        default=lobster.TOLERANCE,
        metadata={
            "unit": "natural logs",
            "reason": "far below the 0.01 points to which boards are compared",
        },
    )
    max_iterations: int = field(
        default=lobster.MAX_ITERATIONS,
        metadata={"unit": "steps", "reason": "a fit takes about six; more than this is a fault"},
    )
    interval_z: float = field(
        default=lobster.INTERVAL_Z,
        metadata={"unit": "standard errors", "reason": "95 % interval of a score"},
    )
    rank_level: float = field(
        default=lobster.HOLM_LEVEL,
        metadata={
            "unit": "chance of any false order",
            "reason": "Holm over all pairs of ranked models",
        },
    )
    provisional_below: int = field(
        default=lobster.PROVISIONAL_BELOW,
        metadata={
            "unit": "weighted exposures",
            "reason": "the standard error is then about 72 points",
        },
    )
    basket_exposures: int = field(
        default=lobster.BASKET_EXPOSURES,
        metadata={
            "unit": "weighted exposures",
            "reason": "the zero must not hang on little-known models",
        },
    )
    basket_models: int = field(
        default=lobster.BASKET_MODELS,
        metadata={
            "unit": "models",
            "reason": "as many as stand in one set; with fewer the ghost is 1200",
        },
    )
    few_best_picks: int = field(
        default=lobster.FEW_BEST_PICKS,
        metadata={
            "unit": "weighted best picks",
            "reason": "below, the clustered error is too noisy alone",
        },
    )
    few_clusters: int = field(
        default=lobster.FEW_CLUSTERS,
        metadata={"unit": "voters", "reason": "below, the clustered error is too noisy alone"},
    )
    refit_votes: int = field(
        default=100,
        metadata={"unit": "waiting votes", "reason": "a refit at once when this many wait"},
    )
    refit_seconds: int = field(
        default=60,
        metadata={"unit": "s", "reason": "a board moves at most once a minute when fewer wait"},
    )
    refit_min_votes: int = field(
        default=1,
        metadata={
            "unit": "waiting votes",
            "reason": "needed for a refit by time; an operator may raise it",
        },
    )
    exposure_factor: float = field(
        default=1.0,
        metadata={
            "unit": "number",
            "reason": "c: the paper's a at the largest value its bound allows",
        },
    )
    exposure_budget: int = field(
        default=20_000,
        metadata={"unit": "showings a month", "reason": "N: over which the bonus is spread"},
    )
    exposure_gap_floor: float = field(
        default=0.02,
        metadata={
            "unit": "chance to be picked best",
            "reason": "equal models must not make H1 infinite",
        },
    )
    exposure_bonus_cap: float = field(
        default=0.5,
        metadata={
            "unit": "chance to be picked best",
            "reason": "bounds the index of a model never shown",
        },
    )
    exposure_uniform_share: float = field(
        default=0.25,
        metadata={
            "unit": "chance",
            "reason": "ε: every set stays possible and every probability known",
        },
    )
    exposure_temperature: float = field(
        default=0.05,
        metadata={
            "unit": "chance to be picked best",
            "reason": "τ: how sharply the draw follows the index",
        },
    )
    exposure_redraws: int = field(
        default=100,
        metadata={
            "unit": "draws",
            "reason": "tries for distinct makers before a set with fewer is taken",
        },
    )
    multiplier_active: float = field(
        default=1.0,
        metadata={"unit": "share of exposure", "reason": "Active models are shown in full"},
    )
    multiplier_observing: float = field(
        default=0.3, metadata={"unit": "share of exposure", "reason": "weak models are shown less"}
    )
    multiplier_probation: float = field(
        default=0.15,
        metadata={"unit": "share of exposure", "reason": "the return path of eliminated models"},
    )
    multiplier_eliminated: float = field(
        default=0.0,
        metadata={
            "unit": "share of exposure",
            "reason": "eliminated models return by Probation only",
        },
    )
    observing_below: float = field(
        default=1089.52, metadata={"unit": "points", "reason": "15 % against three average models"}
    )
    observing_exposures: int = field(
        default=50,
        metadata={"unit": "exposures this month", "reason": "no judgement on a handful of ballots"},
    )
    recovery_from: float = field(
        default=1150.02,
        metadata={"unit": "points", "reason": "20 % against three average models: no flicker"},
    )
    recovery_exposures: int = field(
        default=25,
        metadata={"unit": "exposures while Observing", "reason": "new evidence, not the old again"},
    )
    elimination_exposures: int = field(
        default=100,
        metadata={"unit": "exposures this month", "reason": "a wrong elimination costs most"},
    )
    elimination_exposures_observing: int = field(
        default=50,
        metadata={
            "unit": "exposures while Observing",
            "reason": "a few hostile ballots do nothing",
        },
    )
    elimination_z: float = field(
        default=2.3263,
        metadata={"unit": "standard errors", "reason": "one-sided 1 %, because looks are many"},
    )
    elimination_looks: int = field(
        default=2,
        metadata={"unit": "looks in a row", "reason": "one unlucky day eliminates nobody"},
    )
    lifecycle_clusters: int = field(
        default=10,
        metadata={"unit": "voters since entering", "reason": "a few people move no model"},
    )
    probation_after_days: int = field(
        default=7, metadata={"unit": "days", "reason": "several chances a month"}
    )
    probation_exposures: int = field(
        default=100, metadata={"unit": "exposures in Probation", "reason": "length of one chance"}
    )
    probation_verdict_exposures: int = field(
        default=50, metadata={"unit": "exposures in Probation", "reason": "no verdict before this"}
    )
    revival_z: float = field(
        default=1.6449,
        metadata={"unit": "standard errors", "reason": "one-sided 5 %: never by one win"},
    )
    eligible_models: int = field(
        default=4,
        metadata={"unit": "models", "reason": "an elimination that leaves fewer is withheld"},
    )
    propensity_cap: float = field(
        default=10.0,
        metadata={"unit": "times the median 1 / P(S)", "reason": "no rare set decides the check"},
    )
    propensity_errors: float = field(
        default=2.0, metadata={"unit": "official errors", "reason": "a larger move is marked"}
    )
    cap_share: float = field(
        default=0.05,
        metadata={"unit": "share of a model's exposures", "reason": "no supplier brings more"},
    )
    cap_even_shares: float = field(
        default=2.0,
        metadata={"unit": "even shares", "reason": "the cap when a model's voters are few"},
    )
    cap_clusters: int = field(
        default=10,
        metadata={"unit": "voters, or networks", "reason": "with fewer, a cap leaves too little"},
    )
    bound_errors: float = field(
        default=1.5,
        metadata={
            "unit": "errors without the supplier",
            "reason": "half an interval is 1.96 of them",
        },
    )
    bound_steps: int = field(
        default=1_000,
        metadata={"unit": "parts of a weight", "reason": "equal from any start of the fit"},
    )


_RULES = {rules.id: rules for rules in (RankingRules(),)}


def current() -> RankingRules:
    """The ruleset in force."""
    return _RULES["arena.2026.1"]


def by_id(rules_id: str) -> RankingRules:
    """The ruleset of that id.

    Raises:
        KeyError: no ruleset has this id.
    """
    return _RULES[rules_id]
