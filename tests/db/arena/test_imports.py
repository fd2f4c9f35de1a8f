"""Imports on both databases: the real samples, all or nothing, twice the same, and the demo."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from arena import catalogue, projection
from arena.demo_pack import demo_folders, load_demo
from arena.errors import CatalogueConflict, ImportRefused
from arena.imports import Code, ImportPlan, ImportResult, apply, plan, preview
from arena.tables import answer, answer_html, catalogue_head, model, question
from ledger.database import Database
from ledger.event import Disclosure
from ledger.store import Log, replay
from tests.fixtures.import_files import MODELS, a_pack, flat, read, sound_rows, write_lines

NOW_US = 1_790_000_000_000_000
TABLES = (model, question, answer, answer_html, catalogue_head)
Store = Callable[[ImportPlan], ImportResult]


@pytest.fixture
def rng() -> random.Random:
    """A seeded source of ids and salts."""
    return random.Random(11)


@pytest.fixture
def log(rng: random.Random) -> Log:
    """A log with seeded salts."""
    return Log(lambda: rng.randbytes(32))


@pytest.fixture
def store(database: Database, log: Log, rng: random.Random) -> Store:
    """Apply a plan to the test's database."""
    return lambda made: apply(database, log, made, clock=lambda: NOW_US, rng=rng)


def rows(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of the catalogue."""
    with database.read() as conn:
        return {
            table.name: [
                tuple(row)
                for row in conn.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in TABLES
        }


def events(database: Database) -> list[Any]:
    """Return all events in true order."""
    with database.read() as conn:
        return list(replay(conn))


def test_real_alpacaeval_makes_votable_questions(
    database: Database, store: Store, shared_data: Path
) -> None:
    """All sixty questions have at least four showable answers, rendered and marked."""
    made = read(shared_data / "real" / "alpacaeval", licence="CC BY-NC 4.0")
    result = store(made)
    assert (result.models, result.questions, result.answers, result.held) == (8, 60, 478, 0)
    with database.read() as conn:
        snapshot = catalogue.load_snapshot(conn)
        html = conn.execute(select(func.count()).select_from(answer_html)).scalar_one()
    assert len(snapshot.questions("speed")) == 60
    assert min(len(each.answers) for each in snapshot.questions("speed")) >= 4
    assert all(each.noncommercial for each in snapshot.models.values())
    assert not any(each.redistribute for each in snapshot.questions("speed"))
    assert html == 478
    assert catalogue.render_missing(database) == 0


def test_real_mt_bench_makes_votable_questions(
    database: Database, store: Store, shared_data: Path
) -> None:
    """All eighty have at least four showable answers, though 15 are missing and two are held."""
    result = store(read(shared_data / "real" / "mt_bench", mode="expert", licence="CC BY 4.0"))
    assert (result.models, result.questions, result.answers, result.held) == (6, 80, 464, 2)
    with database.read() as conn:
        snapshot = catalogue.load_snapshot(conn)
        held = conn.execute(select(answer.c.held_for).where(answer.c.state == "held")).scalars()
        assert list(held) == ["assistant created by anthropic"] * 2
    assert len(snapshot.questions("expert")) == 80
    assert min(len(each.answers) for each in snapshot.questions("expert")) >= 4
    assert sum(len(each.answers) for each in snapshot.questions("expert")) == 462


def test_same_import_twice_changes_nothing(
    database: Database, store: Store, tmp_path: Path
) -> None:
    """The second time everything is there already: no row, no event, no new version."""
    made = read(write_lines(tmp_path / "a.jsonl", *sound_rows()))
    store(made)
    before, logged = rows(database), len(events(database))
    again = store(made)
    assert again.nothing_new
    assert again.already_there == 8
    assert rows(database) == before
    assert len(events(database)) == logged


def test_later_import_adds_only_what_is_new(
    database: Database, store: Store, tmp_path: Path
) -> None:
    """A new model's answers join the questions there; another text for an old answer stays out."""
    store(read(write_lines(tmp_path / "a.jsonl", *sound_rows())))
    more = [*sound_rows(), flat("why ONE?", "m5", "five"), flat("Why three?", "m5", "three")]
    more[0] = {**more[0], "answer": "changed"}
    result = store(read(write_lines(tmp_path / "b.jsonl", *more)))
    assert (result.models, result.questions, result.answers) == (1, 1, 2)
    assert (result.already_there, result.changed) == (7, 1)
    with database.read() as conn:
        texts = set(conn.execute(select(answer.c.text)).scalars())
    assert "changed" not in texts
    assert "five" in texts


def test_errors_store_nothing(database: Database, store: Store, tmp_path: Path) -> None:
    """One bad line among good ones: the import is refused with its place, and nothing is there."""
    path = write_lines(tmp_path / "a.jsonl", *sound_rows())
    path.write_text(path.read_text() + "{\n")
    with pytest.raises(ImportRefused, match=r"a\.jsonl:9"):
        store(read(path))
    assert not any(rows(database).values())
    assert events(database) == []


def test_failure_in_the_middle_stores_nothing(
    database: Database, log: Log, rng: random.Random, tmp_path: Path
) -> None:
    """When storing breaks off half way, no row and no event is left."""

    class PowerCutError(Exception):
        pass

    def progress(done: int, total: int) -> None:
        if done > total * 3 // 4:
            raise PowerCutError

    made = read(write_lines(tmp_path / "a.jsonl", *sound_rows()))
    with pytest.raises(PowerCutError):
        apply(database, log, made, clock=lambda: NOW_US, rng=rng, progress=progress)
    assert not any(rows(database).values())
    assert events(database) == []


def test_question_stored_meanwhile_is_a_conflict(
    database: Database, log: Log, rng: random.Random, tmp_path: Path
) -> None:
    """An import that another one overtook is refused as a whole and may be run again."""
    made = read(write_lines(tmp_path / "a.jsonl", *sound_rows()))
    overtaken = False

    def progress(done: int, total: int) -> None:
        nonlocal overtaken
        if not overtaken:
            overtaken = True
            apply(database, log, made, clock=lambda: NOW_US, rng=rng)

    with pytest.raises(CatalogueConflict):
        apply(database, log, made, clock=lambda: NOW_US, rng=rng, progress=progress)
    again = apply(database, log, made, clock=lambda: NOW_US, rng=rng)
    assert again.already_there == 8


def test_preview_tells_what_would_be_stored_and_stores_nothing(
    database: Database, tmp_path: Path
) -> None:
    """A dry run names the new models, questions, answers and what would be held."""
    rows_ = [*sound_rows(), flat("Why one?", "m5", "I am m5.")]
    made = read(write_lines(tmp_path / "a.jsonl", *rows_))
    with database.read() as conn:
        difference = preview(conn, made)
    assert (len(difference.models), len(difference.questions), len(difference.answers)) == (5, 2, 9)
    assert [(each.answer.model, each.words) for each in difference.held] == [("m5", "i am m5")]
    assert not any(rows(database).values())


def test_planted_leak_is_stored_but_never_shown(
    database: Database, store: Store, tmp_path: Path
) -> None:
    """An answer that says its name is held with the words found."""
    leaking = [*sound_rows(), flat("Why one?", "m5", "I'm **m5**, hello")]
    assert store(read(write_lines(tmp_path / "a.jsonl", *leaking))).held == 1
    with database.read() as conn:
        snapshot = catalogue.load_snapshot(conn)
    shown = {a.model for q in snapshot.questions("speed") for a in q.answers}
    assert shown == set(MODELS)


def test_stored_answer_that_names_a_newcomer_is_held(
    database: Database, store: Store, tmp_path: Path
) -> None:
    """A name that becomes one of the registry only later gives an older answer away."""
    first = [*sound_rows(), flat("Why one?", "m5", "I am Zorbinax."), flat("Why two?", "m5", "x")]
    store(read(write_lines(tmp_path / "a.jsonl", *first)))
    result = store(read(write_lines(tmp_path / "b.jsonl", flat("Why two?", "Zorbinax", "z"))))
    assert result.newly_held == 1
    with database.read() as conn:
        held = conn.execute(select(answer.c.model).where(answer.c.state == "held")).scalars()
        assert list(held) == ["m5"]


def test_bodies_with_answers_stay_shut(database: Database, store: Store, tmp_path: Path) -> None:
    """Text and model are disclosed on retirement only; a text not to be passed on stays shut."""
    store(read(write_lines(tmp_path / "a.jsonl", *sound_rows()), redistribute=False))
    disclosed = {event.kind: event.disclosure for event in events(database)}
    assert disclosed["answer.added"] is Disclosure.RETIREMENT
    assert disclosed["question.added"] is Disclosure.RETIREMENT
    assert disclosed["model.added"] is Disclosure.AT_ONCE
    public = [e.body_text for e in events(database) if e.disclosure is Disclosure.AT_ONCE]
    assert not any("m1 on Why" in body or "Why one?" in body for body in public)


def test_ids_tell_nothing(database: Database, store: Store, tmp_path: Path) -> None:
    """Questions and answers have random ids, in no order of their models."""
    store(read(write_lines(tmp_path / "a.jsonl", *sound_rows())))
    with database.read() as conn:
        ids = list(conn.execute(select(answer.c.id)).scalars())
    assert all(len(each) == 36 and each[14] == "4" for each in ids)


def test_replay_of_an_import_gives_the_same_tables(
    database: Database, store: Store, tmp_path: Path
) -> None:
    """Texts in any form of Unicode, marks and all come back the same from the log."""
    odd = [*sound_rows(), flat("Why e\u0301?", "m1", "e\u0301 \u200b x", latency_ms=5)]
    store(read(write_lines(tmp_path / "a.jsonl", *odd)))
    before = rows(database)
    with database.write() as conn:
        projection.clear(conn)
        for event in replay(conn):
            projection.project(conn, event)
    catalogue.render_missing(database)
    assert rows(database) == before


def test_progress_runs_to_its_end(
    database: Database, log: Log, rng: random.Random, tmp_path: Path
) -> None:
    """The callback counts up without a gap and ends at the total."""
    seen: list[tuple[int, int]] = []
    made = read(write_lines(tmp_path / "a.jsonl", *sound_rows()))
    apply(
        database, log, made, clock=lambda: NOW_US, rng=rng,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen == [(step, 16) for step in range(1, 17)]


class TestDemo:
    """The demo packs and their retirement (V-174)."""

    def test_packs_are_sound_and_all_their_questions_votable(self) -> None:
        """Neither pack has an error, a hole that starves a question, or a leak."""
        made = [plan(folder) for folder in demo_folders()]
        assert {each.mode for each in made} == {"speed", "expert"}
        for each in made:
            assert each.is_sound
            assert each.demo
            assert Code.FEW_ANSWERS not in each.report.counts

    def test_demo_fills_an_empty_catalogue_once(
        self, database: Database, log: Log, rng: random.Random
    ) -> None:
        """Both modes can be voted on, all is marked, and a second call does nothing."""
        results = load_demo(database, log, clock=lambda: NOW_US, rng=rng)
        assert len(results) == 2
        assert load_demo(database, log, clock=lambda: NOW_US, rng=rng) == ()
        with database.read() as conn:
            snapshot = catalogue.load_snapshot(conn)
        for mode in ("speed", "expert"):
            assert len(snapshot.questions(mode)) >= 16
        assert all(each.demo for each in snapshot.models.values())
        assert all(each.demo for each in snapshot.questions("speed"))

    def test_first_real_import_retires_the_demo(
        self, database: Database, log: Log, rng: random.Random, store: Store, tmp_path: Path
    ) -> None:
        """From then on only real content is drawn, and the demo cannot come back."""
        load_demo(database, log, clock=lambda: NOW_US, rng=rng)
        result = store(read(write_lines(tmp_path / "a.jsonl", *sound_rows())))
        assert result.demo_retired is not None
        with database.read() as conn:
            snapshot = catalogue.load_snapshot(conn)
        assert len(snapshot.questions("speed")) == 2
        assert snapshot.questions("expert") == ()
        with pytest.raises(ImportRefused, match="real content"):
            store(plan(demo_folders()[0]))
        assert load_demo(database, log, clock=lambda: NOW_US, rng=rng) == ()

    def test_slug_of_a_demo_model_is_refused_for_a_real_one(
        self, store: Store, tmp_path: Path
    ) -> None:
        """Votes for a demo model must not become those of a real one."""
        store(plan(a_pack(tmp_path / "demo")))
        with pytest.raises(ImportRefused, match="demo model"):
            store(read(write_lines(tmp_path / "a.jsonl", *sound_rows())))
