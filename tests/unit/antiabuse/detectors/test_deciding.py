"""Who only decides where one model is shown is found without knowing anybody else's habits."""

from __future__ import annotations

import numpy as np
import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.deciding import deciding_for_one
from tests.fixtures.voter_picks import MODELS, TARGET, simulated_voter

RULES = rules.current()


def test_a_bot_that_waits_for_its_target_is_found() -> None:
    """Fifty votes are enough, nearly always, and the model is named."""
    rng = np.random.default_rng(1)
    found = [
        deciding_for_one(simulated_voter("target_only", 50, rng), 50, RULES) for _ in range(40)
    ]
    hits = [finding for finding in found if finding is not None]

    assert len(hits) >= 36
    assert {finding.numbers["model"] for finding in hits} == {MODELS[TARGET]}
    assert {finding.numbers["kind"] for finding in hits} == {"decided"}


@pytest.mark.parametrize("votes", RULES.looks)
def test_honest_voters_are_left_alone(votes: int) -> None:
    """Of 300 honest voters at most two are reported at a look."""
    rng = np.random.default_rng(votes)
    found = [
        deciding_for_one(simulated_voter("honest", votes, rng), votes, RULES) for _ in range(300)
    ]

    assert sum(finding is not None for finding in found) <= 2


def test_someone_who_always_or_never_decides_shows_nothing() -> None:
    """Without a difference there is nothing to explain by a model."""
    picks = simulated_voter("boost", 100, np.random.default_rng(3))

    assert deciding_for_one(picks.decided(), 100, RULES) is None
    assert deciding_for_one(picks.only(picks.best < 0), 100, RULES) is None
    assert deciding_for_one(picks.first(0), 0, RULES) is None
