"""Checkpoints (C2SP tlog-checkpoint) and tlog-proof files, as text. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ledger.canonical import canonical
from ledger.errors import InvalidNote
from ledger.event import StoredEvent
from ledger.merkle import HASH_BYTES

__all__ = ["Checkpoint", "Head", "SignedCheckpoint", "parse_checkpoint", "proof_file"]

PROOF_VERSION: Final = "c2sp.org/tlog-proof@v1"
LINES: Final = 3
DECIMAL: Final = re.compile(r"0|[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a checkpoint commits to.

    Attributes:
        origin: the log's name, its address without a scheme.
        size: number of leaves.
        root: the Merkle root, 32 bytes.
    """

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode('ascii')}\n"


@dataclass(frozen=True, slots=True)
class Head:
    """The tree as sequenced; `signed_us` is the time of the last checkpoint, None before it."""

    size: int
    root: bytes
    signed_us: int | None


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A checkpoint as published: its tree's size, the whole signed note, and when it was signed."""

    size: int
    note: str
    signed_us: int


def parse_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint written in a note's text.

    Raises:
        InvalidNote: when it is not the three lines of a checkpoint.
    """
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != LINES or not lines[0] or not DECIMAL.fullmatch(lines[1]):
        raise InvalidNote("a checkpoint has three lines: origin, size, root")
    try:
        root = base64.b64decode(lines[2], validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidNote("the checkpoint's root is no base64") from error
    checkpoint = Checkpoint(lines[0], int(lines[1]), root)
    if len(root) != HASH_BYTES or checkpoint.text != text:
        raise InvalidNote("the checkpoint is not in its one form")
    return checkpoint


def proof_file(event: StoredEvent, index: int, proof: Sequence[bytes], note: str) -> str:
    """Return the `.tlog-proof` of an event (C2SP tlog-proof), with what rebuilds its leaf."""
    extra = canonical(
        {
            "id": event.id,
            "kind": event.kind,
            "version": event.version,
            "stream": event.stream,
            "ruleset": event.ruleset,
            "salt": event.body_salt,
            "body": event.body,
            "private_sha256": event.private_sha256,
        }
    )
    lines = [PROOF_VERSION, f"extra {_base64(extra)}", f"index {index}", *map(_base64, proof)]
    return "\n".join(lines) + "\n\n" + note


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
