"""A wave of picks for one model is found, a wave of visitors is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.burst import TimedPicks, bursts
from antiabuse.detectors.evidence import NO_PICK
from antiabuse.detectors.finding import Detector
from tests.fixtures.voter_picks import MODELS, TARGET, simulated_voter

RULES = rules.current()


def month(hours: list[int], *, seed: int = 1) -> TimedPicks:
    """One honest vote at each of these hours, each by a voter of its own."""
    picks = simulated_voter("honest", len(hours), np.random.default_rng(seed))
    kept = picks.best >= 0
    decided = picks.decided()
    return TimedPicks(
        votes=decided.votes,
        voters=tuple(f"voter-{vote}" for vote in decided.votes),
        hour=np.array(hours)[kept],
        models=MODELS,
        sets=decided.sets,
        best=decided.best,
        worst=decided.worst,
        chances=decided.chances,
    )


def pushed(picks: TimedPicks, window: int) -> TimedPicks:
    """The same votes, but in one window all who saw the target picked it best, and no worst."""
    shown = picks.sets == TARGET
    there = shown.any(axis=1) & (picks.hour // RULES.burst_hours == window)
    best = np.where(there, shown.argmax(axis=1), picks.best)
    return replace(picks, best=best, worst=np.where(there, NO_PICK, picks.worst))


@pytest.fixture
def hours() -> list[int]:
    """Twenty days of ten votes an hour, and a night of a hundred an hour."""
    steady = [hour for hour in range(480) for _ in range(10)]
    return steady + [hour for hour in range(120, 126) for _ in range(90)]


def test_a_wave_of_visitors_is_no_burst(hours: list[int]) -> None:
    """Ten times the votes with honest picks open no review."""
    assert bursts(month(hours), RULES) == []


def test_a_wave_for_one_model_is_found(hours: list[int]) -> None:
    """The window, the model, its votes and its voters are named."""
    picks = pushed(month(hours), 20)

    (found,) = bursts(picks, RULES)
    assert found.detector is Detector.BURST
    assert found.numbers["model"] == MODELS[TARGET]
    assert (found.numbers["kind"], found.numbers["hour"], found.look) == ("best", "0", 6)
    count = int(found.numbers[f"picked:best:{MODELS[TARGET]}"])
    assert len(found.votes) == len(found.subjects) == count
    assert set(found.subjects) <= set(picks.voters)


def test_the_chance_is_that_of_the_picks_among_the_showings() -> None:
    """Twelve of twelve picks at one in four have 4^-12, with two models tested."""
    picks = TimedPicks(
        votes=tuple(f"vote-{row}" for row in range(12)),
        voters=tuple(f"voter-{row}" for row in range(12)),
        hour=np.zeros(12, dtype=np.int64),
        models=("a", "b"),
        sets=np.tile([0, 1], (12, 1)),
        best=np.zeros(12, dtype=np.int64),
        worst=np.full(12, NO_PICK),
        chances=np.tile([0.25, 0.75], (12, 1)),
    )

    (found,) = bursts(picks, RULES)
    assert found.p_value is not None
    assert float(found.p_value) == pytest.approx(4.0**-12, rel=1e-5)
    assert found.numbers["tests"] == "2"
    assert bursts(replace(picks, hour=np.arange(12)), RULES) == []
    assert bursts(replace(picks, voters=("one",) * 12), RULES) == []


def test_an_empty_month_has_no_burst() -> None:
    """Without votes there is nothing to find."""
    assert bursts(month([]), RULES) == []
