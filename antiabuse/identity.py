"""Voter cookies, ballot tokens and the pseudonyms of a month (V-110, V-111, V-130, X-006).

Signed, not encrypted: whoever holds a cookie or token can read it. That a token is used once is
for the ballot's row to say.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from itsdangerous import BadSignature, Signer
from itsdangerous.encoding import base64_decode, base64_encode

from antiabuse.errors import BadIdentity, BadToken
from antiabuse.keys import checked_keys, derived_key, keyed_digest
from antiabuse.rules import current

VOTER_ID_BITS: Final = 128

_VOTER_ID: Final = re.compile(r"[0-9a-f]{32}")
_TOKEN: Final = re.compile(r"([A-Za-z0-9_-]{1,64})\.([0-9a-f]{32})\.(0|[1-9][0-9]{0,18})")
_SEPARATOR: Final = "."


def new_voter_id(rng: random.Random) -> str:
    """Return 128 random bits as 32 hexadecimal digits; `random.SystemRandom` in production."""
    return f"{rng.getrandbits(VOTER_ID_BITS):032x}"


@dataclass(frozen=True, slots=True)
class BallotToken:
    """What a ballot token says: which ballot was handed to which voter, and when (microseconds)."""

    ballot: str
    voter: str
    issued_us: int


class VoterCookies:
    """Voter ids in and out of signed cookies; keys oldest first, the last one signs."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._signer = _signer(keys, "antiabuse.voter-cookie")

    def issue(self, voter_id: str) -> str:
        """Return the cookie's value for a voter.

        Raises:
            ValueError: the id is not 32 lower-case hexadecimal digits.
        """
        if not _VOTER_ID.fullmatch(voter_id):
            raise ValueError("a voter id is 32 lower-case hexadecimal digits")
        return self._signer.sign(voter_id).decode()

    def read(self, cookie: str) -> str:
        """Return the voter id of a cookie.

        Raises:
            BadIdentity: forged, altered, signed with a dropped key, or no cookie of ours at all.
        """
        voter_id = _verified(self._signer, cookie)
        if voter_id is None or not _VOTER_ID.fullmatch(voter_id):
            raise BadIdentity("the voter cookie was not issued by this server")
        return voter_id


class BallotTokens:
    """The signed tokens that bind a ballot to its voter; keys oldest first, the last one signs."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._signer = _signer(keys, "antiabuse.ballot-token")

    def sign(self, ballot_id: str, voter_id: str, now_us: int) -> str:
        """Return the token that goes into the ballot's forms.

        Args:
            ballot_id: up to 64 letters, digits, `-` or `_`; readable, so it must tell nothing.
            voter_id: the voter the ballot was issued to.
            now_us: time of sending, microseconds UTC.

        Raises:
            ValueError: an id of another form, or a negative time.
        """
        value = _SEPARATOR.join((ballot_id, voter_id, str(now_us)))
        if not _TOKEN.fullmatch(value):
            raise ValueError("a ballot token needs a plain ballot id, a voter id and a time")
        return self._signer.sign(value).decode()

    def read(self, token: str) -> BallotToken:
        """Return what a token says; whose it is and whether it is still open is not checked here.

        Raises:
            BadToken: missing, malformed, altered, or signed with a key that is not listed.
        """
        value = _verified(self._signer, token)
        parts = None if value is None else _TOKEN.fullmatch(value)
        if parts is None:
            raise BadToken("the ballot token was not signed by this server")
        ballot, voter, issued_us = parts.groups()
        return BallotToken(ballot, voter, int(issued_us))


def pseudonym(keys: Sequence[str], month: str, voter_id: str) -> str:
    """Return the voter's name in one month's public files; it alone joins nothing across months.

    A vote after midnight on a ballot of the month before does: both events name the ballot, each
    with the voter's name of its own month.

    Args:
        keys: oldest first; the oldest is used, see `antiabuse.keys`.
        month: `2026-11`.
        voter_id: from the cookie.
    """
    key = derived_key(keys, f"antiabuse.pseudonym:{month}")
    return keyed_digest(key, voter_id).hex()[: current().pseudonym_characters]


def _signer(keys: Sequence[str], purpose: str) -> Signer:
    return Signer(
        checked_keys(keys),
        salt=purpose,
        sep=_SEPARATOR,
        key_derivation="hmac",
        digest_method=hashlib.sha256,
    )


def _verified(signer: Signer, signed: str) -> str | None:
    """Return the signed value; None unless it is, byte for byte, what this server has made."""
    if len(signed) > current().token_characters or not signed.isascii():
        return None
    try:
        value = signer.unsign(signed).decode()
        signature = signed.rpartition(_SEPARATOR)[2].encode()
        # Base64 readers skip foreign characters and spare bits, so several texts have one meaning.
        exact = base64_encode(base64_decode(signature)) == signature
    except BadSignature:
        return None
    return value if exact else None
