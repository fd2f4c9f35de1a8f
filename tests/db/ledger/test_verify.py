"""The independent reader passes a whole log and names the first fault of a damaged one."""

# ruff: noqa: S608 - all values stand in this file or come from the test's own log

from __future__ import annotations

import hashlib

import pytest

from ledger import merkle, store
from ledger.checkpoint import Checkpoint
from ledger.errors import InvalidProof
from ledger.signing import Signer, sign_note
from ledger.verify import verify_log

from .conftest import MINUTE, ORIGIN, Logbook


@pytest.fixture
def whole(logbook: Logbook) -> Logbook:
    """A log of 20 entries under three checkpoints, with two events waiting."""
    logbook.append(range(5))
    logbook.step()
    logbook.append(range(5, 15), shuffled=True)
    logbook.step(MINUTE)
    logbook.append(range(15, 20))
    logbook.step()
    logbook.append(range(20, 22), shuffled=True)
    return logbook


def event_at(logbook: Logbook, index: int) -> str:
    """Return the id of the event at an index of the public log."""
    with logbook.database.read() as conn:
        sql = f"SELECT event_id FROM log_entry WHERE idx = {index}"
        return str(conn.exec_driver_sql(sql).scalar_one())


def notes(logbook: Logbook) -> list[str]:
    """Return all stored checkpoints, oldest first."""
    with logbook.database.read() as conn:
        sql = "SELECT note FROM log_checkpoint ORDER BY size"
        return list(conn.exec_driver_sql(sql).scalars())


def test_whole_log(whole: Logbook) -> None:
    """An untouched log has no fault, and everything in it was counted."""
    report = whole.verify(kept=[whole.kept.read_text(encoding="utf-8")])
    assert report.fault is None
    assert (report.size, report.checkpoints, report.pending, report.erased) == (20, 4, 2, 0)


def test_empty_log(logbook: Logbook) -> None:
    """A log without entries is whole."""
    assert logbook.verify().ok


def test_progress_is_told(whole: Logbook) -> None:
    """Long readings tell how many entries are behind them."""
    told: list[int] = []
    with whole.database.read() as conn:
        verify_log(conn, origin=ORIGIN, verifiers=[whole.signer.verifier], progress=told.append)
    assert told == [20]


def test_erased_private_part(whole: Logbook) -> None:
    """An erased private part leaves the log whole, and is counted."""
    event_id = event_at(whole, 7)
    with whole.database.write() as conn:
        assert store.erase_private(conn, event_id, reason="request", now_us=whole.now_us)
        assert not store.erase_private(conn, event_id, reason="request", now_us=whole.now_us)
        assert store.read_private(conn, event_id) is None
    report = whole.verify()
    assert (report.ok, report.erased) == (True, 1)


AT_7 = "(SELECT event_id FROM log_entry WHERE idx = 7)"
TAMPERINGS = {
    "body": (f"UPDATE event SET body = '{{}}' WHERE id = {AT_7}", "body is not that"),
    "salt": (f"UPDATE event SET body_salt = 'ab' WHERE id = {AT_7}", "body is not that"),
    "kind": (f"UPDATE event SET kind = 'forged' WHERE id = {AT_7}", "not the one in the tree"),
    "stream": (f"UPDATE event SET stream = 'other' WHERE id = {AT_7}", "not the one in the tree"),
    "private": (
        f"UPDATE event_private SET part = '{{}}' WHERE event_id = {AT_7}",
        "private part is not that",
    ),
    "private gone": (f"DELETE FROM event_private WHERE event_id = {AT_7}", "without an erasure"),
    "private back": (
        f"INSERT INTO event_erasure (event_id, reason, erased_us) VALUES ({AT_7}, 'request', 1)",
        "is back",
    ),
    "event gone": (f"DELETE FROM event WHERE id = {AT_7}", "the entry's event is missing"),
    "entry gone": ("DELETE FROM log_entry WHERE idx = 7", "an entry is missing"),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_named(whole: Logbook, name: str) -> None:
    """A change by the database's owner is named with its index and event."""
    statement, words = TAMPERINGS[name]
    event_id = event_at(whole, 7)
    whole.force(statement)
    fault = whole.verify().fault
    assert fault is not None
    assert fault.index == 7
    assert fault.event_id == (None if name == "entry gone" else event_id)
    assert words in fault.what


def test_consistent_forgery_of_a_body(whole: Logbook) -> None:
    """A body changed together with its digest no longer fits the tree."""
    event_id = event_at(whole, 7)
    forged = hashlib.sha256(bytes(32) + b"{}").hexdigest()
    whole.force(
        f"UPDATE event SET body = '{{}}', body_salt = '{'00' * 32}',"
        f" body_sha256 = '{forged}' WHERE id = '{event_id}'"
    )
    fault = whole.verify().fault
    assert fault is not None
    assert (fault.index, fault.event_id) == (7, event_id)
    assert "not the one in the tree" in fault.what


def test_swapped_entries(whole: Logbook) -> None:
    """Two entries that changed places are named at the first of them."""
    whole.force(
        "UPDATE log_entry SET idx = 107 WHERE idx = 7",
        "UPDATE log_entry SET idx = 7 WHERE idx = 8",
        "UPDATE log_entry SET idx = 8 WHERE idx = 107",
    )
    fault = whole.verify().fault
    assert fault is not None
    assert fault.index == 7


def test_rewritten_tree_does_not_fit_its_checkpoints(whole: Logbook) -> None:
    """Entries, tiles and head rewritten together still differ from what was signed."""
    one, other = event_at(whole, 7), event_at(whole, 8)
    hashes = [
        merkle.hash_leaf(event.leaf)
        for event in whole.events(event_at(whole, index) for index in range(20))
    ]
    hashes[7], hashes[8] = hashes[8], hashes[7]
    content = b"".join(hashes).hex()
    tile = f"decode('{content}', 'hex')" if is_postgresql(whole) else f"x'{content}'"
    whole.force(
        "UPDATE log_entry SET idx = 107 WHERE idx = 7",
        "UPDATE log_entry SET idx = 7 WHERE idx = 8",
        "UPDATE log_entry SET idx = 8 WHERE idx = 107",
        f"UPDATE log_tile SET hashes = {tile} WHERE level = 0",
        f"UPDATE log_head SET root = '{merkle.root_of(hashes).hex()}'",
    )
    assert (event_at(whole, 7), event_at(whole, 8)) == (other, one)
    fault = whole.verify().fault
    assert fault is not None
    assert fault.what == "the checkpoint of size 15 is of another tree"


def is_postgresql(logbook: Logbook) -> bool:
    """Tell which SQL to write."""
    return logbook.database.dialect == "postgresql"


@pytest.mark.parametrize(
    "statement, words",
    [
        ("UPDATE log_head SET root = 'ab'", "the head is not"),
        ("UPDATE log_head SET size = 25", "the head is not"),
        ("DELETE FROM event_pending", "neither sequenced nor waiting"),
        ("UPDATE event_pending SET leaf = '{}'", "waiting entry is not"),
        (
            "UPDATE event SET body = '{}' WHERE id IN (SELECT event_id FROM event_pending)",
            "body is not that",
        ),
        ("UPDATE log_tile SET hashes = substr(hashes, 1, 32)", "not the one in the tree"),
        ("UPDATE log_checkpoint SET note = 'x'", "checkpoint does not hold"),
    ],
)
def test_other_tampering_is_named(whole: Logbook, statement: str, words: str) -> None:
    """Head, queue, tiles and checkpoints are checked as well as entries."""
    whole.force(statement)
    fault = whole.verify().fault
    assert fault is not None
    assert words in fault.what


def test_checkpoint_kept_elsewhere(whole: Logbook) -> None:
    """A checkpoint that a reader kept shows a log that was cut or rewritten since."""
    cut = sign_note(Checkpoint(ORIGIN, 21, bytes(32)).text, [whole.signer])
    rewritten = sign_note(Checkpoint(ORIGIN, 6, bytes(32)).text, [whole.signer])
    other = sign_note(Checkpoint("example.com/log", 6, bytes(32)).text, [whole.signer])
    for note, words in [
        (cut, "21 entries were signed, but the log holds 20"),
        (rewritten, "the checkpoint of size 6 is of another tree"),
        (other, "is of example.com/log"),
    ]:
        fault = whole.verify(kept=[note]).fault
        assert fault is not None
        assert words in fault.what


def test_checkpoints_by_unknown_keys(whole: Logbook) -> None:
    """Checkpoints that no known key signed do not count as signed."""
    stranger = Signer(ORIGIN, bytes(32)).verifier
    with whole.database.read() as conn:
        fault = verify_log(conn, origin=ORIGIN, verifiers=[stranger]).fault
    assert fault is not None
    assert "no known key" in fault.what


def test_any_two_checkpoints_are_consistent(whole: Logbook) -> None:
    """The log proves for each pair of checkpoints that the older begins the newer."""
    from ledger.checkpoint import parse_checkpoint
    from ledger.signing import open_note

    signed = [parse_checkpoint(open_note(n, [whole.signer.verifier])) for n in notes(whole)]
    assert [checkpoint.size for checkpoint in signed] == [5, 15, 20]
    with whole.database.read() as conn:
        for old in signed:
            for new in signed:
                if old.size <= new.size:
                    proof = store.consistency(conn, old.size, new.size)
                    merkle.verify_consistency(old.size, new.size, old.root, new.root, proof)
        with pytest.raises(InvalidProof):
            store.consistency(conn, 20, 5)
