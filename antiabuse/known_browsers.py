"""A mark left in a browser that has signed in to an account: it lifts one limit, proves nothing.

With it a moderator gets past the limit on a name's failures from anywhere, which strangers use up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from itsdangerous import BadSignature, Signer

from antiabuse.keys import checked_keys
from antiabuse.rules import current

_PURPOSE: Final = "antiabuse.known-browser"


def browser_mark(keys: Sequence[str], name: str) -> str:
    """Return the cookie's value for a browser that has signed in to the account `name`."""
    return _signer(keys).sign(_account_digest(name)).decode()


def is_known(keys: Sequence[str], mark: str, name: str) -> bool:
    """Tell whether a cookie was given to a browser that has signed in to the account `name`."""
    if len(mark) > current().token_characters or not mark.isascii():
        return False
    try:
        return _signer(keys).unsign(mark).decode() == _account_digest(name)
    except BadSignature:
        return False


def _account_digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _signer(keys: Sequence[str]) -> Signer:
    return Signer(
        checked_keys(keys), salt=_PURPOSE, key_derivation="hmac", digest_method=hashlib.sha256
    )
