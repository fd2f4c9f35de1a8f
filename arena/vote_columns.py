"""The votes of a mode and month as whole-number columns, kept in a file and appended.

Reading a month out of the database costs many times the fit. The file is a cache: missing, damaged
or of another layout, it is made again from the database.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, select

from antiabuse.tables import sighting
from arena.ballot_events import arena_stream
from arena.ballot_projection import WEIGHT_UNIT
from arena.events import Mode
from arena.tables import ballot, ballot_slot, question, vote
from ledger import store
from ranking.lobster import BAD, NO_WORST, SAME, Choices

__all__ = ["Columns", "VoteColumns", "VoteTable"]

LAYOUT: Final = 3
_PAGE: Final = 20_000  # log entries read at a time
# Each list of names, and the column of places in it.
_LISTS: Final = {
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


@dataclass(frozen=True, slots=True)
class Columns:
    """Votes among the log's first `log_size` entries, with the names their numbers stand for.

    `votes` is (n,) of `VOTE`; `last_vote` is the event id of the last one.
    """

    votes: VoteTable
    names: Mapping[str, Sequence[str]]
    log_size: int
    last_vote: str | None

    def where(self, mask: NDArray[np.bool_]) -> Columns:
        """Return the votes that a mask (n,) keeps, over the models that they showed."""
        votes = self.votes[mask]
        shown = np.unique(votes["models"])
        votes["models"] = np.searchsorted(shown, votes["models"])
        models = [self.names["models"][place] for place in shown.tolist()]
        return Columns(votes, {**self.names, "models": models}, self.log_size, self.last_vote)

    def weighing(self, weight: NDArray[np.int64]) -> Columns:
        """Return the votes with other weights (n,), in millionths."""
        votes = self.votes.copy()
        votes["weight"] = weight
        return Columns(votes, self.names, self.log_size, self.last_vote)

    def choices(self) -> Choices:
        """Lay the votes out as the engine takes them."""
        votes = self.votes
        sets = np.asfortranarray(votes["models"])
        rows = np.arange(len(votes))
        best, worst = votes["best"].astype(np.int16), votes["worst"].astype(np.int16)
        return Choices(
            models=tuple(self.names["models"]),
            sets=sets,
            best=np.where(best >= 0, sets[rows, np.maximum(best, 0)], best),
            worst=np.where(worst >= 0, sets[rows, np.maximum(worst, 0)], NO_WORST).astype(np.int16),
            weight=np.ascontiguousarray(votes["weight"]),
            cluster=np.ascontiguousarray(votes["cluster"]),
        )


class VoteColumns:
    """Keeps the columns of each mode and month, in memory and in files of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept: dict[tuple[str, str], Columns] = {}

    def read(self, conn: Connection, mode: Mode, month: str, log_size: int) -> Columns:
        """Return the votes among the log's first `log_size` entries, reading only new ones.

        Args:
            conn: to read with.
            mode: of the votes.
            month: of the votes, `2026-11`.
            log_size: entries of the log, no more than it has.
        """
        known = self.kept.get((mode, month)) or self._load(mode, month)
        if not _belongs(conn, mode, month, known):
            known = _empty()
        if known.log_size > log_size:
            return _until(conn, mode, month, known, log_size)
        grown = _grown(conn, mode, month, known, log_size)
        if len(grown.votes) > len(known.votes) or known.log_size == 0:
            self._save(mode, month, grown, appended_from=len(known.votes))
        self.kept[mode, month] = grown
        return grown

    def _path(self, mode: Mode, month: str, ending: str) -> Path:
        return self.folder / f"votes-{mode}-{month}.{ending}"

    def _load(self, mode: Mode, month: str) -> Columns:
        """Return what the file holds, or nothing where it cannot be trusted."""
        try:
            head = json.loads(self._path(mode, month, "json").read_text(encoding="utf-8"))
            size = head["rows"] * VOTE.itemsize
            with self._path(mode, month, "bin").open("rb") as file:
                content = file.read(size)
            if len(content) != size or head.pop("check") != _check(head, content):
                return _empty()
            if head["layout"] != LAYOUT:
                return _empty()
            votes = np.frombuffer(content, dtype=VOTE)
            names = {name: head[name] for name in _LISTS}
            # What follows the last vote is read again: the log may be another one from there on.
            return Columns(votes, names, int(votes["idx"][-1]) + 1, head["last_vote"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return _empty()

    def _save(self, mode: Mode, month: str, columns: Columns, *, appended_from: int) -> None:
        """Append new rows, then put the head that makes them count in place of the old one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        content = columns.votes.tobytes()
        path = self._path(mode, month, "bin")
        with path.open("r+b" if path.exists() and appended_from else "wb") as file:
            file.seek(appended_from * VOTE.itemsize)
            file.write(content[appended_from * VOTE.itemsize :])
            file.truncate()
        head = {
            "layout": LAYOUT,
            "rows": len(columns.votes),
            "last_vote": columns.last_vote,
            **{name: list(columns.names[name]) for name in _LISTS},
        }
        head["check"] = _check(head, content)
        draft = self._path(mode, month, f"{os.getpid()}-{threading.get_ident()}.new")
        draft.write_text(json.dumps(head, ensure_ascii=False), encoding="utf-8")
        draft.replace(self._path(mode, month, "json"))


def _check(head: Mapping[str, object], content: bytes) -> int:
    """Return a checksum over the rows and all that their numbers stand for."""
    return zlib.crc32(json.dumps(head, sort_keys=True).encode(), zlib.crc32(content))


def _empty() -> Columns:
    return Columns(np.zeros(0, dtype=VOTE), {name: [] for name in _LISTS}, 0, None)


def _belongs(conn: Connection, mode: Mode, month: str, known: Columns) -> bool:
    """Say whether columns were made from this database's log, by their last vote's place."""
    if known.last_vote is None:
        return known.log_size == 0
    return _vote_at(conn, mode, month, int(known.votes["idx"][-1])) == known.last_vote


def _vote_at(conn: Connection, mode: Mode, month: str, place: int) -> str | None:
    query = store.sequenced(arena_stream(mode, month), "vote.cast", place, place + 1)
    found = conn.execute(query).first()
    return None if found is None else cast("str", found.event_id)


def _until(conn: Connection, mode: Mode, month: str, known: Columns, log_size: int) -> Columns:
    """Return the columns as they were when the log had fewer entries."""
    votes = known.votes[: np.searchsorted(known.votes["idx"], log_size)]
    # Names are numbered in order of appearance, so the first ones are those that were known then.
    names = {
        name: known.names[name][: int(votes[column].max(initial=-1)) + 1]
        for name, column in _LISTS.items()
    }
    place = int(votes["idx"][-1]) if len(votes) else None
    last_vote = None if place is None else _vote_at(conn, mode, month, place)
    return Columns(votes, names, log_size, last_vote)


def _grown(conn: Connection, mode: Mode, month: str, known: Columns, log_size: int) -> Columns:
    """Return the columns with the votes that were sequenced since."""
    names = {name: _Numbers(known.names[name]) for name in _LISTS}
    parts, last_vote = [known.votes], known.last_vote
    for low in range(known.log_size, log_size, _PAGE):
        page = conn.execute(_query(mode, month, low, min(low + _PAGE, log_size))).all()
        if not page:
            continue
        table = np.zeros(len(page), dtype=VOTE)
        for place, row in enumerate(page):
            table[place] = _numbers(row, names)
        parts.append(table)
        last_vote = page[-1].event_id
    votes = np.concatenate(parts) if len(parts) > 1 else known.votes
    return Columns(votes, {name: names[name].listed for name in _LISTS}, log_size, last_vote)


class _Numbers:
    """Gives each name a number, in order of appearance."""

    def __init__(self, names: Sequence[str]) -> None:
        self.listed = list(names)
        self._place = {name: place for place, name in enumerate(self.listed)}

    def of(self, name: str) -> int:
        place = self._place.get(name)
        if place is None:
            place = self._place[name] = len(self.listed)
            self.listed.append(name)
        return place


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


def _numbers(row: Row[Any], names: Mapping[str, _Numbers]) -> tuple[object, ...]:
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
