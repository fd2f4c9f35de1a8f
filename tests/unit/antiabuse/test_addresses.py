"""The client's address behind proxies, and the digests that stand for it."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiabuse.addresses import AddressHasher, client_address, is_local
from antiabuse.errors import BadAddress

PROXY = "10.0.0.1"
DAY = "2026-11-30"


class NamedKeys:
    """A key for each period, made from its name and that of the installation."""

    def __init__(self, name: str) -> None:
        self._name = name

    def of_day(self, day: str) -> bytes:
        """Return a day's key."""
        return f"{self._name} {day}".encode()

    def of_month(self, month: str) -> bytes:
        """Return a month's key."""
        return f"{self._name} {month}".encode()


HASHER = AddressHasher(["key"], NamedKeys("one"))


@pytest.mark.parametrize(
    "remote, forwarded, proxies, client",
    [
        ("203.0.113.9", None, 0, "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", 0, "203.0.113.9"),
        (PROXY, "203.0.113.9", 1, "203.0.113.9"),
        (PROXY, "198.51.100.1, 203.0.113.9", 1, "203.0.113.9"),
        (PROXY, "198.51.100.1,203.0.113.9, 10.0.0.2", 2, "203.0.113.9"),
        (PROXY, None, 1, PROXY),
        (PROXY, "", 1, PROXY),
        (PROXY, "203.0.113.9", 2, PROXY),
        (PROXY, "unknown", 1, PROXY),
        (PROXY, "203.0.113.9:4711", 1, "203.0.113.9"),
        (PROXY, "2001:db8::1", 1, "2001:db8::1"),
        (PROXY, "[2001:db8::1]:4711", 1, "2001:db8::1"),
        (PROXY, "[2001:db8::1]", 1, "2001:db8::1"),
        ("fe80::1%eth0", None, 0, "fe80::1"),
        ("::ffff:203.0.113.9", None, 0, "203.0.113.9"),
        ("", "203.0.113.9", 1, "203.0.113.9"),
    ],
)
def test_the_client_is_found_through_the_trusted_proxies(
    remote: str, forwarded: str | None, proxies: int, client: str
) -> None:
    """The entry that our outermost proxy wrote is taken, else the connection's own address."""
    assert client_address(remote, forwarded, proxies) == ip_address(client)


@given(st.text(max_size=80), st.integers(1, 3))
def test_a_forged_header_changes_nothing(forged: str, proxies: int) -> None:
    """Whatever a client sends in front of what our proxies append, its address stays the same."""
    appended = ["203.0.113.9", "10.0.0.3", "10.0.0.2"][:proxies]

    found = client_address(PROXY, ", ".join([forged, *appended]), proxies)

    assert found == ip_address("203.0.113.9")
    assert client_address(PROXY, forged, 0) == ip_address(PROXY)


@pytest.mark.parametrize("remote", ["", "unix:", "localhost"])
def test_a_connection_without_address_is_an_error(remote: str) -> None:
    """Voters without address would all be one, so this is not passed over."""
    with pytest.raises(BadAddress):
        client_address(remote, "203.0.113.9", 0)


def test_a_negative_number_of_proxies_is_an_error() -> None:
    """A wrong setting is refused instead of trusting somebody."""
    with pytest.raises(ValueError, match="0 or more"):
        client_address(PROXY, None, -1)


@pytest.mark.parametrize(
    "one, other, same_address, same_prefix",
    [
        ("203.0.113.9", "203.0.113.9", True, True),
        ("203.0.113.9", "203.0.113.10", False, True),
        ("203.0.113.9", "203.0.114.9", False, False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True, True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False, True),
        ("2001:db8:1:2::1", "2001:db8:2:2::1", False, False),
    ],
)
def test_digests_join_by_network(
    one: str, other: str, same_address: bool, same_prefix: bool
) -> None:
    """Addresses are one up to /32 and /64, and share a prefix up to /24 and /48."""
    first, second = (HASHER.keyed(ip_address(text), DAY) for text in (one, other))

    assert (first.address == second.address) == same_address
    assert (first.prefix == second.prefix) == same_prefix
    limits = [HASHER.limit_key(ip_address(text)) for text in (one, other)]
    assert (limits[0] == limits[1]) == same_address


def test_digests_tell_neither_address_nor_day() -> None:
    """Days, keys and purposes give different digests, so nothing joins across them."""
    address = ip_address("203.0.113.9")
    hashes = HASHER.keyed(address, DAY)
    later = HASHER.keyed(address, "2026-12-01")
    elsewhere = AddressHasher(["other key"], NamedKeys("two")).keyed(address, DAY)

    digests = {
        *(hashes.address, hashes.prefix, hashes.network),
        *(later.address, later.prefix, later.network),
        *(elsewhere.address, elsewhere.prefix, elsewhere.network, HASHER.limit_key(address)),
    }
    assert len(digests) == 10
    assert not any("203" in str(digest) and "113" in str(digest) for digest in digests)


def test_networks_join_over_a_month() -> None:
    """A /24 and a /64 are the same on two days of a month, and neighbours are others."""
    one, same, other = (
        HASHER.keyed(ip_address(text), day).network
        for text, day in (
            ("203.0.113.9", DAY),
            ("203.0.113.77", "2026-11-02"),
            ("203.0.114.9", DAY),
        )
    )
    assert one == same != other
    first, second, third = (
        HASHER.keyed(ip_address(text), DAY).network
        for text in ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1")
    )
    assert first == second != third


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.31.0.1",
        "192.168.1.1",
        "169.254.9.9",
        "::1",
        "fd00::1",
        "fe80::1",
    ],
)
def test_local_addresses_join_nobody(text: str) -> None:
    """Loopback and private addresses have no network to share (V-125)."""
    assert is_local(ip_address(text))
    assert HASHER.keyed(ip_address(text), DAY).network is None


@pytest.mark.parametrize("text", ["203.0.113.9", "172.32.0.1", "11.0.0.1", "2001:db8::1"])
def test_other_addresses_are_not_local(text: str) -> None:
    """Just outside the private ranges, addresses join as all others do."""
    assert not is_local(ip_address(text))
    assert HASHER.keyed(ip_address(text), DAY).network is not None
