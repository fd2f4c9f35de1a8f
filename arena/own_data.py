"""Everything kept on one voter, read from the rows themselves, and its erasure (X-006).

Nothing here tells which model wrote an answer of a ballot that is still open. Of detectors and
moderators it holds what was decided about the voter; of what waits, and of notes, only how many.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, select, text, update

from antiabuse import erased, quotas, sightings
from antiabuse.errors import UnknownVoter
from antiabuse.tables import sighting
from antiabuse.tables import voter as voter_table
from antiabuse.utc import month_of
from arena.clusters import joined_to
from arena.own_flags import OwnFlags, own_flags
from arena.own_joining import OwnJoining, own_joinings
from arena.ports import Ports
from arena.review_events import NoteWritten
from arena.tables import ballot_holder
from ledger import private_parts
from ledger.entries import entries_of

__all__ = ["Erased", "Kept", "erase", "kept_on"]

# Who a moderator is tells nothing about the voter; of notes see docs/decisions/0016.
_WITHHELD: Final = frozenset({"name"})
_WITHHELD_OF_NOTES: Final = _WITHHELD | {"text"}

_BALLOTS: Final = text(
    """
    SELECT h.ballot_id, h.route, h.issued_us, b.mode, b.month, b.state, q.text AS question
    FROM ballot_holder h
    JOIN ballot b ON b.id = h.ballot_id
    JOIN question q ON q.id = b.question_id
    WHERE h.voter_id = :voter
    ORDER BY h.issued_us, h.ballot_id
    """
)
_VOTES: Final = text(
    """
    SELECT v.id, v.ballot_id, v.weight_micro, v.reasons, x.reason AS struck
    FROM ballot_holder h
    JOIN vote v ON v.ballot_id = h.ballot_id
    LEFT JOIN vote_strike x ON x.vote_id = v.id
    WHERE h.voter_id = :voter
    ORDER BY h.issued_us, v.id
    """
)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept on a voter, field by field as stored.

    Attributes:
        voter: the row of the id; None for an id that has no row.
        ballots: what joins the id to its ballots.
        votes: each vote as logged, with the salt that proves it and why it does not count.
        private_parts: of every event about the voter, with the salt that proves them, or with the
            names of the fields that are withheld.
        sightings: where votes came from, as keyed digests.
        flags: reports of detectors about the voter; undecided ones are counted alone.
        joinings: with how many others the voter is taken for one person, since when and why.
    """

    voter: dict[str, Any] | None
    ballots: tuple[dict[str, Any], ...]
    votes: tuple[dict[str, Any], ...]
    private_parts: tuple[dict[str, Any], ...]
    sightings: tuple[dict[str, Any], ...]
    flags: OwnFlags
    joinings: tuple[OwnJoining, ...]

    def body(self) -> dict[str, Any]:
        """Return all of it for a file."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Erased:
    """How much was erased: private parts, links to ballots, and sightings made nobody's."""

    private_parts: int
    ballots: int
    sightings: int


def kept_on(conn: Connection, voter: str, now_us: int) -> Kept:
    """Return everything that is kept on a voter."""
    row = quotas.stored(conn, voter)
    seen = select(sighting).where(sighting.c.voter_id == voter).order_by(sighting.c.at_us)
    return Kept(
        voter=None if row is None else asdict(row),
        ballots=tuple(dict(each) for each in conn.execute(_BALLOTS, {"voter": voter}).mappings()),
        votes=tuple(_votes(conn, voter)),
        private_parts=tuple(_parts(conn, voter)),
        sightings=tuple(dict(each) for each in conn.execute(seen).mappings()),
        flags=own_flags(conn, voter, now_us),
        joinings=own_joinings(conn, voter, now_us),
    )


def _votes(conn: Connection, voter: str) -> Iterator[dict[str, Any]]:
    rows = conn.execute(_VOTES, {"voter": voter}).all()
    logged = {entry.event_id: entry for entry in entries_of(conn, [row.id for row in rows])}
    for row in rows:
        entry = logged[row.id]
        yield {
            "event": row.id,
            "ballot": row.ballot_id,
            "counts": row.weight_micro > 0 and row.struck is None,
            "reasons": json.loads(row.reasons),
            "struck": row.struck,
            "log_index": entry.index,
            "body": json.loads(entry.body_text),
            "body_salt": entry.body_salt,
            "body_sha256": entry.body_sha256,
        }


def _parts(conn: Connection, voter: str) -> Iterator[dict[str, Any]]:
    for found in private_parts.parts_about(conn, voter):
        hidden = _WITHHELD_OF_NOTES if found.kind == NoteWritten.KIND else _WITHHELD
        withheld = sorted(hidden & found.part.keys())
        yield {
            "event": found.event_id,
            "kind": found.kind,
            "stream": found.stream,
            "fields": {name: found.part[name] for name in found.part if name not in hidden},
            "withheld": withheld,
            # Without all fields the digest could not be made again.
            "salt": None if withheld else found.salt,
            "sha256": found.sha256,
        }


def erase(ports: Ports, voter: str, now_us: int) -> Erased:
    """Erase what is kept on a voter, for good and at once; doing it twice does no harm.

    Bodies of events stay, for others rely on them: votes count on under the month's pseudonym,
    which nothing joins to the id any more. A ban goes over to those the voter is joined to, for
    whom it holds: erasing lifts none.
    """
    with ports.database.write() as conn:
        others = joined_to(conn, month_of(now_us), voter)
        # A vote of this very moment is waited for, and what it wrote is erased too. Without a row,
        # what an earlier erasure may have left goes all the same.
        with suppress(UnknownVoter):
            quotas.lock_cluster(conn, voter, others, now_us)
            _hand_ban_on(conn, voter, others)
        parts = private_parts.erase_about(conn, voter, now_us=now_us)
        links = delete(ballot_holder).where(ballot_holder.c.voter_id == voter)
        done = Erased(
            private_parts=parts,
            ballots=conn.execute(links).rowcount,
            sightings=sightings.unlink(conn, voter, now_us),
        )
        erased.forget(conn, voter, now_us)
    return done


def _hand_ban_on(conn: Connection, voter: str, others: Collection[str]) -> None:
    """Lay a voter's ban on those joined to them who bear none; all their rows are locked."""
    row = quotas.stored(conn, voter)
    if row is None or row.banned_us is None:
        return
    whom = voter_table.c.id.in_(others), voter_table.c.banned_us.is_(None)
    conn.execute(update(voter_table).where(*whom).values(banned_us=row.banned_us))
