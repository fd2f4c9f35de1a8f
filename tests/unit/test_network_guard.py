"""The guard that keeps tests on this machine."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.fixtures.network import NetworkBlockedError, is_local


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_outside_connections_are_refused(method: str) -> None:
    """Connecting to another machine raises, also by the call that returns an error number."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection,
        pytest.raises(NetworkBlockedError),
    ):
        getattr(connection, method)(("192.0.2.1", 80))


def test_outside_names_are_not_looked_up() -> None:
    """Asking for another machine's address raises before any packet leaves."""
    with pytest.raises(NetworkBlockedError, match=r"example\.org"):
        socket.getaddrinfo("example.org", 443)


def test_datagrams_are_refused() -> None:
    """A datagram needs no connection, so sending one is guarded as well."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        pytest.raises(NetworkBlockedError),
    ):
        sender.sendto(b"x", ("192.0.2.1", 53))


def test_this_machine_is_reachable(tmp_path: Path) -> None:
    """Loopback addresses and unix sockets stay open."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    path = str(tmp_path / "s")
    with (
        socket.socket(socket.AF_UNIX) as server,
        socket.socket(socket.AF_UNIX) as client,
    ):
        server.bind(path)
        server.listen()
        client.connect(path)


@pytest.mark.parametrize(
    "host,expected",
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        (b"localhost", True),
        (None, True),
        ("10.0.0.1", False),
        ("2001:db8::1", False),
        ("localhost.example.org", False),
    ],
)
def test_local_hosts(host: object, expected: bool) -> None:
    """Only this machine's own names and addresses count as local."""
    assert is_local(host) is expected
