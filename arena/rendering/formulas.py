"""Formulas: LaTeX to MathML behind a guard, and where a formula begins and ends in a text.

A single $ is nearly always money, so a formula in single dollars has to look like one.
"""

from __future__ import annotations

import re
from html import escape
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from math_core import LatexError, LatexToMathML

from arena import rules

__all__ = ["formula_html", "install", "nesting_depth"]

_INLINE_PAIRS: Final = (("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"))
_BLOCK_PAIRS: Final = (("$$", "$$"), ("\\[", "\\]"))
# Beyond the limit for formulas, so that longer ones are still recognised and shown as code.
_MAX_BLOCK_CHARS: Final = 4_000
_MAX_BLOCK_LINES: Final = 100
_STEPS: Final = re.compile(r"\\(?:begin|left|end|right)(?![A-Za-z])|\\.|[{}\[\]()]", re.DOTALL)
_NUMBERED: Final = re.compile(r"\\(begin|end)\{(align|equation|gather|multline|alignat)\}")
_STYLE: Final = re.compile(r' style="([^"]*)"')
_LOOKS_LIKE_FORMULA: Final = re.compile(r"[\\^_={}<>]")

# The declarations the library writes, as classes of our sheet; all others are dropped.
_STYLE_CLASSES: Final = {
    "width:100%": "m-wide",
    "width:50%": "m-half",
    "text-align:left": "m-left",
    "text-align:right": "m-right",
    "text-align:center": "m-center",
    "padding-left:0": "m-pad-left-0",
    "padding-right:0": "m-pad-right-0",
    "padding-left:1em": "m-pad-left-1",
    "border-left:0.05em solid currentcolor": "m-line-left",
    "border-right:0.05em solid currentcolor": "m-line-right",
    "border-top:0.05em solid currentcolor": "m-line-top",
    "border-bottom:0.05em solid currentcolor": "m-line-bottom",
    "border-left:0.05em dashed currentcolor": "m-dash-left",
    "border-right:0.05em dashed currentcolor": "m-dash-right",
    "border-top:0.05em dashed currentcolor": "m-dash-top",
    "border-bottom:0.05em dashed currentcolor": "m-dash-bottom",
}


def nesting_depth(latex: str) -> int:
    """Return how deep groups, brackets and environments are nested in a formula."""
    depth = deepest = 0
    for step in _STEPS.finditer(latex):
        token = step.group()
        if token in ("{", "[", "(", "\\begin", "\\left"):
            depth += 1
            deepest = max(deepest, depth)
        elif token in ("}", "]", ")", "\\end", "\\right"):
            depth = max(0, depth - 1)
    return deepest


def formula_html(latex: str, *, display: bool, markup: str) -> str:
    """Return MathML for a formula; its source as code when too long, too deep or not understood.

    Args:
        latex: the formula without its delimiters.
        display: on a line of its own.
        markup: the formula with its delimiters, shown when it is not understood.
    """
    limits = rules.current()
    if len(latex) <= limits.max_math_chars and nesting_depth(latex) <= limits.max_math_depth:
        # Equation numbers would be words that the model did not write.
        unnumbered = _NUMBERED.sub(r"\\\1{\2*}", latex)
        try:
            mathml = LatexToMathML().convert_with_local_state(unnumbered, displaystyle=display)
        except LatexError:
            pass
        else:
            return _STYLE.sub(_style_to_class, mathml)
    return f'<code class="formula" dir="ltr">{escape(markup)}</code>'


def _style_to_class(match: re.Match[str]) -> str:
    declarations = (
        re.sub(r"\s*:\s*", ":", part.strip()) for part in match.group(1).split(";") if part.strip()
    )
    classes = [_STYLE_CLASSES[each] for each in declarations if each in _STYLE_CLASSES]
    return f' class="{" ".join(classes)}"' if classes else ""


def install(markdown: MarkdownIt) -> None:
    """Teach a parser the formula tokens `formula` and `formula_block`."""
    # Before `escape`, which would take the backslash of \( away.
    markdown.inline.ruler.before("escape", "formula", _inline)
    markdown.block.ruler.before(
        "fence", "formula_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _inline(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's signature
    source, start = state.src, state.pos
    if source[start] not in "$\\":
        return False
    for opening, closing in _INLINE_PAIRS:
        if source.startswith(opening, start):
            return _push(state, silent, opening, closing)
    return source[start] == "$" and _is_dollar_formula(state) and _push(state, silent, "$", "$")


def _push(state: StateInline, silent: bool, opening: str, closing: str) -> bool:  # noqa: FBT001
    begin = state.pos + len(opening)
    # A bounded search: without the bound, a text of opening marks costs the square of its length.
    end = state.src.find(closing, begin, min(state.posMax, begin + rules.current().max_math_chars))
    latex = state.src[begin:end]
    if end < 0 or not latex.strip():
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = latex
        token.markup = state.src[state.pos : end + len(closing)]
        token.meta = {"display": opening not in ("$", "\\(")}
    state.pos = end + len(closing)
    return True


def _is_dollar_formula(state: StateInline) -> bool:
    source, start = state.src, state.pos
    end = source.find("$", start + 1, min(state.posMax, start + rules.current().max_math_chars))
    if end < 0:
        return False
    latex = source[start + 1 : end]
    before = source[start - 1 : start]
    after = source[end + 1 : end + 2]
    if not latex or latex[0].isspace() or latex[-1].isspace() or latex[-1] == "\\":
        return False
    if before.isalnum() or after.isalnum():
        return False
    return not latex[0].isdigit() or bool(_LOOKS_LIKE_FORMULA.search(latex))


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001
    begin = state.bMarks[start_line] + state.tShift[start_line]
    if state.is_code_block(start_line):
        return False
    for opening, closing in _BLOCK_PAIRS:
        if state.src.startswith(opening, begin):
            found = _block_end(state, start_line, end_line, opening, closing)
            if found is None:
                return False
            if not silent:
                _push_block(state, start_line, found, opening, closing)
            return True
    return False


def _block_end(
    state: StateBlock, start_line: int, end_line: int, opening: str, closing: str
) -> int | None:
    """Return the line that ends the formula, when it ends at a line's end and within the bound."""
    begin = state.bMarks[start_line] + state.tShift[start_line]
    if state.src.find(closing, begin + len(opening), begin + _MAX_BLOCK_CHARS) < 0:
        return None
    for line in range(start_line, min(end_line, start_line + _MAX_BLOCK_LINES)):
        if state.sCount[line] < state.blkIndent and line > start_line:
            return None
        text_end = state.eMarks[line]
        if text_end - begin > _MAX_BLOCK_CHARS:
            return None
        line_start = state.bMarks[line] + state.tShift[line]
        if line == start_line:
            line_start += len(opening)
        text = state.src[line_start:text_end].rstrip(" \t.,;")
        if closing in text:
            return line if text.index(closing) == len(text) - len(closing) else None
    return None


def _push_block(
    state: StateBlock, start_line: int, last_line: int, opening: str, closing: str
) -> None:
    whole = state.getLines(start_line, last_line + 1, state.blkIndent, keepLastLF=False).strip()
    body, _, tail = whole[len(opening) :].rpartition(closing)
    token = state.push("formula_block", "", 0)
    token.block = True
    token.content = body
    token.markup = whole[: len(whole) - len(tail)]
    token.info = tail
    token.map = [start_line, last_line + 1]
    state.line = last_line + 1
