"""Gives events their place in the public log, extends the Merkle tree and signs checkpoints.

One at a time: SQLite's write lock or an advisory lock of PostgreSQL keeps a second one waiting.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, exists, func, insert, select, update

from ledger import checkpoint_file, merkle, rules, tables, tiles
from ledger.checkpoint import Checkpoint
from ledger.database import Database
from ledger.errors import SequencerRaced
from ledger.signing import Signer, Verifier, sign_note

__all__ = ["Sequencer", "Step", "waiting"]

_SECOND_US: Final = 1_000_000

BATCH: Final = 1_000
"""Events taken at once in one step: writers wait about 30 ms for it. A minute's shuffled events are
taken whole, for a rest would fall behind by a minute more each time."""

SEQUENCER_LOCK: Final = 4_217_309_656
"""Any fixed number will do; it only has to differ from the lock that migrations take."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a step did: events added, the tree's size after it, and whether it signed."""

    added: int
    size: int
    signed: bool


class Pending(NamedTuple):
    """An event that waits for its index."""

    seq: int
    event_id: str
    leaf: str


class State(NamedTuple):
    """What a look at the database shows."""

    size: int
    root: str
    last_shuffled_us: int
    signed_size: int
    waiting: bool


class Sequencer:
    """Sequences and signs, step by step.

    Args:
        database: the log's.
        signers: one key, or the old and the new one while keys change.
        origin: the log's name, its address without a scheme.
        checkpoint_path: the file that keeps the last checkpoint, outside the database.
        rng: shuffles; `random.SystemRandom` in production.
        shuffle_every_us: time between two shuffled batches; by the rules unless given.
        verifiers: further keys by which the kept checkpoint may be signed, such as retired ones.
    """

    def __init__(
        self,
        database: Database,
        signers: Signer | Sequence[Signer],
        origin: str,
        checkpoint_path: Path,
        rng: random.Random,
        shuffle_every_us: int | None = None,
        verifiers: Sequence[Verifier] = (),
    ) -> None:
        self._database = database
        self._signers = [signers] if isinstance(signers, Signer) else list(signers)
        self._origin = origin
        self._path = checkpoint_path
        self._rng = rng
        by_rules_us = rules.current().shuffle_s * _SECOND_US
        self._shuffle_every_us = by_rules_us if shuffle_every_us is None else shuffle_every_us
        own = [signer.verifier for signer in self._signers]
        self._verifiers = own + [each for each in verifiers if each not in own]

    def step(self, now_us: int) -> Step:
        """Sequence what is due and sign the tree if it grew; cheap when there is nothing to do.

        Args:
            now_us: microseconds since the epoch, UTC.

        Raises:
            LogForked: when the database is behind what was signed; nothing is changed then.
            SequencerRaced: when another sequencer was faster; nothing is changed then.
        """
        with self._database.read() as conn:  # a look that holds up no writer
            state = _look(conn)
        added, size = 0, state.size
        if state.waiting or self._shuffle_due(state, now_us):
            added, size = self._sequence(state, now_us)
        return Step(added, size, signed=size > state.signed_size and self._sign(now_us))

    def _shuffle_due(self, state: State, now_us: int) -> bool:
        # A clock that was set back must not stop the batches.
        return not 0 <= now_us - state.last_shuffled_us < self._shuffle_every_us

    def _sequence(self, seen: State, now_us: int) -> tuple[int, int]:
        """Give waiting events their places; return how many and the tree's size after it."""
        with self._database.durable() as conn:
            if not _alone(conn):
                return 0, seen.size
            state = _look(conn)  # again, for another sequencer may have been faster
            self._guard(conn, state)
            batch = _waiting(conn, shuffled=False, limit=BATCH)
            due = self._shuffle_due(state, now_us)
            if due:
                shuffled = _waiting(conn, shuffled=True, limit=None)
                self._rng.shuffle(shuffled)
                batch += shuffled
            # An empty shuffled batch counts too: otherwise a lone vote would be sequenced at once.
            last_shuffled_us = now_us if due else state.last_shuffled_us
            _write(conn, state, batch, last_shuffled_us)
            return len(batch), state.size + len(batch)

    def sign_anew(self, now_us: int) -> bool:
        """Sign the tree as it stands once more, as when keys changed; False where it is empty.

        Raises:
            LogForked: when the database is behind what was signed; nothing is changed then.
        """
        return self._sign(now_us, anew=True)

    def _sign(self, now_us: int, *, anew: bool = False) -> bool:
        """Sign the committed tree; the file is written before anybody can read the checkpoint."""
        with self._database.durable() as conn:
            if not _alone(conn):
                return False
            state = _look(conn)
            if state.size == (0 if anew else state.signed_size):
                return False
            self._guard(conn, state)
            checkpoint = Checkpoint(self._origin, state.size, bytes.fromhex(state.root))
            note = sign_note(checkpoint.text, self._signers)
            checkpoint_file.keep(self._path, note)
            # The newest of a size is the one served, also when the clock was set back since.
            signed_us = max(now_us, _last_signed_us(conn, state.size) + 1)
            row = {"size": state.size, "signed_us": signed_us, "note": note}
            conn.execute(insert(tables.log_checkpoint), row)
            return True

    def _guard(self, conn: Connection, state: State) -> None:
        checkpoint_file.guard(
            self._path,
            origin=self._origin,
            verifiers=self._verifiers,
            size=state.size,
            signed_size=state.signed_size,
            root_at=lambda size: _root_at(conn, size),
        )


def waiting(conn: Connection) -> int:
    """Return how many events wait for their place in the public log."""
    return conn.execute(select(func.count()).select_from(tables.event_pending)).scalar_one()


def _alone(conn: Connection) -> bool:
    if conn.dialect.name == "sqlite":
        return True  # this transaction holds the one write lock
    return bool(conn.execute(select(func.pg_try_advisory_xact_lock(SEQUENCER_LOCK))).scalar())


def _look(conn: Connection) -> State:
    head, pending = tables.log_head.c, tables.event_pending
    found = select(
        head.size,
        head.root,
        head.last_shuffled_us,
        select(func.coalesce(func.max(tables.log_checkpoint.c.size), 0)).scalar_subquery(),
        exists(select(pending.c.seq).where(pending.c.shuffled.is_(False))),
    )
    return State(*conn.execute(found).one())


def _last_signed_us(conn: Connection, size: int) -> int:
    signed = tables.log_checkpoint.c
    newest = select(func.coalesce(func.max(signed.signed_us), -1)).where(signed.size == size)
    last: int = conn.execute(newest).scalar_one()
    return last


def _waiting(conn: Connection, *, shuffled: bool, limit: int | None) -> list[Pending]:
    pending = tables.event_pending.c
    oldest = select(pending.seq, pending.event_id, pending.leaf)
    oldest = oldest.where(pending.shuffled.is_(shuffled)).order_by(pending.seq).limit(limit)
    return [Pending(*row) for row in conn.execute(oldest)]


def _write(conn: Connection, state: State, batch: list[Pending], last_shuffled_us: int) -> None:
    size = state.size + len(batch)
    root = state.root
    if batch:
        _write_entries(conn, state.size, batch)
        root = _write_tiles(conn, state.size, batch).hex()
    head = tables.log_head
    moved = (
        update(head)
        .where(head.c.id == 1, head.c.size == state.size)
        .values(size=size, root=root, last_shuffled_us=last_shuffled_us)
    )
    if conn.execute(moved).rowcount != 1:
        raise SequencerRaced("another sequencer moved the head: try the step again")


def _write_entries(conn: Connection, size: int, batch: list[Pending]) -> None:
    rows = [{"idx": size + at, "event_id": event.event_id} for at, event in enumerate(batch)]
    conn.execute(insert(tables.log_entry), rows)
    pending = tables.event_pending
    done = delete(pending).where(pending.c.seq == bindparam("done"))
    conn.execute(done, [{"done": event.seq} for event in batch])


def _write_tiles(conn: Connection, size: int, batch: list[Pending]) -> bytes:
    """Extend the tree and return its root."""
    partial = {at: _tile(conn, *at) for at in tiles.edge(size)}
    hashes = [merkle.hash_leaf(event.leaf.encode()) for event in batch]
    changed = tiles.extend(size, partial, hashes)
    stored = tables.log_tile
    for tile in changed:
        if tile.grown:
            same = (stored.c.level == tile.level, stored.c.idx == tile.index)
            conn.execute(update(stored).where(*same).values(hashes=tile.hashes))
        else:
            row = {"level": tile.level, "idx": tile.index, "hashes": tile.hashes}
            conn.execute(insert(stored), row)
    partial |= {(tile.level, tile.index): tile.hashes for tile in changed}
    node = tiles.node_reader(lambda level, index: partial[level, index])
    return merkle.range_root(0, size + len(batch), node)


def _root_at(conn: Connection, size: int) -> bytes:
    node = tiles.node_reader(lambda level, index: _tile(conn, level, index))
    return merkle.range_root(0, size, node)


def _tile(conn: Connection, level: int, index: int) -> bytes:
    stored = tables.log_tile.c
    found = select(stored.hashes).where(stored.level == level, stored.idx == index)
    return conn.execute(found).scalar() or b""
