"""Tiles and entry bundles are what C2SP tlog-tiles says, and lead to the checkpoint's root."""

from __future__ import annotations

import hashlib

import pytest

from ledger import merkle, store

from .conftest import Logbook

SIZE = 600


@pytest.fixture
def long_log(logbook: Logbook) -> Logbook:
    """A log of 600 entries: two full tiles and one of width 88."""
    for start in range(0, SIZE, 120):
        logbook.append(range(start, start + 120))
        logbook.step()
    return logbook


def unpacked(bundle: bytes | None) -> list[bytes]:
    """Return the entries of a bundle."""
    assert bundle is not None
    entries = []
    while bundle:
        length = int.from_bytes(bundle[:2], "big")
        entries.append(bundle[2 : 2 + length])
        assert len(entries[-1]) == length
        bundle = bundle[2 + length :]
    return entries


def test_entries_lead_to_the_root(long_log: Logbook) -> None:
    """The entries alone, hashed by a reader, give tiles and root; the whole log verifies."""
    with long_log.database.read() as conn:
        entries = [
            entry
            for number, width in ((0, 256), (1, 256), (2, 88))
            for entry in unpacked(store.entries(conn, number, width))
        ]
        hashes = [hashlib.sha256(b"\x00" + entry).digest() for entry in entries]
        assert len(set(hashes)) == SIZE
        assert merkle.root_of(hashes) == store.head(conn).root
        assert store.tile(conn, 0, 1) == b"".join(hashes[256:512])
        assert store.tile(conn, 0, 2, 88) == b"".join(hashes[512:])
        above = merkle.root_of(hashes[:256]) + merkle.root_of(hashes[256:512])
        assert store.tile(conn, 1, 0, 2) == above
    report = long_log.verify()
    assert (report.fault, report.size, report.checkpoints) == (None, SIZE, 5)


def test_tiles_of_older_and_larger_trees(long_log: Logbook) -> None:
    """A partial tile of an older checkpoint stays as it was; nothing is served beyond the tree."""
    with long_log.database.read() as conn:
        full = store.tile(conn, 0, 0)
        assert full is not None
        assert store.tile(conn, 0, 0, 120) == full[: 120 * 32]
        for index, width in ((2, 256), (2, 89), (3, 1), (0, 0)):
            assert store.tile(conn, 0, index, width) is None
            assert store.entries(conn, index, width) is None
        assert store.tile(conn, 1, 0, 3) is None
        assert store.tile(conn, 2, 0, 1) is None


def test_nothing_is_public_before_it_is_signed(logbook: Logbook) -> None:
    """Without a checkpoint there are no tiles, entries or checkpoint text."""
    logbook.append([1])
    with logbook.database.read() as conn:
        assert store.checkpoint_text(conn) is None
        assert store.tile(conn, 0, 0, 1) is None
        assert store.entries(conn, 0, 1) is None
