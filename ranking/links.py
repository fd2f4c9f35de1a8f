"""The link between the boards of two months: how far apart their zeros are.

Published beside a closed month; scores are never shifted by it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ranking.lobster import POINTS_PER_NAT, Covariance, Fit, Floats, WrongUseError

__all__ = ["Link", "link"]


@dataclass(frozen=True, slots=True)
class Link:
    """Mean score of the models in both baskets in the later month less that in the earlier one.

    All in points. `se` is the sampling error of both months' votes, taken as independent; the same
    voters in both would make it a little smaller. `spread` is the standard deviation of the single
    models' differences, which holds real change too; None with one model.
    """

    constant: float
    se: float
    models: tuple[str, ...]
    spread: float | None


def link(
    earlier: Fit, earlier_basket: Sequence[str], later: Fit, later_basket: Sequence[str]
) -> Link | None:
    """The link constant between two months' boards, or None when no model is in both baskets.

    With equal baskets it is 0 by definition, and so is its error: both boards then have the same
    zero, the mean of those models.

    Args:
        earlier: fit of the earlier month.
        earlier_basket: the models whose mean is its 1200.
        later: fit of the later month.
        later_basket: the models whose mean is its 1200.

    Raises:
        WrongUseError: a model of a basket is not in its fit.
    """
    both = tuple(sorted(set(earlier_basket) & set(later_basket)))
    if not both:
        return None
    before, before_variance = _common(earlier, earlier_basket, both)
    after, after_variance = _common(later, later_basket, both)
    differences = POINTS_PER_NAT * (after - before)
    return Link(
        constant=float(differences.mean()),
        se=POINTS_PER_NAT * math.sqrt(before_variance + after_variance),
        models=both,
        spread=float(differences.std(ddof=1)) if len(both) > 1 else None,
    )


def _common(fitted: Fit, basket: Sequence[str], both: Sequence[str]) -> tuple[Floats, float]:
    """Log-strengths of the common models against the basket, and the variance of their mean."""
    unknown = sorted(set(basket) - set(fitted.models))
    if unknown:
        raise WrongUseError(f"not in the fit: {', '.join(unknown)}")
    mean_of = np.isin(np.array(fitted.models), list(basket))
    theta = fitted.theta - fitted.theta[mean_of].mean()
    common = [fitted.models.index(model) for model in both]
    covariance = Covariance.of(fitted, mean_of)
    share = np.zeros(len(fitted.models))
    share[common] = 1 / len(common)
    model = float(share @ covariance.model @ share)
    clustered = covariance.clustered
    by_voter = model if clustered is None else float(share @ clustered @ share)
    few = bool((covariance.few_voters & mean_of).any())
    # Rounding may leave -1e-18 where the baskets are equal.
    return theta[common], max(0.0, by_voter, model if few else 0.0)
