"""One answer from text to HTML: cleaned, parsed as Markdown, written by our rules, cut to a list.

What is too deep or grows too large is shown as plain text, so that no word is ever lost.
"""

# The parser calls a writer's methods by the token's name, each with the same four arguments.
# ruff: noqa: ARG002, ANN401

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from arena import rules
from arena.rendering import formulas
from arena.rendering.allow_list import only_allowed
from arena.rendering.code import code_html, may_highlight
from arena.rendering.invisible import Cleaned, clean, describe, take_out

__all__ = ["RENDERER_VERSION", "Rendered", "render", "visible"]

RENDERER_VERSION: Final = "markdown.4"
"""Raised with every change of the HTML made of a text; stored answers are then rendered anew."""

_SCROLLING: Final = '<div class="{name}-scroll" role="group" tabindex="0" aria-label="{label}">'
_BLOCKS_WITH_DIRECTION: Final = frozenset(
    {"paragraph_open", "bullet_list_open", "ordered_list_open", "list_item_open",
     "blockquote_open", "th_open", "td_open", "heading_open"}
)  # fmt: skip
_BLANK_LINES: Final = re.compile(r"\A(?:[^\S\n]*\n)+")
_DELIMITER_ROW: Final = re.compile(r"[\s|:>+-]*-[\s|:>+-]*")
_CELL_BORDER: Final = re.compile(r"(?<!\\)\|")
_LOWEST_HEADING: Final = 6
_HEADING_SHIFT: Final = 3


@dataclass(frozen=True, slots=True)
class Rendered:
    """Safe HTML of an answer, and in words what was taken out of its text."""

    html: str
    removed: tuple[str, ...]


def visible(text: str) -> Cleaned:
    """Return an answer's text as "raw text" shows it: without unseen marks and outer blanks.

    Such marks would tell answers apart, and an override would reorder the words (V-025). Some
    models begin each answer with a blank.
    """
    cleaned = _without_blank_lines(text)
    return replace(cleaned, text=cleaned.text.lstrip())


def _without_blank_lines(text: str) -> Cleaned:
    """Return the clean text from its first line on, whose indent has a meaning in Markdown."""
    cleaned = clean(text)
    return replace(cleaned, text=_BLANK_LINES.sub("", cleaned.text).rstrip())


def render(text: str) -> Rendered:
    """Return an answer's text as safe HTML.

    Args:
        text: Markdown as the model wrote it; hostile text is expected.
    """
    cleaned = _without_blank_lines(text)
    body = _markdown_html(cleaned.text)
    if body is None:
        body = f'<div class="md-plain" dir="auto">{escape(cleaned.text.lstrip())}</div>'
    # The parser decodes entities, so unseen characters can come back after the first cleaning.
    html, decoded = take_out(only_allowed(body))
    removed = tuple(dict.fromkeys((*cleaned.removed, *describe(decoded))))
    return Rendered(html, removed)


def _markdown_html(text: str) -> str | None:
    """Return unclean HTML, or None when the text must be shown plainly."""
    if _has_giant_table(text):
        return None
    parser = _parser(tables=True)
    tokens = parser.parse(text)
    if _drops_cells(tokens, text):
        parser = _parser(tables=False)
        tokens = parser.parse(text)
    if _is_too_deep(tokens):
        return None
    html = str(parser.renderer.render(tokens, parser.options, {}))
    return html if len(html) <= rules.current().max_html_chars else None


def _drops_cells(tokens: Sequence[Token], text: str) -> bool:
    """Say whether a row has more cells than its table's head, for those would not be shown."""
    lines: list[str] = []
    columns = 0
    too_wide = False
    for token in tokens:
        if token.type == "table_open":
            lines, columns = lines or text.split("\n"), 0
        elif token.type == "th_open":
            columns += 1
        elif token.type == "tr_open" and token.map and columns:
            too_wide = too_wide or _cells(lines[token.map[0]]) > columns
    return too_wide


def _cells(line: str) -> int:
    row = line.strip(" \t>").removeprefix("|")
    row = row[:-1] if row.endswith("|") and not row.endswith("\\|") else row
    return len(_CELL_BORDER.split(row))


def _is_too_deep(tokens: Sequence[Token]) -> bool:
    """Say whether the parser came near the depth at which it drops text without a word."""
    deepest = max((token.level for token in tokens), default=0)
    return deepest >= rules.current().max_markdown_nesting - 1


def _has_giant_table(text: str) -> bool:
    """Say whether a table would have too many cells, before the parser builds them all."""
    columns = rows = 0
    for line in text.split("\n"):
        if not line.strip():
            columns = rows = 0
        elif _DELIMITER_ROW.fullmatch(line):
            columns, rows = max(columns, line.count("|") + 1), 0
        rows += 1
        if columns * rows > rules.current().max_table_cells:
            return True
    return False


@cache
def _parser(*, tables: bool) -> MarkdownIt:
    """Return a parser; it keeps nothing of a text, so one serves all."""
    parser = MarkdownIt(
        "commonmark",
        {
            "html": False,  # raw HTML is shown as the text it is
            "breaks": True,  # models break lines where they mean it
            "maxNesting": rules.current().max_markdown_nesting,
        },
        renderer_cls=AnswerRenderer,
    ).enable("strikethrough")
    if tables:
        parser.enable("table")
    parser.disable("reference")  # its lines would vanish, with the words in them
    formulas.install(parser)
    parser.core.ruler.push("compose", _compose_decoded)
    return parser


def _compose_decoded(state: StateCore) -> None:
    """Bring text written as entities into NFC; what is unseen in it goes at the very end."""
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "text" and not child.content.isascii():
                child.content = unicodedata.normalize("NFC", child.content)


class AnswerRenderer(RendererHTML):
    """Writes tokens as HTML with our classes; the methods carry the tokens' names."""

    def render(self, tokens: Sequence[Token], options: OptionsDict, env: Any) -> str:
        """Return the HTML of a whole text."""
        for token in tokens:
            if token.type in _BLOCKS_WITH_DIRECTION:
                token.attrSet("dir", "auto")
            if token.type in ("th_open", "td_open"):
                _alignment_to_class(token)
            if token.type in ("heading_open", "heading_close"):
                level = int(token.tag[1])
                token.attrs.pop("class", None)
                if token.nesting == 1:
                    token.attrSet("class", f"md-heading-{level}")
                token.tag = f"h{min(_LOWEST_HEADING, level + _HEADING_SHIFT)}"
        return super().render(tokens, options, env)

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        return _SCROLLING.format(name="table", label="Table") + "<table>"

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        return "</table></div>\n"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        info = tokens[idx].info.strip()
        language = info.split(maxsplit=1)[0] if info else ""
        code = tokens[idx].content
        spent = int(env.get("highlighted", 0)) + len(code)
        budget = rules.current().max_highlight_chars_per_answer
        if spent > budget or not may_highlight(code, language):
            return _code_block(escape(code), label=info)
        env["highlighted"] = spent
        return _code_block(code_html(code, language), label=info)

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        return _code_block(escape(tokens[idx].content), label="")

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        return f'<code dir="ltr">{escape(tokens[idx].content)}</code>'

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        return '<span class="link">'

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        opening, shown = _link_before(tokens, idx)
        return "</span>" + _address(opening, "href", shown)

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        token = tokens[idx]
        alt = self.renderInlineAsText(token.children or [], options, env)
        return f'<span class="md-picture">Picture: {escape(alt)}</span>' + _address(
            token, "src", alt
        )

    def formula(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        token = tokens[idx]
        display = bool(token.meta["display"])
        html = formulas.formula_html(token.content, display=display, markup=token.markup)
        return f'<span class="md-formula">{html}</span>' if display else html

    def formula_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        token = tokens[idx]
        html = formulas.formula_html(token.content, display=True, markup=token.markup)
        box = _SCROLLING.format(name="formula", label="Formula")
        return f"{box}{html}{escape(token.info)}</div>\n"


def _alignment_to_class(token: Token) -> None:
    style = str(token.attrs.pop("style", ""))
    alignment = style.removeprefix("text-align:")
    if alignment in ("left", "center", "right"):
        token.attrSet("class", f"md-{alignment}")


def _code_block(html: str, *, label: str) -> str:
    name = f'<div class="md-language" dir="ltr">{escape(label)}</div>\n' if label else ""
    # The box that scrolls is the one that takes the focus.
    return (
        f'<div class="md-code">{name}<pre dir="ltr" role="group" tabindex="0" aria-label="Code">'
        f'<code class="highlight">{html}</code></pre></div>\n'
    )


def _link_before(tokens: Sequence[Token], close: int) -> tuple[Token, str]:
    """Return the opening token of the link closed here, and the text between."""
    shown: list[str] = []
    for at in range(close - 1, -1, -1):
        token = tokens[at]
        if token.type == "link_open":
            return token, "".join(reversed(shown))
        shown.append(token.content)
    message = "a link closes that was never opened"
    raise AssertionError(message)


def _address(token: Token, attribute: str, shown: str) -> str:
    """Return the address in brackets, as text, unless it is what is shown already."""
    address = MarkdownIt.normalizeLinkText(_NORMALISER, str(token.attrs.get(attribute, "")))
    title = str(token.attrs.get("title", ""))
    same = address.removeprefix("mailto:") == shown or not address
    words = " ".join(
        part for part in ("" if same else address, f"“{title}”" if title else "") if part
    )
    return f' <span class="md-address" dir="ltr">({escape(words)})</span>' if words else ""


_NORMALISER: Final = MarkdownIt()
