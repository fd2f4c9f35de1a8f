"""UTC calendar of the rules (O-19): day, month and rounded hour of a time in microseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

SECOND_US: Final = timedelta(seconds=1) // timedelta(microseconds=1)
MINUTE_US: Final = timedelta(minutes=1) // timedelta(microseconds=1)
HOUR_US: Final = timedelta(hours=1) // timedelta(microseconds=1)
DAY_US: Final = timedelta(days=1) // timedelta(microseconds=1)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _moment(now_us: int) -> datetime:
    return _EPOCH + timedelta(microseconds=now_us)


def _month_us(month: str) -> int:
    first = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    return (first - _EPOCH) // timedelta(microseconds=1)


def day_of(now_us: int) -> str:
    """Return the UTC date, `2026-11-30`."""
    return f"{_moment(now_us):%Y-%m-%d}"


def month_of(now_us: int) -> str:
    """Return the UTC month, `2026-11`."""
    return f"{_moment(now_us):%Y-%m}"


def hour_of(now_us: int) -> str:
    """Return the time rounded down to the hour, `2026-11-30T13:00Z`, as event bodies show it."""
    return f"{_moment(now_us):%Y-%m-%dT%H:00Z}"


def minute_of(now_us: int) -> int:
    """Return the first microsecond of the minute."""
    return now_us - now_us % MINUTE_US


def day_start_us(now_us: int) -> int:
    """Return the UTC midnight at or before a moment, in microseconds."""
    return now_us - now_us % DAY_US


def month_start_us(now_us: int) -> int:
    """Return the first microsecond of a moment's month."""
    return _month_us(month_of(now_us))


def previous_month(now_us: int) -> str:
    """Return the month before a moment's own, `2026-11`."""
    return month_of(month_start_us(now_us) - 1)


def month_end_us(month: str) -> int:
    """Return the first microsecond after a month, `2026-11`."""
    return month_start_us(_month_us(month) + 31 * DAY_US)


def day_left_s(now_us: int) -> int:
    """Return the whole seconds, rounded up, until the next UTC day begins."""
    return ceil_seconds(DAY_US - now_us % DAY_US)


def ceil_seconds(span_us: int) -> int:
    """Return a span in microseconds as whole seconds, rounded up; 0 for spans gone by."""
    return max(0, -(-span_us // SECOND_US))
