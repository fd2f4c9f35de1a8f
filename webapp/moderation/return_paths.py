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
    }
)
_WITH_ID: Final = re.compile(
    r"/moderation/(?:cases|votes|decisions)/[A-Za-z0-9][A-Za-z0-9:_-]{0,120}"
)


def return_path(asked: str) -> str:
    """Return the path if it is one of ours, else the queue's."""
    if asked in _PLAIN or _WITH_ID.fullmatch(asked):
        return asked
    return QUEUE
