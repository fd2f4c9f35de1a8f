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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from arena.ballot_events import arena_stream
from arena.events import Mode
from arena.vote_rows import LISTS, VOTE, Numbers, VoteTable, rows_of
from ledger import store
from ranking.lobster import Choices

__all__ = ["VOTE", "Columns", "VoteColumns", "VoteTable"]

LAYOUT: Final = 3
_PAGE: Final = 20_000  # log entries read at a time


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
        if mask.all():
            return self
        votes, known = self.votes[mask], self.names["models"]
        shown = np.zeros(len(known), dtype=np.bool_)
        shown[votes["models"]] = True
        votes["models"] = (np.cumsum(shown) - 1)[votes["models"]]
        models = [known[place] for place in np.flatnonzero(shown).tolist()]
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
        return Choices(
            models=tuple(self.names["models"]),
            sets=sets,
            best=_picked(sets, votes["best"]),
            worst=_picked(sets, votes["worst"]),
            weight=np.ascontiguousarray(votes["weight"]),
            cluster=np.ascontiguousarray(votes["cluster"]),
        )


def _picked(sets: NDArray[np.int16], place: NDArray[np.int8]) -> NDArray[np.int16]:
    """Return the model (n,) in each vote's place (n,); marks below 0 stay."""
    picked = place.astype(np.int16)
    for slot, models in enumerate(sets.T):
        np.copyto(picked, models, where=place == slot)
    return picked


class VoteColumns:
    """Keeps the columns of each mode and month, in memory and in files of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept: dict[tuple[str, str], _Kept] = {}

    def read(self, conn: Connection, mode: Mode, month: str, log_size: int) -> Columns:
        """Return the votes among the log's first `log_size` entries, reading only new ones.

        Args:
            conn: to read with.
            mode: of the votes.
            month: of the votes, `2026-11`.
            log_size: entries of the log, no more than it has.
        """
        kept = self.kept.get((mode, month)) or self._load(mode, month)
        if not _belongs(conn, mode, month, kept.columns):
            kept = _empty()
        if kept.columns.log_size > log_size:
            return _until(conn, mode, month, kept.columns, log_size)
        grown = _grown(conn, mode, month, kept, log_size)
        if len(grown.columns.votes) > len(kept.columns.votes) or kept.columns.log_size == 0:
            self._save(mode, month, grown, appended_from=len(kept.columns.votes))
        self.kept[mode, month] = grown
        return grown.columns

    def _path(self, mode: Mode, month: str, ending: str) -> Path:
        return self.folder / f"votes-{mode}-{month}.{ending}"

    def _load(self, mode: Mode, month: str) -> _Kept:
        """Return what the file holds, or nothing where it cannot be trusted."""
        try:
            head = json.loads(self._path(mode, month, "json").read_text(encoding="utf-8"))
            size = head["rows"] * VOTE.itemsize
            with self._path(mode, month, "bin").open("rb") as file:
                content = file.read(size)
            check, rows_check = head.pop("check"), zlib.crc32(content)
            if len(content) != size or check != _check(_text(head), rows_check):
                return _empty()
            if head["layout"] != LAYOUT:
                return _empty()
            votes = np.frombuffer(content, dtype=VOTE)
            names = {name: head[name] for name in LISTS}
            # What follows the last vote is read again: the log may be another one from there on.
            columns = Columns(votes, names, int(votes["idx"][-1]) + 1, head["last_vote"])
            return _Kept(columns, votes, _places(names), rows_check)
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return _empty()

    def _save(self, mode: Mode, month: str, kept: _Kept, *, appended_from: int) -> None:
        """Append new rows, then put the head that makes them count in place of the old one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        columns, path = kept.columns, self._path(mode, month, "bin")
        with path.open("r+b" if path.exists() and appended_from else "wb") as file:
            file.seek(appended_from * VOTE.itemsize)
            file.write(columns.votes[appended_from:].tobytes())
            file.truncate()
        head = {
            "layout": LAYOUT,
            "rows": len(columns.votes),
            "last_vote": columns.last_vote,
            **{name: list(columns.names[name]) for name in LISTS},
        }
        text = _text(head)
        check = f', "check": {_check(text, kept.rows_check)}}}'
        draft = self._path(mode, month, f"{os.getpid()}-{threading.get_ident()}.new")
        draft.write_text(text.removesuffix("}") + check, encoding="utf-8")
        draft.replace(self._path(mode, month, "json"))


def _text(head: Mapping[str, object]) -> str:
    return json.dumps(head, ensure_ascii=False)


def _check(head: str, rows_check: int) -> int:
    """Return a checksum over the rows and all that their numbers stand for."""
    return zlib.crc32(head.encode(), rows_check)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Columns, and what makes appending to them cheap.

    `room` begins with the votes and has place for more; `places` are the names' numbers;
    `rows_check` is the checksum over the votes.
    """

    columns: Columns
    room: VoteTable
    places: Mapping[str, Mapping[str, int]]
    rows_check: int


def _empty() -> _Kept:
    votes, names = np.zeros(0, dtype=VOTE), {name: list[str]() for name in LISTS}
    return _Kept(Columns(votes, names, 0, None), votes, _places(names), zlib.crc32(b""))


def _places(names: Mapping[str, Sequence[str]]) -> dict[str, dict[str, int]]:
    return {
        kind: {name: place for place, name in enumerate(listed)} for kind, listed in names.items()
    }


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
        for name, column in LISTS.items()
    }
    place = int(votes["idx"][-1]) if len(votes) else None
    last_vote = None if place is None else _vote_at(conn, mode, month, place)
    return Columns(votes, names, log_size, last_vote)


def _grown(conn: Connection, mode: Mode, month: str, kept: _Kept, log_size: int) -> _Kept:
    """Return the columns with the votes that were sequenced since."""
    columns, room, check = kept.columns, kept.room, kept.rows_check
    places = {kind: Numbers(numbers) for kind, numbers in kept.places.items()}
    size, last_vote = len(columns.votes), columns.last_vote
    for low in range(columns.log_size, log_size, _PAGE):
        rows, last = rows_of(conn, mode, month, low, min(low + _PAGE, log_size), places)
        if last is None:
            continue
        room = _with_room(room, size, len(rows))
        # Beyond what earlier readings show: they stay as they are.
        room[size : size + len(rows)] = rows
        size, last_vote, check = size + len(rows), last, zlib.crc32(rows.tobytes(), check)
    if size == len(columns.votes):
        return replace(kept, columns=replace(columns, log_size=log_size))
    votes = room[:size]
    votes.flags.writeable = False
    names = {kind: list(numbers) for kind, numbers in places.items()}
    return _Kept(Columns(votes, names, log_size, last_vote), room, places, check)


def _with_room(room: VoteTable, size: int, more: int) -> VoteTable:
    """Return the table, or a larger one with the same first rows, with place for more."""
    if size + more <= len(room) and room.flags.writeable:
        return room
    larger = np.zeros((size + more) * 5 // 4, dtype=VOTE)
    larger[:size] = room[:size]
    return larger
