"""Texts of templates through one catalogue: `_`, `gettext` and `ngettext`, made cheap.

A page has more than a hundred texts. Jinja's own functions look each one up anew and format it
even without variables, which took half of a ballot's time. Here a text that stands alone becomes
part of the compiled template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from gettext import NullTranslations
from typing import Any, Final, cast

from flask import Flask
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup

__all__ = ["init_translations"]

_TEXTS_KEPT = 4_096
_ALONE: Final = ("variable_begin", "name", "lparen", "string", "rparen", "variable_end")


class _TextsAlone(Extension):
    """Puts `{{ _("...") }}` into words when a template is compiled: such a text never changes."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yield the tokens, and plain data in place of those of a text alone."""
        gettext = cast("Callable[[str], Markup]", self.environment.globals["_"])
        tokens = list(stream)
        at = 0
        while at < len(tokens):
            found = tokens[at : at + len(_ALONE)]
            if tuple(token.type for token in found) == _ALONE and found[1].value == "_":
                yield Token(found[0].lineno, "data", str(gettext(found[3].value)))
                at += len(found)
            else:
                yield tokens[at]
                at += 1


def init_translations(app: Flask, catalogue: NullTranslations) -> None:
    """Offer a catalogue's texts to templates; they may hold markup, and `%%` stands for `%`.

    Args:
        app: whose templates are all HTML, escaped.
        catalogue: a null one gives the English of the templates.
    """

    @lru_cache(maxsize=_TEXTS_KEPT)
    def plain(message: str) -> Markup:
        return Markup(catalogue.gettext(message)) % {}  # noqa: S704 - from templates, not from people

    def gettext(message: str, /, **variables: Any) -> Markup:  # noqa: ANN401 - whatever templates show
        if not variables:
            return plain(message)
        return Markup(catalogue.gettext(message)) % variables  # noqa: S704 - as above

    def ngettext(singular: str, plural: str, num: int, /, **variables: Any) -> Markup:  # noqa: ANN401 - as above
        text = catalogue.ngettext(singular, plural, num)
        return Markup(text) % {"num": num, **variables}  # noqa: S704 - as above

    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.add_extension(_TextsAlone)
    # Set by hand: the extension would wrap them in its own, slower ones.
    app.jinja_env.newstyle_gettext = True  # type: ignore[attr-defined]
    app.jinja_env.globals.update(_=gettext, gettext=gettext, ngettext=ngettext)
