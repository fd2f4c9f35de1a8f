"""Weights beyond the table W-1: what browsers send, what could not be measured, and anomalies."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiabuse.rules import current
from antiabuse.sincerity import (
    ANOMALIES,
    ClientValues,
    Sincerity,
    WeightReason,
    read_client_values,
    weigh,
)

RULES = current()
SECOND = 1_000_000
ABSENT = ClientValues(None, None)
texts = st.none() | st.text(max_size=50)
numbers = st.floats(-1e3, 1e6).map(repr) | st.decimals(-2, 2, places=4).map(str)
server_dwells = st.none() | st.integers(-SECOND, 90_000 * SECOND)
anomaly_sets = st.sets(st.sampled_from(sorted(ANOMALIES)))


def best_for(server_us: int | None) -> Sincerity:
    """Return what the most attentive browser gets for this server time."""
    return weigh(ClientValues(Decimal(86_400), Decimal(1)), server_us, (), RULES)


@pytest.mark.parametrize(
    "dwell_ms, scroll",
    [
        ("-1", "1"),
        ("NaN", "1"),
        ("Infinity", "1"),
        ("-inf", "1"),
        ("abc", "1"),
        ("1,5", "1"),
        ("0x10", "1"),
        ("1_000", "1"),
        (" 5000", "1"),
        ("٥٠٠٠", "1"),
        ("1e9999", "1"),
        ("9" * 41, "1"),
        ("5000\n", "1"),
        ("5000", "1.0001"),
        ("5000", "-0.1"),
        ("5000", "nan"),
        ("5000", ""),
        ("5000", None),
        ("", "1"),
        (None, "0"),
    ],
)
def test_bad_client_values_weigh_nothing(dwell_ms: str | None, scroll: str | None) -> None:
    """Values that are no measurement make the weight 0, however long the server saw the ballot."""
    client = read_client_values(dwell_ms, scroll, RULES)
    sincerity = weigh(client, 60 * SECOND, (), RULES)

    assert client.bad
    assert sincerity.weight == 0
    assert sincerity.reasons == (WeightReason.BAD_CLIENT_VALUE,)


@pytest.mark.parametrize(
    "dwell_ms, scroll, dwell_s, share",
    [
        ("5000", "1", "5", "1"),
        ("5000.0000000000055", "0.3333333333333333", "5", "0.3333333333333333"),
        ("12345.6789999", "1e-7", "12.345678", "0.0000001"),
        ("1e+21", "0", "86400", "0"),
        ("0", "0.5", "0", "0.5"),
        ("-0", "-0", "0", "0"),
    ],
)
def test_numbers_as_browsers_print_them_are_read(
    dwell_ms: str, scroll: str, dwell_s: str, share: str
) -> None:
    """Fractions and exponents are read, cut to microseconds and to the life of a ballot."""
    client = read_client_values(dwell_ms, scroll, RULES)

    assert client == ClientValues(Decimal(dwell_s), Decimal(share))
    assert str(client.dwell_s) == dwell_s


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_plain_form_is_weighed_by_the_server_alone(nothing: str | None) -> None:
    """Without client values the server's dwell holds and half the scroll factor."""
    client = read_client_values(nothing, nothing, RULES)
    sincerity = weigh(client, 6 * SECOND, (), RULES)

    assert client == ABSENT
    assert (sincerity.dwell_s, sincerity.weight) == (Decimal(6), Decimal("0.25"))
    assert sincerity.reasons == (WeightReason.SCROLL_UNKNOWN,)


@pytest.mark.parametrize("server_us", [-1, None])
def test_a_clock_set_back_leaves_the_clients_dwell(server_us: int | None) -> None:
    """An unknown server time is a reason of its own, and the client's dwell is used."""
    sincerity = weigh(ClientValues(Decimal(4), Decimal(1)), server_us, (), RULES)

    assert (sincerity.dwell_s, sincerity.weight) == (Decimal(4), Decimal("0.25"))
    assert sincerity.reasons == (WeightReason.CLOCK,)


def test_a_vote_in_the_same_instant_is_too_fast() -> None:
    """A server time of exactly 0 is known, and no claim of the client makes up for it."""
    sincerity = weigh(ClientValues(Decimal(60), Decimal(1)), 0, (), RULES)

    assert sincerity.weight == 0
    assert sincerity.reasons == (WeightReason.TOO_FAST,)


def test_a_weight_lost_in_rounding_is_called_too_fast() -> None:
    """When both factors are above 0 and their product rounds to 0, the voter is told why."""
    sincerity = weigh(ABSENT, 2_000_008, (), RULES)

    assert str(sincerity.dwell_weight) == "0.000001"
    assert sincerity.weight == 0
    assert WeightReason.TOO_FAST in sincerity.reasons


def test_no_clock_at_all_costs_the_voter_no_dwell() -> None:
    """When neither side knows the time, the check could not run and only the scroll counts."""
    sincerity = weigh(ABSENT, -5, (), RULES)

    assert sincerity.dwell_s is None
    assert sincerity.dwell_weight == 1
    assert sincerity.weight == Decimal("0.5")
    assert sincerity.reasons == (WeightReason.CLOCK, WeightReason.SCROLL_UNKNOWN)


@pytest.mark.parametrize("anomaly", sorted(ANOMALIES))
def test_each_anomaly_makes_the_weight_zero(anomaly: WeightReason) -> None:
    """An anomaly outweighs perfect reading, and is named."""
    sincerity = weigh(ClientValues(Decimal(60), Decimal(1)), 60 * SECOND, [anomaly], RULES)

    assert sincerity.anomaly_factor == sincerity.weight == 0
    assert sincerity.reasons == (anomaly,)


@pytest.mark.parametrize("reason", sorted(set(WeightReason) - ANOMALIES))
def test_a_measured_reason_is_no_anomaly(reason: WeightReason) -> None:
    """Reasons that the weighing finds itself cannot be handed in."""
    with pytest.raises(ValueError, match=reason.value):
        weigh(ABSENT, SECOND, [reason], RULES)


def test_all_reasons_are_named_in_a_fixed_order() -> None:
    """A vote with several faults lists them all, as the set of reasons orders them."""
    client = ClientValues(Decimal(1), Decimal(0))
    found = [WeightReason.STALE_ANSWER, WeightReason.SEEN_ANSWER]

    assert weigh(client, 5 * SECOND, found, RULES).reasons == (
        WeightReason.TOO_FAST,
        WeightReason.NO_SCROLL,
        WeightReason.SEEN_ANSWER,
        WeightReason.STALE_ANSWER,
    )


@pytest.mark.parametrize(
    "server_us, weight",
    [(2_000_004, "0"), (2_000_012, "0.000002"), (2_000_020, "0.000002"), (2_000_028, "0.000004")],
)
def test_weights_are_rounded_half_to_even(server_us: int, weight: str) -> None:
    """Halves of the sixth digit go to the even neighbour, and a weight rounded to 0 is too fast."""
    sincerity = weigh(ClientValues(Decimal(60), Decimal(1)), server_us, (), RULES)

    assert str(sincerity.weight) == weight
    assert (WeightReason.TOO_FAST in sincerity.reasons) == (weight == "0")


@pytest.mark.parametrize(
    "values",
    [
        (Decimal(1), None, False),
        (None, Decimal(1), False),
        (Decimal(1), Decimal(1), True),
        (Decimal(-1), Decimal(1), False),
        (Decimal("NaN"), Decimal(1), False),
        (Decimal(1), Decimal("1.1"), False),
        (Decimal(1), Decimal("NaN"), False),
    ],
)
def test_client_values_hold_only_measurements(
    values: tuple[Decimal | None, Decimal | None, bool],
) -> None:
    """Half a measurement, or one out of range, cannot be built."""
    with pytest.raises(ValueError, match=r"dwell|scroll|client values"):
        ClientValues(*values)


@given(texts | numbers, texts | numbers, server_dwells, anomaly_sets)
def test_whatever_a_client_sends_it_never_raises_the_weight(
    dwell_ms: str | None, scroll: str | None, server_us: int | None, found: set[WeightReason]
) -> None:
    """Any text gives a weight from 0 to what the server's own time allows, and no error."""
    client = read_client_values(dwell_ms, scroll, RULES)
    sincerity = weigh(client, server_us, found, RULES)

    assert 0 <= sincerity.weight <= best_for(server_us).weight <= 1
    assert sincerity.weight == 0 if found else True


@given(
    st.decimals(0, 700, places=6),
    st.decimals(0, 700, places=6),
    st.decimals(0, 1, places=4),
    st.decimals(0, 1, places=4),
    st.integers(0, 700 * SECOND),
)
def test_claiming_less_never_weighs_more(
    dwell: Decimal, other: Decimal, scroll: Decimal, share: Decimal, server_us: int
) -> None:
    """The weight grows with both claims, and with neither beyond the server's time."""
    more = ClientValues(max(dwell, other), max(scroll, share))
    less = ClientValues(min(dwell, other), min(scroll, share))

    assert (
        weigh(less, server_us, (), RULES).weight
        <= weigh(more, server_us, (), RULES).weight
        <= best_for(server_us).weight
    )


@given(texts | numbers, texts | numbers, server_dwells, anomaly_sets)
def test_a_weight_can_be_recomputed_from_its_parts(
    dwell_ms: str | None, scroll: str | None, server_us: int | None, found: set[WeightReason]
) -> None:
    """The weight is the product of the three parts at six digits, and a 0 has a reason."""
    made = weigh(read_client_values(dwell_ms, scroll, RULES), server_us, found, RULES)
    product = made.dwell_weight * made.scroll_factor * made.anomaly_factor

    assert made.weight == round(product, 6)
    assert made.counts or made.reasons
    for part in (made.dwell_weight, made.scroll_factor, made.anomaly_factor, made.weight):
        assert "E" not in str(part)
        assert len(str(part).partition(".")[2]) <= 6
