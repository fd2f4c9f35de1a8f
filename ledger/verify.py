"""An independent reader of the whole log: recomputes everything and names the first fault.

Shares only the hash functions with the writer; it rebuilds the tree by its own plain method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from ledger import tables
from ledger.canonical import digest
from ledger.checkpoint import parse_checkpoint
from ledger.errors import InvalidNote
from ledger.event import leaf_of
from ledger.merkle import EMPTY_ROOT, HASH_BYTES, hash_leaf, hash_node
from ledger.signing import Verifier, open_note

__all__ = ["Fault", "Report", "verify_log"]

PAGE = 1_000  # entries held in memory at a time
TILE_HEIGHT = 8
TILE_WIDTH = 256


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it must be.

    Attributes:
        index: in the public log; None when the fault has no place there.
        event_id: the event's; None when the fault is not one event's.
        what: in words.
    """

    index: int | None
    event_id: str | None
    what: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a whole reading found; counts are up to the fault if there is one."""

    size: int
    checkpoints: int
    pending: int
    erased: int
    fault: Fault | None

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.fault is None


class Broken(Exception):
    """Carries the first fault out of the reading."""

    def __init__(self, what: str, index: int | None = None, event_id: str | None = None) -> None:
        super().__init__(what)
        self.fault = Fault(index, event_id, what)


def verify_log(
    conn: Connection,
    *,
    origin: str,
    verifiers: Sequence[Verifier],
    kept: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Read the whole log and check every digest, entry, tile, root, checkpoint and erasure.

    All checkpoints are compared with one recomputed tree, so any two of them are consistent.

    Args:
        conn: a reading connection; a sequencer may run meanwhile.
        origin: the log's name.
        verifiers: the log's keys, old ones included.
        kept: checkpoints kept elsewhere, as signed notes.
        progress: called with the number of entries read so far.
    """
    reading = Reading(conn, origin, verifiers, progress)
    fault = None
    try:
        reading.run(kept)
    except Broken as broken:
        fault = broken.fault
    return Report(reading.size, reading.checkpoints, reading.pending, reading.erased, fault)


class Reading:
    """One pass over the log, with its counts and the tree so far.

    The tree is kept as its perfect subtrees from left to right, each with its height.
    """

    def __init__(
        self,
        conn: Connection,
        origin: str,
        verifiers: Sequence[Verifier],
        progress: Callable[[int], None] | None,
    ) -> None:
        self.conn = conn
        self.origin = origin
        self.verifiers = verifiers
        self.progress = progress
        self.size = self.checkpoints = self.pending = self.erased = 0
        self._subtrees: list[tuple[int, bytes]] = []
        self._tiles: dict[int, tuple[int, bytes]] = {}

    def run(self, kept: Sequence[str]) -> None:
        """Check everything, in the order of the log."""
        head = self.conn.execute(select(tables.log_head)).one()
        stored = tables.log_checkpoint.c
        signed = select(stored.note).where(stored.size <= head.size)
        notes = list(self.conn.execute(signed).scalars())
        roots = self._signed_roots([*notes, *kept])
        beyond = max(roots, default=0)
        if beyond > head.size:
            raise Broken(f"{beyond} entries were signed, but the log holds {head.size}")
        for row in self._rows(head.size):
            self._check_entry(row)
            self._add(hash_leaf(_leaf(row)), row.event_id)
            self._check_roots(roots.get(self.size, set()))
        if self.size != head.size or self._root().hex() != head.root:
            raise Broken("the head is not that of the entries", self.size)
        self._check_pending()

    def _signed_roots(self, notes: Sequence[str]) -> dict[int, set[bytes]]:
        roots: dict[int, set[bytes]] = {}
        for note in notes:
            try:
                checkpoint = parse_checkpoint(open_note(note, self.verifiers))
            except InvalidNote as error:
                raise Broken(f"a checkpoint does not hold: {error}") from error
            if checkpoint.origin != self.origin:
                raise Broken(f"a checkpoint is of {checkpoint.origin}, not of {self.origin}")
            roots.setdefault(checkpoint.size, set()).add(checkpoint.root)
            self.checkpoints += 1
        return roots

    def _rows(self, size: int) -> Iterator[Row[Any]]:
        entry, event = tables.log_entry, tables.event
        private, erasure = tables.event_private, tables.event_erasure
        columns = (
            select(
                entry.c.idx,
                entry.c.event_id,
                event,
                private.c.salt,
                private.c.part,
                erasure.c.erased_us,
            )
            .select_from(entry)
            .outerjoin(event, event.c.id == entry.c.event_id)
            .outerjoin(private, private.c.event_id == entry.c.event_id)
            .outerjoin(erasure, erasure.c.event_id == entry.c.event_id)
            .order_by(entry.c.idx)
            .limit(PAGE)
        )
        last = -1
        while last < size - 1:
            page = columns.where(entry.c.idx > last, entry.c.idx < size)
            rows = self.conn.execute(page).all()
            yield from rows
            if not rows:
                return
            last = rows[-1].idx
            if self.progress is not None:
                self.progress(last + 1)

    def _check_entry(self, row: Row[Any]) -> None:
        if row.idx != self.size:
            raise Broken("an entry is missing", self.size)
        if row.id is None:
            raise Broken("the entry's event is missing", row.idx, row.event_id)
        if digest(bytes.fromhex(row.body_salt), row.body.encode()) != row.body_sha256:
            raise Broken("the body is not that of its digest", row.idx, row.event_id)
        self._check_private(row)

    def _check_private(self, row: Row[Any]) -> None:
        if row.part is None:
            if row.private_sha256 is not None and row.erased_us is None:
                raise Broken("the private part is gone without an erasure", row.idx, row.event_id)
            self.erased += row.erased_us is not None
            return
        if row.erased_us is not None:
            raise Broken("an erased private part is back", row.idx, row.event_id)
        if digest(bytes.fromhex(row.salt), row.part.encode()) != row.private_sha256:
            raise Broken("the private part is not that of its digest", row.idx, row.event_id)

    def _add(self, leaf_hash: bytes, event_id: str) -> None:
        index = self.size
        self.size += 1
        height, subtree = 0, leaf_hash
        self._check_tile(height, subtree, index, event_id)
        while self._subtrees and self._subtrees[-1][0] == height:
            subtree = hash_node(self._subtrees.pop()[1], subtree)
            height += 1
            self._check_tile(height, subtree, index, event_id)
        self._subtrees.append((height, subtree))

    def _check_tile(self, height: int, subtree: bytes, index: int, event_id: str) -> None:
        level, between = divmod(height, TILE_HEIGHT)
        if between:
            return
        number, place = divmod(index >> height, TILE_WIDTH)
        at = place * HASH_BYTES
        if self._tile(level, number, at)[at : at + HASH_BYTES] != subtree:
            what = (
                "the entry is not the one in the tree" if level == 0 else f"a tile of level {level}"
            )
            raise Broken(what if level == 0 else f"{what} is wrong", index, event_id)

    def _tile(self, level: int, number: int, at: int) -> bytes:
        known, hashes = self._tiles.get(level, (-1, b""))
        if known != number or len(hashes) <= at:
            stored = tables.log_tile.c
            found = select(stored.hashes).where(stored.level == level, stored.idx == number)
            hashes = self.conn.execute(found).scalar() or b""
            self._tiles[level] = (number, hashes)
        return hashes

    def _check_roots(self, signed: set[bytes]) -> None:
        if signed and signed != {self._root()}:
            raise Broken(f"the checkpoint of size {self.size} is of another tree", self.size - 1)

    def _root(self) -> bytes:
        if not self._subtrees:
            return EMPTY_ROOT
        *left, (_height, root) = self._subtrees
        for _height, subtree in reversed(left):
            root = hash_node(subtree, root)
        return root

    def _check_pending(self) -> None:
        event, pending, entry = tables.event, tables.event_pending, tables.log_entry
        outside = (
            select(event, pending.c.leaf)
            .outerjoin(pending, pending.c.event_id == event.c.id)
            .outerjoin(entry, entry.c.event_id == event.c.id)
            .where(entry.c.idx.is_(None))
            .order_by(event.c.seq)
        )
        for row in self.conn.execute(outside):
            if row.leaf is None:
                raise Broken("an event is neither sequenced nor waiting", None, row.id)
            if row.leaf.encode() != _leaf(row):
                raise Broken("a waiting entry is not that of its event", None, row.id)
            if digest(bytes.fromhex(row.body_salt), row.body.encode()) != row.body_sha256:
                raise Broken("the body is not that of its digest", None, row.id)
            self.pending += 1


def _leaf(row: Row[Any]) -> bytes:
    return leaf_of(
        id=row.id,
        kind=row.kind,
        version=row.version,
        stream=row.stream,
        ruleset=row.ruleset,
        body_sha256=row.body_sha256,
        private_sha256=row.private_sha256,
    )
