"""Link constants between the boards of two months."""

from __future__ import annotations

import numpy as np
import pytest

from ranking import lobster
from ranking.links import link
from tests.fixtures.simulated import simulated

THETA = np.linspace(1, -1, 8)
ALL = tuple("ABCDEFGH")


def month(seed: int, votes: int = 2_000, voters: int = 200) -> lobster.Fit:
    """The fit of one month's votes on eight models of unchanged strength."""
    return lobster.fit(simulated(THETA, votes, voters=voters, seed=seed))


def test_the_constant_is_the_mean_difference_of_the_common_models() -> None:
    """Scores against each month's basket, over the models in both."""
    earlier, later = month(1), month(2)
    first, second = ALL[:5], ALL[3:]

    found = link(earlier, first, later, second)

    before = {row.model: row.score for row in lobster.board(earlier, basket=first).models}
    after = {row.model: row.score for row in lobster.board(later, basket=second).models}
    differences = [after[model] - before[model] for model in "DE"]
    assert found is not None
    assert found.models == ("D", "E")
    assert found.constant == pytest.approx(np.mean(differences))
    assert found.spread == pytest.approx(np.std(differences, ddof=1))


def test_errors_cover_the_truth() -> None:
    """Over sixty pairs of months the constant differs from the true one as its error says."""
    first, second = ALL[:5], ALL[3:]
    true = lobster.POINTS_PER_NAT * (THETA[:5].mean() - THETA[3:].mean())

    found = [link(month(2 * i), first, month(2 * i + 1), second) for i in range(60)]

    z = [(one.constant - true) / one.se for one in found if one is not None]
    assert len(z) == 60
    assert 0.75 < np.std(z) < 1.25
    assert abs(np.mean(z)) < 0.5


def test_equal_baskets_have_the_same_zero() -> None:
    """Then the constant and its error are 0 by definition; the models' spread is not."""
    found = link(month(1), ALL[:4], month(2), ALL[:4])

    assert found is not None
    assert found.constant == pytest.approx(0, abs=1e-9)
    assert found.se == pytest.approx(0, abs=1e-6)
    assert found.spread is not None
    assert found.spread > 1


def test_few_voters_widen_the_error() -> None:
    """With one voter the error is the model's; with many it is clustered, as on the board."""
    one_voter = month(1, voters=1)

    found = link(one_voter, ALL[:4], month(2), ALL[3:])

    assert one_voter.middle is None
    covariance = lobster.Covariance.of(one_voter, np.array([model in "ABCD" for model in ALL]))
    assert found is not None
    own = lobster.POINTS_PER_NAT**2 * covariance.model[3, 3]
    of_later = lobster.Covariance.of(month(2), np.array([model in "DEFGH" for model in ALL]))
    assert of_later.clustered is not None
    theirs = lobster.POINTS_PER_NAT**2 * of_later.clustered[3, 3]
    assert found.se == pytest.approx((own + theirs) ** 0.5)
    assert found.spread is None


def test_no_common_model_no_link() -> None:
    """Nothing ties the two zeros together."""
    assert link(month(1), ALL[:4], month(2), ALL[4:]) is None


def test_a_basket_outside_the_fit_is_refused() -> None:
    """Its zero would be another one."""
    with pytest.raises(lobster.WrongUseError, match="Z"):
        link(month(1), ["A", "Z"], month(2), ["A"])
