"""What migrations make of rows that are there already."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from sqlalchemy import text

from antiabuse import unrun_checks
from antiabuse.unrun_checks import Check
from ledger.database import open_database
from ledger.migrate import drift, upgrade


def test_flags_keep_their_votes_and_get_a_digest(
    empty_database_url: str, migrations_folder: Path
) -> None:
    """The tables of flags are made anew, and no row is lost."""
    upgrade(empty_database_url, migrations_folder, "0010")
    database = open_database(empty_database_url)
    try:
        with database.write() as conn:
            conn.execute(
                text(
                    "INSERT INTO flag (id, detector, mode, month, hour, subject, look, statistic,"
                    " threshold, numbers, discounts, state) VALUES ('f', 'campaign', 'speed',"
                    " '2026-11', '2026-11-03T00', 'V-1 V-2', 0, '1', '2', '{}', :yes, 'open')"
                ),
                {"yes": True},
            )
            conn.execute(text("INSERT INTO flag_vote (flag_id, vote_id) VALUES ('f', 'v')"))

        upgrade(empty_database_url, migrations_folder)

        with database.read() as conn:
            (flag,) = conn.execute(text("SELECT * FROM flag")).mappings()
            votes = conn.execute(text("SELECT flag_id, vote_id FROM flag_vote")).all()
    finally:
        database.close()
    assert (flag["subject"], flag["p_value"], bool(flag["discounts"])) == ("V-1 V-2", None, True)
    assert flag["subject_sha256"] == sha256(b"V-1 V-2").hexdigest()
    assert [tuple(vote) for vote in votes] == [("f", "v")]
    assert drift(empty_database_url, migrations_folder) == []


def test_counts_of_checks_that_did_not_run_are_kept(
    empty_database_url: str, migrations_folder: Path
) -> None:
    """The table takes a further name afterwards, and no row is lost."""
    upgrade(empty_database_url, migrations_folder, "0013")
    database = open_database(empty_database_url)
    hour = "2026-11-30T12:00Z"
    try:
        with database.write() as conn:
            unrun_checks.add(conn, hour, {Check.DEVICE: 2**40})

        upgrade(empty_database_url, migrations_folder)

        with database.write() as conn:
            unrun_checks.add(conn, hour, {Check.CLOCK: 1})
            found = unrun_checks.since(conn, hour)
    finally:
        database.close()
    assert {each.check: each.requests for each in found} == {Check.DEVICE: 2**40, Check.CLOCK: 1}
    assert drift(empty_database_url, migrations_folder) == []
