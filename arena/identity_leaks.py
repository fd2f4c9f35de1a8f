"""The phrase rule (V-157): an answer that says who wrote it is held for a moderator.

A name counts only right after one of the rule's phrases, at word borders, and never by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from arena import rules
from arena.rendering import clean

__all__ = ["PhraseRule"]

_MARKS: Final = re.compile(r"[*`~\"'“”‘’«»\[\]()<>:,#]+")
_GAPS: Final = re.compile(r"[\s\-_‐‑–—/]+")
_CONTRACTION: Final = re.compile(r"\bi['’]m\b")
_CONTRACTED_NAME: Final = re.compile(r"\bname['’]s\b")
_MIN_NAME_CHARS: Final = 2


class PhraseRule:
    """The rule, ready for a set of names.

    Args:
        names: names, slugs and makers of the registry; well-known names are added. Names that no
            letter is in, and "unknown", are left out.
    """

    def __init__(self, names: Iterable[str]) -> None:
        limits = rules.current()
        plain = {_plain(name) for name in (*names, *limits.well_known_names)}
        usable = sorted(filter(_is_usable, plain), key=lambda name: (-len(name), name))
        phrases = sorted({_plain(phrase) for phrase in limits.leak_phrases}, key=len, reverse=True)
        fillers = "|".join(re.escape(word) for word in limits.leak_fillers)
        self._pattern = re.compile(
            rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})"
            rf"(?: (?:{fillers})){{0,{limits.max_leak_fillers}}}"
            rf" (?:{'|'.join(map(re.escape, usable))})(?!\w)"
        )

    def find(self, text: str) -> str:
        """Return the words by which an answer gives itself away, or "" when it does not."""
        match = self._pattern.search(_plain(text))
        return match.group() if match else ""


def _plain(text: str) -> str:
    """Return lower-case words one blank apart: no marks, no unseen characters, no full width."""
    seen = unicodedata.normalize("NFKC", clean(text).text).casefold()
    spelt_out = _CONTRACTED_NAME.sub("name is", _CONTRACTION.sub("i am", seen))
    return " ".join(_GAPS.sub(" ", _MARKS.sub("", spelt_out)).split())


def _is_usable(name: str) -> bool:
    return len(name) >= _MIN_NAME_CHARS and any(map(str.isalpha, name)) and name != "unknown"
