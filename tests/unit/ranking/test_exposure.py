"""The uniform draw: which sets can come, how likely, and in which order."""

from __future__ import annotations

import math
import random
from collections import Counter
from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import PoolTooSmallError
from ranking.exposure import Candidate, draw


def pool_of(makers: str) -> list[Candidate]:
    """One model per letter, the letter being its maker."""
    return [Candidate(f"model-{i}", maker) for i, maker in enumerate(makers)]


def possible(pool: list[Candidate], *, distinct_makers: bool) -> set[frozenset[str]]:
    """The allowed sets, by writing all of them down."""
    sets = list(combinations(pool, 4))
    makers = [len({candidate.maker for candidate in four}) for four in sets]
    wanted = max(makers)
    return {
        frozenset(candidate.model for candidate in four)
        for four, number in zip(sets, makers, strict=True)
        if number == wanted or not distinct_makers
    }


def chi_square_limit(freedom: int) -> float:
    """Upper 0.001 point of chi-square, after Wilson and Hilferty (1931)."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + 3.0902 * math.sqrt(part)) ** 3


POOLS = ["AAAABBBCCDE", "ABCD", "AABBCC", "ABBBB", "AAAAAA", "AABCDEFG", "AAAB"]


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("makers", POOLS)
def test_the_possible_sets_are_those_with_most_makers(makers: str, distinct: bool) -> None:
    """V-005: every allowed set comes, no other does, and their probabilities sum to 1."""
    pool, rng = pool_of(makers), random.Random(1)
    allowed = possible(pool, distinct_makers=distinct)

    draws = [draw(pool, rng, distinct_makers=distinct) for _ in range(40 * len(allowed))]

    assert {frozenset(drawn.models) for drawn in draws} == allowed
    assert {drawn.sets for drawn in draws} == {len(allowed)}
    (probability,) = {drawn.probability for drawn in draws}
    assert Decimal(probability) * len(allowed) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("makers", ["AAAABBBCCDE", "AABBCC", "AABCDEFG"])
def test_all_possible_sets_are_equally_likely(makers: str) -> None:
    """Chi-square over the allowed sets."""
    pool, rng = pool_of(makers), random.Random(2)
    allowed = possible(pool, distinct_makers=True)
    each = 200

    counts = Counter(
        frozenset(draw(pool, rng, distinct_makers=True).models) for _ in range(each * len(allowed))
    )

    statistic = sum((counts[four] - each) ** 2 / each for four in allowed)
    assert statistic < chi_square_limit(len(allowed) - 1)


def test_the_24_orders_are_equally_likely() -> None:
    """V-003: chi-square over the orders of 24,000 draws, p > 0.001."""
    pool, rng = pool_of("ABCD"), random.Random(3)

    counts = Counter(draw(pool, rng, distinct_makers=True).models for _ in range(24_000))

    assert len(counts) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 49.728


def test_each_model_is_equally_often_in_each_slot() -> None:
    """The order does not depend on maker or place in the pool, even when makers repeat."""
    pool, rng = pool_of("AABBC"), random.Random(4)

    counts = Counter(
        (slot, model)
        for _ in range(12_000)
        for slot, model in enumerate(draw(pool, rng, distinct_makers=True).models)
    )

    for model in {model for _, model in counts}:
        shown = [counts[slot, model] for slot in range(4)]
        mean = sum(shown) / 4
        assert sum((count - mean) ** 2 / mean for count in shown) < chi_square_limit(3)


@given(st.text("ABCDEFGH", min_size=4, max_size=30), st.booleans(), st.randoms())
def test_a_draw_says_how_it_was_made(makers: str, distinct: bool, rng: random.Random) -> None:
    """Four different models of the pool, as many makers as it allows, and the policy's name."""
    pool = pool_of(makers)

    drawn = draw(pool, rng, distinct_makers=distinct)

    maker = {candidate.model: candidate.maker for candidate in pool}
    assert len(set(drawn.models)) == 4
    assert drawn.makers == len({maker[model] for model in drawn.models})
    if distinct:
        assert drawn.makers == min(4, len(set(makers)))
    else:
        assert drawn.sets == math.comb(len(pool), 4)
    assert (drawn.policy, drawn.pool_size) == ("uniform.1", len(pool))
    assert drawn.distinct_makers is distinct


def test_the_same_randomness_gives_the_same_draw() -> None:
    """A draw can be replayed."""
    pool = pool_of("AAAABBBCCDE")

    first, second = (draw(pool, random.Random(5), distinct_makers=True) for _ in range(2))

    assert first == second


def test_a_large_pool_is_counted_without_listing_its_sets() -> None:
    """300 models of 60 makers: the elementary symmetric polynomial gives the number."""
    pool = [Candidate(f"model-{i}", f"maker-{i % 60}") for i in range(300)]

    drawn = draw(pool, random.Random(6), distinct_makers=True)

    assert drawn.sets == math.comb(60, 4) * 5**4
    assert drawn.makers == 4
    assert "E" not in drawn.probability
    assert Decimal(drawn.probability) * drawn.sets == pytest.approx(1, abs=1e-15)


def test_a_pool_of_three_is_refused() -> None:
    """V-004: never a ballot with fewer than four models."""
    with pytest.raises(PoolTooSmallError, match="3 models"):
        draw(pool_of("ABC"), random.Random(7), distinct_makers=True)


def test_a_model_named_twice_is_refused() -> None:
    """V-004: never the same model in two slots."""
    pool = [*pool_of("ABCD"), Candidate("model-0", "E")]

    with pytest.raises(ValueError, match="twice"):
        draw(pool, random.Random(8), distinct_makers=True)
