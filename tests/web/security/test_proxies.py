"""Forged forwarding headers move nobody's limit, behind none, one and two proxies (V-115, B13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite

LIMIT = 5
CLIENT, OTHER = "198.51.100.7", "198.51.100.8"
PROXIES = ("10.0.0.2", "10.0.0.1")  # the one the client calls, then the one beside us

Forge = Callable[[str], dict[str, str]]
FORGERIES: dict[str, Forge] = {
    "an address": lambda new: {"X-Forwarded-For": new},
    "a chain": lambda new: {"X-Forwarded-For": f"{new}, 192.0.2.1, {new}, 127.0.0.1"},
    "our proxies too": lambda new: {"X-Forwarded-For": f"{new}, {PROXIES[0]}, {PROXIES[1]}"},
    "IPv6": lambda new: {"X-Forwarded-For": f"[2001:db8::{new.rpartition('.')[2]}]:80"},
    "no address": lambda new: {"X-Forwarded-For": f"unknown, {new}x, _hidden, ,"},
    "other headers": lambda new: {
        "X-Real-IP": new, "Forwarded": f"for={new}", "CF-Connecting-IP": new, "X-Client-IP": new,
        "True-Client-IP": new, "X-Originating-IP": new, "X-Cluster-Client-IP": new, "Via": new,
        "Client-IP": new, "X-Remote-Addr": new, "Remote-Addr": new, "X-Forwarded": f"for={new}",
    },
    "with underscores": lambda new: {"X_Forwarded_For": new},
}  # fmt: skip


def fresh() -> Iterator[str]:
    """Yield network addresses that come once each."""
    return (f"203.0.113.{number}" for number in count(1))


def ask(arena: ArenaSite, proxies: int, client: str, forged: dict[str, str]) -> int:
    """Return the status of one page that a client asks for through so many proxies of ours."""
    headers = dict(forged)
    if proxies:
        # As proxies do: each appends who called it, and keeps what came before.
        chain = [client, *PROXIES[: proxies - 1]]
        claimed = headers.get("X-Forwarded-For")
        headers["X-Forwarded-For"] = ", ".join([claimed, *chain] if claimed else chain)
    remote = PROXIES[proxies - 1] if proxies else client
    response = arena.app.test_client().get(
        "/", headers=headers, environ_overrides={"REMOTE_ADDR": remote}
    )
    return response.status_code


@pytest.mark.parametrize("proxies", [0, 1, 2])
@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_forged_headers_give_no_second_window(
    open_arena: OpenArena, proxies: int, forge: Forge
) -> None:
    """Sixty requests that each claim a new address get exactly one address's worth of answers."""
    arena = open_arena(rate_limit=str(LIMIT), trusted_proxies=str(proxies))
    claims = fresh()

    got = [ask(arena, proxies, CLIENT, forge(next(claims))) for _ in range(60)]

    assert got == [200] * LIMIT + [429] * (60 - LIMIT)


@pytest.mark.parametrize("proxies", [0, 1, 2])
def test_nobody_can_use_up_anothers_window(open_arena: OpenArena, proxies: int) -> None:
    """A client that claims to be another takes nothing from it; each has its own window."""
    arena = open_arena(rate_limit=str(LIMIT), trusted_proxies=str(proxies))
    for _ in range(20):
        ask(arena, proxies, CLIENT, {"X-Forwarded-For": OTHER})

    assert [ask(arena, proxies, OTHER, {}) for _ in range(LIMIT)] == [200] * LIMIT
    assert ask(arena, proxies, OTHER, {}) == 429


@pytest.mark.parametrize("proxies", [0, 1, 2])
def test_a_forged_header_joins_no_other_address(open_arena: OpenArena, proxies: int) -> None:
    """The address kept with a ballot is the real one's digest, whatever the client claims."""
    arena = open_arena(trusted_proxies=str(proxies))
    claims = fresh()
    for forge in FORGERIES.values():
        ask(arena, proxies, CLIENT, forge(next(claims)))
    ask(arena, proxies, CLIENT, {})
    ask(arena, proxies, OTHER, {})

    kept = [arena.private(each)["address"] for each in arena.events("ballot.issued")]

    assert len(kept) == len(FORGERIES) + 2
    assert len(set(kept[:-1])) == 1
    assert kept[-1] != kept[0]


def test_one_proxy_too_many_trusted_is_a_hole(open_arena: OpenArena) -> None:
    """The checks above can fail: an operator who counts a proxy that is not there is deceived."""
    arena = open_arena(rate_limit=str(LIMIT), trusted_proxies="2")
    claims = fresh()

    got = [ask(arena, 1, CLIENT, {"X-Forwarded-For": next(claims)}) for _ in range(20)]

    assert got == [200] * 20
