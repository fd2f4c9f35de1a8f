"""Device fingerprints as keyed digests of the month: weak evidence, no identity (V-120)."""

from __future__ import annotations

import re
from typing import Final

from antiabuse.digest_keys import DigestKeys
from antiabuse.keys import keyed_digest

_DIGEST: Final = re.compile(r"[0-9a-f]{32,128}")


def device_digest(keys: DigestKeys, month: str, sent: str) -> str | None:
    """Return the keyed digest that is stored in place of what the browser sent.

    Args:
        keys: of the months.
        month: `2026-11`; digests join within one month only.
        sent: hexadecimal digest made in the browser.

    Returns:
        The keyed digest in hex, or None when `sent` is no hexadecimal digest.

    Raises:
        DigestKeyUnusable: the month's key cannot be read or made.
    """
    if not _DIGEST.fullmatch(sent):
        return None
    return keyed_digest(keys.of_month(month), f"device:{sent}").hex()
