"""Who asks, from where, and when."""

from __future__ import annotations

from dataclasses import dataclass

from antiabuse.addresses import AddressHashes

__all__ = ["Visitor"]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks, from where, and when; the address only as keyed hashes, and absent when unknown."""

    voter: str
    now_us: int
    address: AddressHashes | None = None
