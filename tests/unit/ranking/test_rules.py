"""The numbers of the ranking rulebook."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction

import pytest

from ranking import lobster, rules


def test_the_rules_in_force_hold_the_published_numbers() -> None:
    """Every number as the requirements print it."""
    values = {field.name: getattr(rules.current(), field.name) for field in fields(rules.current())}

    assert values == {
        "id": "arena.2026.1",
        "points_per_win": 32,
        "worst_share": Fraction(2, 3),
        "score_base": 1200,
        "score_scale": 400,
        "score_lowest": 0,
        "score_highest": 2400,
        "ghost": 0.5,
        "step_limit": 3,
        "tolerance": 1e-9,
        "max_iterations": 200,
        "interval_z": 1.96,
        "rank_level": 0.05,
        "provisional_below": 30,
        "basket_exposures": 100,
        "basket_models": 4,
        "few_best_picks": 5,
        "few_clusters": 30,
        "refit_votes": 100,
        "refit_seconds": 60,
        "refit_min_votes": 1,
        "exposure_factor": 1,
        "exposure_budget": 20_000,
        "exposure_gap_floor": 0.02,
        "exposure_bonus_cap": 0.5,
        "exposure_uniform_share": 0.25,
        "exposure_temperature": 0.05,
        "exposure_redraws": 100,
        "multiplier_active": 1,
        "multiplier_observing": 0.3,
        "multiplier_probation": 0.15,
        "multiplier_eliminated": 0,
        "observing_below": 1089.52,
        "observing_exposures": 50,
        "recovery_from": 1150.02,
        "recovery_exposures": 25,
        "elimination_exposures": 100,
        "elimination_exposures_observing": 50,
        "elimination_z": 2.3263,
        "elimination_looks": 2,
        "lifecycle_clusters": 10,
        "probation_after_days": 7,
        "probation_exposures": 100,
        "probation_verdict_exposures": 50,
        "revival_z": 1.6449,
        "eligible_models": 4,
        "propensity_cap": 10,
        "propensity_errors": 2,
        "cap_share": 0.05,
        "cap_even_shares": 2,
        "cap_clusters": 10,
        "bound_errors": 1.5,
        "bound_steps": 1_000,
    }


def test_every_number_has_a_unit_and_a_reason() -> None:
    """The public rules page is made from them."""
    for field in fields(rules.RankingRules):
        assert field.metadata["unit"]
        assert field.metadata["reason"]


def test_a_ruleset_is_found_by_its_id() -> None:
    """Events name the ruleset they were made under; an unknown one raises."""
    assert rules.by_id("arena.2026.1") == rules.current()
    with pytest.raises(KeyError):
        rules.by_id("arena.1999.1")


def test_points_per_natural_log() -> None:
    """Scores turn natural logs into points by 173.7178."""
    assert pytest.approx(173.7178, abs=5e-5) == lobster.POINTS_PER_NAT
