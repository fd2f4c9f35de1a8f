"""UCB-E: chances, indices, draws and their probabilities. The worked example is W-5."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking import rules
from ranking.errors import PoolTooSmallError
from ranking.exposure import Candidate
from ranking.ucbe import Indices, Standing, best_chances, draw, indices, set_probability

RULES = rules.current()
strengths = st.lists(st.floats(1e-4, 1e4), min_size=4, max_size=9)


@settings(max_examples=50)
@given(strengths)
def test_chances_equal_the_average_over_all_sets(gammas: list[float]) -> None:
    """V-061: the integral agrees with enumeration far better than 1e-6."""
    size = len(gammas)
    won = [0.0] * size
    for four in combinations(range(size), 4):
        total = sum(gammas[i] for i in four)
        for i in four:
            won[i] += gammas[i] / total / comb(size - 1, 3)

    chances = best_chances(gammas)

    assert chances == pytest.approx(won, abs=1e-9)
    assert chances.sum() == pytest.approx(size / 4, abs=1e-9)


def test_chances_of_many_models_sum_up() -> None:
    """Three hundred models with strengths over six powers of ten."""
    chances = best_chances([10 ** (i / 50 - 3) for i in range(300)])

    assert chances.sum() == pytest.approx(75, abs=1e-8)
    assert all(chances[i] < chances[i + 1] for i in range(299))


def known_of(multipliers: list[float], showings: list[int] | None = None) -> Indices:
    """Models "0", "1", … of falling strength."""
    return indices(
        [
            Standing(str(i), 1 / (1 + i), showings[i] if showings else 50, multiplier)
            for i, multiplier in enumerate(multipliers)
        ],
        RULES,
    )


def test_a_model_never_shown_has_the_capped_bonus() -> None:
    """V-061: s = 0 gets the cap, and a little more showing less."""
    known = known_of([1] * 6, [100_000, 100_000, 100_000, 100_000, 0, 10_000_000])

    bonus = {model: known.index[model] - known.chance[model] for model in known.index}
    assert bonus["4"] == pytest.approx(0.5)
    assert 0 < bonus["5"] < bonus["0"] < 0.5


def test_equal_models_do_not_make_the_bonus_vanish() -> None:
    """Gaps are floored, so that H1 stays finite when all models are equal."""
    known = indices([Standing(str(i), 1.0, 50, 1.0) for i in range(5)], RULES)

    assert known.hardness == pytest.approx(4 / 0.02**2)
    assert known.exploration > 0


def test_a_model_with_multiplier_zero_is_not_eligible() -> None:
    """V-062: eliminated models are neither in the averages nor drawn."""
    known = known_of([1, 1, 1, 1, 0])

    assert set(known.index) == {"0", "1", "2", "3"}
    with pytest.raises(PoolTooSmallError):
        known_of([1, 1, 1, 0, 0])


def test_set_probability_is_the_sum_over_the_24_orders() -> None:
    """Against the definition written out."""
    known, pool = known_of([1, 1, 0.3, 1, 0.15, 1]), [str(i) for i in range(6)]
    wanted = 0.0
    for share, sharp in ((0.25, False), (0.75, True)):
        weight = {
            m: known.multiplier[m] * (2.718281828459045 ** (known.index[m] / 0.05) if sharp else 1)
            for m in pool
        }
        for order in permutations("0245"):
            left, chance = sum(weight.values()), share
            for model in order:
                chance *= weight[model] / left
                left -= weight[model]
            wanted += chance

    assert set_probability("0245", pool, known, RULES) == pytest.approx(wanted, rel=1e-9)


def test_draws_come_as_often_as_their_probability_says() -> None:
    """Chi-square of 6,000 draws over the 15 sets of six models."""
    known, rng, total = known_of([1, 1, 0.3, 1, 0.15, 1]), random.Random(1), 6_000
    pool = [Candidate(str(i), f"maker-{i}") for i in range(6)]

    draws = [draw(pool, known, rng, RULES) for _ in range(total)]

    counts = Counter(frozenset(drawn.models) for drawn in draws)
    chances = {frozenset(drawn.models): float(drawn.probability) for drawn in draws}
    assert len(chances) == 15
    assert sum(chances.values()) == pytest.approx(1, abs=1e-12)
    statistic = sum((counts[s] - total * p) ** 2 / (total * p) for s, p in chances.items())
    assert statistic < 36.123  # upper 0.001 point with 14 degrees of freedom
    assert not any(drawn.conditioned or drawn.redraws for drawn in draws)


def test_makers_are_kept_distinct_by_redrawing() -> None:
    """V-063: as many makers as the pool allows, and the draw says it was conditioned."""
    known, rng = known_of([1] * 6), random.Random(2)
    pool = [Candidate(str(i), maker) for i, maker in enumerate("AABBCD")]

    draws = [draw(pool, known, rng, RULES) for _ in range(500)]

    assert all(drawn.makers == 4 and drawn.conditioned for drawn in draws)
    assert any(drawn.redraws for drawn in draws)
    assert {drawn.policy for drawn in draws} == {"ucb-e.1"}


def test_models_without_a_showable_answer_stay_out() -> None:
    """The pool alone says what may be shown; an eliminated model in it is passed over."""
    known, rng = known_of([1, 1, 1, 1, 1, 0]), random.Random(3)
    pool = [Candidate(str(i), f"maker-{i}") for i in (0, 1, 3, 4, 5)]

    drawn = draw(pool, known, rng, RULES)

    assert set(drawn.models) == {"0", "1", "3", "4"}
    assert drawn.pool_size == 4
    assert float(drawn.probability) == pytest.approx(1)
    with pytest.raises(PoolTooSmallError):
        draw(pool[1:], known, rng, RULES)
    with pytest.raises(ValueError, match="twice"):
        draw([*pool, pool[0]], known, rng, RULES)


def test_the_only_set_of_a_pool_has_probability_one() -> None:
    """Exactly, whatever the strengths and states: rounding would make it more or less than 1."""
    rng = random.Random(4)
    for _ in range(300):
        standings = [
            Standing(m, rng.lognormvariate(0, 1), rng.randrange(200), rng.choice([1, 0.5, 0.25]))
            for m in "01234567"
        ]
        known = indices(standings, RULES)
        pool = [Candidate(m, f"maker-{m}") for m in rng.sample("01234567", 4)]

        assert draw(pool, known, rng, RULES).probability == "1.0"


def test_no_probability_is_above_one() -> None:
    """Also where one set has nearly all the chance, so that the sums round around 1."""
    rules_of_index = replace(RULES, exposure_uniform_share=0.0, exposure_temperature=0.001)
    rng = random.Random(5)
    for _ in range(300):
        gammas = [rng.uniform(50, 100) for _ in range(4)] + [1e-3, 1e-3]
        known = indices([Standing(str(i), g, 10**9, 1.0) for i, g in enumerate(gammas)], RULES)

        chance = set_probability("0123", [str(i) for i in range(6)], known, rules_of_index)

        assert 1 - 1e-9 < chance <= 1


def test_a_probability_well_above_one_is_a_fault() -> None:
    """Rounding alone is cut off; shares of more than everything are not."""
    wrong = replace(RULES, exposure_uniform_share=1.5)
    standings = [Standing(str(i), 1.0, 200, 1.0) for i in range(4)]
    known = indices([*standings, Standing("4", 50.0, 200, 1e-6)], wrong)

    with pytest.raises(ArithmeticError, match=r"with probability 1\.4"):
        set_probability("0123", "01234", known, wrong)


@pytest.mark.parametrize("models", ["012", "0012", "0129"])
def test_the_probability_of_no_set_is_refused(models: str) -> None:
    """A set is four different models of the pool."""
    known = known_of([1] * 6)

    with pytest.raises(ValueError, match="four different"):
        set_probability(models, [str(i) for i in range(6)], known, RULES)
