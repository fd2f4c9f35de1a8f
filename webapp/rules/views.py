"""The arena's rules explained: formulas, numbers in force, reasons, an example to try (V-053)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from flask import Blueprint, Response, make_response, render_template, request

from antiabuse import rules as antiabuse_rules
from antiabuse.detectors import rules as detector_rules
from antiabuse.sincerity import ClientValues, Sincerity, weigh
from antiabuse.utc import SECOND_US
from arena.review_rules import REASONS, Act
from ranking import points
from ranking import rules as ranking_rules
from ranking.points import VotePoints
from webapp.htmx import wants_fragment
from webapp.limits import reading_limit
from webapp.rules.formulas import formula
from webapp.rules.numbers import RuleText
from webapp.wiring import services

arena_rules = Blueprint("arena_rules", __name__)

# A note decides nothing.
DECISIONS: Final = tuple(act for act in Act if act is not Act.NOTE)
_FIRST_DWELL: Final = "6"
_FIRST_SCROLL: Final = "1"
_MOST_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Example:
    """What was tried, and what came out; `outcome` is None where the input is no number."""

    dwell: str
    scroll: str
    outcome: Sincerity | None
    points: VotePoints | None


@arena_rules.get("/rules/arena")
@reading_limit
def explain() -> Response:
    """Explain how votes become scores, with an example that answers without script."""
    example = _example(
        request.args.get("dwell", _FIRST_DWELL), request.args.get("scroll", _FIRST_SCROLL)
    )
    settings = services().settings
    page = render_template(
        "rules/arena.html",
        formula=formula,
        ranking=RuleText("ranking", ranking_rules.current(), settings),
        voting=RuleText("votes", antiabuse_rules.current(), settings),
        detectors=RuleText("detectors", detector_rules.current(), settings),
        decisions={act.value: REASONS[act] for act in DECISIONS},
        example=example,
        nav="rules",
        fragment=wants_fragment(),
    )
    return make_response(page)


def _example(dwell: str, scroll: str) -> Example:
    """Weigh a vote as the arena would, between four models of equal strength."""
    seconds, share = _number(dwell, Decimal(86_400)), _number(scroll, Decimal(1))
    if seconds is None or share is None:
        return Example(dwell, scroll, None, None)
    rules = antiabuse_rules.current()
    outcome = weigh(ClientValues(seconds, share), int(seconds * SECOND_US), (), rules)
    changes = points.vote_points(
        [1.0] * 4, "best_worst", best=0, worst=3, weight=outcome.weight,
        rules=ranking_rules.current(),
    )  # fmt: skip
    return Example(dwell, scroll, outcome, changes)


def _number(text: str, most: Decimal) -> Decimal | None:
    """Read a plain number from 0 to a limit."""
    if len(text) > _MOST_DIGITS:
        return None
    try:
        value = Decimal(text.strip().replace(",", "."))
    except InvalidOperation:
        return None
    if not (value.is_finite() and 0 <= value <= most):
        return None
    return round(value, 6)
