"""Canonical JSON and salted digests: the exact bytes that everything hashed is hashed over."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping

from ledger.errors import NotCanonical

__all__ = ["canonical", "digest"]

# Larger integers lose digits in readers that keep numbers as doubles (RFC 7493, section 2.2).
LARGEST_INTEGER = 2**53 - 1

_encode = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


def canonical(value: object) -> bytes:
    """Return the one JSON form of a value: sorted keys, no spaces, UTF-8, texts in NFC.

    Args:
        value: None, booleans, integers, texts, and lists and text-keyed mappings of these.

    Raises:
        NotCanonical: on a float (write a decimal string), an integer beyond 2^53 - 1, a key
            that is no text or comes twice after normalising, a lone surrogate, another type.
    """
    try:
        return _encode(_normal(value)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotCanonical("a text holds a lone surrogate, which UTF-8 cannot write") from error


def digest(salt: bytes, part: bytes) -> str:
    """Return SHA-256(salt ‖ part) in hex, which binds to the part and tells nothing of it."""
    return hashlib.sha256(salt + part).hexdigest()


def _normal(value: object) -> object:
    match value:
        case None | bool():
            return value
        case str():
            return unicodedata.normalize("NFC", value)
        case int():
            if abs(value) > LARGEST_INTEGER:
                raise NotCanonical(f"{value} is beyond 2^53 - 1: write it as a decimal string")
            return value
        case Mapping():
            return _normal_mapping(value)
        case list() | tuple():
            return [_normal(item) for item in value]
        case float():
            raise NotCanonical(f"{value!r} is a binary float: write it as a decimal string")
        case _:
            raise NotCanonical(f"{type(value).__name__} has no canonical JSON form")


def _normal_mapping(value: Mapping[object, object]) -> dict[str, object]:
    normal: dict[str, object] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise NotCanonical(f"the key {key!r} is no text")
        name = unicodedata.normalize("NFC", key)
        if name in normal:
            raise NotCanonical(f"the key {name!r} comes twice after normalising")
        normal[name] = _normal(item)
    return normal
