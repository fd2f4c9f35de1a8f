"""An event before and after it is stored, and the log entry ("leaf") made of it.

A leaf holds the digests of an event's parts and not the parts, so the log proves without telling.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ledger.canonical import canonical
from ledger.errors import EntryTooLarge, InvalidEvent

__all__ = ["MAX_ENTRY_BYTES", "SALT_BYTES", "Disclosure", "NewEvent", "StoredEvent", "leaf_of"]

SALT_BYTES: Final = 32
"""Fixed, so that the border between salt and part cannot be moved."""

MAX_ENTRY_BYTES: Final = 65_535
"""An entry bundle writes each entry's length in two bytes (C2SP tlog-tiles)."""

UUID_LENGTH: Final = 36
UUID_VERSION_AT: Final = 14


class Disclosure(StrEnum):
    """When an event's body becomes public; its leaf is public once it is sequenced."""

    AT_ONCE = "at_once"
    PUBLICATION = "publication"
    SETTLEMENT = "settlement"
    ARCHIVE = "archive"
    RETIREMENT = "retirement"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """Something that happened, ready for the log.

    Attributes:
        id: a UUID in text; version 4 when shuffled, for a version 7 tells its millisecond.
        kind: what happened, such as "vote.cast".
        version: the version of this kind's body, from 1.
        stream: what it belongs to, such as "arena/speed/2026-11".
        ruleset: the rulebook it was made under, such as "arena.2026.1".
        body: what becomes public at its time of disclosure; see `canonical` for what it may hold.
        private: what only moderators see, erased after the retention period; None for none. Its
            field `voter`, where there is one, says whom it is about.
        disclosure: when the body becomes public.
        shuffled: sequenced in the batch of its minute in random order, else within a second.
    """

    id: str
    kind: str
    version: int
    stream: str
    ruleset: str
    body: Mapping[str, object]
    private: Mapping[str, object] | None = None
    disclosure: Disclosure
    shuffled: bool = False

    def __post_init__(self) -> None:
        if len(self.id) != UUID_LENGTH:
            raise InvalidEvent(f"the event id {self.id!r} is no UUID")
        if self.shuffled and self.id[UUID_VERSION_AT] != "4":
            raise InvalidEvent("a shuffled event needs a random id (UUID version 4)")
        if self.version < 1:
            raise InvalidEvent(f"the version of {self.kind} must be 1 or more")
        if not (self.kind and self.stream and self.ruleset):
            raise InvalidEvent("kind, stream and ruleset must not be empty")

    @property
    def subject(self) -> str | None:
        """Whom the private part is about; None where it is about nobody known."""
        voter = None if self.private is None else self.private.get("voter")
        return None if voter is None else str(voter)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An event as the database holds it, without its private part.

    Attributes:
        seq: its place in true order; internal, never published.
        body_text: the body's canonical JSON, exactly as hashed.
        body_salt: the body's salt in hex.
        body_sha256: SHA-256(salt ‖ body) in hex.
        private_sha256: the same of the private part with its own salt; None without one.
    """

    seq: int
    id: str
    kind: str
    version: int
    stream: str
    ruleset: str
    disclosure: Disclosure
    shuffled: bool
    body_text: str
    body_salt: str
    body_sha256: str
    private_sha256: str | None

    @property
    def body(self) -> dict[str, Any]:
        """The body as stored (texts in NFC); read models are written from this, not from input."""
        parsed: dict[str, Any] = json.loads(self.body_text)
        return parsed

    @property
    def leaf(self) -> bytes:
        """The event's log entry: canonical JSON over its head and its digests."""
        return leaf_of(
            id=self.id,
            kind=self.kind,
            version=self.version,
            stream=self.stream,
            ruleset=self.ruleset,
            body_sha256=self.body_sha256,
            private_sha256=self.private_sha256,
        )


def leaf_of(
    *,
    id: str,  # noqa: A002 - the field's name in the entry
    kind: str,
    version: int,
    stream: str,
    ruleset: str,
    body_sha256: str,
    private_sha256: str | None,
) -> bytes:
    """Return the log entry for an event's head and digests.

    Raises:
        EntryTooLarge: when it does not fit `MAX_ENTRY_BYTES`.
    """
    leaf = canonical(
        {
            "id": id,
            "kind": kind,
            "version": version,
            "stream": stream,
            "ruleset": ruleset,
            "body_sha256": body_sha256,
            "private_sha256": private_sha256,
        }
    )
    if len(leaf) > MAX_ENTRY_BYTES:
        raise EntryTooLarge(f"the entry of {kind} has {len(leaf)} bytes, over {MAX_ENTRY_BYTES}")
    return leaf
