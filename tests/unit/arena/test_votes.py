"""Reading a choice from form fields: one of three verdicts, never a mix (V-010 to V-012)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.votes import Choice, read_choice

LETTERS = "ABCD"
VERDICTS = ("best_worst", "same", "bad")


@pytest.mark.parametrize("best, worst", list(itertools.permutations(LETTERS, 2)))
def test_best_and_another_worst(best: str, worst: str) -> None:
    """Any two different letters are a choice, as slot numbers."""
    expected = Choice("best_worst", LETTERS.index(best), LETTERS.index(worst))
    assert read_choice("best_worst", best, worst) == expected


@pytest.mark.parametrize("letter", LETTERS)
def test_best_alone_is_complete_and_best_as_worst_is_none(letter: str) -> None:
    """Without a worst, empty or absent, the choice stands; the same letter twice contradicts."""
    for nothing in ("", None):
        alone = Choice("best_worst", LETTERS.index(letter), None)
        assert read_choice("best_worst", letter, nothing) == alone
        assert read_choice("best_worst", nothing, letter) is None
    assert read_choice("best_worst", letter, letter) is None


@pytest.mark.parametrize("verdict", ["same", "bad"])
def test_the_way_outs_bear_no_letter(verdict: str) -> None:
    """Same and bad stand alone; with any letter they are a mix."""
    for best, worst in itertools.product((None, ""), repeat=2):
        choice = read_choice(verdict, best, worst)
        assert choice is not None
        assert (choice.verdict, choice.best, choice.worst) == (verdict, None, None)
    for letter in LETTERS:
        assert read_choice(verdict, letter, None) is None
        assert read_choice(verdict, "", letter) is None


@given(
    verdict=st.sampled_from((*VERDICTS, "", "none", None)),
    best=st.none() | st.text("ABCDEa", max_size=2),
    worst=st.none() | st.text("ABCDEa", max_size=2),
)
def test_whatever_is_read_is_sound(
    verdict: str | None, best: str | None, worst: str | None
) -> None:
    """Any fields give a sound choice or none, and a sound choice says what the fields said."""
    choice = read_choice(verdict, best, worst)
    if choice is None:
        return
    assert choice.verdict == verdict
    assert (choice.best is None) == (verdict != "best_worst")
    assert choice.best is None or choice.best != choice.worst
    for field, slot in ((best, choice.best), (worst, choice.worst)):
        assert (field or None) == (None if slot is None else LETTERS[slot])
