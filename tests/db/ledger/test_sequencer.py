"""The sequencer gives contiguous indexes in time, shuffles a minute's events, and signs."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from ledger import merkle, store
from ledger.checkpoint import parse_checkpoint
from ledger.errors import SequencerRaced
from ledger.sequencer import State, Step
from ledger.signing import Signer, open_note

from .conftest import MINUTE, ORIGIN, Logbook

SECOND = 1_000_000


def test_events_at_once_are_sequenced_in_order(logbook: Logbook) -> None:
    """Events that are not shuffled keep their order and are signed in the same step."""
    logbook.append(range(5))
    assert logbook.step() == Step(added=5, size=5, signed=True)
    assert logbook.public_numbers() == [0, 1, 2, 3, 4]


def test_shuffled_events_wait_for_their_minute(logbook: Logbook) -> None:
    """Shuffled events are taken 60 s after the last batch, others at each step."""
    logbook.step()
    logbook.append(range(20), shuffled=True)
    logbook.append([100])
    assert logbook.step(SECOND).added == 1
    assert logbook.step(58 * SECOND).added == 0
    assert logbook.step(SECOND) == Step(added=20, size=21, signed=True)
    numbers = logbook.public_numbers()
    assert numbers[0] == 100
    assert sorted(numbers[1:]) == list(range(20))
    assert numbers[1:] != list(range(20))


def test_a_lone_vote_after_a_quiet_hour_waits_too(logbook: Logbook) -> None:
    """An empty minute counts as a batch, or the index would tell a lone vote's second."""
    logbook.step()
    logbook.step(60 * MINUTE)
    logbook.append([1], shuffled=True)
    assert logbook.step(SECOND).added == 0
    assert logbook.step(59 * SECOND).added == 1


def test_a_clock_set_back_stops_nothing(logbook: Logbook) -> None:
    """After the clock went back, shuffled events are still sequenced."""
    logbook.step()
    logbook.append([1], shuffled=True)
    assert logbook.step(-60 * MINUTE).added == 1


def test_the_minute_outlives_the_process(logbook: Logbook) -> None:
    """A new process goes on with the minute of the old one."""
    logbook.step()
    logbook.append([1], shuffled=True)
    logbook.sequencer = logbook.new_sequencer([logbook.signer])
    assert logbook.step(SECOND).added == 0
    assert logbook.step(59 * SECOND).added == 1


def test_replay_gives_the_true_order(logbook: Logbook) -> None:
    """Replay follows the order of appending, before and after the shuffle."""
    logbook.append(range(10), shuffled=True)
    logbook.append(range(10, 12))
    logbook.step(MINUTE)
    logbook.append([12])
    with logbook.database.read() as conn:
        assert [event.body["number"] for event in store.replay(conn)] == list(range(13))
    assert logbook.public_numbers() != list(range(12))


def test_an_idle_step_does_nothing(logbook: Logbook) -> None:
    """Without events there is neither an entry nor a checkpoint."""
    assert logbook.step() == Step(added=0, size=0, signed=False)
    logbook.append([1])
    logbook.step()
    assert logbook.step(SECOND) == Step(added=0, size=1, signed=False)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_an_idle_step_takes_no_write_lock(logbook: Logbook) -> None:
    """A step that finds nothing to do passes while a writer holds the database."""
    logbook.step()
    with closing(sqlite3.connect(str(logbook.database.url.database))) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert logbook.step(SECOND).added == 0


def test_checkpoint_is_of_the_whole_tree(logbook: Logbook) -> None:
    """The published checkpoint is signed and names origin, size and root; the file holds it."""
    events = logbook.append(range(3))
    logbook.step()
    with logbook.database.read() as conn:
        note, head = store.checkpoint_text(conn), store.head(conn)
    assert note is not None
    checkpoint = parse_checkpoint(open_note(note, [logbook.signer.verifier]))
    root = merkle.root_of([merkle.hash_leaf(event.leaf) for event in events])
    assert (checkpoint.origin, checkpoint.size, checkpoint.root) == (ORIGIN, 3, root)
    assert (head.size, head.root, head.signed_us) == (3, root, logbook.now_us)
    assert logbook.kept.read_text(encoding="utf-8") == note


def test_both_keys_sign_while_they_change(logbook: Logbook) -> None:
    """With two signers, readers with the old key and with the new one accept a checkpoint."""
    new = Signer(ORIGIN, bytes(range(100, 132)))
    logbook.append([1])
    logbook.step()
    logbook.sequencer = logbook.new_sequencer([logbook.signer, new])
    logbook.append([2])
    assert logbook.step().signed
    with logbook.database.read() as conn:
        note = store.checkpoint_text(conn) or ""
    assert open_note(note, [logbook.signer.verifier]) == open_note(note, [new.verifier])


def test_a_step_cut_off_before_signing_is_caught_up(
    logbook: Logbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was sequenced but not signed is signed at the next step."""
    logbook.append([1])
    monkeypatch.setattr(type(logbook.sequencer), "_sign", lambda _self, _now_us: False)
    assert logbook.step() == Step(added=1, size=1, signed=False)
    monkeypatch.undo()
    assert logbook.step() == Step(added=0, size=1, signed=True)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_late_commits_are_not_lost(logbook: Logbook) -> None:
    """An event numbered first and committed last is sequenced after the others."""
    with logbook.database.write() as late:
        logbook.log.append(late, logbook.event(1))
        logbook.append([2])
        assert logbook.step().added == 1
    assert logbook.step().added == 1
    assert logbook.public_numbers() == [2, 1]
    assert logbook.verify().ok


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_second_sequencer_stands_back(logbook: Logbook, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another sequencer holds the lock, a step adds and signs nothing."""
    logbook.append([1])
    with logbook.database.write() as other:
        other.exec_driver_sql("SELECT pg_advisory_xact_lock(4217309656)")
        assert logbook.step() == Step(added=0, size=0, signed=False)
    with monkeypatch.context() as patch:
        patch.setattr(type(logbook.sequencer), "_sign", lambda _self, _now_us: False)
        assert logbook.step().added == 1
    with logbook.database.write() as other:
        other.exec_driver_sql("SELECT pg_advisory_xact_lock(4217309656)")
        assert logbook.step() == Step(added=0, size=1, signed=False)
    assert logbook.step().signed


def test_a_step_on_a_moved_head_changes_nothing(
    logbook: Logbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sequencer that saw another head than the stored one is stopped by the head itself."""
    stale = State(size=5, root="", last_shuffled_us=0, signed_size=0, waiting=False)
    monkeypatch.setattr("ledger.sequencer._look", lambda _conn: stale)
    with pytest.raises(SequencerRaced):
        logbook.step()
    monkeypatch.undo()
    logbook.append([1])
    assert logbook.step() == Step(added=1, size=1, signed=True)


def test_more_than_a_batch(logbook: Logbook, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step takes a bounded number of events at once, but a whole minute of shuffled ones."""
    monkeypatch.setattr("ledger.sequencer.BATCH", 10)
    logbook.step()
    logbook.append(range(15))
    assert [logbook.step().added for _ in range(3)] == [10, 5, 0]
    logbook.append(range(15, 40), shuffled=True)
    assert logbook.step(MINUTE).added == 25
    assert logbook.public_numbers()[:15] == list(range(15))
    assert logbook.verify().ok
