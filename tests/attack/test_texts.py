"""Marks and names inside answers (B6, B7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.attacks.texts import marks_left, names_found, read_answers

MODELS = {"Zanthor Nine": "Quillmere", "GPT-4": "OpenAI"}
SEEN = {"rare words", "three exclamation marks"}


@pytest.fixture(scope="module")
def answers(shared_data: Path) -> list[str]:
    """Real answers of several models."""
    by_model = read_answers(shared_data / "real" / "mt_bench" / "model_answer")
    return [text for texts in by_model.values() for text in texts]


def test_unseen_marks_do_not_reach_the_page(answers: list[str]) -> None:
    """B6: whatever nobody can see is gone; words that can be seen stay the model's own."""
    left = marks_left(answers[::40])

    assert all(sent == 1 for sent, _, _ in left.values())
    in_page = {title: page for title, (_, _, page) in left.items() if title not in SEEN}
    assert {title for title, page in in_page.items() if page > 0} <= {"link without text"}
    assert all(left[title][2] > 0.8 for title in SEEN)


def test_plain_names_are_held_and_real_answers_are_not(answers: list[str]) -> None:
    """B7: what the phrase rule names is held; of real answers hardly any."""
    found = names_found(MODELS, answers)

    assert found.held["I am {name}."] == found.held["I was trained by {maker}."] == 1
    assert found.held["I a\u200bm {name}."] == 1
    assert found.false / found.honest < 0.01
