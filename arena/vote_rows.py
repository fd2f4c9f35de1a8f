"""The votes of the log as rows of whole numbers, read out of the database.

Names become numbers in their order of appearance, so a longer reading begins like a shorter one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, select

from antiabuse.tables import sighting
from arena.ballot_events import arena_stream
from arena.ballot_projection import WEIGHT_UNIT
from arena.events import Mode
from arena.tables import ballot, ballot_slot, question, vote
from ledger import store
from ranking.lobster import BAD, NO_WORST, SAME

__all__ = ["LISTS", "UNKNOWN", "VOTE", "Numbers", "VoteTable", "rows_of"]

# Each list of names, and the column of places in it.
LISTS: Final = {
    "models": "models",
    "answers": "answers",
    "clusters": "cluster",
    "categories": "category",
    "reasons": "reason",
    "networks": "network",
}
_VERDICTS: Final = {"same": SAME, "bad": BAD}
_NO_REASON: Final = -1
UNKNOWN: Final = -1

# One vote in the order of the public log. Models, answers, cluster, category, reason and network
# are places in the lists of names beside it; best and worst are slots or the engine's marks.
VOTE: Final = np.dtype(
    [
        ("idx", "<i8"),
        ("probability", "<f8"),
        ("answers", "<i4", (4,)),
        ("changes", "<i4", (4,)),
        ("weight", "<i4"),
        ("cluster", "<i4"),
        ("network", "<i4"),
        ("models", "<i2", (4,)),
        ("category", "<i2"),
        ("best", "i1"),
        ("worst", "i1"),
        ("reason", "i1"),
        ("demo", "i1"),
    ]
)

VoteTable = NDArray[np.void]


class Numbers(dict[str, int]):
    """Gives each name a number, in order of appearance."""

    def of(self, name: str) -> int:
        """Return the name's number."""
        return self.setdefault(name, len(self))


def rows_of(
    conn: Connection, mode: Mode, month: str, low: int, high: int, names: Mapping[str, Numbers]
) -> tuple[VoteTable, str | None]:
    """Return the votes among some entries of the log, and the event id of the last one.

    Args:
        conn: to read with.
        mode: of the votes.
        month: of the votes, `2026-11`.
        low: first entry.
        high: one past the last entry.
        names: the numbers of each list's names, to which new ones are added.
    """
    page = conn.execute(_query(mode, month, low, high)).all()
    table = np.zeros(len(page), dtype=VOTE)
    for place, row in enumerate(page):
        table[place] = _numbers(row, names)
    return table, page[-1].event_id if page else None


def _query(mode: Mode, month: str, low: int, high: int) -> Select[Any]:
    entries = store.sequenced(arena_stream(mode, month), "vote.cast", low, high).subquery()
    slots = [ballot_slot.alias(f"slot_{place}") for place in range(4)]
    query = (
        select(
            entries.c.idx,
            entries.c.event_id,
            vote.c.models,
            vote.c.verdict,
            vote.c.best,
            vote.c.worst,
            vote.c.weight_micro,
            vote.c.cluster,
            vote.c.reasons,
            vote.c.changes,
            ballot.c.set_probability,
            question.c.category,
            question.c.demo,
            sighting.c.network,
            *(slot.c.answer_id for slot in slots),
        )
        .join(vote, vote.c.id == entries.c.event_id)
        .join(ballot, ballot.c.id == vote.c.ballot_id)
        .join(question, question.c.id == vote.c.question_id)
        .outerjoin(sighting, sighting.c.vote_id == vote.c.id)
    )
    for place, slot in enumerate(slots):
        same = (slot.c.ballot_id == vote.c.ballot_id) & (slot.c.position == place)
        query = query.join(slot, same)
    return query.order_by(entries.c.idx)


def _numbers(row: Row[Any], names: Mapping[str, Numbers]) -> tuple[object, ...]:
    """Return one vote as a row of `VOTE`."""
    reasons = json.loads(row.reasons)
    excluded = row.weight_micro == 0 and reasons
    return (
        row.idx,
        float(row.set_probability),
        [names["answers"].of(answer) for answer in row[-4:]],
        [round(float(change) * WEIGHT_UNIT) for change in json.loads(row.changes)],
        row.weight_micro,
        names["clusters"].of(row.cluster),
        UNKNOWN if row.network is None else names["networks"].of(row.network),
        [names["models"].of(slug) for slug in json.loads(row.models)],
        names["categories"].of(row.category),
        _VERDICTS.get(row.verdict, row.best),
        NO_WORST if row.worst is None else row.worst,
        names["reasons"].of(reasons[0]) if excluded else _NO_REASON,
        row.demo,
    )
