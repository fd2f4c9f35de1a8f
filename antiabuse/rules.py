"""The numbers of this room: one frozen ruleset, each field with unit and reason.

A published ruleset never changes; a change is a new id. What an operator may set is not here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class AntiabuseRules:
    """Who may vote how often, and how much a vote weighs (V-070 to V-078, V-110 to V-131)."""

    id: str

    zero_dwell_s: Decimal = field(
        default=Decimal(2),
        metadata={
            "unit": "seconds",
            "reason": "Nobody reads four answers in two seconds: up to here a vote weighs nothing.",
        },
    )
    full_dwell_s: Decimal = field(
        default=Decimal(10),
        metadata={
            "unit": "seconds",
            "reason": "From here the dwell weight is 1; between the two it rises in a line.",
        },
    )
    glance_scroll: Decimal = field(
        default=Decimal("0.05"),
        metadata={
            "unit": "share of the least-read overflowing answer",
            "reason": "Below this an answer that overflows was not scrolled at all.",
        },
    )
    read_scroll: Decimal = field(
        default=Decimal("0.50"),
        metadata={
            "unit": "share of the least-read overflowing answer",
            "reason": "The voter must have looked at half of each; short answers need no scroll.",
        },
    )
    partial_scroll_factor: Decimal = field(
        default=Decimal("0.5"),
        metadata={
            "unit": "factor",
            "reason": "Holds for partial or unknown scrolling, and for slow voters without any.",
        },
    )
    weight_digits: int = field(
        default=6,
        metadata={
            "unit": "digits after the point",
            "reason": "Exact decimals, so that anybody computes the same weight to the last digit.",
        },
    )
    client_value_characters: int = field(
        default=40,
        metadata={
            "unit": "characters",
            "reason": "A browser prints a number in at most 24 characters; longer is no number.",
        },
    )

    ballot_requests: int = field(
        default=20,
        metadata={
            "unit": "requests per address and window",
            "reason": "Six vote cycles a minute take at most 18 requests to ballots and votes.",
        },
    )
    reading_requests: int = field(
        default=120,
        metadata={
            "unit": "requests per address and window",
            "reason": "Reading the other pages costs little, but not nothing.",
        },
    )
    request_window_s: int = field(
        default=60,
        metadata={
            "unit": "seconds, moving",
            "reason": "Short enough that a shared address is not shut out for long.",
        },
    )
    cooldown_s: int = field(
        default=10,
        metadata={
            "unit": "seconds between two accepted votes of a voter",
            "reason": "Equal to the dwell of full weight: faster votes could not count in full.",
        },
    )
    daily_votes: int = field(
        default=50,
        metadata={
            "unit": "accepted votes per voter and UTC day",
            "reason": "Bounds what one identity can move in a day; votes of weight 0 count too.",
        },
    )
    daily_ballots: int = field(
        default=150,
        metadata={
            "unit": "issued ballots per voter and UTC day",
            "reason": "Three looks per vote; more is harvesting answers without judging them.",
        },
    )
    daily_skips: int = field(
        default=60,
        metadata={
            "unit": "skips per voter and UTC day",
            "reason": "Skipping is honest, but choosing one's ballots by skipping is not.",
        },
    )
    ballot_life_s: int = field(
        default=86_400,
        metadata={
            "unit": "seconds",
            "reason": "A day keeps the dwell meaningful and still forgives an open tab.",
        },
    )
    fresh_reveals: int = field(
        default=300,
        metadata={
            "unit": "reveals of an answer",
            "reason": "Later reveals have told too many which model wrote it; votes then weigh 0.",
        },
    )

    ipv4_prefix_bits: int = field(
        default=24,
        metadata={"unit": "bits", "reason": "One site or provider pool often shares a /24."},
    )
    ipv6_address_bits: int = field(
        default=64,
        metadata={"unit": "bits", "reason": "One household or host holds a whole /64."},
    )
    ipv6_prefix_bits: int = field(
        default=48,
        metadata={"unit": "bits", "reason": "One site is commonly given a /48."},
    )
    device_household: int = field(
        default=3,
        metadata={
            "unit": "voters on one device digest",
            "reason": "A household shares a machine; more voters on one digest are many machines "
            "that look alike, or one person under many ids.",
        },
    )
    day_key_days: int = field(
        default=2,
        metadata={
            "unit": "days",
            "reason": "The key of a day's address digests is destroyed once no request can be left "
            "that began on that day; then nobody can try out addresses against them.",
        },
    )
    month_key_days: int = field(
        default=2,
        metadata={
            "unit": "days after the end of the month (UTC)",
            "reason": "The key of a month's digests of networks and devices makes none once no "
            "request can be left that began in that month. Caps, sweeps and cases compare digests "
            "that are stored, which takes no key.",
        },
    )
    private_days: int = field(
        default=60,
        metadata={
            "unit": "days after the end of the month (UTC)",
            "reason": "A month's archive is out within days; whoever misses a vote in it has more "
            "than a month to contest it. After that nobody looks at exact times and digests.",
        },
    )
    retention_gap_days: int = field(
        default=7,
        metadata={
            "unit": "days since anything was last erased",
            "reason": "Erasing runs every hour. After a longer gap it stood still or the clock is "
            "wrong, and what a wrong clock erases is gone: a person says which it is. A shorter "
            "jump erases at most a week too early.",
        },
    )
    cookie_days: int = field(
        default=365,
        metadata={
            "unit": "days",
            "reason": "Browsers drop the voter cookie then, so nobody can ask for its votes again.",
        },
    )
    retention_batch: int = field(
        default=500,
        metadata={
            "unit": "rows in one transaction",
            "reason": "Erasing takes turns with voters, who must not wait for it.",
        },
    )

    token_characters: int = field(
        default=256,
        metadata={
            "unit": "characters",
            "reason": "Our cookies and tokens stay below 200; longer input is not worth hashing.",
        },
    )
    pseudonym_characters: int = field(
        default=32,
        metadata={
            "unit": "hexadecimal digits",
            "reason": "128 bits: two voters of a month never share a pseudonym by chance.",
        },
    )


RULESETS: Final[dict[str, AntiabuseRules]] = {
    rules.id: rules for rules in (AntiabuseRules(id="arena.2026.1"),)
}


def current() -> AntiabuseRules:
    """Return the ruleset in force."""
    return RULESETS["arena.2026.1"]
