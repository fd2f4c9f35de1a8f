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

__all__ = ["Limited", "limited"]


@dataclass(frozen=True, slots=True, eq=False)
class Limited:
    """Votes whose weights are lowered, and their fit.

    `factors` (n,) are what the weights were multiplied by; `voters` and `networks` (n,) mark the
    votes lowered for their voter alone, and those lowered further for their network.
    """

    choices: Choices
    fitted: Fit
    factors: Floats
    voters: Flags
    networks: Flags


def limited(
    choices: Choices,
    network: Ints | None,
    rules: RankingRules,
    *,
    start: Mapping[str, float] | None = None,
) -> Limited:
    """Lower the weights of voters and networks who supply or move too much, and fit the votes.

    Args:
        choices: the votes with their own weights.
        network: (n,) label of the network each vote came from, below 0 or None where none is known.
        rules: hold cap and bound.
        start: log-strengths by model, from which the fit starts.

    Raises:
        LobsterError: as `lobster.fit`.
    """
    if network is not None and not (network >= 0).any():
        network = None
    by_voter = factors = cap_factors(choices, None, rules)
    if network is not None:
        factors = np.minimum(by_voter, address_factors(choices, network, rules))
    within_cap, _ = capped(choices, factors)
    fitted = lobster.fit(within_cap, start=start)
    bound = bound_factors(within_cap, fitted, network, rules)
    by_voter, factors = by_voter * bound.voters, factors * np.minimum(*bound)
    lowered, flags = capped(choices, factors)
    if (np.minimum(*bound) < 1).any():
        near = dict(zip(fitted.models, fitted.theta.tolist(), strict=True))
        fitted = lobster.fit(lowered, start=near)
    networks = flags & (factors < by_voter)
    return Limited(lowered, fitted, factors, flags & ~networks, networks)
