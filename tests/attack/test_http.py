"""Attacks that the web layer must stop, on the application (B10, B13, B18, B20, B21)."""

from __future__ import annotations

import socket
import time

from bench.attacks.http import honest_crowd
from bench.attacks.real_votes import People
from bench.attacks.web import flood, joined, outage, replays, reports
from tests.attack.conftest import OpenApplication


def test_forged_headers_change_nothing(open_application: OpenApplication) -> None:
    """B13: an address of its own in each request gets none past the limit."""
    for settings in ({}, {"trusted_proxies": "1"}):
        found = flood(open_application(rate_limit="20", **settings), sent=23)

        assert (found.sent, found.passed, found.allowed) == (23, 20, 20)


def test_no_replay_is_accepted(open_application: OpenApplication) -> None:
    """B18: doubled, old, foreign and altered forms, before and after the reveal."""
    found = replays(open_application(), rounds=1)

    assert found.tried == 11
    assert found.accepted == 0
    assert all(400 <= status < 500 for status in found.statuses)


def test_reports_hide_nothing(open_application: OpenApplication) -> None:
    """B20: mass reports are kept for people, and no answer goes by itself."""
    found = reports(open_application(), ids=5, each=2)

    assert (found.sent, found.kept, found.hidden) == (10, 10, 0)


def test_an_outage_loses_no_honest_ballot(open_application: OpenApplication) -> None:
    """B21: with the store of limits away every vote is stored, and counted as unchecked."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"redis://127.0.0.1:{probe.getsockname()[1]}"

    found = outage(open_application(redis_url=address), voters=3, timer=time.monotonic)

    assert (found.sent, found.lost) == (3, 0)
    assert found.unchecked == 6  # a page and a vote each


def test_ids_of_one_address_are_named_and_capped(
    open_application: OpenApplication, people: People
) -> None:
    """B10: the sweep names them all, and the cap holds their weight as it would one voter's."""
    app = open_application()
    honest_crowd(app, people, voters=24, votes=2)

    found = joined(app, ids=12)

    assert found.flagged == found.ids == 12
    assert found.weight_before < 6
    assert found.weight_after < 6
