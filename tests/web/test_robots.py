"""What robots.txt lets crawlers ask for (V-171), matched as RFC 9309, section 2.2.2, says."""

from __future__ import annotations

import re

import pytest

from tests.fixtures.arena_site import ArenaSite

OPEN = (
    "/leaderboard", "/leaderboard?mode=expert", "/models", "/models?mode=speed", "/rules",
    "/rules/arena", "/about", "/verify", "/feed.atom", "/audit", "/log/checkpoint",
)  # fmt: skip
CLOSED = (
    "/", "/?", "/?mode=speed", "/?mode=expert", "/?skipped=1&mode=speed", "/ballots/Zk3v",
    "/receipts/Zk3v", "/receipts/Zk3v.tlog-proof", "/me", "/me/data.json",
)  # fmt: skip


def rules_of(text: str) -> list[tuple[str, str]]:
    """Return directive and pattern of each rule of the one group, which is for all."""
    lines = [line.split(": ", 1) for line in text.splitlines()]
    assert lines[0] == ["User-agent", "*"]
    assert {name for name, _ in lines[1:]} <= {"Allow", "Disallow"}
    return [(name, pattern) for name, pattern in lines[1:]]


def allows(rules: list[tuple[str, str]], address: str) -> bool:
    """Say if an address may be asked for: the longest pattern decides, of equals an `Allow`."""
    fitting = [(len(pattern), name) for name, pattern in rules if fits(pattern, address)]
    longest = max((length for length, _ in fitting), default=0)
    names = {name for length, name in fitting if length == longest}
    return not fitting or "Allow" in names


def fits(pattern: str, address: str) -> bool:
    """Match from the start; `*` is anything, `$` at the end is the end, all else itself."""
    ends = pattern.endswith("$")
    parts = pattern.removesuffix("$").split("*")
    return bool(re.match(".*".join(map(re.escape, parts)) + ("$" if ends else ""), address))


@pytest.mark.parametrize(
    "addresses, allowed", [(OPEN, True), (CLOSED, False)], ids=["open", "closed"]
)
def test_crawlers_are_kept_off_ballots_alone(
    arena: ArenaSite, addresses: tuple[str, ...], allowed: bool
) -> None:
    """The front, in either mode, and what belongs to one voter; boards and rules may be found."""
    response = arena.voter().get("/robots.txt")
    rules = rules_of(response.text)

    assert response.mimetype == "text/plain"
    assert {address: allows(rules, address) for address in addresses} == dict.fromkeys(
        addresses, allowed
    )
