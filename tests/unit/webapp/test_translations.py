"""Texts of templates: the same words whether they stand alone or come out of an expression."""

from __future__ import annotations

from gettext import NullTranslations

import pytest
from flask import Flask

from webapp.translations import init_translations


class Shouted(NullTranslations):
    """A catalogue of another language."""

    def gettext(self, message: str) -> str:
        """Return the text in capitals."""
        return message.upper()


@pytest.fixture
def app() -> Flask:
    """An application that speaks the other language."""
    made = Flask("texts")
    init_translations(made, Shouted())
    return made


@pytest.mark.parametrize(
    "template, shown",
    [
        ('{{ _("a word") }}', "A WORD"),
        ('<a title="{{- _("a word") -}} ">', '<a title="A WORD">'),
        ('{{ _("100 %% <b>sure</b>") }}', "100 % <B>SURE</B>"),
        ('{{ _("a") if yes else _("b") }}', "A"),
        ('{{ _("a") ~ name }}', "A&lt;i&gt;"),
        ("{{ name }}{% trans %}a word{% endtrans %}", "&lt;i&gt;A WORD"),
        ('{{ "_(a)" }}', "_(a)"),
    ],
)
def test_a_text_is_of_the_catalogue_wherever_it_stands(
    app: Flask, template: str, shown: str
) -> None:
    """Alone, in a condition, joined or in a block: its words, its markup, its per cent sign."""
    made = app.jinja_env.overlay(autoescape=True).from_string(template)
    assert made.render(yes=True, name="<i>") == shown
