"""Keys of one day or month for digests of addresses and devices: random, and destroyed afterwards.

Without its key a digest cannot be made again, so nobody can try out addresses against it.
"""

from __future__ import annotations

from typing import Protocol


class DigestKeys(Protocol):
    """Where the keys come from; the same period gives the same key in every process."""

    def of_day(self, day: str) -> bytes:
        """Return the key of a UTC date, `2026-11-30`, made at first use; 32 bytes.

        Raises:
            DigestKeyUnusable: it cannot be read or made.
        """
        ...

    def of_month(self, month: str) -> bytes:
        """Return the key of a UTC month, `2026-11`, made at first use; 32 bytes.

        Raises:
            DigestKeyUnusable: it cannot be read or made.
        """
        ...
