"""The influence bound of voters and networks."""

from __future__ import annotations

import dataclasses
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking import lobster, rules
from ranking.bounds import bound_factors
from ranking.limits import limited, within_cap
from ranking.lobster import Choices, Floats, Ints
from tests.fixtures.choices import choices_of

RULES: Final = rules.current()
MODELS: Final = 6
BOTS: Final = 10_000  # their network
UNIT: Final = 10**lobster.WEIGHT_DIGITS


def honest(votes: int, voters: int, seed: int = 1) -> list[tuple[tuple[int, ...], int]]:
    """Votes by Plackett-Luce on strengths an eighth of a natural log apart."""
    rng = np.random.default_rng(seed)
    theta = np.arange(MODELS) / 8
    shown = [tuple(rng.permutation(MODELS)[:4].tolist()) for _ in range(votes)]
    noise = rng.gumbel(size=(votes, 4))
    return [(s, s[int((theta[list(s)] + noise[i]).argmax())]) for i, s in enumerate(shown)]


def pushed(votes: int, target: int, seed: int = 2) -> list[tuple[tuple[int, ...], int]]:
    """Votes that pick one model wherever it is shown."""
    return [(shown, target if target in shown else best) for shown, best in honest(votes, 1, seed)]


def attacked(votes: int, bots: int, ids: int, target: int = 2) -> tuple[Choices, Ints]:
    """A month of 200 honest voters, and a network of ids that push one model."""
    picks = [*honest(votes, 200), *pushed(bots, target)]
    clusters = [i % 200 for i in range(votes)] + [1_000 + i % ids for i in range(bots)]
    choices = choices_of(MODELS, picks, clusters=clusters)
    return choices, np.where(choices.cluster >= 1_000, BOTS, choices.cluster)


def without(choices: Choices, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> lobster.Fit:
    """The fit of the votes but those of a mask."""
    return lobster.fit(dataclasses.replace(choices, weight=np.where(rows, 0, choices.weight)))


def half_interval(fitted: lobster.Fit, model: int) -> float:
    """Half the interval of a model's score, in natural logs."""
    errors = lobster.Covariance.of(fitted, fitted.comparable).errors()
    return float(lobster.INTERVAL_Z * errors[model])


def centred(fitted: lobster.Fit) -> Floats:
    """Log-strengths less their mean."""
    theta: Floats = fitted.theta - fitted.theta.mean()
    return theta


@pytest.mark.parametrize("votes,bots", [(2_000, 1_000), (20_000, 5_000)])
@pytest.mark.parametrize("ids", [1, 40])
def test_no_network_moves_a_model_by_half_its_interval(votes: int, bots: int, ids: int) -> None:
    """However large the month and however many ids the network has."""
    choices, network = attacked(votes, bots, ids)
    before = without(choices, network == BOTS)

    _, fitted = limited(choices, network, RULES)

    moved = np.abs(centred(fitted) - centred(before))
    for model in range(MODELS):
        assert moved[model] < half_interval(before, model)


def test_the_interval_is_that_of_the_board() -> None:
    """Models shown too rarely for the zero blur the mean of all, and must not blur the bound."""
    rng = np.random.default_rng(3)
    often, rare = range(8), range(8, 20)
    shown = [tuple(rng.choice(often, 4, replace=False).tolist()) for _ in range(2_000)]
    shown += [(*rng.choice(often, 3, replace=False).tolist(), model) for model in rare] * 4
    picks = [(each, int(rng.choice(each))) for each in shown]
    pushing = [tuple(rng.choice(often, 4, replace=False).tolist()) for _ in range(1_000)]
    picks += [(each, 2 if 2 in each else each[0]) for each in pushing]
    clusters = [i % 200 for i in range(len(shown))] + [1_000 + i % 40 for i in range(1_000)]
    choices = choices_of(20, picks, clusters=clusters)
    network = np.where(choices.cluster >= 1_000, BOTS, choices.cluster)
    before = without(choices, network == BOTS)
    basket = lobster.basket_of(before, before.models)
    assert basket is not None
    assert len(basket) == len(often)

    _, fitted = limited(choices, network, RULES)

    was, now = (lobster.board(each, basket=basket).models for each in (before, fitted))
    half = {row.model: lobster.INTERVAL_Z * row.score_se for row in was}
    score = {row.model: row.score for row in was}
    moved = {row.model: abs(row.score - score[row.model]) / half[row.model] for row in now}
    assert max(moved[name] for name in basket) < 1


def test_the_cap_alone_lets_a_network_pass_half_an_interval() -> None:
    """What the bound is for: five per cent of a large month outweigh its interval."""
    choices, network = attacked(20_000, 5_000, 40)
    before = without(choices, network == BOTS)
    loose = dataclasses.replace(RULES, bound_errors=1_000.0)

    made, fitted = limited(choices, network, loose)

    assert centred(fitted)[2] - centred(before)[2] > half_interval(before, 2)
    assert limited(choices, network, RULES)[0].choices.weight[-1] < made.choices.weight[-1]
    assert within_cap(choices, network, RULES).choices.weight.tolist() == (
        made.choices.weight.tolist()
    )


def test_honest_voters_and_unknown_networks_are_let_be() -> None:
    """Nobody comes near it by voting as others do, or by having no known network."""
    choices, network = attacked(4_000, 1_000, 40)
    fitted = lobster.fit(choices)

    held = bound_factors(choices, fitted, network, RULES)
    unknown = bound_factors(choices, fitted, np.where(network == BOTS, -1, network), RULES)

    assert set(held.voters.tolist()) == {1.0}
    assert set(held.networks[network != BOTS].tolist()) == {1.0}
    assert (held.networks[network == BOTS] < 1).all()
    assert set(unknown.networks.tolist()) == {1.0}


@pytest.mark.parametrize("voters,bound", [(9, False), (10, True)])
def test_few_voters_are_not_bound(voters: int, bound: bool) -> None:
    """As with the cap: an error made of nine voters says too little."""
    picks = [*pushed(400, 2), *honest(40 * (voters - 1), voters)]
    clusters = [0] * 400 + [1 + i % (voters - 1) for i in range(40 * (voters - 1))]
    choices = choices_of(MODELS, picks, clusters=clusters)

    held = bound_factors(choices, lobster.fit(choices), None, RULES)

    assert bool(held.voters[0] < 1) is bound


def test_factors_do_not_depend_on_where_the_fit_starts() -> None:
    """So everybody who computes a board again has the same weights."""
    choices, network = attacked(4_000, 1_000, 40)

    made, fitted = limited(choices, network, RULES)
    again, refitted = limited(choices, network, RULES, start={"A": 0.7, "F": -2.0})

    assert made.networks.any()
    assert made.choices.weight.tolist() == again.choices.weight.tolist()
    assert refitted.theta == pytest.approx(fitted.theta, abs=1e-9)


def test_votes_are_marked_by_whom_they_were_lowered_for() -> None:
    """A vote counts as its network's only where that lowers it further than its voter does."""
    choices, network = attacked(4_000, 1_000, 1)

    alone, _ = limited(choices, None, RULES)
    both, _ = limited(choices, network, RULES)

    assert alone.voters[-1000:].all()
    assert not alone.networks.any()
    assert both.choices.weight.tolist() == alone.choices.weight.tolist()
    assert not both.networks.any()
    assert both.factors[-1] == pytest.approx(both.choices.weight[-1] / UNIT, abs=1e-6)


@settings(max_examples=25)
@given(
    st.integers(0, 10_000), st.integers(11, 40), st.sampled_from([0.02, 0.2, 0.5]), st.booleans()
)
def test_factors_by_definition(seed: int, voters: int, bound: float, by_network: bool) -> None:
    """The rule with loops: every supplier's scores, and the errors of all others, one by one."""
    picks = honest(300, voters, seed)
    rng = np.random.default_rng(seed)
    cluster = np.minimum(rng.geometric(0.15, 300), voters)
    weight = rng.integers(0, UNIT, 300)
    choices = choices_of(MODELS, picks, clusters=cluster.tolist(), weights=[int(w) for w in weight])
    network = np.where(cluster % 5 == 0, -1, cluster // 2) if by_network else None
    tight = dataclasses.replace(RULES, bound_errors=bound)
    fitted = lobster.fit(choices)

    held = bound_factors(choices, fitted, network, tight)

    found = held.voters if network is None else held.networks
    labels = cluster if network is None else np.where(network < 0, -1 - cluster, network)
    expected = _slow(choices, fitted, labels, tight)
    if network is not None:
        expected = np.where(network < 0, 1.0, expected)
    assert found == pytest.approx(expected, abs=1.01e-3)


def _slow(choices: Choices, fitted: lobster.Fit, labels: Ints, rules: rules.RankingRules) -> Floats:
    """The factors from nothing but their definition."""
    often = fitted.exposures >= lobster.BASKET_EXPOSURES
    zero = often if often.sum() >= lobster.BASKET_MODELS else np.ones(MODELS, dtype=np.bool_)
    gamma, contrast = np.exp(fitted.theta), np.eye(MODELS) - zero / zero.sum()
    side = contrast @ fitted.inverse
    scores = np.zeros((len(labels), MODELS))
    for i, (shown, best) in enumerate(zip(choices.sets, choices.best, strict=True)):
        scores[i, shown] -= gamma[shown] / gamma[shown].sum() * choices.weight[i] / UNIT
        scores[i, best] += choices.weight[i] / UNIT
    counted = choices.weight > 0
    voters = np.unique(choices.cluster[counted])
    scale = len(voters) / (len(voters) - 1)
    covariance = lobster.Covariance.of(fitted, zero)
    least = np.where(covariance.few_voters, np.diag(covariance.model), 0)
    assert covariance.clustered is not None
    factors = np.ones(len(labels))
    enough = [
        len(set(labels[counted & (choices.sets == model).any(axis=1)].tolist()))
        >= rules.cap_clusters
        for model in range(MODELS)
    ]
    for label in set(labels.tolist()):
        mine = labels == label
        move = side @ scores[mine].sum(axis=0)
        variance = np.diag(covariance.clustered).copy()
        for voter in voters:
            part = side @ scores[mine & (choices.cluster == voter)].sum(axis=0)
            variance -= scale * part**2
        error = np.sqrt(np.maximum(np.maximum(variance, least), 1e-24))
        for model in range(MODELS):
            if enough[model] and abs(move[model]) > 1e-12:
                factors[mine] = np.minimum(
                    factors[mine], rules.bound_errors * error[model] / abs(move[model])
                )
    return factors
