"""Cheap detectors at the vote itself: flags come with the vote that passes a limit, and once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from antiabuse.detectors import rules as detector_rules
from antiabuse.detectors.finding import Detector, Finding
from arena import flags, own_data, retention, review, sweep
from tests.db.arena.test_sweep import Crowd, always_a
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Voter, at, write_pack
from tests.fixtures.review_cases import ADA

RULES = detector_rules.current()
DEVICE = "ab" * 32
NOON_US = at("2026-11-10T12:00:00+00:00")
NIGHT_US = at("2026-11-11T00:30:00+00:00")


def raised(site: ArenaSite, *detectors: str) -> list[tuple[str, int, int]]:
    """Return detector, number of subjects and of votes of each flag, in the order of raising."""
    bodies = [event.body for event in site.events("flag.raised")]
    return [
        (body["detector"], len(body["subjects"]), len(body["votes"]))
        for body in bodies
        if not detectors or body["detector"] in detectors
    ]


def sweep_at(site: ArenaSite, now_us: int) -> None:
    """Let a night come, with every vote in the log."""
    site.sequence()
    site.clock.now_us = now_us
    sweep.sweep_if_due(site.services.ports, site.clock())


def newcomer(site: ArenaSite, *, erases: bool = False) -> Voter:
    """Let a new voter of one device and address vote once."""
    voter = site.voter("203.0.113.9")
    voter.ballot()
    voter.post("/consent", {"fingerprint": "yes"})
    voter.read_and_vote(fields={"fingerprint": DEVICE})
    site.clock.advance(15)
    if erases:
        assert voter.post("/me/erase").status_code == 303
    return voter


@pytest.mark.parametrize("erases", [False, True])
def test_many_ids_on_one_device_are_reported_at_the_vote(
    open_arena: OpenArena, erases: bool
) -> None:
    """The first id above the limit raises the flag, also when each erased all after its vote."""
    site = open_arena(fingerprint="consent")
    site.clock.now_us = NOON_US
    for number in range(1, 9):
        newcomer(site, erases=erases)
        assert raised(site, "shared_device") == [("shared_device", 1, 1)] * (
            number > RULES.device_voters
        )
        assert raised(site, "shared_address") == [("shared_address", 6, 6)] * (
            number > RULES.address_voters
        )


@pytest.mark.parametrize("erases", [False, True])
def test_the_night_names_those_who_came_after_the_flag(open_arena: OpenArena, erases: bool) -> None:
    """Each voter of the group stands in one flag, and a second sweep adds none."""
    site = open_arena(fingerprint="consent")
    site.clock.now_us = NOON_US
    for _ in range(8):
        newcomer(site, erases=erases)
    sweep_at(site, NIGHT_US)

    assert raised(site, "shared_device") == [("shared_device", 1, 1), ("shared_device", 4, 4)]
    assert raised(site, "shared_address") == [("shared_address", 6, 6), ("shared_address", 2, 2)]
    for detector in ("shared_device", "shared_address"):
        flags = [e.body for e in site.events("flag.raised") if e.body["detector"] == detector]
        named = [name for body in flags for name in body["subjects"]]
        assert len(named) == len(set(named))
        assert flags[1]["numbers"]["voters"] == "8"
    again = sweep.sweep(site.services.ports, "speed", "2026-11", site.clock())
    assert again is not None
    assert again.flags == 0


def test_places_of_erased_voters_go_once_their_day_is_swept(open_arena: OpenArena) -> None:
    """Nameless digests wait for the sweep of their day, and no longer."""
    site = open_arena(fingerprint="consent")
    site.clock.now_us = NOON_US
    newcomer(site, erases=True)
    kept = newcomer(site)
    places = "address IS NOT NULL AND device IS NOT NULL"
    assert site.count("sighting", f"voter_id = '' AND dwell_us IS NULL AND {places}") == 1
    left = []
    for hours in (15, 16):  # to 03:00 and to 04:00 of the next day
        site.clock.now_us = NOON_US + hours * 3_600_000_000
        list(retention.erase_old(site.services.ports, site.clock()))
        left.append(site.count("sighting", places))
    own_data.erase(site.services.ports, kept.id, site.clock())

    assert left == [2, 1]
    assert site.count("sighting", "address IS NOT NULL OR device IS NOT NULL") == 0
    assert site.count("sighting", "network IS NOT NULL") == 2


def test_haste_is_reported_at_the_vote_and_once_a_day(arena: ArenaSite, crowd: Crowd) -> None:
    """The twentieth hasty vote raises it, though the voter erases all before the night."""
    voter = crowd.voter()
    for number in range(1, 23):
        crowd.vote(voter, dwell="2.9")
        assert raised(arena, "fast_dwell") == [("fast_dwell", 1, 20)] * (number >= 20)
    own_data.erase(arena.services.ports, voter, arena.clock())
    sweep_at(arena, NIGHT_US)

    assert raised(arena, "fast_dwell") == [("fast_dwell", 1, 20)]


def test_labels_are_reported_at_the_vote_and_again_as_they_double(
    arena: ArenaSite, crowd: Crowd
) -> None:
    """Once by day and night; after it was dismissed, at the strict line and at twice as many."""
    voter = crowd.voter()
    for number in range(1, 15):
        crowd.vote(voter, always_a)
        assert len(raised(arena, "repetitive_labels")) == (number >= 10)
    sweep_at(arena, NIGHT_US)
    assert raised(arena, "repetitive_labels") == [("repetitive_labels", 1, 10)]

    (flag,) = (e for e in arena.events("flag.raised") if e.body["detector"] == "repetitive_labels")
    review.decide_flag(
        arena.services.ports,
        ADA,
        flag.id,
        seen="open",
        verdict="dismissed",
        reason="chance",
        now_us=arena.clock(),
    )
    arena.clock.now_us = at("2026-11-11T01:00:00+00:00")
    for _ in range(26):
        crowd.vote(voter, always_a)
    sweep_at(arena, at("2026-11-12T00:30:00+00:00"))

    assert raised(arena, "repetitive_labels")[1:] == [("repetitive_labels", 1, 15)]


def test_what_takes_weight_is_left_to_the_sweep(
    arena: ArenaSite, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listed detector's strict finding strikes at night, in a flag of its own."""
    listed = replace(RULES, discounting=(Detector.REPETITIVE_LABELS,))
    monkeypatch.setattr(detector_rules, "current", lambda: listed)
    voter = crowd.voter()
    for _ in range(16):
        crowd.vote(voter, always_a)
    assert raised(arena) == [("repetitive_labels", 1, 10)]
    assert arena.count("vote_strike") == 0
    sweep_at(arena, NIGHT_US)

    assert raised(arena) == [("repetitive_labels", 1, 10), ("repetitive_labels", 1, 16)]
    assert arena.count("vote_strike") == 16


def test_voters_who_come_at_once_lose_no_vote_and_stand_in_one_flag(
    either_arena: ArenaSite,
) -> None:
    """Votes of one moment that pass a limit together are all accepted, and each is named once."""
    site = either_arena
    site.clock.now_us = NOON_US
    voters = [site.voter("203.0.113.9") for _ in range(9)]
    for voter in voters[:4]:
        voter.read_and_vote()
    pages = [voter.ballot() for voter in voters[4:]]
    site.clock.advance(30)
    barrier = threading.Barrier(len(pages))

    def cast(place: int) -> int:
        barrier.wait(timeout=30)
        return int(voters[4 + place].vote(pages[place].token).status_code)

    with ThreadPoolExecutor(len(pages)) as threads:
        assert list(threads.map(cast, range(len(pages)))) == [303] * len(pages)
    sweep_at(site, NIGHT_US)

    flags = [e.body for e in site.events("flag.raised") if e.body["detector"] == "shared_address"]
    assert {name for body in flags for name in body["subjects"]} == {
        event.body["voter"] for event in site.events("vote.cast")
    }
    assert sum(len(set(body["votes"])) for body in flags) >= 9
    again = sweep.sweep(site.services.ports, "speed", "2026-11", site.clock())
    assert again is not None
    assert again.flags == 0


@pytest.mark.parametrize("state, told", [("open", False), ("dismissed", True)])
def test_a_favourite_adds_nothing_to_its_open_case(
    arena: ArenaSite, crowd: Crowd, state: str, told: bool
) -> None:
    """It is looked for at eight numbers of votes, and one case at a time is enough for people."""
    voter = crowd.voter()
    found = Finding(
        detector=Detector.FAVOURITE_MODEL,
        subjects=(crowd.name(voter),),
        votes=(crowd.vote(voter).id,),
        statistic="6",
        threshold="4",
        p_value=None,
        look=12,
        numbers={},
        discounts=False,
    )
    raise_at = partial(flags.raise_flags, mode="speed", month="2026-11", hour="2026-11-10T12:00Z")
    with arena.database.write() as conn:
        assert raise_at(conn, arena.services.ports, findings=[found]) != [None]
    arena.execute("UPDATE flag SET state = :state", state=state)

    with arena.database.write() as conn:
        later = replace(found, look=20)
        (again,) = raise_at(conn, arena.services.ports, findings=[later])
    assert (again is not None) is told


@pytest.fixture
def crowd(arena: ArenaSite, tmp_path: Path) -> Crowd:
    """Voters of a site with questions enough for a day."""
    arena.import_pack(write_pack(tmp_path / "more", "speed", questions=100, topic="more"))
    arena.clock.now_us = NOON_US
    return Crowd(arena)
