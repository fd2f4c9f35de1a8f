"""Device fingerprints as keyed digests of the month: weak evidence, no identity (V-120)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from antiabuse.keys import derived_key, keyed_digest

_DIGEST: Final = re.compile(r"[0-9a-f]{32,128}")


def device_digest(keys: Sequence[str], month: str, sent: str) -> str | None:
    """Return the keyed digest that is stored in place of what the browser sent.

    Args:
        keys: oldest first; the oldest is used, see `antiabuse.keys`.
        month: `2026-11`; digests join within one month only.
        sent: hexadecimal digest made in the browser.

    Returns:
        The keyed digest in hex, or None when `sent` is no hexadecimal digest.
    """
    if not _DIGEST.fullmatch(sent):
        return None
    return keyed_digest(derived_key(keys, f"antiabuse.device:{month}"), sent).hex()
