"""Several voters on one device or address in a day; private addresses join nobody."""

from __future__ import annotations

from antiabuse.detectors import rules
from antiabuse.detectors.finding import Detector
from antiabuse.detectors.shared import Sighting, shared_addresses, shared_devices

RULES = rules.current()
DAY = "2026-11-30"


def seen(
    voters: int, *, day: str = DAY, address: str | None = None, device: str | None = None
) -> list[Sighting]:
    """One vote of each of so many voters, from one place."""
    return [
        Sighting(
            vote=f"{day}-{voter}", voter=f"voter-{voter}", day=day, address=address, device=device
        )
        for voter in range(voters)
    ]


def test_the_newest_voters_of_a_device_are_reported() -> None:
    """From four on, all but the three oldest."""
    joined = {f"voter-{voter}": 100 - voter for voter in range(5)}

    (found,) = shared_devices(seen(5, device="d"), joined, RULES)
    assert found.detector is Detector.SHARED_DEVICE
    assert found.subjects == ("voter-0", "voter-1")
    assert found.votes == (f"{DAY}-0", f"{DAY}-1")
    assert (found.statistic, found.threshold, found.look) == ("5", "4", 30)
    assert shared_devices(seen(3, device="d"), joined, RULES) == []
    assert shared_devices(seen(9), joined, RULES) == []


def test_all_voters_of_an_address_are_reported_from_six_on() -> None:
    """Five voters of an address are a household, six are looked at."""
    (found,) = shared_addresses(seen(6, address="a"), RULES)

    assert found.detector is Detector.SHARED_ADDRESS
    assert found.subjects == tuple(f"voter-{voter}" for voter in range(6))
    assert shared_addresses(seen(5, address="a"), RULES) == []


def test_addresses_unknown_or_private_join_nobody() -> None:
    """Loopback and private addresses arrive as None."""
    assert shared_addresses(seen(50), RULES) == []


def test_days_and_places_are_counted_apart() -> None:
    """Five today and five tomorrow are not ten, and votes are not voters."""
    today, tomorrow = seen(5, address="a"), seen(5, day="2026-12-01", address="a")
    elsewhere = seen(5, address="b")

    assert shared_addresses(today + tomorrow + elsewhere + today, RULES) == []
