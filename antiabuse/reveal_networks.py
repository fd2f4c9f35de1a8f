"""Which networks an answer was revealed to, as digests of the month, erased with the sightings.

Reveals are counted once for each, so that one line cannot wear out the pool (V-151).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from antiabuse.statements import Statement

__all__ = ["drop_before", "newly_revealed"]

_DROP: Final = Statement(
    "DELETE FROM reveal_network WHERE (answer_id, network) IN"
    " (SELECT answer_id, network FROM reveal_network WHERE month < :month LIMIT :most)"
)


def newly_revealed(
    conn: Connection, answers: Sequence[str], network: str | None, month: str
) -> frozenset[str]:
    """Note that answers are revealed to a network, and return those that are so for the first time.

    Args:
        conn: the vote's transaction, which holds the answers' rows.
        answers: their ids.
        network: digest of the month; None for a loopback, private or unknown address, to which
            all are new: nobody can be told apart there.
        month: of the digest.
    """
    if network is None:
        return frozenset(answers)
    named = {f"a{nth}": answer for nth, answer in enumerate(answers)}
    found = _insert(len(answers)).run(conn, **named, network=network, month=month)
    return frozenset(found.scalars())


@functools.cache
def _insert(answers: int) -> Statement:
    rows = ", ".join(f"(:a{nth}, :network, :month)" for nth in range(answers))
    return Statement(
        f"INSERT INTO reveal_network (answer_id, network, month) VALUES {rows}"  # noqa: S608 - names of parameters alone
        " ON CONFLICT DO NOTHING RETURNING answer_id"
    )


def drop_before(conn: Connection, month: str, most: int) -> int:
    """Drop some rows of months before this; return how many, fewer than `most` at the end."""
    return _DROP.run(conn, month=month, most=most).rowcount
