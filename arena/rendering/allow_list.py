"""The only tags, attributes and classes that leave the renderer; nh3 cuts everything else."""

from __future__ import annotations

import re
from typing import Final

import nh3

__all__ = ["ATTRIBUTES", "TAGS", "only_allowed"]

_TEXT_TAGS: Final = frozenset(
    {
        "p", "br", "hr", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "strong", "em", "s",
        "code", "pre", "div", "span", "table", "thead", "tbody", "tr", "th", "td",
    }
)  # fmt: skip
_FORMULA_TAGS: Final = frozenset(
    {
        "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot",
        "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
        "mprescripts", "mtable", "mtr", "mtd", "mpadded", "mphantom", "mstyle", "menclose",
    }
)  # fmt: skip
_FORMULA_ATTRIBUTES: Final = frozenset(
    {
        "display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "separator",
        "form", "largeop", "movablelimits", "accent", "accentunder", "lspace", "rspace",
        "symmetric", "minsize", "maxsize", "linethickness", "width", "height", "depth", "voffset",
        "columnalign", "rowspacing", "columnspacing", "notation",
    }
)  # fmt: skip

TAGS: Final = _TEXT_TAGS | _FORMULA_TAGS
ATTRIBUTES: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(_TEXT_TAGS, frozenset({"class", "dir"})),
    **dict.fromkeys(_FORMULA_TAGS, _FORMULA_ATTRIBUTES | {"class"}),
    "ol": frozenset({"class", "dir", "start"}),
    **dict.fromkeys(("div", "pre"), frozenset({"class", "dir", "role", "tabindex", "aria-label"})),
}

# Our own names, and the highlighter's short ones.
_CLASS: Final = re.compile(
    r"md-[a-z0-9-]+|m-[a-z0-9-]+|link|formula|highlight|(?:table|formula)-scroll|[a-z]{1,3}[0-9]?"
)
# Lengths, numbers and keywords: nothing that could be an address or a function.
_FORMULA_VALUE: Final = re.compile(r"[A-Za-z0-9 .%+-]{1,40}")
_VALUES: Final = {
    "dir": frozenset({"auto", "ltr"}),
    "role": frozenset({"group"}),
    "tabindex": frozenset({"0"}),
    "aria-label": frozenset({"Table", "Code", "Formula"}),
}


def only_allowed(html: str) -> str:
    """Return the HTML with everything cut that is not on the list."""
    return _CLEANER.clean(html)


def _allowed_value(tag: str, attribute: str, value: str) -> str | None:
    if attribute == "class":
        return " ".join(each for each in value.split() if _CLASS.fullmatch(each)) or None
    if attribute == "start":
        return value if value.isascii() and value.isdigit() else None
    if attribute in _VALUES:
        return value if value in _VALUES[attribute] else None
    return value if tag in _FORMULA_TAGS and _FORMULA_VALUE.fullmatch(value) else None


_CLEANER: Final = nh3.Cleaner(
    tags=set(TAGS),
    clean_content_tags=set(),
    attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
    attribute_filter=_allowed_value,
    url_schemes=set(),
    link_rel=None,
    strip_comments=True,
)
