"""Changing the log's key: both sign for 90 days, and every checkpoint stays good (X-022)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger import store
from ledger.errors import InvalidNote, LogForked
from ledger.key_ring import KeyFile
from ledger.receipt_check import Refused, check
from ledger.sequencer import Sequencer
from ledger.signing import Verifier, open_note
from ledger.verify import verify_log
from tests.db.ledger.conftest import ORIGIN, Logbook

DAY = 86_400_000_000


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    """The log's keys."""
    return KeyFile(tmp_path / "keys" / "log-key", ORIGIN)


def sequencer(logbook: Logbook, keys: KeyFile) -> Sequencer:
    """Return a sequencer as the worker makes it for each step."""
    ring = keys.ring()
    return Sequencer(
        logbook.database,
        ring.signers(logbook.now_us),
        ORIGIN,
        logbook.kept,
        logbook.rng,
        verifiers=ring.verifiers,
    )


def signed_by(note: str, key: Verifier) -> bool:
    """Tell whether a key's signature stands under a note, and is right."""
    try:
        open_note(note, [key])
    except InvalidNote:
        return False
    return True


def grow(logbook: Logbook, keys: KeyFile, number: int) -> str:
    """Append an event, sign the grown tree, and return its checkpoint."""
    logbook.append([number])
    assert sequencer(logbook, keys).step(logbook.now_us).signed
    with logbook.database.read() as conn:
        note = store.checkpoint_text(conn)
    assert note is not None
    assert logbook.kept.read_text(encoding="utf-8") == note
    return note


def test_a_change_overlaps_for_90_days(logbook: Logbook, keys: KeyFile) -> None:
    """Old alone, then both, then new alone; the whole log verifies with the keys listed."""
    old = keys.ring().current.verifier
    first = grow(logbook, keys, 1)
    new = keys.rotate(logbook.now_us).current.verifier
    during = grow(logbook, keys, 2)
    logbook.now_us += 90 * DAY
    keys.drop_expired(logbook.now_us)
    after = grow(logbook, keys, 3)

    signatures = [(signed_by(note, old), signed_by(note, new)) for note in (first, during, after)]
    assert signatures == [(True, False), (True, True), (False, True)]
    with logbook.database.read() as conn:
        whole = verify_log(conn, origin=ORIGIN, verifiers=keys.ring().verifiers, kept=[first])
        alone = verify_log(conn, origin=ORIGIN, verifiers=[new])
    assert whole.ok, whole.fault
    assert not alone.ok


def test_a_receipt_of_the_overlap_is_good_under_either_key(logbook: Logbook, keys: KeyFile) -> None:
    """Whoever kept the old key and whoever knows only the new one can check it."""
    old = keys.ring().current.verifier
    (event,) = logbook.append([1])
    new = keys.rotate(logbook.now_us).current.verifier
    sequencer(logbook, keys).step(logbook.now_us)
    with logbook.database.read() as conn:
        proof = store.receipt(conn, event.id)
    assert proof is not None

    assert check(proof.encode(), [old.vkey]).index == 0
    assert check(proof.encode(), [new.vkey]).index == 0
    stranger = KeyFile(logbook.kept.parent / "other", ORIGIN).ring().current.verifier
    with pytest.raises(Refused):
        check(proof.encode(), [stranger.vkey])


def test_a_tree_that_does_not_grow_is_signed_anew(logbook: Logbook, keys: KeyFile) -> None:
    """Right after the change the newest checkpoint bears both signatures."""
    assert not sequencer(logbook, keys).sign_anew(logbook.now_us)
    grow(logbook, keys, 1)
    new = keys.rotate(logbook.now_us).current.verifier
    logbook.now_us -= DAY  # a clock that was set back changes nothing

    assert sequencer(logbook, keys).sign_anew(logbook.now_us)
    with logbook.database.read() as conn:
        note = store.checkpoint_text(conn)
    assert note is not None
    assert signed_by(note, new)
    assert not sequencer(logbook, keys).step(logbook.now_us).signed


def test_a_quiet_log_outlives_its_old_key(logbook: Logbook, keys: KeyFile) -> None:
    """A checkpoint that only a retired key signed still guards the log, which goes on."""
    grow(logbook, keys, 1)
    keys.rotate(logbook.now_us)
    logbook.now_us += 100 * DAY
    keys.drop_expired(logbook.now_us)

    grow(logbook, keys, 2)

    with logbook.database.read() as conn:
        assert verify_log(conn, origin=ORIGIN, verifiers=keys.ring().verifiers).ok


def test_a_lost_key_file_is_refused(logbook: Logbook, keys: KeyFile, tmp_path: Path) -> None:
    """A new file without the old key signs nothing: the kept checkpoint is not by its keys."""
    grow(logbook, keys, 1)
    logbook.append([2])
    fresh = KeyFile(tmp_path / "fresh" / "log-key", ORIGIN)
    with pytest.raises(LogForked, match="no checkpoint by this log's keys"):
        sequencer(logbook, fresh).step(logbook.now_us)
