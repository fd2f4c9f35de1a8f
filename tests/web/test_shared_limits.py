"""The request window in Valkey: exact over several processes, and kept up without it (X-019)."""

from __future__ import annotations

import socket

from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import reason_of


def test_the_window_is_in_the_shared_store(open_arena: OpenArena, valkey_url: str) -> None:
    """What one process counted, another one refuses, and no address stands in the store."""
    import redis

    first = open_arena(rate_limit="2", redis_url=valkey_url)
    address = "198.51.100.50"
    assert [first.voter(address).get("/").status_code for _ in range(2)] == [200, 200]

    second = open_arena(rate_limit="2", redis_url=valkey_url)
    refused = second.voter(address).get("/")

    assert (refused.status_code, reason_of(refused)) == (429, "rate_limited")
    assert second.voter("198.51.100.51").get("/").status_code == 200
    with redis.Redis.from_url(valkey_url) as client:
        keys = b" ".join(client.keys("*"))
    assert keys
    assert address.encode() not in keys


def test_ready_pings_the_shared_store(open_arena: OpenArena, valkey_url: str) -> None:
    """Readiness names Redis when it is configured, and when it does not answer."""
    well = open_arena(redis_url=valkey_url).voter().get("/readyz")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ill = open_arena(redis_url=f"redis://127.0.0.1:{port}").voter().get("/readyz")

    assert well.json is not None
    assert ill.json is not None
    assert (well.status_code, well.json["checks"]["redis"]) == (200, "ok")
    assert (ill.status_code, ill.json["checks"]["redis"]) == (503, "ConnectionError")


def test_without_the_store_the_limit_holds_in_memory(open_arena: OpenArena) -> None:
    """A store that is gone refuses nobody by itself; each process counts on its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    arena = open_arena(rate_limit="3", redis_url=f"redis://127.0.0.1:{port}")
    voter = arena.voter()

    assert [voter.get("/").status_code for _ in range(4)] == [200, 200, 200, 429]
