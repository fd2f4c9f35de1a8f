"""How numbers and moments are written for people; true minus signs, UTC, no false digits."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from flask import Flask

from antiabuse.utc import SECOND_US
from webapp.board.intervals import half_width
from webapp.wiring import services

__all__ = ["init_filters", "month_name"]

_MINUTE_S: Final = 60
_HOUR_S: Final = 3_600
_DAY_S: Final = 86_400
_MINUS: Final = "\N{MINUS SIGN}"


def score(value: float) -> str:
    """Write a score in whole points."""
    return f"{value:.0f}"


def signed(value: Decimal | float) -> str:
    """Write a change with its sign and two digits: `+24.00`, `−4.00`, `0.00`."""
    rounded = round(Decimal(value), 2)
    if rounded == 0:
        return "0.00"
    sign = "+" if rounded > 0 else _MINUS
    return f"{sign}{abs(rounded):.2f}"


def percent(share: float) -> str:
    """Write a share of one in whole per cent."""
    return f"{share * 100:.0f} %"


def number(value: float) -> str:
    """Write a count with thousands parted."""
    return f"{value:,.0f}"


def plain_weight(value: str | Decimal) -> str:
    """Write a weight with at most three digits after the point."""
    rounded = round(Decimal(value), 3).normalize()
    return f"{rounded:f}"


def utc(moment_us: int) -> str:
    """Write a moment: `2026-11-30 13:52 UTC`."""
    return f"{datetime.fromtimestamp(moment_us // SECOND_US, tz=UTC):%Y-%m-%d %H:%M} UTC"


def utc_seconds(moment_us: int) -> str:
    """Write a moment to the second, `2026-11-30 13:52:07 UTC`, where two of one minute differ."""
    return f"{datetime.fromtimestamp(moment_us // SECOND_US, tz=UTC):%Y-%m-%d %H:%M:%S} UTC"


def hour(text: str) -> str:
    """Write an hour as records bear it, `2026-11-30T13:00Z`: `2026-11-30, 13–14 h UTC`."""
    begun = datetime.strptime(text, "%Y-%m-%dT%H:00Z").replace(tzinfo=UTC)
    return f"{begun:%Y-%m-%d}, {begun.hour}\N{EN DASH}{begun.hour + 1} h UTC"


def ago(moment_us: int) -> str:
    """Write how long ago a moment was, in the largest whole unit."""
    seconds = max(0, (services().clock() - moment_us) // SECOND_US)
    for size, unit in ((_DAY_S, "d"), (_HOUR_S, "h"), (_MINUTE_S, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def month_name(month: str) -> str:
    """Write a month: `2026-11` becomes `November 2026`."""
    return f"{datetime.strptime(month, '%Y-%m').replace(tzinfo=UTC):%B %Y}"


def sentence_case(text: str) -> str:
    """Write a category as other labels are written: with a capital first letter."""
    return text[:1].upper() + text[1:]


def init_filters(app: Flask) -> None:
    """Offer these to templates."""
    for filter_ in (
        score, half_width, signed, percent, number, plain_weight, utc, utc_seconds, hour, ago,
        month_name, sentence_case,
    ):  # fmt: skip
        app.add_template_filter(filter_)
