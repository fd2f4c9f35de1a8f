"""Code with its words in colour, as classes.

Long code stays plain, for the highlighter is quadratic on hostile input.
"""

from __future__ import annotations

from html import escape
from typing import Final

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from arena import rules

__all__ = ["code_html", "may_highlight"]

_FORMATTER: Final = HtmlFormatter(nowrap=True)
_MAX_LANGUAGE_CHARS: Final = 40


def may_highlight(code: str, language: str) -> bool:
    """Say whether this code names a language and is short enough for the highlighter."""
    limits = rules.current()
    return (
        0 < len(language) <= _MAX_LANGUAGE_CHARS
        and len(code) <= limits.max_highlight_chars
        and all(len(line) <= limits.max_highlight_line for line in code.split("\n"))
    )


def code_html(code: str, language: str) -> str:
    """Return code as HTML for the inside of a <code> element.

    Args:
        code: the code as written; `may_highlight` must hold.
        language: the first word after the fence; unknown ones give plain code.
    """
    try:
        lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, _FORMATTER))
