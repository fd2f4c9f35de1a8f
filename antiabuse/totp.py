"""One-time codes from a shared secret and the clock (RFC 6238: SHA-1, 6 digits, 30 s)."""

from __future__ import annotations

import base64
import hmac
import random
import re
from typing import Final

import pyotp

from antiabuse.account_rules import current
from antiabuse.utc import SECOND_US

SECRET_BYTES: Final = 20
STEP_S: Final = 30

_SECRET: Final = re.compile(r"[A-Z2-7]{32}")
_CODE: Final = re.compile(r"[0-9]{6}")


def new_secret(rng: random.Random) -> str:
    """Return 160 random bits in Base32, as RFC 4226 recommends."""
    return base64.b32encode(rng.randbytes(SECRET_BYTES)).decode("ascii")


def is_secret(text: str) -> bool:
    """Tell whether a text has the form of `new_secret`."""
    return _SECRET.fullmatch(text) is not None


def code_at(secret: str, now_us: int) -> str:
    """Return the code of a moment."""
    return pyotp.TOTP(secret).generate_otp(_step(now_us))


def matching_step(secret: str, code: str, now_us: int) -> int | None:
    """Return the number of the step that a code belongs to, or None.

    Args:
        secret: Base32.
        code: as typed; spaces are passed over.
        now_us: microseconds UTC; neighbouring steps within the rule's window are accepted.
    """
    typed = "".join(code.split())
    if not _CODE.fullmatch(typed):
        return None
    totp = pyotp.TOTP(secret)
    now, window = _step(now_us), current().code_window
    steps = range(max(0, now - window), now + window + 1)
    # All of them are compared, so that the time taken does not tell which one was near.
    found = [step for step in steps if hmac.compare_digest(totp.generate_otp(step), typed)]
    return found[-1] if found else None


def provisioning_uri(secret: str, name: str, issuer: str) -> str:
    """Return the `otpauth://` address that an authenticator takes."""
    return pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=issuer)


def _step(now_us: int) -> int:
    return now_us // (STEP_S * SECOND_US)
