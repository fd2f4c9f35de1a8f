"""An event keeps to the log's rules, and its leaf tells digests only."""

from __future__ import annotations

import json
import random

import pytest

from ledger.errors import EntryTooLarge, InvalidEvent
from ledger.event import MAX_ENTRY_BYTES, Disclosure, NewEvent, leaf_of
from ledger.ids import uuid4, uuid7

RNG = random.Random(3)


def made(**changes: object) -> NewEvent:
    """Return a valid event with some fields changed."""
    fields: dict[str, object] = {
        "id": uuid4(RNG),
        "kind": "vote.cast",
        "version": 1,
        "stream": "arena/speed/2026-11",
        "ruleset": "arena.2026.1",
        "body": {},
        "disclosure": Disclosure.ARCHIVE,
    }
    return NewEvent(**(fields | changes))  # type: ignore[arg-type]


def leaf(kind: str) -> bytes:
    """Return the leaf of an event of the given kind."""
    return leaf_of(
        id="i", kind=kind, version=1, stream="s", ruleset="r", body_sha256="b", private_sha256=None
    )


@pytest.mark.parametrize(
    "changes",
    [{"id": "short"}, {"version": 0}, {"kind": ""}, {"stream": ""}, {"ruleset": ""}],
    ids=str,
)
def test_malformed_events_are_refused(changes: dict[str, object]) -> None:
    """A wrong id, version or an empty name raises before anything is stored."""
    with pytest.raises(InvalidEvent):
        made(**changes)


def test_shuffled_event_needs_a_random_id() -> None:
    """An id that tells its millisecond would undo the shuffle."""
    with pytest.raises(InvalidEvent):
        made(id=uuid7(1_796_000_000_000_000, RNG), shuffled=True)
    assert made(shuffled=True).shuffled


def test_leaf_holds_head_and_digests() -> None:
    """The leaf is canonical JSON of the seven fields."""
    assert list(json.loads(leaf("k"))) == [
        "body_sha256",
        "id",
        "kind",
        "private_sha256",
        "ruleset",
        "stream",
        "version",
    ]


def test_entry_fits_two_bytes_of_length() -> None:
    """An entry of 65,535 bytes passes, one byte more is refused."""
    spare = MAX_ENTRY_BYTES - len(leaf(""))
    assert len(leaf("k" * spare)) == MAX_ENTRY_BYTES
    with pytest.raises(EntryTooLarge):
        leaf("k" * (spare + 1))
