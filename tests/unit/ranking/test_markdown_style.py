"""Length and formatting of an answer, counted in its Markdown text."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.markdown_style import MarkdownStyle, features, measure

ANSWER = """# Title

Some *plain* text with **two bold** words and __one__ more.

Second title
------------

- first
* second
  1. inner
  2) inner

---

```python
# no heading
- no item
x = a ** b ** c
```

~~~
open to the end
# **nothing**
"""

WORDS = [
    ("", 0),
    ("one two, three.", 3),
    ("don't stop-gap", 2),
    ("Bịa Đặt là gì?", 4),
    ("日本語 and かな", 6),
    ("naïve 3.14 x_1", 5),
    ("GPT-4 is 4x", 3),
    ("🙂 — …", 0),
]
BOLD = [
    ("**a** and **b c**", 2),
    ("__a__", 1),
    ("2 ** 3 ** 4", 0),
    ("`**a**` and ``b **c**``", 0),
    ("****", 0),
    ("***both***", 1),
    ("**open", 0),
    ("*a* _b_", 0),
]
HEADINGS = [
    ("# a", 1),
    ("###### a", 1),
    ("####### a", 0),
    ("#a", 0),
    ("    # a", 0),
    ("a\n===", 1),
    ("a\n\n---", 0),
    ("- a\n---", 0),
    ("# a\n---", 1),
    ("#", 1),
]
ITEMS = [
    ("- a\n- b", 2),
    ("-a", 0),
    ("10. a", 1),
    ("1) a", 1),
    ("1.5 a", 0),
    ("* * *", 0),
    ("+ a\n    - b", 2),
    ("-\n", 0),
    ("1234567890. a", 0),
]
CODE = [
    ("```\na\n```", 1),
    ("```\na\n```\n```\nb\n```", 2),
    ("~~~\n```\n~~~", 1),
    ("````\n```\n````", 1),
    ("```\n~~~\n# a", 1),
    ("``` a ` b", 0),
    ("``a``", 0),
]


def test_a_whole_answer() -> None:
    """Each kind once, and nothing inside code."""
    style = measure(ANSWER)

    assert (style.headings, style.list_items, style.bold, style.code_blocks) == (2, 4, 2, 2)
    assert style.marks == 10
    assert style.words == 33


@pytest.mark.parametrize("text,count", WORDS)
def test_words(text: str, count: int) -> None:
    """Runs of letters and digits; Chinese and Japanese signs one by one."""
    assert measure(text).words == count


@pytest.mark.parametrize("text,count", BOLD)
def test_bold_marks(text: str, count: int) -> None:
    """Pairs on one line that touch their text, outside code."""
    assert measure(text).bold == count


@pytest.mark.parametrize("text,count", HEADINGS)
def test_headings(text: str, count: int) -> None:
    """One to six number signs and a space, or a line underlined."""
    assert measure(text).headings == count


@pytest.mark.parametrize("text,count", ITEMS)
def test_list_items(text: str, count: int) -> None:
    """Bullets and numbers followed by text; a rule across the page is none."""
    assert measure(text).list_items == count


@pytest.mark.parametrize("text,count", CODE)
def test_code_blocks(text: str, count: int) -> None:
    """Fences, closed by the same mark at least as long, or by the end of the text."""
    style = measure(text)

    assert (style.code_blocks, style.headings) == (count, 0)


@given(st.text(alphabet="a#-*_`~ \n1.=", max_size=60))
def test_any_text_can_be_measured(text: str) -> None:
    """No text raises, and marks are never more than characters."""
    style = measure(text)

    assert 0 <= style.marks <= len(text)
    assert measure(text + "\n") == style


def test_features_are_the_two_logarithms() -> None:
    """The logarithms of words, and ln(1 + marks); no words count as one."""
    assert features(MarkdownStyle(20, 1, 2, 3, 4)) == (math.log(20), math.log(11))
    assert features(MarkdownStyle(0, 0, 0, 0, 0)) == (0, 0)


HOSTILE = [
    "*" * 20_000,
    "`" * 20_000,
    "** a" * 5_000,
    "**a" * 5_001,
    "a-" * 10_000,
    "` a" * 5_001,
    " ".join("`" * n for n in range(1, 200)),
    "\n".join(["a", "="] * 5_000),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_takes_no_long_time(text: str) -> None:
    """No pattern goes back and forth over a long line."""
    started = time.process_time()

    measure(text)

    assert time.process_time() - started < 1
