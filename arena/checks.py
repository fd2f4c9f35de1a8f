"""What the board `checks` says: how few voters decide, whether exposure bends, the month before.

Effects are published as sizes only; no voter is named, by pseudonym or by number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from arena import boards, standing
from arena.boards import PublishedBoard
from arena.ports import Ports
from arena.refits import counted
from ranking import influence, links, lobster, propensity
from ranking import rules as ranking_rules
from ranking.lobster import Choices, Fit, Floats

__all__ = ["check_facts", "link_to", "month_before"]


def check_facts(
    choices: Choices, fitted: Fit, probability: Floats, basket: Sequence[str]
) -> dict[str, Any]:
    """Return influence, fragility and the 1 / P(S) check of a board (V-163, V-164).

    Args:
        choices: the votes.
        fitted: their official fit.
        probability: (n,) P(S) of each vote's set as its ballot logged it.
        basket: basket of the official board; empty for the ghost as zero.
    """
    return {
        "fragility": _fragility(choices, fitted),
        "effects": _effects(choices, fitted, basket),
        "propensity": _propensity(choices, fitted, probability, basket),
    }


def _fragility(choices: Choices, fitted: Fit) -> Mapping[str, Any] | None:
    tipping = influence.tipping_voters(choices, fitted)
    if tipping is None:
        return None
    return {"first": tipping.first, "instead": tipping.instead, "voters": len(tipping.clusters)}


def _effects(choices: Choices, fitted: Fit, basket: Sequence[str]) -> list[Mapping[str, str]]:
    largest = influence.largest_effects(choices, fitted, basket=basket or None)
    return [
        {"model": effect.model, "points": f"{effect.points:.2f}"}
        for effects in largest.values()
        for effect in effects
    ]


def _propensity(
    choices: Choices, fitted: Fit, probability: Floats, basket: Sequence[str]
) -> Mapping[str, Any]:
    check = propensity.propensity_check(
        choices, probability, fitted, basket=basket or None, rules=ranking_rules.current()
    )
    return {
        "median": f"{check.median:.6f}",
        "capped": check.capped,
        "effective_votes": f"{check.effective_votes:.2f}",
        "models": [
            {
                "model": row.model,
                "official": f"{row.official:.2f}",
                "reweighted": f"{row.reweighted:.2f}",
                "errors": f"{row.errors:.4f}",
                "marked": row.marked,
            }
            for row in check.models
        ],
    }


def link_to(
    ports: Ports, official: PublishedBoard, fitted: Fit, basket: Sequence[str]
) -> Mapping[str, Any] | None:
    """Return how far the zero of the month before lies from that of an official board.

    None where there was no board, where it stood on demo votes and this one does not, or where no
    model is in both baskets.
    """
    month = month_before(official.month)
    with ports.database.read() as conn:
        earlier = boards.latest(conn, official.mode, month)
        if earlier is None or earlier.demo is not official.demo:
            return None
        if not set(earlier.basket) & set(basket):
            return None  # before the votes of a whole month are read for nothing
        votes = standing.columns_at(ports, conn, official.mode, month, earlier.log_size)
    columns = counted(votes)[0]
    start = {row.model: row.theta for row in earlier.rows}
    found = links.link(lobster.fit(columns.choices(), start=start), earlier.basket, fitted, basket)
    if found is None:
        return None
    return {
        "month": month,
        "board": earlier.id,
        "constant": f"{found.constant:.2f}",
        "se": f"{found.se:.6f}",
        "spread": None if found.spread is None else f"{found.spread:.2f}",
        "models": list(found.models),
    }


def month_before(month: str) -> str:
    """Return the month before one, `2026-10` for `2026-11`."""
    return f"{date.fromisoformat(f'{month}-01') - timedelta(days=1):%Y-%m}"
