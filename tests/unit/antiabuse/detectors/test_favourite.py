"""The rulebook's favourite: more than four deviations above chance in twelve appearances."""

from __future__ import annotations

import numpy as np
import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.evidence import NO_PICK, VoterPicks
from antiabuse.detectors.favourite import favourite_model

RULES = rules.current()


def votes_for(picked: int, shown: int, chance: float = 0.25) -> VoterPicks:
    """Votes on four equal models of which the first is picked so many times."""
    return VoterPicks(
        voter="v",
        votes=tuple(f"vote-{row}" for row in range(shown)),
        models=("a", "b", "c", "d"),
        sets=np.tile([0, 1, 2, 3], (shown, 1)),
        best=np.where(np.arange(shown) < picked, 0, 1 + np.arange(shown) % 3),
        worst=np.full(shown, NO_PICK),
        chances=np.tile([chance, *[(1 - chance) / 3] * 3], (shown, 1)),
    )


def test_twelve_of_twelve_is_a_favourite() -> None:
    """(12 - 3) / 1.5 is six deviations; eleven appearances are not looked at."""
    found = favourite_model(votes_for(12, 12), 12, RULES)

    assert found is not None
    assert float(found.statistic) == pytest.approx(6)
    assert found.threshold == "4"
    assert found.p_value is not None
    assert float(found.p_value) == pytest.approx(4.0**-12, rel=1e-5)
    assert found.numbers["model"] == "a"
    assert favourite_model(votes_for(11, 11), 11, RULES) is None


def test_exactly_four_deviations_are_not_more_than_four() -> None:
    """Nine of twelve are (9 - 3) / 1.5 = 4.0 deviations: the border is not passed."""
    assert favourite_model(votes_for(9, 12), 12, RULES) is None
    assert favourite_model(votes_for(10, 12), 12, RULES) is not None
