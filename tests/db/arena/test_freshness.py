"""How fresh the pool is, on both databases (V-151)."""

from __future__ import annotations

import math
from dataclasses import replace

from antiabuse import rules as antiabuse_rules
from arena.freshness import NEARLY_STALE, Freshness, pool_freshness
from tests.fixtures.arena_site import MODELS, QUESTIONS, ArenaSite

FRESH = antiabuse_rules.current().fresh_reveals
SPEED = QUESTIONS["speed"]
ALL = Freshness("speed", SPEED * len(MODELS), SPEED * len(MODELS), 0, SPEED, SPEED)


def freshness(arena: ArenaSite) -> tuple[Freshness, ...]:
    """Ask how fresh the pool is."""
    with arena.database.read() as conn:
        return pool_freshness(conn)


def reveal(arena: ArenaSite, answers: int, times: int) -> None:
    """Let so many answers of one question have been revealed so many times."""
    arena.execute(
        "UPDATE answer SET reveals = :times WHERE id IN (SELECT id FROM answer WHERE question_id ="
        " (SELECT min(id) FROM question WHERE mode = 'speed') ORDER BY id LIMIT :answers)",
        times=times,
        answers=answers,
    )


def test_a_new_pool_is_fresh(either_arena: ArenaSite) -> None:
    """Both modes are told, each with its own numbers."""
    speed, expert = freshness(either_arena)
    assert speed == ALL
    assert (expert.mode, expert.questions) == ("expert", QUESTIONS["expert"])


def test_answers_grow_stale_at_the_limit(either_arena: ArenaSite) -> None:
    """At the last fresh reveal a vote still counts, after it not; a question needs four fresh."""
    reveal(either_arena, 2, FRESH - 1)
    assert freshness(either_arena)[0] == replace(ALL, nearly_stale=2)
    reveal(either_arena, 2, FRESH)
    assert freshness(either_arena)[0] == replace(ALL, fresh_answers=ALL.answers - 2)
    reveal(either_arena, 3, FRESH)
    assert freshness(either_arena)[0] == replace(
        ALL, fresh_answers=ALL.answers - 3, fresh_questions=SPEED - 1
    )


def test_answers_near_the_limit_are_told(either_arena: ArenaSite) -> None:
    """The last tenth of the fresh reveals is near, what lies before is not."""
    near = FRESH * NEARLY_STALE
    reveal(either_arena, 2, math.ceil(near) - 1)
    assert freshness(either_arena)[0] == ALL
    reveal(either_arena, 2, math.ceil(near))
    assert freshness(either_arena)[0] == replace(ALL, nearly_stale=2)


def test_held_answers_and_retired_questions_are_no_pool(either_arena: ArenaSite) -> None:
    """Only what may be shown is counted."""
    either_arena.execute("UPDATE answer SET state = 'held' WHERE model = 'fenwhistle'")
    either_arena.execute("UPDATE question SET retired_us = 1 WHERE mode = 'expert'")
    speed, expert = freshness(either_arena)
    assert (speed.answers, speed.questions) == (SPEED * (len(MODELS) - 1), SPEED)
    assert expert == Freshness("expert", 0, 0, 0, 0, 0)
