"""The column cache: always what a fresh read gives, whatever happened to its files."""

from __future__ import annotations

import json
import multiprocessing
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arena import refits
from arena.vote_columns import Columns, VoteColumns
from ledger.database import open_database
from ranking import lobster
from ranking.lobster import BAD, NO_WORST, SAME
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, open_site
from tests.fixtures.arena_votes import read_columns, refit, votes_by_order

HEAD, ROWS = "votes-speed-2026-11.json", "votes-speed-2026-11.bin"


def same(one: Columns, other: Columns) -> bool:
    """Say whether two readings are equal in every byte."""
    return (
        one.votes.tobytes() == other.votes.tobytes()
        and {name: list(names) for name, names in one.names.items()}
        == {name: list(names) for name, names in other.names.items()}
        and (one.log_size, one.last_vote) == (other.log_size, other.last_vote)
    )


@pytest.fixture
def fresh(either_arena: ArenaSite, tmp_path: Path) -> Callable[[], Columns]:
    """Reads the votes past every cache."""
    numbers = iter(range(1000))
    return lambda: read_columns(either_arena, VoteColumns(tmp_path / f"fresh-{next(numbers)}"))


def test_columns_say_what_the_votes_say(either_arena: ArenaSite, tmp_path: Path) -> None:
    """Each row is one vote of the log, in the log's order, with its ballot's logged P(S)."""
    arena = either_arena
    for fields in ({}, {"best": "C", "worst": ""}, {"verdict": "same"}, {"verdict": "bad"}):
        arena.voter().read_and_vote(fields=fields)
    arena.voter().read_and_vote(seconds=1)
    arena.sequence()
    cast = {each.id: each.body for each in arena.events("vote.cast")}
    issued = {each.id: each.body for each in arena.events("ballot.issued")}

    columns = read_columns(arena, VoteColumns(tmp_path))

    assert len(columns.votes) == 5
    assert list(columns.votes["idx"]) == sorted(columns.votes["idx"])
    by_models = {tuple(body["models"]): body for body in cast.values()}
    for row in columns.votes:
        body = by_models[tuple(columns.names["models"][place] for place in row["models"])]
        draw = issued[body["ballot"]]["draw"]
        slots = issued[body["ballot"]]["slots"]
        assert row["probability"] == float(draw["probability"])
        assert [columns.names["answers"][p] for p in row["answers"]] == [s["answer"] for s in slots]
        assert row["weight"] == round(float(body["weight"]) * 1_000_000)
        assert columns.names["clusters"][row["cluster"]] == body["cluster"]
        assert row["changes"].tolist() == [round(float(c) * 1e6) for c in body["changes"]]
        if body["verdict"] == "best_worst":
            assert body["models"][row["best"]] == body["best"]
        else:
            assert row["best"] == {"same": SAME, "bad": BAD}[body["verdict"]]
        worst = row["worst"]
        assert (None if worst == NO_WORST else body["models"][worst]) == body["worst"]
        reasons = body["reasons"] if row["weight"] == 0 else []
        known = [columns.names["reasons"][row["reason"]]] if row["reason"] >= 0 else []
        assert known == list(reasons)[:1]


def test_the_cache_equals_a_fresh_read_after_appends(
    either_arena: ArenaSite, tmp_path: Path, fresh: Callable[[], Columns]
) -> None:
    """In memory and from the file, after every batch of votes."""
    arena, kept = either_arena, VoteColumns(tmp_path / "kept")
    for count in (2, 1, 3):
        votes_by_order(arena, count)
        assert same(read_columns(arena, kept), fresh())
        assert same(read_columns(arena, VoteColumns(tmp_path / "kept")), fresh())
    assert len(fresh().votes) == 6


def test_only_new_votes_are_read(either_arena: ArenaSite, tmp_path: Path) -> None:
    """Votes in the file are not asked of the database again."""
    arena = either_arena
    votes_by_order(arena, 3)
    before = read_columns(arena, VoteColumns(tmp_path / "kept"))
    arena.execute("UPDATE vote SET weight_micro = 7")
    votes_by_order(arena, 1)

    after = read_columns(arena, VoteColumns(tmp_path / "kept"))

    assert after.votes[:3].tobytes() == before.votes.tobytes()
    assert after.votes["weight"].tolist() == [1_000_000] * 4


def test_a_reading_stays_as_it_is(arena: ArenaSite, tmp_path: Path) -> None:
    """Later votes and models are put beside what was given out, which nobody can write to."""
    kept = VoteColumns(tmp_path)
    readings = []
    for count in (1, 1, 5, 1):
        votes_by_order(arena, count)
        columns = read_columns(arena, kept)
        readings.append((columns, columns.votes.tobytes(), dict(columns.names)))

    for columns, content, names in readings:
        assert columns.votes.tobytes() == content
        assert columns.names == names
        with pytest.raises(ValueError, match="read-only"):
            columns.votes["weight"] = 0


def test_a_warm_board_is_that_of_a_cold_fit(arena: ArenaSite, tmp_path: Path) -> None:
    """Columns grown in memory and a start from the last board leave no trace in the numbers."""
    for count in (12, 3, 5):
        votes_by_order(arena, count)
        refit(arena)

    columns = read_columns(arena, VoteColumns(tmp_path))
    cold = lobster.board(lobster.fit(columns.choices()))

    sums = refits.totals(columns)
    wanted = [refits.row_body(row, sums) for row in cold.models]
    assert len(arena.events("board.published")) == 3
    assert arena.events("board.published")[-1].body["rows"] == wanted


def test_an_earlier_prefix_can_be_read(either_arena: ArenaSite, tmp_path: Path) -> None:
    """A board of fewer log entries is made of exactly those, and the cache keeps the rest."""
    arena, kept = either_arena, VoteColumns(tmp_path / "kept")
    votes_by_order(arena, 2)
    first = read_columns(arena, kept)
    votes_by_order(arena, 4)
    whole = read_columns(arena, kept)

    assert same(read_columns(arena, kept, first.log_size), first)
    assert same(read_columns(arena, VoteColumns(tmp_path / "new"), first.log_size), first)
    middle = int(whole.votes["idx"][3]) + 1
    assert same(
        read_columns(arena, kept, middle), read_columns(arena, VoteColumns(tmp_path / "b"), middle)
    )
    assert same(read_columns(arena, kept, 0), read_columns(arena, VoteColumns(tmp_path / "c"), 0))
    assert same(read_columns(arena, kept), whole)


def _cut(folder: Path) -> None:
    path = folder / ROWS
    path.write_bytes(path.read_bytes()[:-1])


def _flip(folder: Path) -> None:
    path = folder / ROWS
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def _change_head(**fields: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / HEAD
        head = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**head, **fields}), encoding="utf-8")

    return change


def _swap_models(folder: Path) -> None:
    path = folder / HEAD
    head = json.loads(path.read_text(encoding="utf-8"))
    _change_head(models=head["models"][::-1])(folder)


def _text_as_head(text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / HEAD).write_text(text, encoding="utf-8")

    return change


DAMAGES: dict[str, Callable[[Path], None]] = {
    "no head": lambda folder: (folder / HEAD).unlink(),
    "no rows": lambda folder: (folder / ROWS).unlink(),
    "rows cut": _cut,
    "rows flipped": _flip,
    "names swapped": _swap_models,
    "other layout": _change_head(layout=1),
    "fewer rows": _change_head(rows=1),
    "negative rows": _change_head(rows=-1),
    "other last vote": _change_head(last_vote="00000000-0000-4000-8000-000000000000"),
    "head is no JSON": _text_as_head("{"),
    "head is a list": _text_as_head("[]"),
    "head is empty": _text_as_head("{}"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_files_are_made_anew(arena: ArenaSite, tmp_path: Path, damage: object) -> None:
    """Whatever is wrong with them, the reading is right, and the next process finds whole files."""
    assert callable(damage)
    votes_by_order(arena, 3)
    folder = tmp_path / "kept"
    right = read_columns(arena, VoteColumns(folder))
    whole = [(folder / name).read_bytes() for name in (HEAD, ROWS)]
    damage(folder)
    assert [path.read_bytes() for path in sorted(folder.iterdir())] != sorted(whole)

    assert same(read_columns(arena, VoteColumns(folder)), right)

    assert [(folder / name).read_bytes() for name in (HEAD, ROWS)] == whole


def test_files_of_another_database_are_made_anew(
    arena: ArenaSite, arena_template: Path, tmp_path: Path
) -> None:
    """A data folder left behind by another log lends nothing to this one."""
    shutil.copyfile(arena_template, tmp_path / "other.sqlite3")
    url = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    other = open_site(url, tmp_path / "other", clock=arena.clock, seed=5)
    votes_by_order(other, 5)
    folder = tmp_path / "kept"
    read_columns(other, VoteColumns(folder))
    other.close()
    votes_by_order(arena, 2)

    found = read_columns(arena, VoteColumns(folder))

    assert same(found, read_columns(arena, VoteColumns(tmp_path / "new")))
    assert len(found.votes) == 2


def test_a_log_that_went_on_otherwise_is_read_from_the_last_common_vote(
    arena: ArenaSite, tmp_path: Path
) -> None:
    """After a restore the log may hold other votes where the cache had seen none."""
    votes_by_order(arena, 2)
    folder = tmp_path / "kept"
    before = read_columns(arena, VoteColumns(folder))
    head = json.loads((folder / HEAD).read_text(encoding="utf-8"))
    assert "log_size" not in head
    votes_by_order(arena, 1)

    found = read_columns(arena, VoteColumns(folder))

    assert found.votes["idx"][-1] >= before.log_size
    assert same(found, read_columns(arena, VoteColumns(tmp_path / "new")))


def _read_often(url: str, folder: Path, sizes: list[int]) -> None:
    """Read growing prefixes with a new cache each time, as processes that start again do."""
    database = open_database(url)
    with database.read() as conn:
        for size in sizes:
            VoteColumns(folder).read(conn, "speed", "2026-11", size)
    database.close()


def test_processes_that_share_the_files_do_no_harm(
    either_arena: ArenaSite, arena_url: str, tmp_path: Path
) -> None:
    """Two more of them write the same files at different lengths; every reading stays right."""
    arena, folder = either_arena, tmp_path / "kept"
    sizes = []
    for _ in range(4):
        votes_by_order(arena, 2)
        sizes.append(read_columns(arena, VoteColumns(tmp_path / "sizes")).log_size)
    spawned = multiprocessing.get_context("spawn")
    turns = [sizes[start:] + sizes[:start] for start in (0, 2)]
    processes = [
        spawned.Process(target=_read_often, args=(arena_url, folder, 6 * turn)) for turn in turns
    ]
    for process in processes:
        process.start()
    right = read_columns(arena, VoteColumns(tmp_path / "new"))
    while any(process.is_alive() for process in processes):
        assert same(read_columns(arena, VoteColumns(folder)), right)
        processes[0].join(0.05)
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0, 0]
    assert same(read_columns(arena, VoteColumns(folder)), right)
    assert not [path for path in folder.iterdir() if path.suffix == ".new"]


def test_a_refit_is_the_same_with_and_without_the_cache(
    open_arena: OpenArena, tmp_path: Path
) -> None:
    """Rows, facts and digest of the board do not tell whether the files were there."""
    arena = open_arena()
    votes_by_order(arena, 6)
    refit(arena)
    votes_by_order(arena, 3)
    refits.refit_now(arena.services.ports, "speed", "2026-11", arena.clock())
    (_, with_cache) = arena.events("board.published")
    arena.execute("DELETE FROM board WHERE id = :id", id=with_cache.id)
    for path in (tmp_path / "data" / "cache").iterdir():
        path.unlink()
    again = open_arena(seed=3)

    refit(again)

    without = again.events("board.published")[-1]
    assert without.id != with_cache.id
    ids = {"board", "computed_us"}
    assert {k: v for k, v in without.body.items() if k not in ids} == {
        k: v for k, v in with_cache.body.items() if k not in ids
    }


def test_a_part_of_the_votes_knows_the_models_it_shows(
    either_arena: ArenaSite, tmp_path: Path
) -> None:
    """Models of the other votes are not in it, and the rows still name the right ones."""
    arena = either_arena
    votes_by_order(arena, 4)
    columns = read_columns(arena, VoteColumns(tmp_path))
    names = np.array(columns.names["models"])
    mask = np.array([False, True, False, False])

    part = columns.where(mask)

    assert set(part.names["models"]) == set(names[columns.votes["models"][1]])
    assert (np.array(part.names["models"])[part.votes["models"][0]]).tolist() == (
        names[columns.votes["models"][1]].tolist()
    )
    assert part.choices().models == tuple(part.names["models"])
