"""Whom private parts are about: named when written, found, erased, filled in by migration."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from sqlalchemy import text

from ledger import private_parts, store
from ledger.database import open_database
from ledger.migrate import drift, upgrade
from tests.db.ledger.conftest import Logbook

NOW = 5


def append(logbook: Logbook, *voters: str | None) -> list[str]:
    """Append an event about each voter, about nobody for None; return their ids."""
    with logbook.database.write() as conn:
        return [
            logbook.log.append(
                conn,
                replace(logbook.event(number), private={"at_us": number, "voter": voter}),
            ).id
            for number, voter in enumerate(voters)
        ]


def test_parts_are_found_by_subject_in_their_order(logbook: Logbook) -> None:
    """All parts about one voter come with kind, stream, salt and content, and no others."""
    ids = append(logbook, "a", "b", None, "a")
    logbook.append([9])
    with logbook.database.read() as conn:
        found = list(private_parts.parts_about(conn, "a"))
        nobody = list(private_parts.parts_about(conn, "None"))

    assert [part.event_id for part in found] == [ids[0], ids[3]]
    assert [part.part for part in found] == [
        {"at_us": 0, "voter": "a"}, {"at_us": 3, "voter": "a"},
    ]  # fmt: skip
    assert (found[0].kind, found[0].stream) == ("board.published", "arena/speed/2026-11")
    assert nobody == []


def test_erasing_about_one_leaves_the_others_and_a_whole_log(logbook: Logbook) -> None:
    """The parts of one subject go with their trace, before and after sequencing."""
    append(logbook, "a", "b")
    logbook.step()
    append(logbook, "a", "b")
    with logbook.database.write() as conn:
        assert private_parts.erase_about(conn, "a", now_us=NOW) == 2
        assert private_parts.erase_about(conn, "a", now_us=NOW) == 0
    logbook.step()

    with logbook.database.read() as conn:
        assert len(list(private_parts.parts_about(conn, "b"))) == 2
        reasons = conn.execute(text("SELECT reason, erased_us FROM event_erasure")).all()
    assert [tuple(row) for row in reasons] == [("request", NOW)] * 2
    report = logbook.verify()
    assert report.ok, report.fault
    assert report.erased == 2


def test_old_streams_are_erased_up_to_the_limit(logbook: Logbook) -> None:
    """Only streams before the first one kept are touched, so many at a time."""
    append(logbook, "a", "b", None)
    prefix = "arena/speed/"
    with logbook.database.write() as conn:
        for kept in ("2026-11", "2026-10", ""):
            assert not private_parts.erase_streams(conn, prefix, kept, limit=9, now_us=NOW)
        other = private_parts.erase_streams(conn, "arena/any/", "2027-01", limit=9, now_us=NOW)
        taken = [
            private_parts.erase_streams(conn, prefix, "2026-12", limit=2, now_us=NOW)
            for _ in range(3)
        ]
    assert (other, taken) == (0, [2, 1, 0])
    logbook.step()
    assert logbook.verify().ok


def test_the_migration_names_the_subjects_there_are(
    empty_database_url: str, migrations_folder: Path, tmp_path: Path
) -> None:
    """Parts written before get their subject, and the guard against updates stands again."""
    before = tmp_path / "before"
    shutil.copytree(migrations_folder, before)
    for path in (before / "versions").glob("*.py"):
        if path.name[:4] > "0007":
            path.unlink()
    upgrade(empty_database_url, before)
    database = open_database(empty_database_url)
    try:
        with database.write() as conn:
            for number, part in enumerate(('{"voter": "a"}', '{"at_us": 1}', '{"voter": null}')):
                event_id = f"{number:036d}"
                conn.execute(
                    text(
                        "INSERT INTO event (id, kind, version, stream, ruleset, disclosure,"
                        " shuffled, body, body_salt, body_sha256) VALUES"
                        " (:id, 'k', 1, 's', 'r', 'archive', false, '{}', '', '')"
                    ),
                    {"id": event_id},
                )
                conn.execute(
                    text(
                        "INSERT INTO event_private (event_id, salt, part) VALUES (:id, '', :part)"
                    ),
                    {"id": event_id, "part": part},
                )
        upgrade(empty_database_url, migrations_folder)
        with database.read() as conn:
            found = conn.execute(
                text("SELECT subject FROM event_private ORDER BY event_id")
            ).scalars()
            assert list(found) == ["a", None, None]
            assert store.read_private(conn, f"{0:036d}") == {"voter": "a"}
    finally:
        database.close()
    assert drift(empty_database_url, migrations_folder) == []
