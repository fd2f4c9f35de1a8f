"""Secret keys of this room: a list, oldest first; the last one signs, all of them verify.

Pseudonyms use the first one as long as it is listed, so that adding a key changes none of them in
the middle of a month; dropping the first does. Addresses and devices have `digest_keys` instead.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence


def checked_keys(keys: Sequence[str]) -> list[str]:
    """Return the keys as a list.

    Raises:
        ValueError: no key, or an empty one.
    """
    if isinstance(keys, str) or not keys or not all(keys):
        raise ValueError("a list of at least one secret key is needed, and none may be empty")
    return list(keys)


def derived_key(keys: Sequence[str], purpose: str) -> bytes:
    """Return the key of one purpose (and day or month), 32 bytes, from the oldest key."""
    return keyed_digest(checked_keys(keys)[0].encode(), purpose)


def keyed_digest(key: bytes, text: str) -> bytes:
    """Return HMAC-SHA-256 of the text (RFC 2104), 32 bytes."""
    return hmac.digest(key, text.encode(), hashlib.sha256)
