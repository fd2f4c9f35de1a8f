"""When two question texts count as the same question (V-123)."""

from __future__ import annotations

import hashlib
import unicodedata

__all__ = ["normalised", "text_key"]


def normalised(text: str) -> str:
    """Return the text without differences of case, width or blank space.

    NFKC, case folding, runs of white space as one blank, none at the ends.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def text_key(text: str) -> str:
    """Return the SHA-256 of the normalised text as 64 hex digits.

    It stays inside the database: an unsalted digest of a text is as good as the text.
    """
    return hashlib.sha256(normalised(text).encode("utf-8")).hexdigest()
