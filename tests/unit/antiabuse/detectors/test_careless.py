"""Random picks fit the strengths worse than those of voters drawn on the same ballots."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product

import numpy as np
import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.careless import careless
from antiabuse.detectors.evidence import NO_PICK, VoterPicks, worst_chances
from antiabuse.detectors.finding import Detector
from tests.fixtures.voter_picks import simulated_voter

RULES = rules.current()


def improbable(votes: int) -> VoterPicks:
    """Votes that always pick the model with a chance of one in ten best, and no worst."""
    return VoterPicks(
        voter="v",
        votes=tuple(f"vote-{row}" for row in range(votes)),
        models=("weak", "strong"),
        sets=np.tile([0, 1], (votes, 1)),
        best=np.zeros(votes, dtype=np.int64),
        worst=np.full(votes, NO_PICK),
        chances=np.tile([0.1, 0.9], (votes, 1)),
    )


def test_the_statistic_is_minus_twice_the_log_likelihood() -> None:
    """Twenty picks of one in ten each: T = 40 ln 10, and no simulated voter comes near."""
    found = careless(improbable(20), 20, RULES, np.random.default_rng(0))

    assert found is not None
    assert found.detector is Detector.CARELESS
    assert float(found.statistic) == pytest.approx(40 * np.log(10), rel=1e-5)
    assert found.p_value == "0.0001"
    assert float(found.statistic) > float(found.threshold)


def test_likely_picks_are_not_careless() -> None:
    """A voter who picks what everybody picks has the smallest T there is."""
    picks = improbable(20)
    likely = replace(picks, best=np.ones(20, dtype=np.int64))

    assert careless(likely, 20, RULES, np.random.default_rng(0)) is None


def test_p_agrees_with_enumeration() -> None:
    """On three ballots with worst picks the Monte Carlo chance is that of all outcomes, counted."""
    rng = np.random.default_rng(5)
    odds = rng.random((3, 3)) + 0.1
    picks = VoterPicks(
        voter="v",
        votes=("a", "b", "c"),
        models=("k", "l", "m"),
        sets=np.tile([0, 1, 2], (3, 1)),
        best=odds.argmin(axis=1),
        worst=odds.argmax(axis=1),
        chances=odds / odds.sum(axis=1, keepdims=True),
    )
    table = np.zeros((3, 3, 3))
    for best in range(3):
        given = worst_chances(picks.chances, np.full(3, best))
        table[:, best] = picks.chances[:, best, None] * given
    seen = np.prod(table[np.arange(3), picks.best, picks.worst])
    as_unlikely = 0.0
    for outcome in product(product(range(3), range(3)), repeat=3):
        chance = float(np.prod([table[row][pick] for row, pick in enumerate(outcome)]))
        as_unlikely += chance if 0 < chance <= seen * (1 + 1e-9) else 0.0
    many = replace(RULES, careless_draws=19_999, careless_level=Decimal(1))

    found = careless(picks, 3, many, rng)
    assert found is not None
    assert found.p_value is not None
    assert float(found.p_value) == pytest.approx(as_unlikely, abs=0.01)


def test_random_voters_are_found() -> None:
    """Two hundred picks without reading are reported nearly always."""
    rng = np.random.default_rng(2)
    found = [careless(simulated_voter("random", 200, rng), 200, RULES, rng) for _ in range(30)]

    assert sum(finding is not None for finding in found) >= 25


@pytest.mark.parametrize("votes", [20, 50, 100])
def test_honest_voters_are_rarely_reported(votes: int) -> None:
    """At a level of one in a hundred, nine of 300 honest voters would be very many."""
    rng = np.random.default_rng(votes)
    found = [careless(simulated_voter("honest", votes, rng), votes, RULES, rng) for _ in range(300)]

    assert sum(finding is not None for finding in found) < 9


def test_the_same_seed_gives_the_same_finding() -> None:
    """A finding can be computed again by anybody who has the seed."""
    picks = simulated_voter("random", 200, np.random.default_rng(4))
    first, again = (careless(picks, 200, RULES, np.random.default_rng(9)) for _ in range(2))

    assert first is not None
    assert first == again


def test_a_voter_without_picks_is_not_careless() -> None:
    """Verdicts alone have no likelihood."""
    undecided = replace(improbable(20), best=np.full(20, NO_PICK))

    assert careless(undecided, 20, RULES, np.random.default_rng(0)) is None
