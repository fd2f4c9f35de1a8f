"""Network addresses: which one is the client's, and keyed digests in its place (V-115, X-006).

An address is never stored; digests join within one UTC day, those of networks within one month.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from antiabuse.digest_keys import DigestKeys
from antiabuse.errors import BadAddress
from antiabuse.keys import derived_key, keyed_digest
from antiabuse.rules import current

Address = IPv4Address | IPv6Address

MONTH_DIGITS: Final = len("2026-11")
_WITH_PORT: Final = re.compile(r"\[([^\]]*)\](?::[0-9]+)?|([0-9.]+):[0-9]+")
_LOCAL: Final = tuple(
    ip_network(text)
    for text in (
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16",
        "::1/128", "fc00::/7", "fe80::/10",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AddressHashes:
    """Keyed digests of an address, in hex.

    Attributes:
        address: of the day, for all of IPv4 or an IPv6 /64.
        prefix: of the day, for the /24 or /48.
        network: of the month, for the /24 or /64; None for loopback and private addresses, which
            say nothing about who stands behind them and so join nobody (V-125, V-155).
    """

    address: str
    prefix: str
    network: str | None


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
    """Keyed digests of addresses.

    Args:
        keys: secrets, oldest first; the oldest names addresses in the limiter alone.
        digest_keys: random keys of days and months, which are destroyed after their time.
    """

    def __init__(self, keys: Sequence[str], digest_keys: DigestKeys) -> None:
        self._limit = derived_key(keys, "antiabuse.address-limit")
        self._keys = digest_keys

    def keyed(self, address: Address, day: str) -> AddressHashes:
        """Return the digests of an address for one UTC day, `2026-11-30`, and its month.

        Raises:
            DigestKeyUnusable: the keys cannot be read or made.
        """
        rules = current()
        four = isinstance(address, IPv4Address)
        key = self._keys.of_day(day)
        prefix = rules.ipv4_prefix_bits if four else rules.ipv6_prefix_bits
        return AddressHashes(
            address=self.of_day(address, day),
            prefix=keyed_digest(key, _network(address, prefix)).hex(),
            network=None if is_local(address) else self._of_month(address, day[:MONTH_DIGITS]),
        )

    def of_day(self, address: Address, day: str) -> str:
        """Return the digest of an address for one UTC day, for all of IPv4 or an IPv6 /64.

        Raises:
            DigestKeyUnusable: the key cannot be read or made.
        """
        return keyed_digest(self._keys.of_day(day), _host(address)).hex()

    def _of_month(self, address: Address, month: str) -> str:
        rules = current()
        four = isinstance(address, IPv4Address)
        bits = rules.ipv4_prefix_bits if four else rules.ipv6_address_bits
        return keyed_digest(self._keys.of_month(month), "network:" + _network(address, bits)).hex()

    def limit_key(self, address: Address) -> str:
        """Return the name of the address in the request limiter, which keeps it for a minute.

        The same on every day, or each midnight would open a fresh window.
        """
        return keyed_digest(self._limit, _host(address)).hex()


def is_local(address: Address) -> bool:
    """Say whether an address is of this machine or of a private network."""
    return any(address in network for network in _LOCAL if network.version == address.version)


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
