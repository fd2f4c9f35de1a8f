"""One-time codes: the values of the RFC, the window, and what is no code at all."""

from __future__ import annotations

import random

import pytest

from antiabuse import totp
from antiabuse.utc import SECOND_US

RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"  # "12345678901234567890" in Base32
STEP_US = totp.STEP_S * SECOND_US
# RFC 6238, appendix B, SHA-1; six digits are the last six of its eight.
VECTORS = [
    (59, "287082"),
    (1_111_111_109, "081804"),
    (1_111_111_111, "050471"),
    (1_234_567_890, "005924"),
    (2_000_000_000, "279037"),
    (20_000_000_000, "353130"),
]


@pytest.mark.parametrize("seconds,code", VECTORS)
def test_codes_are_those_of_the_rfc(seconds: int, code: str) -> None:
    """At each moment of the RFC's table the code is the one printed there."""
    assert totp.code_at(RFC_SECRET, seconds * SECOND_US) == code
    assert totp.matching_step(RFC_SECRET, code, seconds * SECOND_US) == seconds // 30


@pytest.mark.parametrize(
    "steps,accepted", [(-2, False), (-1, True), (0, True), (1, True), (2, False)]
)
def test_one_step_before_and_after_is_accepted(steps: int, accepted: bool) -> None:
    """A code holds in its own step and the neighbouring ones only."""
    now_us = 1_111_111_111 * SECOND_US
    code = totp.code_at(RFC_SECRET, now_us + steps * STEP_US)

    found = totp.matching_step(RFC_SECRET, code, now_us)

    assert (found == now_us // STEP_US + steps) is accepted
    assert (found is None) is not accepted


@pytest.mark.parametrize("typed", ["", "28708", "2870822", "28708x", "２８７０８２", "-87082"])
def test_other_texts_are_no_codes(typed: str) -> None:
    """Only six ASCII digits are compared at all."""
    assert totp.matching_step(RFC_SECRET, typed, 59 * SECOND_US) is None


def test_spaces_in_a_code_are_passed_over() -> None:
    """Authenticators show codes in two groups."""
    assert totp.matching_step(RFC_SECRET, " 287 082", 59 * SECOND_US) == 1


def test_new_secrets_have_160_bits_and_their_own_form() -> None:
    """A secret is 32 Base32 characters, and another one each time."""
    rng = random.Random(3)
    first, second = totp.new_secret(rng), totp.new_secret(rng)

    assert totp.is_secret(first)
    assert first != second
    assert not totp.is_secret(first.lower())
    assert not totp.is_secret(first[:-1])


def test_the_address_for_authenticators_names_account_and_arena() -> None:
    """The address holds issuer, name and secret as authenticators read them."""
    uri = totp.provisioning_uri(RFC_SECRET, "rosa", "Evidence Arena")

    assert uri.startswith("otpauth://totp/Evidence%20Arena:rosa?")
    assert f"secret={RFC_SECRET}" in uri
    assert "issuer=Evidence%20Arena" in uri
