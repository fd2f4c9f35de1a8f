"""The catalogue on both databases: what events make of it, and that a replay makes the same."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from sqlalchemy import select

from arena import catalogue, catalogue_changes, projection
from arena.catalogue_changes import Recorder
from arena.errors import UnknownAnswer
from arena.events import AnswerAdded, ImportCompleted, ModelAdded, QuestionAdded
from arena.rendering import RENDERER_VERSION
from arena.tables import answer, answer_html, catalogue_head, model, question
from ledger.database import Database
from ledger.store import Log, replay

NOW_US = 1_790_000_000_000_000
TABLES = (model, question, answer, answer_html, catalogue_head)


def a_model(slug: str, maker: str = "Maker", *, demo: bool = False) -> ModelAdded:
    """Return a model's event."""
    return ModelAdded(
        slug=slug,
        name=slug.title(),
        maker=maker,
        licence="MIT",
        link="",
        noncommercial=False,
        demo=demo,
        released=True,
    )


def a_question(question_id: str, *, demo: bool = False) -> QuestionAdded:
    """Return a question's event."""
    return QuestionAdded(
        question=question_id,
        text=f"What is {question_id}?",
        category="general",
        language="en",
        mode="speed",
        origin="test",
        licence="CC0-1.0",
        redistribute=True,
        noncommercial=False,
        demo=demo,
    )


def an_answer(answer_id: str, question_id: str, slug: str) -> AnswerAdded:
    """Return a showable answer's event."""
    return AnswerAdded(
        answer=answer_id,
        question=question_id,
        model=slug,
        mode="speed",
        text=f"**{answer_id}** is\u200b the answer.",
        latency_ms=120,
        origin="test",
        licence="CC0-1.0",
        state="showable",
        held_for="",
    )


def completed(*, demo: bool = False) -> ImportCompleted:
    """Return the event that closes an import."""
    return ImportCompleted(
        name="test",
        format="pack",
        mode="speed",
        origin="test",
        licence="CC0-1.0",
        noncommercial=False,
        demo=demo,
        models=2,
        questions=1,
        answers=2,
        held=0,
        at_us=NOW_US,
    )


@pytest.fixture
def recorder() -> Recorder:
    """A recorder with a fixed clock, seeded ids and seeded salts."""
    rng = random.Random(7)
    return Recorder(Log(lambda: rng.randbytes(32)), NOW_US, rng)


@pytest.fixture
def filled(database: Database, recorder: Recorder) -> Database:
    """A database with two models, two questions (one a demo) and three answers."""
    with database.write() as conn:
        for event in (
            a_model("one"),
            a_model("two", catalogue.UNKNOWN_MAKER),
            a_model("toy", demo=True),
            a_question("q1"),
            a_question("q2", demo=True),
            an_answer("a1", "q1", "one"),
            an_answer("a2", "q1", "two"),
            an_answer("a3", "q2", "toy"),
            completed(),
        ):
            recorder.record(conn, event)
    return database


def test_snapshot_holds_the_showable_answers_with_their_makers(filled: Database) -> None:
    """Questions come with answers, models with makers; an unknown maker is its model's own."""
    with filled.read() as conn:
        snapshot = catalogue.load_snapshot(conn)
    first = next(each for each in snapshot.questions("speed") if each.id == "q1")
    assert [(each.id, each.model) for each in first.answers] == [("a1", "one"), ("a2", "two")]
    assert [each.maker for each in first.answers] == ["maker:Maker", "model:two"]
    assert snapshot.questions("expert") == ()
    assert snapshot.models["one"].name == "One"
    assert snapshot.version == 1


def test_held_answer_leaves_the_pool_until_it_is_cleared(
    filled: Database, recorder: Recorder
) -> None:
    """Holding and clearing each change the pool and its version."""
    with filled.write() as conn:
        catalogue_changes.hold_answer(conn, recorder, "a1", "says its name")
        held = catalogue.load_snapshot(conn)
        catalogue_changes.clear_answer(conn, recorder, "a1", "a name in a story")
        cleared = catalogue.load_snapshot(conn)
    assert "a1" not in {a.id for q in held.questions("speed") for a in q.answers}
    assert "a1" in {a.id for q in cleared.questions("speed") for a in q.answers}
    assert (held.version, cleared.version) == (2, 3)


def test_holding_what_is_not_showable_is_refused(filled: Database, recorder: Recorder) -> None:
    """An unknown answer, and one that is held already, cannot be held."""
    with filled.write() as conn:
        catalogue_changes.hold_answer(conn, recorder, "a1", "once")
        with pytest.raises(UnknownAnswer):
            catalogue_changes.hold_answer(conn, recorder, "a1", "twice")
        with pytest.raises(UnknownAnswer):
            catalogue_changes.clear_answer(conn, recorder, "nothing", "")


def test_retiring_the_demo_takes_it_out_of_the_pool_once(
    filled: Database, recorder: Recorder
) -> None:
    """Demo models, questions and answers retire together; a second time there is nothing to do."""
    with filled.write() as conn:
        event = catalogue_changes.retire_demo(conn, recorder)
        again = catalogue_changes.retire_demo(conn, recorder)
        snapshot = catalogue.load_snapshot(conn)
    assert event is not None
    assert (event.models, event.questions, event.answers) == (1, 1, 1)
    assert again is None
    assert [each.id for each in snapshot.questions("speed")] == ["q1"]
    assert snapshot.models["toy"].retired_us == NOW_US


def test_rendering_is_stored_once_and_made_anew_for_another_renderer(filled: Database) -> None:
    """Missing and outdated HTML is filled in, and nothing is done when all is there."""
    assert catalogue.render_missing(filled) == 3
    assert catalogue.render_missing(filled) == 0
    with filled.write() as conn:
        conn.execute(answer_html.update().values(renderer_version="markdown.0", html="old"))
    assert catalogue.render_missing(filled) == 3
    with filled.read() as conn:
        versions = set(conn.execute(select(answer_html.c.renderer_version)).scalars())
    assert versions == {RENDERER_VERSION}


def test_replay_gives_the_same_tables(filled: Database, recorder: Recorder) -> None:
    """Emptied and replayed from the log, every table of the catalogue is as before."""
    with filled.write() as conn:
        catalogue_changes.hold_answer(conn, recorder, "a1", "says its name")
        catalogue_changes.retire_demo(conn, recorder)
    catalogue.render_missing(filled)
    before = contents(filled)
    with filled.write() as conn:
        projection.clear(conn)
        for event in replay(conn):
            projection.project(conn, event)
    catalogue.render_missing(filled)
    assert contents(filled) == before
    assert all(before.values())


def test_a_living_question_text_exists_once_per_mode(filled: Database, recorder: Recorder) -> None:
    """The database itself refuses the same text twice, whatever its case and spacing."""
    twin = replace(a_question("q3"), text="  what IS\nq1? ")
    with pytest.raises(Exception, match=r"(?i)unique"), filled.write() as conn:
        recorder.record(conn, twin)


def contents(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table of the catalogue."""
    with database.read() as conn:
        return {
            table.name: [
                tuple(row)
                for row in conn.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in TABLES
        }
