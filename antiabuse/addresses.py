"""Network addresses: which one is the client's, and keyed digests in its place (V-115, X-006).

An address is never stored; digests join within one UTC day only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from antiabuse.errors import BadAddress
from antiabuse.keys import checked_keys, derived_key, keyed_digest
from antiabuse.rules import current

Address = IPv4Address | IPv6Address

_WITH_PORT: Final = re.compile(r"\[([^\]]*)\](?::[0-9]+)?|([0-9.]+):[0-9]+")
_DAYS_KEPT: Final = 4


@dataclass(frozen=True, slots=True)
class AddressHashes:
    """Keyed digests of an address (IPv4 /32, IPv6 /64) and of its prefix (/24, /48), in hex."""

    address: str
    prefix: str


def client_address(remote: str, forwarded_for: str | None, trusted_proxies: int) -> Address:
    """Return the client's address, believing so many proxies and nobody before them.

    Each proxy appends the address it was called from. So the client stands `trusted_proxies` places
    to the left of `remote`, and what stands further left is the client's own claim. Where that
    place is missing or holds no address, `remote` is taken, which nobody can forge.

    Args:
        remote: the other end of the connection.
        forwarded_for: the X-Forwarded-For header, several joined by commas; None without one.
        trusted_proxies: how many proxies of our own stand in front; 0 ignores the header.

    Raises:
        BadAddress: not even `remote` is an address.
        ValueError: a negative number of proxies.
    """
    if trusted_proxies < 0:
        raise ValueError("the number of trusted proxies is 0 or more")
    chain = (forwarded_for or "").split(",")
    if 0 < trusted_proxies <= len(chain):
        named = _address(chain[-trusted_proxies])
        if named is not None:
            return named
    found = _address(remote)
    if found is None:
        raise BadAddress("the connection has no network address; set the trusted proxies")
    return found


class AddressHasher:
    """Keyed digests of addresses; keys oldest first, the oldest is used (see `antiabuse.keys`)."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = checked_keys(keys)
        self._limit = derived_key(self._keys, "antiabuse.address-limit")
        self._day_key = lru_cache(maxsize=_DAYS_KEPT)(self._derive)

    def keyed(self, address: Address, day: str) -> AddressHashes:
        """Return the digests of an address for one UTC day, `2026-11-30`."""
        key = self._day_key(day)
        rules = current()
        prefix = rules.ipv4_prefix_bits if address.version == 4 else rules.ipv6_prefix_bits  # noqa: PLR2004 - the protocol's name
        return AddressHashes(
            address=keyed_digest(key, _host(address)).hex(),
            prefix=keyed_digest(key, _network(address, prefix)).hex(),
        )

    def limit_key(self, address: Address) -> str:
        """Return the name of the address in the request limiter, which keeps it for a minute.

        The same on every day, or each midnight would open a fresh window.
        """
        return keyed_digest(self._limit, _host(address)).hex()

    def _derive(self, day: str) -> bytes:
        return derived_key(self._keys, f"antiabuse.address-day:{day}")


def _host(address: Address) -> str:
    """Return what counts as one address: all of IPv4, the first 64 bits of IPv6."""
    if isinstance(address, IPv4Address):
        return _network(address, address.max_prefixlen)
    return _network(address, current().ipv6_address_bits)


def _network(address: Address, bits: int) -> str:
    return str(ip_network((int(address), bits), strict=False))


def _address(text: str) -> Address | None:
    """Return the address in an entry, without brackets, port and zone; None if there is none."""
    bare = text.strip()
    with_port = _WITH_PORT.fullmatch(bare)
    if with_port is not None:
        bare = with_port[1] or with_port[2] or ""
    try:
        address = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    # A server that listens on IPv6 sees IPv4 clients in this form; all would share one /64.
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
