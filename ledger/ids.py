"""Ids and the clock's type. Pure: time and randomness are handed in."""

from __future__ import annotations

import base64
import random
import uuid
from collections.abc import Callable

__all__ = ["Clock", "token", "uuid4", "uuid7"]

Clock = Callable[[], int]
"""Microseconds since 1970-01-01 00:00 UTC."""

MICROSECONDS_PER_MILLISECOND = 1_000


def uuid7(now_us: int, rng: random.Random) -> str:
    """Return a version 7 UUID (RFC 9562, section 5.7): it tells its millisecond.

    Args:
        now_us: microseconds since the epoch, UTC.
        rng: where the random bits come from; `random.SystemRandom` in production.
    """
    return _stamped(now_us // MICROSECONDS_PER_MILLISECOND << 80 | rng.getrandbits(80), version=7)


def uuid4(rng: random.Random) -> str:
    """Return a version 4 UUID (RFC 9562, section 5.4): it tells nothing."""
    return _stamped(rng.getrandbits(128), version=4)


def token(rng: random.Random, bytes: int = 16) -> str:  # noqa: A002 - the unit is the name
    """Return random text that is safe in an address, made of so many random bytes."""
    return base64.urlsafe_b64encode(rng.randbytes(bytes)).rstrip(b"=").decode("ascii")


def _stamped(bits: int, *, version: int) -> str:
    # uuid.UUID sets the version and variant bits but knows versions 1 to 5 only in Python 3.11.
    bits = bits & ~(0xF << 76) & ~(0b11 << 62) | version << 76 | 0b10 << 62
    return str(uuid.UUID(int=bits))
