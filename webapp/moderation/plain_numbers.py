"""Numbers of detectors for reading: few digits, and small chances as one in so many."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Final

__all__ = ["few_digits", "one_in"]

_DIGITS: Final = 3
_ROUNDED: Final = Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN)
_TWO_DIGITS: Final = Context(prec=2, rounding=ROUND_HALF_EVEN)
_MINUS: Final = "\N{MINUS SIGN}"
_NEVER: Final = 10**12


def few_digits(text: str) -> str:
    """Write a decimal text with three significant digits, whole numbers as they are.

    What is no number, such as the mark for a number that is not there, stays as it is.
    """
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    shown = value if value == value.to_integral_value() else _ROUNDED.plus(value)
    words = f"{shown:,f}"
    return (words.rstrip("0").rstrip(".") if "." in words else words).replace("-", _MINUS)


def one_in(chance: str) -> int:
    """Return in how many cases a chance comes true once, to two significant digits.

    Args:
        chance: above 0 and up to 1, as decimal text; 0 stands for one too small to be told.
    """
    value = Decimal(chance)
    if value * _NEVER < 1:
        return _NEVER
    return int(_TWO_DIGITS.divide(Decimal(1), value))
