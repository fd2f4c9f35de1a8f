"""Erases what is no longer needed, in small transactions: stopped anywhere, it just goes on later.

Private parts leave their trace in the log's `event_erasure`; bodies, votes and boards stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlalchemy import Connection, delete

from antiabuse import retention, reveal_networks, sightings
from antiabuse.retention import Kept
from antiabuse.rules import current
from arena.ballot_events import ANY_MODE, arena_stream
from arena.boards import MODES
from arena.ports import Ports
from arena.tables import ballot_holder
from ledger import private_parts

__all__ = ["erase_old"]

_Batch = Callable[[Connection], int]


def erase_old(ports: Ports, now_us: int) -> Iterator[int]:
    """Erase all that is over at a moment, batch by batch; yield how many rows each one took.

    Args:
        ports: the arena's means.
        now_us: microseconds UTC.
    """
    kept = retention.kept_at(now_us)
    most = current().retention_batch
    for batch in _batches(kept, most, now_us):
        taken = most
        while taken >= most:
            with ports.database.write() as conn:
                taken = batch(conn)
            yield taken
    with ports.database.write() as conn:
        taken = retention.drop_traces(conn, kept, now_us)
    _forget_columns(ports, kept.month)
    yield taken


def _batches(kept: Kept, most: int, now_us: int) -> Iterator[_Batch]:
    for mode in (*MODES, ANY_MODE):
        prefix = arena_stream(mode, "")

        def erase(conn: Connection, prefix: str = prefix) -> int:
            return private_parts.erase_streams(conn, prefix, kept.month, limit=most, now_us=now_us)

        yield erase
    yield lambda conn: sightings.drop_before(conn, kept.month, most)
    yield lambda conn: sightings.forget_places(conn, now_us, most)
    yield lambda conn: reveal_networks.drop_before(conn, kept.month, most)
    yield lambda conn: _drop_voters(conn, kept, most)


def _drop_voters(conn: Connection, kept: Kept, most: int) -> int:
    """Drop voters whose cookies have run out, and what joined them to their ballots."""
    ids = retention.old_voters(conn, kept, most)
    conn.execute(delete(ballot_holder).where(ballot_holder.c.voter_id.in_(ids)))
    return retention.drop_voters(conn, ids)


def _forget_columns(ports: Ports, month: str) -> None:
    """Delete the columns of older months: networks stand in them as digests (X-006)."""
    for path in ports.columns.folder.glob("votes-*"):
        if path.name.split("-", 2)[-1] < month:
            path.unlink(missing_ok=True)
    for key in [key for key in ports.columns.kept if key[1] < month]:
        ports.columns.kept.pop(key, None)
