"""Device digests: keyed, and counted for how far they can be trusted."""

from __future__ import annotations

import pytest
from sqlalchemy import insert

from antiabuse.devices import device_digest, device_numbers
from antiabuse.tables import sighting
from ledger.database import Database

MONTH = "2026-11"
SENT = "ab" * 32


class Keys:
    """A key for each period."""

    def of_day(self, day: str) -> bytes:
        """Return a day's key."""
        return day.encode()

    def of_month(self, month: str) -> bytes:
        """Return a month's key."""
        return month.encode()


def test_a_digest_holds_for_one_month() -> None:
    """The same device is the same within a month, another one in the next, and never as sent."""
    digests = [device_digest(Keys(), month, SENT) for month in (MONTH, MONTH, "2026-12")]
    assert digests[0] == digests[1] != digests[2]
    assert SENT not in digests


@pytest.mark.parametrize("sent", ["", "xyz", "ab" * 15, "AB" * 32, "ab" * 65, "ab\n" * 16])
def test_what_is_no_digest_is_not_kept(sent: str) -> None:
    """Only the form that our script makes is taken."""
    assert device_digest(Keys(), MONTH, sent) is None


def see(database: Database, *seen: tuple[str, str, str | None], month: str = MONTH) -> None:
    """Store votes, each as voter, day of the month and device digest."""
    rows = [
        {
            "vote_id": f"{month}-{number}-{voter}",
            "voter_id": voter,
            "month": month,
            "day": f"{month}-{day}",
            "at_us": 0,
            "device": device,
        }
        for number, (voter, day, device) in enumerate(seen)
    ]
    with database.write() as conn:
        conn.execute(insert(sighting), rows)


def test_collisions_and_changes_are_counted(database: Database) -> None:
    """Four voters on one digest are a collision; a returning voter with two digests a change."""
    see(
        database,
        *((voter, "01", "school") for voter in "abcd"),
        ("a", "02", "school"),
        ("e", "01", "home"), ("f", "01", "home"),
        ("g", "01", "first"), ("g", "02", "second"),
        ("h", "01", "one"), ("h", "01", "two"),
        ("i", "01", None),
    )  # fmt: skip
    see(database, ("a", "01", "other"), month="2026-12")

    with database.read() as conn:
        found = device_numbers(conn, MONTH)

    assert (found.votes, found.votes_with, found.voters) == (12, 11, 8)
    assert found.digests == 6
    assert found.voters_per_digest == {1: 4, 2: 1, 4: 1}
    assert found.shared == 1
    assert found.collision_share == pytest.approx(1 / 6)
    assert (found.seen_again, found.changed, found.change_share) == (2, 1, 0.5)


def test_three_voters_on_a_device_are_a_household(database: Database) -> None:
    """The limit lies above three."""
    see(database, *((voter, "01", "home") for voter in "abc"))
    with database.read() as conn:
        assert device_numbers(conn, MONTH).shared == 0


def test_without_digests_there_are_no_shares(database: Database) -> None:
    """Nothing is divided by nothing."""
    with database.read() as conn:
        found = device_numbers(conn, MONTH)
    assert (found.votes, found.digests, found.voters_per_digest) == (0, 0, {})
    assert (found.collision_share, found.change_share) == (None, None)
