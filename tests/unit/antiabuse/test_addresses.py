"""The client's address behind proxies, and the digests that stand for it."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiabuse.addresses import AddressHasher, client_address
from antiabuse.errors import BadAddress

PROXY = "10.0.0.1"
DAY = "2026-11-30"
HASHER = AddressHasher(["key"])


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
    elsewhere = AddressHasher(["other key"]).keyed(address, DAY)

    digests = {
        *(hashes.address, hashes.prefix, later.address, later.prefix),
        *(elsewhere.address, elsewhere.prefix, HASHER.limit_key(address)),
    }
    assert len(digests) == 7
    assert not any("203" in digest and "113" in digest for digest in digests)


def test_adding_a_key_changes_no_digest() -> None:
    """A new key in the middle of a day does not split its counts."""
    address = ip_address("203.0.113.9")

    assert AddressHasher(["key", "new"]).keyed(address, DAY) == HASHER.keyed(address, DAY)
