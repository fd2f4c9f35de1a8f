"""The phrase rule: what gives an author away, and what does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.identity_leaks import PhraseRule

NAMES = ("gpt-4o-2024-05-13", "text_davinci_003", "Open Marsh", "demo-heron", "unknown", "7")


@pytest.mark.parametrize(
    "text",
    [
        "I am ChatGPT, and happy to help.",
        "Hello! I'm Claude.",
        "I’m **Claude**, made to help.",
        "My name is Gemini.",
        "my name's Bard",
        "a system developed by OpenAI",
        "developed by the research team at Anthropic? No: developed by the team at Anthropic.",
        "As a model by text-davinci-003,",
        "As a language model by Open Marsh, I cannot.",
        "I am gpt 4o 2024 05 13",
        "I am GPT-4o-2024-05-13.",
        "I am an AI assistant created by Anthropic to be helpful.",
        "I am Cl\u200baude",
        "I am Ｃｌａｕｄｅ",
        "I\nam\nClaude",
    ],
)
def test_phrase_with_a_name_is_found(text: str) -> None:
    """A phrase followed by a name of the registry or a well-known one is a leak."""
    assert PhraseRule(NAMES).find(text)


@pytest.mark.parametrize(
    "text",
    [
        "Claude Monet painted water lilies.",
        "OpenAI released a model.",
        "I am writing about Claude Shannon.",
        "I am Claudette.",
        "I am happy. Google it.",
        "The alpaca is a domesticated animal, and a llama too.",
        "I am unknown to them.",
        "I am 7 years old.",
        "TriumphantGPT-4",
        "",
    ],
)
def test_name_or_phrase_alone_is_not_found(text: str) -> None:
    """Bare names, phrases before other words, and parts of words are no leak."""
    assert PhraseRule(NAMES).find(text) == ""


def test_words_found_are_told() -> None:
    """The moderator sees which words hit."""
    assert PhraseRule(NAMES).find("Well, I am Demo Heron!") == "i am demo heron"


def test_real_answers_are_rarely_held(shared_data: Path) -> None:
    """Of 945 real answers two name their maker, both by a phrase of the rule."""
    real = shared_data / "real"
    texts = {
        (file.stem, index): row["output"]
        for file in sorted((real / "alpacaeval").glob("*.json"))
        for index, row in enumerate(json.loads(file.read_text(encoding="utf-8")))
    }
    for file in sorted((real / "mt_bench" / "model_answer").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            texts[file.stem, int(row["question_id"])] = row["choices"][0]["turns"][0]
    rule = PhraseRule({name for name, _ in texts})
    held = {at: rule.find(text) for at, text in texts.items() if rule.find(text)}
    assert len(texts) == 945
    assert held == {
        ("claude-v1", 100): "assistant created by anthropic",
        ("claude-v1", 102): "assistant created by anthropic",
    }
