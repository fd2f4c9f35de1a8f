"""Labels of the rules: each number has its own, on both pages, and long lists are folded."""

from __future__ import annotations

import re
from dataclasses import fields
from html import unescape
from typing import Any, Final, cast

import pytest

from antiabuse import rules as antiabuse_rules
from antiabuse.detectors import rules as detector_rules
from arena import review_rules
from arena import rules as arena_rules
from ranking import rules as ranking_rules
from tests.fixtures.arena_site import ArenaSite
from webapp.rules.views import DECISIONS

RULESETS: Final[dict[str, Any]] = {
    "votes": antiabuse_rules.current(),
    "detectors": detector_rules.current(),
    "ranking": ranking_rules.current(),
    "arena": arena_rules.current(),
    "moderation": review_rules.current(),
}


def names_of(room: str) -> set[str]:
    """Return the numbers of a room's ruleset; the ranking's pages also print its id."""
    return {f.name for f in fields(RULESETS[room]) if f.name != "id" or room == "ranking"}


def texts(site: ArenaSite, name: str) -> dict[str, Any]:
    """Return the texts beside the pages."""
    module = site.app.jinja_env.get_template("rules/labels.html").make_module()
    return cast("dict[str, Any]", getattr(module, name))


@pytest.mark.parametrize("room", RULESETS)
def test_each_number_has_a_label_of_its_own(arena: ArenaSite, room: str) -> None:
    """None is missing, none is left over, and no two of a room are called the same."""
    labels = texts(arena, "labels")[room]
    assert set(labels) == names_of(room)
    assert len(set(labels.values())) == len(labels)
    assert set(texts(arena, "labels")) == set(RULESETS)


@pytest.mark.parametrize("room", RULESETS)
def test_the_rules_print_each_label_beside_its_value(arena: ArenaSite, room: str) -> None:
    """A row for each number, named for people, with its name in the program in small print."""
    html = unescape(arena.voter().get("/rules").text)
    for name in names_of(room) - {"id"}:
        (row,) = re.findall(rf'<tr id="{room}-{name}">(.*?)</tr>', html)
        assert row.startswith(f'<th scope="row">{texts(arena, "labels")[room][name]} <small')


@pytest.mark.parametrize("room", ["votes", "detectors", "ranking"])
def test_the_formulas_use_labels_and_no_words_of_the_program(arena: ArenaSite, room: str) -> None:
    """What stands before a number there is its label."""
    html = unescape(arena.voter().get("/rules/arena").text)
    rows = re.findall(rf'<div id="{room}-([a-z0-9_]+)"><dt>(.*?): <strong>', html)
    labels = texts(arena, "labels")[room]
    assert rows
    assert [name for name, label in rows if labels[name] != label] == []
    assert "<code>" not in html[: html.index('id="review"')]


def test_long_lists_are_folded(arena: ArenaSite) -> None:
    """Of the makers' names the row shows how many; the names stand inside."""
    html = unescape(arena.voter().get("/rules").text)
    (row,) = re.findall(r'<tr id="arena-well_known_names">(.*?)</tr>', html)
    names = arena_rules.current().well_known_names
    assert f"<details><summary><strong>{len(names)}</strong> names</summary>" in row
    assert ", ".join(names) in row
    (short,) = re.findall(r'<tr id="detectors-looks">(.*?)</tr>', html)
    assert "<details>" not in short


def test_each_decision_is_called_in_words(arena: ArenaSite) -> None:
    """Also those of moderators."""
    acts = texts(arena, "acts")
    assert set(acts) == {act.value for act in DECISIONS}
    html = unescape(arena.voter().get("/rules/arena").text)
    assert [text for text in acts.values() if f"<tr><td>{text}</td>" not in html] == []
