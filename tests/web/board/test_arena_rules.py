"""The page of formulas: numbers from the rulesets, and an example the server answers."""

from __future__ import annotations

import re
from dataclasses import fields
from html import unescape

import pytest

from antiabuse import rules as antiabuse_rules
from antiabuse.detectors import rules as detector_rules
from arena.review_rules import REASONS
from ranking import rules as ranking_rules
from tests.fixtures.arena_site import ArenaSite
from webapp.rules.formulas import NAMES, formula
from webapp.rules.numbers import written
from webapp.rules.views import DECISIONS


def page(site: ArenaSite, query: str = "") -> str:
    """Return the page."""
    response = site.voter().get(f"/rules/arena{query}")
    assert response.status_code == 200, response.text
    return response.text


def test_every_number_stands_with_its_reason(arena: ArenaSite) -> None:
    """V-053: every number of the ranking is printed as it is in force, with its reason."""
    entries = re.findall(r'<div id="ranking-.*?</dd></div>', unescape(page(arena)))
    ruleset = ranking_rules.current()
    for field in fields(ruleset):
        value = f"<strong>{written(getattr(ruleset, field.name))}</strong>"
        name = f'<div id="ranking-{field.name}">'
        reason = f"<dd>{field.metadata['reason']}</dd>"
        assert any(value in e and name in e and reason in e for e in entries), field.name


def test_every_formula_is_shown_as_mathml(arena: ArenaSite) -> None:
    """Each formula stands once, without a style attribute, which the policy would refuse."""
    html = page(arena)
    assert [name for name in NAMES if html.count(str(formula(name))) != 1] == []
    assert html.count("<math") == len(NAMES)
    assert " style=" not in html
    assert "merror" not in html


@pytest.mark.parametrize("name", NAMES)
def test_a_formula_holds_numbers_and_no_names_of_rules(name: str) -> None:
    """What a formula takes from the rulesets is put in as a number."""
    text = re.sub(r"<[^>]+>", "", unescape(str(formula(name))))
    assert "_" not in text
    rules = {*fields(ranking_rules.current()), *fields(antiabuse_rules.current())}
    assert [f.name for f in rules if len(f.name) >= 5 and f.name.replace("_", "") in text] == []


@pytest.mark.parametrize(
    "name, numbers",
    [
        ("cap", ["cap_share", "cap_even_shares"]),
        ("moved", ["bound_errors"]),
        ("reweighting", ["propensity_cap"]),
        ("reweighted", ["propensity_errors"]),
        ("bounds", ["elimination_z", "revival_z"]),
        ("ghost_rows", ["ghost"]),
        ("extended_fit", ["ghost"]),
        ("index", ["exposure_bonus_cap"]),
        ("h1", ["exposure_gap_floor"]),
        ("difference", ["rank_level"]),
    ],
)
def test_a_formula_follows_the_ruleset(name: str, numbers: list[str]) -> None:
    """The numbers inside the formulas are those in force."""
    for number in numbers:
        value = getattr(ranking_rules.current(), number)
        assert f"<mn>{value:g}</mn>" in formula(name)


@pytest.mark.parametrize(
    "dwell, scroll, weight",
    [
        ("6", "1", "0.5"),
        ("1.9", "1", "0"),
        ("10", "1", "1"),
        ("30", "0.2", "0.5"),
        ("6,5", "1", "0.562"),
    ],
)
def test_the_example_weighs_as_the_arena_does(
    arena: ArenaSite, dwell: str, scroll: str, weight: str
) -> None:
    """What is tried is weighed by the rules in force, without a script."""
    html = page(arena, f"?dwell={dwell}&scroll={scroll}")
    assert f"the vote weighs <strong>{weight}</strong>" in html


def test_the_first_example_is_worked_out(arena: ArenaSite) -> None:
    """Without input the page shows six seconds, and what a win then brings."""
    html = page(arena)
    assert "6 s give 0.5" in html
    gain = ranking_rules.current().points_per_win * 0.75 * 0.5
    assert f"get +{gain:.2f} points" in html


@pytest.mark.parametrize(
    "query",
    ["?dwell=a", "?dwell=-1", "?scroll=2", "?dwell=NaN", "?dwell=1e400", "?scroll=" + "9" * 40],
)
def test_nonsense_is_told_what_to_do(arena: ArenaSite, query: str) -> None:
    """Input that is no such number is answered with a sentence."""
    html = page(arena, query)
    assert "That cannot be weighed" in html
    assert "the vote weighs" not in html


def test_input_is_escaped(arena: ArenaSite) -> None:
    """What was typed comes back as text."""
    assert "<script>alert" not in page(arena, '?dwell="><script>alert(1)</script>')


def test_rules_lead_to_formulas_and_engine(arena: ArenaSite) -> None:
    """The rules link the formulas, and both offer the engine."""
    rules = arena.voter().get("/rules").text
    assert 'href="/rules/arena"' in rules
    for html in (rules, page(arena)):
        assert re.search(r'href="/rules/lobster.py"', html)
    assert str(antiabuse_rules.current().full_dwell_s) in page(arena)


def test_every_number_of_the_detectors_is_explained(arena: ArenaSite) -> None:
    """V-053: whatever opens a case stands on the page with its reason."""
    html = unescape(page(arena))
    for field in fields(detector_rules.current()):
        assert field.name == "id" or field.metadata["reason"] in html, field.name


def test_every_reason_of_a_decision_is_listed(arena: ArenaSite) -> None:
    """A voter can read for which reasons a moderator may decide."""
    html = unescape(page(arena))
    texts = [text for act in DECISIONS for text in REASONS[act].values()]
    assert [text for text in texts if text not in html] == []
