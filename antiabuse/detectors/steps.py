"""Fixed steps at which evidence that grows is told again: as it doubles, and past the strict line.

Without them, who is once reported and found honest could do anything for the rest of the month; and
a case each night would tell the same again and again.
"""

from __future__ import annotations

__all__ = ["step"]


def step(evidence: int, least: int, *, strict: bool) -> int:
    """Return the number of the step that evidence has reached; more evidence is never a lower one.

    Args:
        evidence: how much there is.
        least: how much the report needs; steps are at once, twice, four times as much, and so on.
        strict: whether the stricter threshold is passed, which is a step of its own.

    Raises:
        ValueError: there is less evidence than a report needs.
    """
    if not 0 < least <= evidence:
        raise ValueError("a step needs as much evidence as a report")
    doublings = (evidence // least).bit_length() - 1
    return 2 * doublings + strict
