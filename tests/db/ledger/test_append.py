"""Appending stores an event, its private part and its place in the queue, all or nothing."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest
from sqlalchemy import func, select, table
from sqlalchemy.exc import IntegrityError

from ledger import store
from ledger.errors import EntryTooLarge, InvalidEvent, NotCanonical

from .conftest import Logbook


def counts(logbook: Logbook) -> list[int]:
    """Return how many events, private parts and waiting entries there are."""
    with logbook.database.read() as conn:
        return [
            int(conn.execute(select(func.count()).select_from(table(name))).scalar_one())
            for name in ("event", "event_private", "event_pending")
        ]


def test_stored_event_reads_back(logbook: Logbook) -> None:
    """What append returns is what the database holds."""
    (stored,) = logbook.append([1])
    assert logbook.events([stored.id]) == [stored]
    assert stored.body == {"number": 1, "note": "Bịa Đặt"}
    with logbook.database.read() as conn:
        assert store.read_private(conn, stored.id) == {"exact_us": logbook.now_us + 1}
        assert store.read_event(conn, "no such id") is None


def test_digests_are_over_salt_and_canonical_body(logbook: Logbook) -> None:
    """A body's digest is SHA-256 over its salt and its exact text, and salts differ."""
    first, second = logbook.append([1, 1])
    salted = bytes.fromhex(first.body_salt) + '{"note":"Bịa Đặt","number":1}'.encode()
    assert first.body_sha256 == hashlib.sha256(salted).hexdigest()
    assert first.body_text == second.body_text
    assert first.body_sha256 != second.body_sha256
    assert first.private_sha256 not in {None, second.private_sha256}


def test_event_without_private_part(logbook: Logbook) -> None:
    """No private part leaves no row and no digest."""
    with logbook.database.write() as conn:
        stored = logbook.log.append(conn, logbook.event(1, private=False))
    assert stored.private_sha256 is None
    assert counts(logbook) == [1, 0, 1]


def test_nothing_is_left_of_a_failed_transaction(logbook: Logbook) -> None:
    """An error in the caller's transaction takes its events back."""

    def fail() -> None:
        with logbook.database.write() as conn:
            logbook.log.append(conn, logbook.event(1))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert counts(logbook) == [0, 0, 0]


def test_an_id_is_used_once(logbook: Logbook) -> None:
    """A second event with the same id is refused and changes nothing."""
    event = logbook.event(1)
    with logbook.database.write() as conn:
        logbook.log.append(conn, event)
    with pytest.raises(IntegrityError), logbook.database.write() as conn:
        logbook.log.append(conn, dataclasses.replace(event, body={"number": 2}))
    assert counts(logbook) == [1, 1, 1]


def test_what_cannot_be_hashed_or_listed_is_refused(logbook: Logbook) -> None:
    """A float in a body and an entry that is too long raise before anything is stored."""
    with pytest.raises(NotCanonical), logbook.database.write() as conn:
        logbook.log.append(conn, dataclasses.replace(logbook.event(1), body={"x": 0.5}))
    with pytest.raises(EntryTooLarge), logbook.database.write() as conn:
        logbook.log.append(conn, dataclasses.replace(logbook.event(1), stream="s" * 65_535))
    assert counts(logbook) == [0, 0, 0]


def test_salts_have_one_length(logbook: Logbook) -> None:
    """A source of salts of another length is refused."""
    short = store.Log(lambda: b"short")
    with pytest.raises(InvalidEvent), logbook.database.write() as conn:
        short.append(conn, logbook.event(1))


def test_reading_connections_cannot_write(logbook: Logbook) -> None:
    """A connection for reading refuses to append."""
    with pytest.raises(Exception, match=r"(?i)read.?only"), logbook.database.read() as conn:
        logbook.log.append(conn, logbook.event(1))
    assert counts(logbook) == [0, 0, 0]
