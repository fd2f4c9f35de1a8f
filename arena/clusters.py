"""Which voters of a month are taken for one person, as cast and draw need to know."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select

from antiabuse import quotas
from antiabuse.identity import pseudonym
from antiabuse.statements import Statement
from antiabuse.utc import month_of
from antiabuse.voter import VoterState
from arena.ports import Ports
from arena.review_tables import cluster_member
from arena.visitor import Visitor

__all__ = ["Cluster", "cluster_of", "joined_to", "members_with", "state_of"]

_NAME: Final = Statement(
    "SELECT cluster FROM cluster_member WHERE month = :month AND voter = :voter"
)
_HOLDERS: Final = Statement(
    """
    SELECT DISTINCT h.voter_id
    FROM cluster_member m
    JOIN vote v ON v.month = m.month AND v.voter = m.voter
    JOIN ballot_holder h ON h.ballot_id = v.ballot_id
    WHERE m.month = :month AND m.cluster = :cluster
    """
)
_JOINED: Final = Statement(
    """
    SELECT DISTINCT h.voter_id
    FROM ballot_holder own
    JOIN vote o ON o.ballot_id = own.ballot_id AND o.month = :month
    JOIN cluster_member named ON named.month = o.month AND named.voter = o.voter
    JOIN cluster_member m ON m.month = named.month AND m.cluster = named.cluster
    JOIN vote v ON v.month = m.month AND v.voter = m.voter
    JOIN ballot_holder h ON h.ballot_id = v.ballot_id
    WHERE own.voter_id = :voter
    """
)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A voter with those joined to them.

    Attributes:
        voter: the voter's pseudonym of the month.
        name: the cluster's, which is the voter's own as long as they are joined to nobody.
        others: ids of the other voters in it, sorted.
    """

    voter: str
    name: str
    others: tuple[str, ...]


def cluster_of(conn: Connection, ports: Ports, visitor: Visitor) -> Cluster:
    """Return a visitor's cluster in the month of their visit."""
    month = month_of(visitor.now_us)
    own = pseudonym(ports.keys, month, visitor.voter)
    name = _NAME.run(conn, month=month, voter=own).scalar()
    if name is None:
        return Cluster(own, own, ())
    holders = _HOLDERS.run(conn, month=month, cluster=name).scalars()
    return Cluster(own, name, tuple(sorted(set(holders) - {visitor.voter})))


def members_with(conn: Connection, month: str, voters: Collection[str]) -> dict[str, str]:
    """Return the clusters of a month that hold any of these voters: cluster by member, in order.

    Who is joined to nobody is not in it.
    """
    named, member = cluster_member.alias(), cluster_member.alias()
    clusters = select(named.c.cluster).where(named.c.month == month, named.c.voter.in_(voters))
    query = select(member.c.voter, member.c.cluster).where(
        member.c.month == month, member.c.cluster.in_(clusters)
    )
    rows = conn.execute(query.order_by(member.c.voter))
    return {row.voter: row.cluster for row in rows}


def joined_to(conn: Connection, month: str, voter_id: str) -> tuple[str, ...]:
    """Return the ids of the others a voter is joined to in a month, sorted."""
    found = _JOINED.run(conn, month=month, voter=voter_id).scalars()
    return tuple(sorted(set(found) - {voter_id}))


def state_of(conn: Connection, ports: Ports, visitor: Visitor) -> VoterState | None:
    """Return what a visitor's cluster has used and may still do today; None if not registered."""
    others = cluster_of(conn, ports, visitor).others
    return quotas.read_cluster(conn, visitor.voter, others, visitor.now_us)
