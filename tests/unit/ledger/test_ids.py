"""Ids are valid UUIDs, sortable or silent as their version says, and come from the given rng."""

from __future__ import annotations

import random
import uuid

from ledger.ids import token, uuid4, uuid7

NOW_US = 1_796_000_000_123_456


def test_uuid7_tells_its_millisecond() -> None:
    """The first 48 bits are the milliseconds, and version and variant are set."""
    made = uuid.UUID(uuid7(NOW_US, random.Random(1)))
    assert made.int >> 80 == NOW_US // 1_000
    assert (made.version, made.variant) == (7, uuid.RFC_4122)


def test_uuid4_is_random() -> None:
    """Version and variant are set, and two draws differ."""
    rng = random.Random(1)
    first, second = uuid4(rng), uuid4(rng)
    assert uuid.UUID(first).version == 4
    assert uuid.UUID(first).variant == uuid.RFC_4122
    assert first != second


def test_ids_can_be_replayed() -> None:
    """The same rng and clock give the same ids."""
    assert uuid7(NOW_US, random.Random(5)) == uuid7(NOW_US, random.Random(5))
    assert uuid4(random.Random(5)) == uuid4(random.Random(5))


def test_token_is_safe_in_addresses() -> None:
    """Sixteen bytes become 22 characters that need no escaping."""
    made = token(random.Random(1))
    assert len(made) == 22
    assert made.replace("-", "").replace("_", "").isalnum()
