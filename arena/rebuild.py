"""Replays the log into empty tables and compares (X-003, V-054), in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, Table, func, select

from arena import projection, review_tables, tables
from ledger import store
from ledger.database import Database

__all__ = ["Rebuilt", "rebuild"]

PROJECTED: tuple[Table, ...] = (
    tables.model,
    tables.question,
    tables.answer,
    tables.catalogue_head,
    tables.ballot,
    tables.ballot_slot,
    tables.vote,
    tables.vote_reason,
    tables.report,
    tables.board,
    tables.month_header,
    tables.model_state,
    tables.state_change,
    tables.lifecycle_look,
    review_tables.standing_change,
    review_tables.vote_strike,
    review_tables.joining,
    review_tables.cluster_member,
    review_tables.decision,
    review_tables.flag,
    review_tables.flag_vote,
    review_tables.sweep_look,
    review_tables.dispute,
    review_tables.dispute_step,
    review_tables.case_note,
)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did: events replayed, rows per table, and tables that came out different."""

    events: int
    rows: dict[str, int]
    differing: tuple[str, ...]


def rebuild(database: Database, progress: Callable[[int], None] | None = None) -> Rebuilt:
    """Replay every event into empty tables; stored renderings are dropped, not rebuilt.

    Args:
        database: where the log and the tables live.
        progress: called with the number of events replayed so far.

    Returns:
        What was done; `differing` names tables whose rows are not what they were before.
    """
    with database.write() as conn:
        before = {table.name: _digest(conn, table) for table in PROJECTED}
        projection.clear(conn)
        events = 0
        for event in store.replay(conn):
            if projection.handles(event.kind):
                projection.project(conn, event)
            events += 1
            if progress is not None:
                progress(events)
        after = {table.name: _digest(conn, table) for table in PROJECTED}
        rows = {
            table.name: conn.execute(select(func.count()).select_from(table)).scalar_one()
            for table in PROJECTED
        }
    differing = tuple(name for name, value in before.items() if after[name] != value)
    return Rebuilt(events, rows, differing)


def _digest(conn: Connection, table: Table) -> str:
    """Return a digest over a table's rows in the order of its key."""
    digest = hashlib.sha256()
    for row in conn.execute(select(table).order_by(*table.primary_key.columns)):
        digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()
