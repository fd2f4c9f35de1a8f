"""How much a vote weighs (V-070 to V-079): dwell, scroll and anomalies, as exact decimals.

Pure. Values from the browser may lower a weight and never raise it; what could not be measured
does not cost the voter (V-168).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal
from enum import StrEnum
from typing import Final

from antiabuse.rules import AntiabuseRules

_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)
_MILLI: Final = Decimal("0.001")
_MICRO: Final = Decimal("0.000001")
_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?", re.IGNORECASE
)


class WeightReason(StrEnum):
    """Why a weight is below 1, or which check could not run."""

    BAD_CLIENT_VALUE = "bad_client_value"
    CLOCK = "clock"
    TOO_FAST = "too_fast"
    NO_SCROLL = "no_scroll"
    SCROLL_UNKNOWN = "scroll_unknown"
    REPEATED_QUESTION = "repeated_question"
    SEEN_ANSWER = "seen_answer"
    STALE_ANSWER = "stale_answer"
    IDENTITY_LEAK = "identity_leak"


ANOMALIES: Final = frozenset(
    {
        WeightReason.REPEATED_QUESTION,
        WeightReason.SEEN_ANSWER,
        WeightReason.STALE_ANSWER,
        WeightReason.IDENTITY_LEAK,
    }
)


@dataclass(frozen=True, slots=True)
class ClientValues:
    """What the browser says it measured.

    Args:
        dwell_s: seconds of visible reading; None when absent or bad.
        scroll: smallest viewed share of the overflowing answers, 0 to 1; None likewise.
        bad: the values contradict themselves or are no numbers; then both are None.
    """

    dwell_s: Decimal | None
    scroll: Decimal | None
    bad: bool = False

    def __post_init__(self) -> None:
        """Refuse half a measurement and values out of range: those are read as bad."""
        there = self.dwell_s is not None
        if there != (self.scroll is not None) or (there and self.bad):
            raise ValueError("client values are both there, both absent, or bad")
        if self.dwell_s is not None and not (self.dwell_s.is_finite() and self.dwell_s >= 0):
            raise ValueError("dwell is a finite number of seconds from 0 on")
        if self.scroll is not None and not (self.scroll.is_finite() and 0 <= self.scroll <= 1):
            raise ValueError("scroll is a share from 0 to 1")


@dataclass(frozen=True, slots=True)
class Sincerity:
    """The weight of a vote and its parts; `weight` is the rounded product of the three factors.

    Every decimal has at most six digits after the point and prints without an exponent.
    `dwell_s` is the dwell used, None when neither clock knows it.
    """

    dwell_s: Decimal | None
    dwell_weight: Decimal
    scroll_factor: Decimal
    anomaly_factor: Decimal
    weight: Decimal
    reasons: tuple[WeightReason, ...]

    @property
    def counts(self) -> bool:
        """Tell whether the vote enters gains, fit and exposure (V-079)."""
        return self.weight > 0


def read_client_values(
    dwell_ms: str | None, scroll: str | None, rules: AntiabuseRules
) -> ClientValues:
    """Read the two form fields; whatever they hold, this never raises (V-077).

    Args:
        dwell_ms: milliseconds as the form sent them; None or empty = absent.
        scroll: share 0 to 1 as the form sent it; None or empty = absent.
        rules: the ruleset in force.
    """
    if not dwell_ms and not scroll:
        return ClientValues(None, None)
    milliseconds = _number(dwell_ms, rules)
    share = _number(scroll, rules)
    if milliseconds is None or share is None or milliseconds < 0 or not 0 <= share <= 1:
        return ClientValues(None, None, bad=True)
    # No ballot lives longer, so a longer claim says nothing more and is not worth its digits.
    seconds = min(milliseconds * _MILLI, Decimal(rules.ballot_life_s))
    return ClientValues(_plain(seconds.quantize(_MICRO, ROUND_DOWN)), share)


def weigh(
    client: ClientValues,
    server_dwell_us: int | None,
    anomalies: Iterable[WeightReason],
    rules: AntiabuseRules,
) -> Sincerity:
    """Weigh one vote: dwell weight x scroll factor x anomaly factor (V-075).

    Args:
        client: from `read_client_values`.
        server_dwell_us: microseconds from sending the answers to receiving the vote, by the
            server's clock; None or negative = unknown (the clock was set back, V-078).
        anomalies: members of `ANOMALIES` that hold; any of them makes the weight 0.
        rules: the ruleset in force.

    Raises:
        ValueError: an anomaly that is not one of `ANOMALIES`.
    """
    found = set(anomalies)
    if not found <= ANOMALIES:
        raise ValueError(f"not anomalies: {sorted(found - ANOMALIES)}")
    if client.bad:
        found.add(WeightReason.BAD_CLIENT_VALUE)
    if server_dwell_us is not None and server_dwell_us < 0:
        server_dwell_us = None
    dwell_s = _dwell(client, server_dwell_us)
    dwell_weight = _dwell_weight(dwell_s, rules)
    scroll_factor = _scroll_factor(client.scroll, dwell_s, rules)
    anomaly_factor = _ZERO if found else _ONE
    read = _rounded(dwell_weight * scroll_factor, rules)
    if server_dwell_us is None:
        found.add(WeightReason.CLOCK)
    if dwell_weight == 0 or (scroll_factor > 0 and read == 0):
        found.add(WeightReason.TOO_FAST)
    if scroll_factor == 0:
        found.add(WeightReason.NO_SCROLL)
    if client.scroll is None and not client.bad:
        found.add(WeightReason.SCROLL_UNKNOWN)
    return Sincerity(
        dwell_s=dwell_s,
        dwell_weight=dwell_weight,
        scroll_factor=scroll_factor,
        anomaly_factor=anomaly_factor,
        weight=read if anomaly_factor else _ZERO,
        reasons=tuple(reason for reason in WeightReason if reason in found),
    )


def _dwell(client: ClientValues, server_dwell_us: int | None) -> Decimal | None:
    """Return the smaller of what client and server know (V-076)."""
    known = [] if client.dwell_s is None else [client.dwell_s.quantize(_MICRO, ROUND_DOWN)]
    if server_dwell_us is not None:
        known.append(server_dwell_us * _MICRO)
    return _plain(min(known)) if known else None


def _dwell_weight(dwell_s: Decimal | None, rules: AntiabuseRules) -> Decimal:
    if dwell_s is None:
        return _ONE
    span = rules.full_dwell_s - rules.zero_dwell_s
    return _rounded(min(_ONE, max(_ZERO, (dwell_s - rules.zero_dwell_s) / span)), rules)


def _scroll_factor(
    scroll: Decimal | None, dwell_s: Decimal | None, rules: AntiabuseRules
) -> Decimal:
    if scroll is None:
        return rules.partial_scroll_factor
    if scroll >= rules.read_scroll:
        return _ONE
    if scroll < rules.glance_scroll and dwell_s is not None and dwell_s < rules.full_dwell_s:
        return _ZERO
    return rules.partial_scroll_factor


def _number(text: str | None, rules: AntiabuseRules) -> Decimal | None:
    """Return the number a browser printed; None for anything else."""
    if not text or len(text) > rules.client_value_characters or not _NUMBER.fullmatch(text):
        return None
    return Decimal(text)


def _rounded(value: Decimal, rules: AntiabuseRules) -> Decimal:
    return _plain(value.quantize(_ONE.scaleb(-rules.weight_digits), ROUND_HALF_EVEN))


def _plain(value: Decimal) -> Decimal:
    """Return the same number without trailing zeros, exponent, or the sign of a zero."""
    return Decimal(f"{value.normalize() + 0:f}")
