"""How votes stand at the end of a log prefix: which are struck and whose voters are one person.

A function of the prefix like the board itself, so that a board can be computed again after later
decisions. Votes keep their cast weight; what is here is laid over them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, select

from arena.ballot_events import ANY_MODE, VoteCast, arena_stream
from arena.events import Mode
from arena.ports import Ports
from arena.review_tables import joining, standing_change
from arena.standing_events import AccountJoined, AccountParted, VoteRestored
from arena.tables import vote
from arena.vote_columns import Columns, VoteTable
from ledger import store

__all__ = ["Standing", "applied", "at", "columns_at", "waits"]

_PAGE: Final = 500
_JOININGS: Final = (AccountJoined.KIND, AccountParted.KIND)


@dataclass(frozen=True, slots=True)
class Standing:
    """Struck votes of a mode by id, and joined voters of the month.

    Attributes:
        struck: vote id -> reason code.
        clusters: pseudonym -> name of its cluster; nobody is in it who is joined to nobody.
        places: index in the log -> reason code, of those struck votes that the prefix holds.
        renamed: index in the log -> cluster, of votes that bear the name of a cluster out of which
            voters were parted since.
    """

    struck: Mapping[str, str]
    clusters: Mapping[str, str]
    places: Mapping[int, str] = field(repr=False)
    renamed: Mapping[int, str] = field(default_factory=dict, repr=False)


def at(conn: Connection, mode: Mode, month: str, log_size: int) -> Standing:
    """Return how the votes of a mode and month stand at the end of the first `log_size` entries."""
    changes = _changes(conn, mode, month)
    joined = conn.execute(select(joining).where(joining.c.month == month)).all()
    kinds = {(row.mode or ANY_MODE, row.kind) for row in changes}
    if joined:
        kinds |= {(ANY_MODE, kind) for kind in _JOININGS}
    ids = {row.event_id for row in (*changes, *joined)}
    known: dict[str, int] = {}
    partings: set[str] = set()
    for part, kind in sorted(kinds):
        found = _places(conn, arena_stream(part, month), kind, ids, high=log_size)
        known |= found
        partings |= set(found) if kind == AccountParted.KIND else set()
    struck = _struck([row for row in changes if row.event_id in known], known)
    clusters = _clusters([row for row in joined if row.event_id in known], known)
    parted = {row.voter for row in joined if row.event_id in partings}
    stream = arena_stream(mode, month)
    where = _places(conn, stream, VoteCast.KIND, struck, high=log_size)
    return Standing(
        struck=struck,
        clusters=clusters,
        places={place: struck[vote_id] for vote_id, place in where.items()},
        renamed=_renamed(conn, mode, month, log_size, parted, clusters),
    )


def waits(conn: Connection, mode: Mode, month: str, log_size: int) -> bool:
    """Say whether a decision about a mode's votes is in the log, but not in this prefix."""
    change = standing_change.c
    struck = (
        select(change.event_id, change.mode, change.kind)
        .join(vote, vote.c.id == change.vote_id)
        .where(change.month == month, vote.c.mode == mode)
        .distinct()
    )
    joined = select(joining.c.event_id).where(joining.c.month == month).distinct()
    parts: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in conn.execute(struck):
        parts[row.mode or ANY_MODE, row.kind].add(row.event_id)
    of_joinings = set(conn.execute(joined).scalars())
    for kind in _JOININGS if of_joinings else ():
        parts[ANY_MODE, kind] |= of_joinings
    size = store.head(conn).size
    return any(
        _places(conn, arena_stream(part, month), kind, ids, low=log_size, high=size)
        for (part, kind), ids in parts.items()
    )


def applied(columns: Columns, standing: Standing) -> Columns:
    """Return the votes as they stand: struck ones weigh 0, who is joined is one cluster.

    A vote that weighed 0 anyway keeps the reason it was cast with.
    """
    if not (standing.places or standing.clusters or standing.renamed):
        return columns
    votes = columns.votes.copy()
    reasons = list(columns.names["reasons"])
    places = np.fromiter(standing.places, dtype=np.int64, count=len(standing.places))
    rows = np.flatnonzero(np.isin(votes["idx"], places) & (votes["weight"] > 0))
    for row in rows.tolist():
        reason = standing.places[int(votes["idx"][row])]
        if reason not in reasons:
            reasons.append(reason)
        votes["reason"][row] = reasons.index(reason)
    votes["weight"][rows] = 0
    clusters, moved = _joined(columns.names["clusters"], standing.clusters)
    if len(votes):
        votes["cluster"] = moved[votes["cluster"]]
    if standing.renamed:
        clusters = _rename(votes, clusters, standing.renamed)
    names = {**columns.names, "reasons": reasons, "clusters": clusters}
    return Columns(votes, names, columns.log_size, columns.last_vote)


def columns_at(ports: Ports, conn: Connection, mode: Mode, month: str, log_size: int) -> Columns:
    """Return the votes of a prefix as they stand at its end."""
    columns = ports.columns.read(conn, mode, month, log_size)
    return applied(columns, at(conn, mode, month, log_size))


def _changes(conn: Connection, mode: Mode, month: str) -> Sequence[Row[Any]]:
    """Return all strikes and restorings of a mode's votes, of whatever prefix."""
    query = (
        select(standing_change)
        .join(vote, vote.c.id == standing_change.c.vote_id)
        .where(standing_change.c.month == month, vote.c.mode == mode)
    )
    return conn.execute(query).all()


def _places(
    conn: Connection, stream: str, kind: str, ids: Iterable[str], *, high: int, low: int = 0
) -> dict[str, int]:
    """Return the index of each of these events that lies in a part of the log."""
    found: dict[str, int] = {}
    wanted = sorted(ids)
    for start in range(0, len(wanted), _PAGE):
        entries = store.sequenced(stream, kind, low, high).subquery()
        query = select(entries).where(entries.c.event_id.in_(wanted[start : start + _PAGE]))
        found |= {row.event_id: row.idx for row in conn.execute(query)}
    return found


def _struck(changes: Sequence[Row[Any]], known: Mapping[str, int]) -> dict[str, str]:
    """Return the strikes that nothing took back, by vote; at most one is in force on each."""
    undone = {(row.undoes, row.vote_id) for row in changes if row.kind == VoteRestored.KIND}
    strikes = [row for row in changes if row.kind != VoteRestored.KIND]
    return {
        row.vote_id: row.reason
        for row in sorted(strikes, key=lambda row: known[row.event_id])
        if (row.event_id, row.vote_id) not in undone
    }


def _clusters(joined: Sequence[Row[Any]], known: Mapping[str, int]) -> dict[str, str]:
    """Return each member's cluster; a later joining names all members of the larger cluster.

    A parting gives each voter whom it leaves alone their own name, so they are members of none.
    """
    ordered = sorted(joined, key=lambda row: known[row.event_id])
    named = {row.voter: row.cluster for row in ordered}
    members = Counter(named.values())
    return {voter: cluster for voter, cluster in named.items() if members[cluster] > 1}


def _renamed(
    conn: Connection,
    mode: Mode,
    month: str,
    log_size: int,
    parted: Iterable[str],
    clusters: Mapping[str, str],
) -> dict[int, str]:
    """Return the cluster of each vote that bears another name than its voter's, by place.

    Of voters who were in a parting alone: others' clusters only grew, so their old name tells it.
    """
    voters: dict[str, str] = {}
    wanted = sorted(parted)
    for start in range(0, len(wanted), _PAGE):
        query = select(vote.c.id, vote.c.voter).where(
            vote.c.month == month,
            vote.c.mode == mode,
            vote.c.voter.in_(wanted[start : start + _PAGE]),
            vote.c.cluster != vote.c.voter,
        )
        voters |= {row.id: row.voter for row in conn.execute(query)}
    stream = arena_stream(mode, month)
    places = _places(conn, stream, VoteCast.KIND, voters, high=log_size)
    return {
        place: clusters.get(voters[vote_id], voters[vote_id]) for vote_id, place in places.items()
    }


def _rename(votes: VoteTable, clusters: list[str], renamed: Mapping[int, str]) -> list[str]:
    """Give some votes another cluster; return the names, in the order in which votes bear them."""
    places = {name: place for place, name in enumerate(clusters)}
    asked = np.fromiter(renamed, dtype=np.int64, count=len(renamed))
    for row in np.flatnonzero(np.isin(votes["idx"], asked)).tolist():
        name = renamed[int(votes["idx"][row])]
        votes["cluster"][row] = places.setdefault(name, len(places))
    # As if they had never been joined: a fit adds up in the order of these numbers.
    used, first, own = np.unique(votes["cluster"], return_index=True, return_inverse=True)
    order = np.argsort(first)
    votes["cluster"] = np.argsort(order)[own]
    listed = list(places)
    return [listed[place] for place in used[order].tolist()]


def _joined(
    names: Sequence[str], clusters: Mapping[str, str]
) -> tuple[list[str], NDArray[np.int32]]:
    """Return the clusters' names after joining, and the new place of each old one."""
    listed: list[str] = []
    place_of: dict[str, int] = {}
    moved = np.zeros(len(names), dtype=np.int32)
    for old, name in enumerate(names):
        now = clusters.get(name, name)
        if now not in place_of:
            place_of[now] = len(listed)
            listed.append(now)
        moved[old] = place_of[now]
    return listed, moved
