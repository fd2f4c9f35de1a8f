"""Taking out unseen characters: they hide words, reorder them, or mark an author (V-025).

Tag characters, bidirectional overrides and zero-width marks go, unless a script or an emoji needs
them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Final

__all__ = ["Cleaned", "clean"]

ZWNJ: Final = "\u200c"
ZWJ: Final = "\u200d"
BLACK_FLAG: Final = "\U0001f3f4"
CANCEL_TAG: Final = "\U000e007f"

# Everything that may have to go; a text without a match is returned as it is.
_SUSPECT: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls but tab, line feed, carriage return
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff"
    # Layout marks of hieroglyphs, shorthand and music, which no font here draws.
    "\U00013430-\U00013440\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
_EMOJI_FLAG: Final = re.compile(
    f"{BLACK_FLAG}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{2,6}}{CANCEL_TAG}"
)
_JOINING: Final = re.compile(  # scripts that write with joiners: Arabic, Syriac, Indic, Mongolian
    "[\u0600-\u08ff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    "\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f\ua880-\ua8ff\uaa00-\uaadf"
    "\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_PICTURE: Final = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2100-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
_KEYCAP: Final = re.compile("[0-9#*]")
_VARIABLE: Final = re.compile(  # characters with registered variants: CJK, mathematics, Mongolian
    "[\u2190-\u22ff\u2e80-\u2fdf\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff0e"
    "\u1820-\u18af\u1000-\u109f\U00020000-\U0003ffff]"
)
_SELECTOR: Final = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_TAG: Final = re.compile("[\U000e0000-\U000e007f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text in NFC without unseen characters, and in words what was taken out."""

    text: str
    removed: tuple[str, ...]


def clean(text: str) -> Cleaned:
    """Return the text in NFC without the characters that V-025 names.

    Lone surrogates become U+FFFD; line ends become line feeds and are not reported.
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    stripped, taken = take_out(unicodedata.normalize("NFC", unified))
    # Characters apart until now may compose once nothing stands between them.
    return Cleaned(unicodedata.normalize("NFC", stripped), describe(taken))


def take_out(text: str) -> tuple[str, Counter[str]]:
    """Return the text without unseen characters, and how often each was taken out."""
    taken: Counter[str] = Counter()
    if not _SUSPECT.search(text):
        return text, taken
    kept_tags = {
        index
        for flag in _EMOJI_FLAG.finditer(text)
        for index in range(flag.start() + 1, flag.end())
    }
    parts: list[str] = []
    end = 0
    for match in _SUSPECT.finditer(text):
        at = match.start()
        parts.append(text[end:at])
        end = at + 1
        char = text[at]
        if at in kept_tags or _belongs(text, at):
            parts.append(char)
            continue
        taken[char] += 1
        if _SURROGATE.match(char):
            parts.append("\ufffd")
    parts.append(text[end:])
    return "".join(parts), taken


def _belongs(text: str, at: int) -> bool:
    """Say whether the mark at this place is part of how its neighbours are written."""
    char = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if char in (ZWNJ, ZWJ):
        return _joins(char, before, after)
    if char == "\u200b":
        return bool(_UNSPACED.match(before) and _UNSPACED.match(after))
    if char in "\u200e\u200f\u061c":
        return _is_right_to_left(before) or _is_right_to_left(after)
    return bool(_SELECTOR.match(char)) and _varies(char, before, after)


def _joins(char: str, before: str, after: str) -> bool:
    if char == ZWJ and _is_picture(before) and _PICTURE.match(after):
        return True
    # A joiner may end a word, as in some Indic abbreviations; a non-joiner stands between letters.
    return bool(_JOINING.match(before)) and (char == ZWJ or bool(_JOINING.match(after)))


def _varies(char: str, before: str, after: str) -> bool:
    """Say whether a variation selector follows something that has variants."""
    if "\u180b" <= char <= "\u180f":
        return "\u1800" <= before <= "\u18af"
    if char in "\ufe0e\ufe0f":
        shown_as_picture = _PICTURE.match(before) or _VARIABLE.match(before)
        return bool(shown_as_picture or (_KEYCAP.match(before) and after == "\u20e3"))
    return bool(_VARIABLE.match(before))


def _is_picture(before: str) -> bool:
    return before == "\ufe0f" or bool(_PICTURE.match(before))


def _is_right_to_left(char: str) -> bool:
    return bool(char) and unicodedata.bidirectional(char) in _RIGHT_TO_LEFT


def describe(taken: Counter[str]) -> tuple[str, ...]:
    """Return what was taken out in words, such as "2 × U+200B ZERO WIDTH SPACE"."""
    named: Counter[str] = Counter()
    for char, count in sorted(taken.items()):
        named[_name(char)] += count
    return tuple(f"{count} × {name}" for name, count in named.items())


def _name(char: str) -> str:
    if _TAG.match(char):
        return "U+E0000–U+E007F TAG CHARACTER"
    if _SELECTOR.match(char):
        return "VARIATION SELECTOR"
    if _SURROGATE.match(char):
        return "HALF OF A SURROGATE PAIR"
    return f"U+{ord(char):04X} {unicodedata.name(char, 'CONTROL OR UNASSIGNED CHARACTER')}"
