"""Where ids come from: addresses within a prefix, and the network that the arena takes them for.

Ids take the addresses that serve them best: within a /48 a /64 each, within a /16 a /24 each.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import Final, Literal

from bench.attacks.setting import LIMITS

__all__ = ["Source", "network_of"]

Source = Literal["own", "/24", "/64", "/48", "/16"]
Address = IPv4Address | IPv6Address

# Blocks set aside for documents and benchmarks, with the step from one id's address to the next.
_FIRST: Final[dict[Source, tuple[Address, int, int]]] = {
    "/24": (IPv4Address("198.51.100.1"), 1, 250),
    "/16": (IPv4Address("198.18.0.1"), 1 << 8, 256),
    "/64": (IPv6Address("2001:db8:0:1::1"), 1, 1 << 16),
    "/48": (IPv6Address("2001:db8:1::1"), 1 << 64, 1 << 16),
}


def network_of(source: Source, number: int, own: int) -> int:
    """Return the label of the network that an id votes from, as the arena's rules cut addresses.

    Args:
        source: the prefix that all ids of a fleet share.
        number: of the id in its fleet, from 0; where addresses run out they begin anew.
        own: the label of a network that nobody else has, where the fleet shares no prefix.
    """
    if source == "own":
        return own
    first, step, count = _FIRST[source]
    four = isinstance(first, IPv4Address)
    bits = LIMITS.ipv4_prefix_bits if four else LIMITS.ipv6_address_bits
    return (int(first) + number % count * step) >> (first.max_prefixlen - bits)
