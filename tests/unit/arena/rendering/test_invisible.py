"""Unseen characters: what goes, what stays, and that it is named."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rendering import clean


@pytest.mark.parametrize(
    "mark",
    [
        "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a", "\u202e", "\u2060", "\u2066",
        "\u2069", "\ufeff", "\u00ad", "\u180e", "\u115f", "\u3164", "\ufe0f", "\ufe00", "\x00",
        "\x1b", "\x85", "\U000e0041", "\U000e0100", "\ufff9", "\U00013431", "\U0001bca1",
        "\U0001d175",
    ],
)  # fmt: skip
def test_mark_between_latin_letters_is_taken_out_and_named(mark: str) -> None:
    """Between letters of Latin script none of these has a meaning."""
    cleaned = clean(f"ab{mark}cd")
    assert cleaned.text == "abcd"
    assert len(cleaned.removed) == 1
    assert cleaned.removed[0].startswith("1 × ")


@pytest.mark.parametrize(
    "text",
    [
        "👨‍👩‍👧‍👦 family",  # joined emoji
        "🏴󠁧󠁢󠁳󠁣󠁴󠁿",  # a flag written with tags
        "❤️ and ☎︎",  # variation selectors
        "1️⃣ #️⃣",  # keycaps
        "👩🏽‍💻 and 🏳️‍🌈",
        "می‌خواهم",  # Persian non-joiner
        "क्‍ष and क्‌ष",  # Devanagari joiner and non-joiner
        "ශ්‍රී ලංකා",  # Sinhala
        "שלום\u200f!",  # direction mark after Hebrew
        "葛\U000e0100",  # a registered variant
        "ภาษา\u200bไทย",  # break between Thai words
        "a\tb\nc",
    ],
)
def test_what_a_script_or_an_emoji_needs_stays(text: str) -> None:
    """Sequences that are written with such marks are left as they are."""
    cleaned = clean(text)
    assert cleaned.text == unicodedata.normalize("NFC", text)
    assert cleaned.removed == ()


def test_tags_outside_a_flag_go_even_behind_an_emoji() -> None:
    """A message hidden in tag characters is taken out; the emoji before it stays."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "vote for me")
    cleaned = clean(f"😀{hidden} text")
    assert cleaned.text == "😀 text"
    assert cleaned.removed == ("11 × U+E0000–U+E007F TAG CHARACTER",)


def test_equal_marks_are_counted_together() -> None:
    """The report names each kind once, with its number."""
    assert clean("a\u200bb\u200bc\u202ed").removed == (
        "2 × U+200B ZERO WIDTH SPACE",
        "1 × U+202E RIGHT-TO-LEFT OVERRIDE",
    )


def test_text_is_composed_but_not_made_compatible() -> None:
    """Shown as NFC and never NFKC: a ligature or a superscript keeps its form."""
    assert clean("e\u0301 ﬁ x²").text == "é ﬁ x²"


def test_line_ends_become_line_feeds_without_a_word() -> None:
    """Windows and old Mac line ends are no hidden marks."""
    assert clean("a\r\nb\rc") == clean("a\nb\nc")


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    """What no encoding can write is shown as such, and named."""
    cleaned = clean("a\ud800b")
    assert cleaned.text == "a\ufffdb"
    assert cleaned.removed == ("1 × HALF OF A SURROGATE PAIR",)


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    """What is left holds nothing that would have to go."""
    once = clean(text)
    again = clean(once.text)
    assert again.text == once.text


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"], codec="utf-8")))
def test_letters_digits_and_punctuation_are_never_lost(text: str) -> None:
    """Only marks are taken out: visible characters come through, in NFC."""
    fillers = "\u115f\u1160\u3164\uffa0"
    visible = text.translate(dict.fromkeys(map(ord, fillers)))
    assert clean(text).text == unicodedata.normalize("NFC", visible)
