"""How long an answer is and how much it is formatted, counted in its Markdown text.

Counts follow CommonMark's marks line by line, without building a document: nested or broken
marks may be counted a little differently than they are shown.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

__all__ = ["FEATURES", "MarkdownStyle", "features", "measure"]

FEATURES: Final = ("ln words", "ln(1 + headings, list items, bold marks, code blocks)")

# Chinese and Japanese write no spaces between words: each of their characters counts as a word.
_SIGN: Final = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_WORD: Final = re.compile(rf"{_SIGN}|(?:(?!{_SIGN})[^\W_])+(?:['’\-](?:(?!{_SIGN})[^\W_])+)*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_LIST_ITEM: Final = re.compile(r"\s*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\S")
_RULE: Final = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_BOLD: Final = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1).)+?)(?<=\S)\1")
_CODE_SPAN: Final = re.compile(r"(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)")


@dataclass(frozen=True, slots=True)
class MarkdownStyle:
    """What was counted in one answer."""

    words: int
    headings: int
    list_items: int
    bold: int
    code_blocks: int

    @property
    def marks(self) -> int:
        """All formatting together."""
        return self.headings + self.list_items + self.bold + self.code_blocks


def measure(markdown: str) -> MarkdownStyle:
    """Count words and marks; nothing inside a fenced code block is a mark, but its words count.

    Args:
        markdown: the answer as the model wrote it.
    """
    lines, code_blocks = _outside_fences(markdown.splitlines())
    rules = [bool(_RULE.match(line)) for line in lines]
    headings = sum(
        bool(_HEADING.match(line)) or _is_underlined(lines, i) for i, line in enumerate(lines)
    )
    items = sum(
        bool(_LIST_ITEM.match(line)) and not rule for line, rule in zip(lines, rules, strict=True)
    )
    bold = sum(len(_BOLD.findall(_CODE_SPAN.sub("", line))) for line in lines)
    return MarkdownStyle(len(_WORD.findall(markdown)), headings, items, bold, code_blocks)


def _outside_fences(lines: list[str]) -> tuple[list[str], int]:
    """The lines outside fenced code, and the number of fenced blocks; an open one ends the text."""
    outside: list[str] = []
    blocks, fence = 0, ""
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            closing = found is not None and line.strip() == found[1] and found[1].startswith(fence)
            fence = "" if closing else fence
        elif found is not None:
            fence, blocks = found[1], blocks + 1
            outside.append("")
        else:
            outside.append(line)
    return outside, blocks


def _is_underlined(lines: list[str], i: int) -> bool:
    """Whether this line is a heading by the line under it."""
    line = lines[i]
    under = lines[i + 1] if i + 1 < len(lines) else ""
    text = line.strip() and not (_HEADING.match(line) or _LIST_ITEM.match(line))
    return bool(text and not _UNDERLINE.match(line) and _UNDERLINE.match(under))


def features(style: MarkdownStyle) -> tuple[float, float]:
    """The two covariates of an answer, before they are centred; one without words counts as one."""
    return math.log(max(1, style.words)), math.log1p(style.marks)
