"""Where sign-in may lead: our own rooms by a fixed list, never an address that was handed in."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["QUEUE", "return_path"]

QUEUE: Final = "/moderation"

_PLAIN: Final = frozenset(
    {
        QUEUE,
        "/moderation/account",
        "/moderation/audit",
        "/moderation/decisions",
        "/moderation/influence",
        "/moderation/operations",
    }
)
_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_WITH_ID: Final = re.compile(
    rf"/moderation/(?:votes/{_UUID}|decisions/{_UUID}"
    rf"|cases/(?:flag|answer|dispute|vote):{_UUID}|cases/voter:[0-9]{{4}}-[0-9]{{2}}:[0-9a-f]{{32}})"
)


def return_path(asked: str) -> str:
    """Return the path if it is one of ours, else the queue's."""
    if asked in _PLAIN or _WITH_ID.fullmatch(asked):
        return asked
    return QUEUE
