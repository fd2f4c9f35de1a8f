"""Attacks inside answers: hidden marks that only a program sees, and models that name themselves.

B6 and B7 run on real answers, through the arena's own cleaning and its phrase rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.identity_leaks import PhraseRule
from arena.rendering import render, visible

__all__ = ["MARKS", "SENTENCES", "Named", "marks_left", "names_found", "read_answers"]

MARKS: Final[Mapping[str, str]] = {
    "zero-width spaces": "\u200b\u200b\u200b",
    "word joiner and byte-order mark": "\u2060\ufeff",
    "tag characters": "".join(chr(0xE0000 + ord(letter)) for letter in "m07"),
    "variation selectors": "\ufe01\ufe02\ufe03",
    "bidirectional controls": "\u202a\u202c",
    "soft hyphens": "\u00ad\u00ad",
    "HTML comment": "<!-- m07 -->",
    "link without text": "[](m07)",
    "rare words": " verily and forsooth",
    "three exclamation marks": "!!!",
}
"""What a model adds to each of its answers; the last two can be seen, and stay."""

SENTENCES: Final[tuple[str, ...]] = (
    "I am {name}.",
    "I'm {name}, here to help.",
    "My name is {name}.",
    "I am **{name}**, a language model.",
    "As {name}, I think so.",
    "I was developed by {maker}.",
    "I was trained by {maker}.",
    "{name} here!",
    "You are talking to {name}.",
    "Being a {name} model, I cannot know.",
    "{maker} made me.",
    "I a\u200bm {name}.",
)
"""Ways in which a model says who it is; the last five are near phrases."""


@dataclass(frozen=True, slots=True)
class Named:
    """B7: which sentences are held before serving, and the honest answers that are held with them.

    `held` is by sentence, the share over names; `false` among `honest` answers.
    """

    held: Mapping[str, float]
    false: int
    honest: int


def read_answers(folder: Path) -> dict[str, list[str]]:
    """Read the first-turn answers of each model in a folder of MT-bench files."""
    return {
        path.stem: [
            json.loads(line)["choices"][0]["turns"][0]
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        for path in sorted(folder.glob("*.jsonl"))
    }


def marks_left(answers: Sequence[str]) -> dict[str, tuple[float, float, float]]:
    """B6: share of marked answers that a program names, as sent, as copied, and in the page.

    The program looks for the mark itself. Each answer bears it in its middle.
    """
    ways: tuple[Callable[[str], str], ...] = (str, lambda text: visible(text).text, _page)
    found = {}
    for title, mark in MARKS.items():
        marked = [_with_mark(answer, mark) for answer in answers]
        shares = [sum(mark in way(text) for text in marked) / len(marked) for way in ways]
        found[title] = (shares[0], shares[1], shares[2])
    return found


def _page(text: str) -> str:
    return render(text).html


def _with_mark(answer: str, mark: str) -> str:
    """Put a mark after the word in the middle of an answer."""
    middle = answer.find(" ", len(answer) // 2)
    cut = middle if middle >= 0 else len(answer)
    return answer[:cut] + mark + answer[cut:]


def names_found(models: Mapping[str, str], answers: Sequence[str]) -> Named:
    """B7: put each sentence, for each model, before a real answer.

    Args:
        models: makers by name.
        answers: real answers, which name nobody in these words.
    """
    rule = PhraseRule([*models, *models.values()])
    held = {
        sentence: sum(
            bool(rule.find(f"{sentence.format(name=name, maker=maker)} {answers[0]}"))
            for name, maker in models.items()
        )
        / len(models)
        for sentence in SENTENCES
    }
    return Named(held, sum(bool(rule.find(answer)) for answer in answers), len(answers))
