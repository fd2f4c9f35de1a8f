"""What one voter or network may do to a board: first the cap on evidence, then the bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ranking import lobster
from ranking.bounds import bound_factors
from ranking.caps import address_factors, cap_factors, capped
from ranking.lobster import Choices, Fit, Flags, Floats, Ints
from ranking.rules import RankingRules

__all__ = ["Limited", "limited", "within_cap"]


@dataclass(frozen=True, slots=True, eq=False)
class Limited:
    """Votes whose weights are lowered.

    `factors` (n,) are what the weights were multiplied by; `voters` and `networks` (n,) mark the
    votes lowered for their voter alone, and those lowered further for their network.
    """

    choices: Choices
    factors: Floats
    voters: Flags
    networks: Flags


def limited(
    choices: Choices,
    network: Ints | None,
    rules: RankingRules,
    *,
    start: Mapping[str, float] | None = None,
) -> tuple[Limited, Fit]:
    """Lower the weights of voters and networks who supply or move too much, and fit the votes.

    Args:
        choices: the votes with their own weights.
        network: (n,) label of the network each vote came from, below 0 or None where none is known.
        rules: hold cap and bound.
        start: log-strengths by model, from which the fit starts.

    Raises:
        LobsterError: as `lobster.fit`.
    """
    by_voter, factors = _cap(choices, network, rules)
    capped_votes, _ = capped(choices, factors)
    fitted = lobster.fit(capped_votes, start=start)
    bound = bound_factors(capped_votes, fitted, network, rules)
    both = np.minimum(*bound)
    made = _lowered(choices, by_voter * bound.voters, factors * both)
    if (both < 1).any():
        near = dict(zip(fitted.models, fitted.theta.tolist(), strict=True))
        fitted = lobster.fit(made.choices, start=near)
    return made, fitted


def within_cap(choices: Choices, network: Ints | None, rules: RankingRules) -> Limited:
    """Lower the weights of those who supply too much alone, which takes no fit."""
    return _lowered(choices, *_cap(choices, network, rules))


def _cap(choices: Choices, network: Ints | None, rules: RankingRules) -> tuple[Floats, Floats]:
    """The cap's factors (n,) for voters alone, and for both kinds."""
    by_voter = cap_factors(choices, None, rules)
    if network is None or not (network >= 0).any():
        return by_voter, by_voter
    return by_voter, np.minimum(by_voter, address_factors(choices, network, rules))


def _lowered(choices: Choices, by_voter: Floats, factors: Floats) -> Limited:
    lowered, flags = capped(choices, factors)
    networks = flags & (factors < by_voter)
    return Limited(lowered, factors, flags & ~networks, networks)
