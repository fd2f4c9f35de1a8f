"""Checks that a request or vote went without are counted and cost the voter nothing (V-168)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antiabuse import unrun_checks
from antiabuse.unrun_checks import Check
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Voter

LIMIT = 3


def unrun(site: ArenaSite) -> dict[Check, int]:
    """Return how many requests went without each check."""
    site.services.unrun.write()
    with site.database.read() as conn:
        return {each.check: each.requests for each in unrun_checks.since(conn, "2026-01-01T00:00Z")}


def nowhere(site: ArenaSite) -> Voter:
    """Return a new browser whose connection has no address, as through a Unix socket."""
    voter = site.voter()
    voter.address = ""
    return voter


def test_visitors_without_an_address_share_no_limit(open_arena: OpenArena) -> None:
    """Each is let in, however many there are; every request is counted once."""
    site = open_arena(rate_limit=str(LIMIT))
    assert [nowhere(site).get("/").status_code for _ in range(LIMIT + 2)] == [200] * (LIMIT + 2)
    assert unrun(site) == {Check.ADDRESS: LIMIT + 2}

    assert nowhere(site).get("/rules").status_code == 200
    assert unrun(site) == {Check.ADDRESS: LIMIT + 3}


def test_an_unusable_key_folder_is_counted_once_a_request(
    open_arena: OpenArena, tmp_path: Path
) -> None:
    """A cookie that is refused and made anew asks for the address's digest twice."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="ascii")
    site = open_arena(key_dir=str(blocked / "keys"))
    voter = site.voter()
    voter.client.set_cookie("voter", "forged")
    assert voter.get("/").status_code == 200

    assert unrun(site) == {Check.ADDRESS: 1}


def test_a_vote_without_an_address_counts(arena: ArenaSite) -> None:
    """It has its weight and joins nobody."""
    nowhere(arena).read_and_vote()

    assert arena.count("vote", "weight_micro > 0") == 1
    assert arena.count("sighting", "address IS NOT NULL OR network IS NOT NULL") == 0


def test_a_proxy_at_a_socket_still_names_addresses(open_arena: OpenArena) -> None:
    """Where a trusted proxy tells the address, the limit holds, whatever the client claims."""
    site = open_arena(rate_limit=str(LIMIT), trusted_proxies="1")
    statuses = [
        nowhere(site).get("/", headers={"X-Forwarded-For": f"{forged}, 198.51.100.7"}).status_code
        for forged in ("", "unknown", "-", "203.0.113.9")
    ]

    assert statuses == [200] * LIMIT + [429]
    assert unrun(site) == {}


@pytest.mark.parametrize("measured", [{"dwell_ms": "15000", "scroll": "1"}, {}])
def test_a_clock_set_back_is_counted(arena: ArenaSite, measured: dict[str, Any]) -> None:
    """The server cannot tell the reading time: the browser's is taken, and the operator is told."""
    voter = arena.voter()
    token = voter.ballot().token
    arena.clock.advance(-5)
    assert voter.vote(token, **measured).status_code == 303

    assert "clock" in arena.events("vote.cast")[0].body["reasons"]
    assert arena.count("vote", "weight_micro > 0") == 1
    assert unrun(arena) == {Check.CLOCK: 1}

    arena.clock.advance(60)
    voter.read_and_vote()
    assert unrun(arena) == {Check.CLOCK: 1}
