"""The influence cap of voters and addresses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking import lobster, rules
from ranking.caps import address_factors, cap_factors, capped
from tests.fixtures.choices import choices_of

RULES = rules.current()
FOUR = (0, 1, 2, 3)
OTHERS = (2, 3, 4, 5)


def votes_by(numbers: list[int], shown: tuple[int, ...] = FOUR) -> lobster.Choices:
    """That many votes by voter 0, 1, … on one set."""
    clusters = [voter for voter, number in enumerate(numbers) for _ in range(number)]
    return choices_of(6, [(shown, shown[0])] * len(clusters), clusters=clusters)


def test_one_of_twenty_voters_is_capped_at_a_tenth() -> None:
    """Twice the even share: with the others as they are, the loud voter supplies c."""
    choices = votes_by([100] + [5] * 19)

    factors = cap_factors(choices, None, RULES)

    assert factors[:100] == pytest.approx(0.1 * 95 / (0.9 * 100))
    assert factors[100:].tolist() == [1] * 95
    supplied = factors[:100].sum()
    assert supplied / (supplied + 95) == pytest.approx(0.1)


def test_with_many_voters_the_cap_is_five_per_cent() -> None:
    """From forty voters on twice the even share is less."""
    choices = votes_by([50] + [2] * 99)

    assert cap_factors(choices, None, RULES)[0] == pytest.approx(0.05 * 198 / (0.95 * 50))


@pytest.mark.parametrize("voters,capped_share", [(9, False), (10, True)])
def test_fewer_than_ten_voters_are_not_capped(voters: int, capped_share: bool) -> None:
    """A cap would leave too little."""
    factors = cap_factors(votes_by([100] + [1] * (voters - 1)), None, RULES)

    assert bool(factors[0] < 1) is capped_share


def test_a_vote_takes_the_smallest_factor_of_its_models() -> None:
    """A and B have twelve voters, C and D many more: the votes on A and B are lowered further."""
    loud = [(FOUR, 0)] * 50 + [(OTHERS, 2)]
    quiet = [(FOUR, 0)] * 11 + [(OTHERS, 2)] * 600
    clusters = [0] * 51 + list(range(1, 12)) + [1 + i % 100 for i in range(600)]
    choices = choices_of(6, [*loud, *quiet], clusters=clusters)

    factors = cap_factors(choices, None, RULES)

    c = 2 / 12
    assert factors[0] == pytest.approx(c * 11 / ((1 - c) * 50))
    assert factors[50] == pytest.approx(0.05 * 611 / (0.95 * 51))
    assert factors[0] < factors[50] < 1
    assert set(factors[51:].tolist()) == {1.0}


def test_an_address_is_capped_over_its_voters() -> None:
    """Ten quiet voters behind one address are held together; unknown addresses are not."""
    choices = votes_by([4] * 40)
    voter = choices.cluster
    address = np.where(voter < 10, 5, -1)

    factors = cap_factors(choices, address, RULES)

    c = 2 / 31  # one address, and thirty voters without one
    assert factors[voter < 10] == pytest.approx(c * 120 / ((1 - c) * 40))
    assert set(factors[voter >= 10].tolist()) == {1.0}


@pytest.mark.parametrize("addresses", [1, 9])
def test_few_addresses_cap_nobody(addresses: int) -> None:
    """An office whose voters share an address or nine keeps its whole evidence."""
    choices = votes_by([4] * 40)

    factors = cap_factors(choices, choices.cluster % addresses, RULES)

    assert set(factors.tolist()) == {1.0}


def test_votes_outside_the_fit_share_the_factor_but_do_not_count() -> None:
    """A way-out of a capped voter is lowered as well; it does not make the voter louder."""
    picks = [(FOUR, 0)] * 100 + [(FOUR, lobster.SAME)] * 30 + [(FOUR, 0)] * 95
    clusters = [0] * 130 + [1 + i % 19 for i in range(95)]
    choices = choices_of(6, picks, clusters=clusters)

    factors = cap_factors(choices, None, RULES)

    assert factors[:130] == pytest.approx(0.1 * 95 / (0.9 * 100))


def test_factors_are_applied_to_a_millionth() -> None:
    """Which votes were lowered is known, for the word `cap` beside them."""
    choices = votes_by([100] + [5] * 19)

    lowered, which = capped(choices, cap_factors(choices, None, RULES))

    assert lowered.weight[:100].tolist() == [105_556] * 100
    assert lowered.weight[100:].tolist() == [1_000_000] * 95
    assert which.tolist() == [True] * 100 + [False] * 95


@given(
    st.lists(
        st.tuples(st.permutations(range(6)), st.integers(0, 29), st.integers(0, 2_000_000)),
        min_size=1,
        max_size=90,
    )
)
def test_factors_by_definition(votes: list[tuple[list[int], int, int]]) -> None:
    """The rule with loops, for voters and addresses of two voters each."""
    choices = choices_of(
        6,
        [(tuple(shown[:4]), shown[0]) for shown, _, _ in votes],
        weights=[weight for _, _, weight in votes],
        clusters=[voter for _, voter, _ in votes],
    )

    factors = cap_factors(choices, choices.cluster // 2, RULES)

    for (shown, voter, _), factor in zip(votes, factors, strict=True):
        expected = 1.0
        for model in shown[:4]:
            on_model = [(v, w / 1e6) for s, v, w in votes if model in s[:4] and w > 0]
            total = sum(w for _, w in on_model)
            for share in (1, 2):  # voters of one supplier: alone, or two behind an address
                suppliers = len({v // share for v, _ in on_model})
                own = sum(w for v, w in on_model if v // share == voter // share)
                if suppliers >= 10 and own > 0:
                    c = max(0.05, 2 / suppliers)
                    expected = min(expected, c * (total - own) / ((1 - c) * own))
        assert factor == pytest.approx(expected, abs=1e-9)


def test_factors_of_addresses_alone() -> None:
    """With those of voters they are the factors of both."""
    choices = votes_by([100] + [4] * 39)
    address = np.where(choices.cluster < 10, 10**12 + choices.cluster % 2, -1)

    alone = address_factors(choices, address, RULES)

    both = cap_factors(choices, address, RULES)
    by_voter = cap_factors(choices, None, RULES)
    assert both.tolist() == np.minimum(alone, by_voter).tolist()
    assert set(alone[address < 0].tolist()) == {1.0}
    assert alone[0] < by_voter[0] < 1


def test_one_loud_voter_among_thousands_is_found() -> None:
    """Where nearly all are far below the cap, the one above it is still held to it."""
    choices = votes_by([300] + [1] * 3_000)

    factors = cap_factors(choices, None, RULES)

    assert factors[:300] == pytest.approx(0.05 * 3_000 / (0.95 * 300))
    assert set(factors[300:].tolist()) == {1.0}


def test_addresses_of_another_number_are_refused() -> None:
    """One label a vote."""
    with pytest.raises(lobster.WrongUseError, match="one label"):
        cap_factors(votes_by([1, 1]), np.array([1]), RULES)


def test_no_votes_no_factors() -> None:
    """An empty month."""
    assert cap_factors(choices_of(4, []), None, RULES).shape == (0,)
