"""When two question texts are one question."""

from __future__ import annotations

import pytest

from arena.questions import text_key


@pytest.mark.parametrize(
    "other", ["what is ONE?", "  What is\n\tone? ", "Ｗｈａｔ is one?", "What is one?"]
)
def test_case_spacing_and_width_do_not_matter(other: str) -> None:
    """The same words are the same question."""
    assert text_key(other) == text_key("What is one?")


@pytest.mark.parametrize("other", ["What is two?", "What is one", "Whatis one?", "What is öne?"])
def test_other_words_are_another_question(other: str) -> None:
    """Letters, accents, punctuation and word borders matter."""
    assert text_key(other) != text_key("What is one?")


def test_key_is_the_sha256_of_the_normalised_text() -> None:
    """The key is plain SHA-256 in hex, so that it can be recomputed."""
    assert text_key(" A ") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
