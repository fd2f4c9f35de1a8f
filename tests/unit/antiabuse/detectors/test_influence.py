"""One voter who moves a score by its own standard error."""

from __future__ import annotations

from antiabuse.detectors import rules
from antiabuse.detectors.influence import Pull, influence

RULES = rules.current()


def pull(points: float, *, error: float = 10.0, voters: int = 30, model: str = "m") -> Pull:
    """What a voter does to a model."""
    return Pull(model=model, points=points, error=error, voters=voters)


def test_a_voter_as_heavy_as_the_error_is_reported() -> None:
    """The largest ratio counts, in either direction."""
    found = influence("v", ["vote"], [pull(9.9), pull(-12, model="down")], 50, RULES)

    assert found is not None
    assert (found.statistic, found.threshold) == ("-1.2", "1")
    assert found.numbers["model"] == "down"


def test_lighter_voters_and_small_boards_are_not() -> None:
    """Below one error, with few voters or without an error nobody is reported."""
    assert influence("v", ["vote"], [pull(9.9)], 50, RULES) is None
    assert influence("v", ["vote"], [pull(99, voters=29)], 50, RULES) is None
    assert influence("v", ["vote"], [pull(99, error=0.0)], 50, RULES) is None
    assert influence("v", ["vote"], [], 50, RULES) is None
