"""Voters who had all erased: what is kept to refuse a copy of their cookie, and nothing else.

Without it, voting, erasing and voting again under the same cookie would begin a day anew. An id is
128 random bits, so its digest tells nobody the id and needs no key.
"""

from __future__ import annotations

import hashlib
from typing import Final

from sqlalchemy import Connection

from antiabuse.statements import Statement

_KEEP: Final = Statement(
    "INSERT INTO erased_voter (id_sha256, erased_us) VALUES (:digest, :now)"
    " ON CONFLICT (id_sha256) DO NOTHING"
)
_FORGET: Final = Statement("DELETE FROM voter WHERE id = :id")
_IS_ERASED: Final = Statement("SELECT 1 FROM erased_voter WHERE id_sha256 = :digest")


def erased_digest(voter_id: str) -> str:
    """Return what is kept of an erased id."""
    return hashlib.sha256(voter_id.encode()).hexdigest()


def is_erased(conn: Connection, voter_id: str) -> bool:
    """Say whether the voter of this id had all erased."""
    return _IS_ERASED.run(conn, digest=erased_digest(voter_id)).fetchone() is not None


def forget(conn: Connection, voter_id: str, now_us: int) -> None:
    """Drop a voter's row for good; whoever comes with its cookie again is a stranger."""
    _KEEP.run(conn, digest=erased_digest(voter_id), now=now_us)
    drop_row(conn, voter_id)


def drop_row(conn: Connection, voter_id: str) -> None:
    """Drop a voter's row, if there is one."""
    _FORGET.run(conn, id=voter_id)
