"""Code with its words in colour, as classes; long code stays plain, for the highlighter is quadratic on hostile input."""

from __future__ import annotations

from html import escape
from typing import Final

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from arena import rules

__all__ = ["CLASS_PREFIX", "code_html"]

CLASS_PREFIX: Final = "hl-"
_FORMATTER: Final = HtmlFormatter(nowrap=True, classprefix=CLASS_PREFIX)
_MAX_LANGUAGE_CHARS: Final = 40


def code_html(code: str, language: str) -> str:
    """Return code as HTML for the inside of a <code> element.

    Args:
        code: the code as written.
        language: the first word after the fence; unknown ones and "" give plain code.
    """
    limits = rules.current()
    fits = len(code) <= limits.max_highlight_chars and all(
        len(line) <= limits.max_highlight_line for line in code.split("\n")
    )
    if not fits or not language or len(language) > _MAX_LANGUAGE_CHARS:
        return escape(code)
    try:
        lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, _FORMATTER))
