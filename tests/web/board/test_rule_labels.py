"""Labels of the rules: each number has its own, on both pages, and long lists are folded."""

from __future__ import annotations

import re
from dataclasses import fields
from html import unescape
from typing import Any, Final, cast

import pytest

from antiabuse import account_rules
from antiabuse import rules as antiabuse_rules
from antiabuse.detectors import rules as detector_rules
from arena import review_rules
from arena import rules as arena_rules
from ledger import rules as ledger_rules
from ranking import rules as ranking_rules
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite
from webapp.rules.views import DECISIONS

RULESETS: Final[dict[str, Any]] = {
    "votes": antiabuse_rules.current(),
    "detectors": detector_rules.current(),
    "ranking": ranking_rules.current(),
    "arena": arena_rules.current(),
    "moderation": review_rules.current(),
    "accounts": account_rules.current(),
    "log": ledger_rules.current(),
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


def test_both_pages_print_the_numbers_in_force(open_arena: OpenArena) -> None:
    """What the operator set stands beside what the rule says; unset, the rule stands alone."""
    chosen = open_arena(rate_limit="33", refit_min_votes="7").voter()
    told = "(set by the operator; the rule says {})"
    for path, where in (("/rules", "tr"), ("/rules/arena", "div")):
        html = unescape(chosen.get(path).text)
        least = one(html, where, "ranking-refit_min_votes")
        assert "<strong>7</strong>" in least
        assert told.format(ranking_rules.current().refit_min_votes) in least
        assert "set by the operator" not in one(html, where, "ranking-refit_votes")
    requests = one(unescape(chosen.get("/rules").text), "tr", "votes-ballot_requests")
    assert "<strong>33</strong>" in requests
    assert told.format(antiabuse_rules.current().ballot_requests) in requests

    unset = open_arena(rate_limit=str(antiabuse_rules.current().ballot_requests)).voter()
    assert "set by the operator" not in unset.get("/rules").text


def test_limits_say_whether_they_themselves_pass(arena: ArenaSite) -> None:
    """Three voters may share a device and five an address: only more open a case (V-122, V-125)."""
    html = unescape(arena.voter().get("/rules").text)
    for name in ("device_voters", "address_voters", "favourite_deviations"):
        assert "more open" in one(html, "tr", f"detectors-{name}")
    for name in ("fast_votes", "label_run"):
        assert "more" not in one(html, "tr", f"detectors-{name}").partition("</th>")[0]
    assert "networks before networks are" in one(html, "tr", "ranking-cap_clusters")


@pytest.mark.parametrize("path", ["/rules", "/rules/arena"])
def test_an_agenda_is_explained_whole(arena: ArenaSite, path: str) -> None:
    """V-153: the exact tail has to pass as well, and what is expected goes by one's own share."""
    html = unescape(arena.voter().get(path).text)
    for words in ("exact two-sided chance of so many picks", "own share of votes with such a pick"):
        assert words in html


def one(html: str, tag: str, place: str) -> str:
    """Return the element of this id."""
    (found,) = re.findall(rf'<{tag} id="{place}">(.*?)</{tag}>', html)
    return str(found)
