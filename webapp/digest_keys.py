"""Digest keys as files of one folder, which all processes of an arena share; never in the database.

Each key is random, made at first use and deleted after its time, so it belongs into no backup.
"""

from __future__ import annotations

import os
import secrets
import threading
from pathlib import Path
from typing import Final

from antiabuse.errors import DigestKeyUnusable

__all__ = ["KeyFolder"]

_KEY_BYTES: Final = 32
_HELD: Final = 2  # keys of one kind held in memory: midnight needs the old and the new one
_SUFFIX: Final = ".key"


class KeyFolder:
    """The keys of days and months under a folder, made at the first use of any.

    Args:
        folder: shared by all processes, on one machine or several; readable by the owner alone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def of_day(self, day: str) -> bytes:
        """Return the key of a UTC date, `2026-11-30`, made at first use.

        Raises:
            DigestKeyUnusable: the file cannot be read or made.
        """
        return self._key("day", day)

    def of_month(self, month: str) -> bytes:
        """Return the key of a UTC month, `2026-11`, made at first use.

        Raises:
            DigestKeyUnusable: the file cannot be read or made.
        """
        return self._key("month", month)

    def destroy_before(self, *, day: str, month: str) -> list[str]:
        """Delete the keys of all days and months before these; return the periods, oldest first."""
        kept = {"day": f"day-{day}{_SUFFIX}", "month": f"month-{month}{_SUFFIX}"}
        gone = []
        for kind, first_kept in kept.items():
            for path in sorted(self._folder.glob(f"{kind}-*{_SUFFIX}")):
                if path.name < first_kept:
                    path.unlink(missing_ok=True)
                    with self._lock:
                        self._held.pop(path.name, None)
                    gone.append(path.name.removeprefix(f"{kind}-").removesuffix(_SUFFIX))
        return gone

    def _key(self, kind: str, period: str) -> bytes:
        name = f"{kind}-{period}{_SUFFIX}"
        held = self._held.get(name)
        if held is not None:
            return held
        try:
            key = self._read_or_make(name)
        except (OSError, ValueError) as error:
            raise DigestKeyUnusable(f"the key {name} in {self._folder}: {error}") from error
        self._hold(kind, name, key)
        return key

    def _hold(self, kind: str, name: str, key: bytes) -> None:
        """Keep a key in memory, and drop old ones and those whose file another process destroyed.

        Each day's first request comes here, so none outlives its file by more than a day.
        """
        with self._lock:
            self._held[name] = key
            old = sorted(each for each in self._held if each.startswith(kind))[:-_HELD]
            gone = [each for each in self._held if not (self._folder / each).exists()]
            for each in {*old, *gone}:
                del self._held[each]

    def _read_or_make(self, name: str) -> bytes:
        path = self._folder / name
        if not path.exists():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make(path)
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
        if len(key) != _KEY_BYTES:
            message = f"a key has {_KEY_BYTES} bytes, not {len(key)}"
            raise ValueError(message)
        return key

    def _make(self, path: Path) -> None:
        """Make a key whole or not at all; where another process was first, its key counts."""
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(secrets.token_bytes(_KEY_BYTES).hex() + "\n")
                file.flush()
                os.fsync(handle)
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
