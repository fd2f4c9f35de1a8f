"""The log's keys: one signs, the one before signs along for a while, older ones only verify.

All stand in one file, replaced whole, so that a crash leaves either the old keys or the new ones:
a line per key, oldest first. Keys that no longer sign are kept in their public half alone.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ledger import rules
from ledger.errors import InvalidNote, SigningKeyUnusable
from ledger.signing import (
    Signer,
    Verifier,
    key_line,
    new_signer,
    parse_key,
    parse_vkey,
    read_key_lines,
)

__all__ = ["KeyFile", "KeyRing", "Leaving"]

_DAY_US: Final = 86_400_000_000
_UNTIL: Final = " until="


@dataclass(frozen=True, slots=True)
class Leaving:
    """A key that signs along until a moment, microseconds UTC."""

    signer: Signer
    until_us: int


@dataclass(frozen=True, slots=True)
class KeyRing:
    """All keys of a log: `current` signs, `leaving` sign along, `retired` only verify."""

    current: Signer
    leaving: tuple[Leaving, ...] = ()
    retired: tuple[Verifier, ...] = ()

    def signers(self, now_us: int) -> tuple[Signer, ...]:
        """Return the keys that sign at a moment, the current one first."""
        along = [key.signer for key in reversed(self.leaving) if now_us < key.until_us]
        return (self.current, *along)

    @property
    def verifiers(self) -> tuple[Verifier, ...]:
        """The public keys of the log's whole life, the current one first."""
        leaving = (key.signer.verifier for key in reversed(self.leaving))
        return (self.current.verifier, *leaving, *reversed(self.retired))

    def rotated(self, new: Signer, now_us: int) -> KeyRing:
        """Return the ring with a new current key; the one before signs along for a while."""
        along = Leaving(self.current, now_us + rules.current().key_overlap_days * _DAY_US)
        return replace(self, current=new, leaving=(*self.leaving, along))

    def without_expired(self, now_us: int) -> KeyRing:
        """Return the ring without the secret halves of keys that no longer sign."""
        over = tuple(key.signer.verifier for key in self.leaving if key.until_us <= now_us)
        staying = tuple(key for key in self.leaving if key.until_us > now_us)
        return replace(self, leaving=staying, retired=(*self.retired, *over))


class KeyFile:
    """The file of a log's keys; it belongs into the backup.

    Args:
        path: of the file, made at the first reading.
        name: of the keys, by custom the log's origin.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name
        self._seen: tuple[int, int, int] | None = None
        self._ring: KeyRing | None = None

    def ring(self) -> KeyRing:
        """Return the keys; the file is read again only when it was replaced.

        Raises:
            SigningKeyUnusable: when the file is malformed, of another name, or open to other users.
        """
        stamp = self._stamp()
        if self._ring is None or stamp is None or stamp != self._seen:
            self._ring = self._read()
            self._seen = self._stamp() if stamp is None else stamp
        return self._ring

    def rotate(self, now_us: int) -> KeyRing:
        """Make a new current key; the one before signs along for a while (X-022)."""
        with self._alone():
            return self._write(self._read().rotated(new_signer(self._name), now_us))

    def drop_expired(self, now_us: int) -> int:
        """Drop the secret halves of keys whose time is over; return how many."""
        ring = self.ring()
        if all(key.until_us > now_us for key in ring.leaving):
            return 0
        with self._alone():
            ring = self._read()
            kept = self._write(ring.without_expired(now_us))
        return len(ring.leaving) - len(kept.leaving)

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_mode

    def _read(self) -> KeyRing:
        leaving: list[Leaving] = []
        retired: list[Verifier] = []
        *older, last = read_key_lines(self._path, self._name)
        for line in older:
            key, until, moment = line.partition(_UNTIL)
            if until:
                leaving.append(Leaving(parse_key(key, self._path, self._name), int(moment)))
            else:
                retired.append(self._retired(line))
        current = parse_key(last, self._path, self._name)
        return KeyRing(current, tuple(leaving), tuple(retired))

    def _retired(self, line: str) -> Verifier:
        try:
            return parse_vkey(line)
        except InvalidNote as error:
            raise SigningKeyUnusable(f"{self._path}: {error}") from error

    def _write(self, ring: KeyRing) -> KeyRing:
        lines = [
            *(key.vkey for key in ring.retired),
            *(f"{key_line(key.signer)}{_UNTIL}{key.until_us}" for key in ring.leaving),
            key_line(ring.current),
        ]
        draft = self._path.with_name(f"{self._path.name}.new")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            os.fsync(handle)
        draft.replace(self._path)
        self._ring, self._seen = ring, self._stamp()
        return ring

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from changing the file, or one change would undo another."""
        with self._path.with_name(f"{self._path.name}.lock").open("w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
