"""Cookies, tokens and pseudonyms: only what this server signed is read, byte for byte."""

from __future__ import annotations

import hashlib
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import Signer

from antiabuse.errors import BadIdentity, BadToken
from antiabuse.identity import BallotToken, BallotTokens, VoterCookies, new_voter_id, pseudonym

OLD, NEW = "the old key", "the new key"
VOTER = new_voter_id(random.Random(7))
OTHER = new_voter_id(random.Random(8))
BALLOT = "7f1b6c0e-8d1f-4c55-9d3a-2f60a1f7a111"
NOW = 1_796_000_000_000_000
COOKIES = VoterCookies([OLD])
TOKENS = BallotTokens([OLD])
COOKIE = COOKIES.issue(VOTER)
TOKEN = TOKENS.sign(BALLOT, VOTER, NOW)
PRINTABLE = [chr(code) for code in range(0x20, 0x7F)]


def altered(text: str) -> list[str]:
    """Return every text that differs by one changed, missing or added character."""
    return [
        text[:place] + new + text[place + cut :]
        for place in range(len(text) + 1)
        for new in ("", *PRINTABLE)
        for cut in (0, 1)
        if text[:place] + new + text[place + cut :] != text
    ]


def test_a_voter_id_is_128_random_bits() -> None:
    """Ids are 32 hexadecimal digits from the given source, and differ."""
    assert re.fullmatch("[0-9a-f]{32}", VOTER)
    assert new_voter_id(random.Random(7)) == VOTER != OTHER


def test_a_cookie_gives_back_its_voter() -> None:
    """What was issued is read, and is plain ASCII fit for a cookie."""
    assert COOKIES.read(COOKIE) == VOTER
    assert re.fullmatch(r"[A-Za-z0-9._-]+", COOKIE)


def test_a_token_gives_back_ballot_voter_and_time() -> None:
    """What was signed is read."""
    assert TOKENS.read(TOKEN) == BallotToken(BALLOT, VOTER, NOW)


def test_a_cookie_altered_in_any_byte_is_refused() -> None:
    """No single changed, added or lost character leaves a cookie good, spare bits included."""
    for cookie in altered(COOKIE):
        with pytest.raises(BadIdentity):
            COOKIES.read(cookie)


def test_a_token_altered_in_any_byte_is_refused() -> None:
    """No single changed, added or lost character leaves a token good, spare bits included."""
    for token in altered(TOKEN):
        with pytest.raises(BadToken):
            TOKENS.read(token)


@given(st.text(max_size=300) | st.binary(max_size=300).map(lambda raw: raw.decode("latin-1")))
def test_any_other_text_is_refused_with_the_right_error(text: str) -> None:
    """Random input, of any script and length, is a bad token and a bad cookie and nothing else."""
    with pytest.raises(BadToken):
        TOKENS.read(text)
    with pytest.raises(BadIdentity):
        COOKIES.read(text)


@pytest.mark.parametrize(
    "text", ["", ".", "..", "\ud800", "\x00", TOKEN + "é", TOKEN * 10, "." * 257, COOKIE, VOTER]
)
def test_malformed_tokens_are_refused(text: str) -> None:
    """Empty, over-long, non-ASCII and foreign texts are bad tokens, never another error."""
    with pytest.raises(BadToken):
        TOKENS.read(text)


@pytest.mark.parametrize("text", [TOKEN, VOTER, f"{OTHER}.{COOKIE.partition('.')[2]}"])
def test_a_signature_holds_for_its_purpose_and_voter_only(text: str) -> None:
    """Neither a ballot token nor another voter's signature makes an identity."""
    with pytest.raises(BadIdentity):
        COOKIES.read(text)


def test_each_purpose_signs_with_a_salt_of_its_own() -> None:
    """A token's text under the cookies' signature is refused, though the key is the same."""
    cookie_signer = Signer(
        [OLD], salt="antiabuse.voter-cookie", key_derivation="hmac", digest_method=hashlib.sha256
    )
    assert cookie_signer.sign(VOTER).decode() == COOKIE

    with pytest.raises(BadToken):
        TOKENS.read(cookie_signer.sign(TOKEN.rpartition(".")[0]).decode())


def test_keys_rotate_without_losing_voters() -> None:
    """A new key keeps old cookies good; the old key alone refuses new ones; dropping ends them."""
    both, new = VoterCookies([OLD, NEW]), VoterCookies([NEW])

    assert both.read(COOKIE) == VOTER
    assert new.read(both.issue(VOTER)) == VOTER
    with pytest.raises(BadIdentity):
        COOKIES.read(both.issue(VOTER))
    with pytest.raises(BadIdentity):
        new.read(COOKIE)


def test_tokens_rotate_in_the_same_way() -> None:
    """An open ballot survives a new key, and not the dropping of its own."""
    assert BallotTokens([OLD, NEW]).read(TOKEN).ballot == BALLOT
    with pytest.raises(BadToken):
        BallotTokens([NEW]).read(TOKEN)


@pytest.mark.parametrize("keys", [[], [""], [OLD, ""], OLD])
def test_missing_keys_are_refused(keys: list[str]) -> None:
    """Nothing is ever signed with no key, an empty one, or a text taken for a list."""
    with pytest.raises(ValueError, match="secret key"):
        VoterCookies(keys)


@pytest.mark.parametrize("voter", ["", "0" * 31, "0" * 33, "G" * 32, "A" * 32, VOTER + "\n"])
def test_only_voter_ids_are_signed(voter: str) -> None:
    """A text that is no voter id is neither issued nor bound to a ballot."""
    with pytest.raises(ValueError, match="voter id"):
        COOKIES.issue(voter)
    with pytest.raises(ValueError, match="voter id"):
        TOKENS.sign(BALLOT, voter, NOW)


@pytest.mark.parametrize("ballot, now", [("", 0), ("a.b", 0), ("é", 0), ("a" * 65, 0), ("a", -1)])
def test_only_plain_ballots_and_times_are_signed(ballot: str, now: int) -> None:
    """What the token could not give back is not signed."""
    with pytest.raises(ValueError, match="plain ballot id"):
        TOKENS.sign(ballot, VOTER, now)


def test_a_pseudonym_lasts_a_month_and_joins_nothing() -> None:
    """The same voter keeps its name within a month, and gets another in the next or elsewhere."""
    name = pseudonym([OLD], "2026-11", VOTER)

    assert re.fullmatch("[0-9a-f]{32}", name)
    assert name == pseudonym([OLD], "2026-11", VOTER)
    assert name == pseudonym([OLD, NEW], "2026-11", VOTER)
    assert name not in {
        VOTER,
        pseudonym([OLD], "2026-12", VOTER),
        pseudonym([OLD], "2026-11", OTHER),
        pseudonym([NEW], "2026-11", VOTER),
    }
